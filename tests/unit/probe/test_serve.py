"""When a probe counts as stuck."""

from __future__ import annotations

import pytest

from sidecar import config
from sidecar.offline.record import Source
from sidecar.probe.serve import Probe
from sidecar.probe.settings import ProbeConfig
from tests.parts.rag_server import Asked, answer, serving
from tests.unit.probe.test_round import GATE, Hands, questions
from tests.unit.probe.test_send import RESPONSE


def build(url: str, clock: Hands, *, judge: str | None = None) -> Probe:
    request = {"url": url, "body": {"q": "{question}"}, "timeout_seconds": 60}
    given = {"service": "kb", "cases": "c", "gate": GATE, "request": request, "response": RESPONSE}
    probe = ProbeConfig.model_validate({**given, "every_seconds": 100, "concurrency": 1})
    settings = config.build({"judge": {"url": judge, "model": "m", "timeout_seconds": 200}}, kafka=False)
    return Probe(probe, settings, Source(name="cases.jsonl", sha256=""), questions(), clock=clock)


async def test_a_round_that_takes_longer_than_three_intervals_is_alive_as_long_as_it_goes_on() -> None:
    clock = Hands()
    problems: list[str | None] = []

    def says(asked: Asked) -> object:
        clock.at += 150.0
        problems.append(made.problem())
        return answer(asked)

    with serving(says) as server:
        made = build(server.url, clock)
        await made.once()
    assert clock.at == 1000 + 4 * 150
    assert problems == [None] * 4


@pytest.mark.parametrize(
    ("judge", "seconds", "stuck"),
    [
        (None, 479.0, False),
        (None, 481.0, True),
        ("http://127.0.0.1:9/v1", 1079.0, False),
        ("http://127.0.0.1:9/v1", 1081.0, True),
    ],
    ids=["a little less", "a little more", "less, with a slow judge", "more, with a slow judge"],
)
def test_three_intervals_with_their_time_outs_in_which_nothing_moves_are_too_many(
    judge: str | None, seconds: float, stuck: bool
) -> None:
    clock = Hands()
    made = build("http://127.0.0.1:9/", clock, judge=judge)
    clock.at += seconds
    assert (made.problem() is not None) is stuck

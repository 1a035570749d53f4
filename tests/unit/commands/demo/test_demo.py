"""The demo's traffic is natural and understood, and its screen shows what was measured."""

from __future__ import annotations

import time

import pytest
from rich.console import Console

from exporters.result import Outcome, Result, Verdict
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.screen import live_view, plain_line, summary
from sidecar.commands.demo.spans import SpanMaker, to_otlp_json
from sidecar.commands.demo.watch import Watcher, wilson
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native_line
from tests.unit.decode.recordings import understood


def result(number: int, *, verdict: Verdict | None = Verdict.GROUNDED, outcome: Outcome = Outcome.SCORED) -> Result:
    return Result(
        id=str(number), trace_id=str(number), span_id=None, service="kb", model="m", variant=None, timestamp=0.0, completed_at=1.0,
        outcome=outcome, verdict=verdict, durations={"total": 1.5}, tokens={"input": 10, "output": 2},
    )  # fmt: skip


def test_there_are_a_few_hundred_different_requests() -> None:
    corpus = Corpus()
    drawn = {(r.question, r.answer, r.chunks) for r in (corpus.draw(0.2) for _ in range(600))}
    assert len(drawn) > 300
    assert len(corpus.passages) >= 30
    assert all(len(p.questions) == len(p.faithful) == len(p.hallucinated) for p in corpus.passages)


def test_the_shares_are_those_that_were_asked_for() -> None:
    corpus = Corpus()
    kinds = [corpus.draw(0.4).kind for _ in range(2000)]
    assert kinds.count(Kind.HALLUCINATED) / 2000 == pytest.approx(0.4, abs=0.04)
    assert set(kinds) == set(Kind)


@pytest.mark.parametrize("way", ["openinference", "genai", "openllmetry"])
@pytest.mark.parametrize("kind", [Kind.FAITHFUL, Kind.FAILING])
def test_spans_of_every_way_are_understood(way: str, kind: Kind) -> None:
    request = Corpus().compose(kind)
    trace_id, data = getattr(SpanMaker(), way)(request, time.time())
    for value in (data.SerializeToString(), to_otlp_json(data)):
        [found] = understood([value])
        assert (found.trace_id, found.question, found.answer) == (trace_id, request.question, request.answer)
        assert [d.text for d in found.documents] == [c.text for c in request.chunks]
        assert (found.service, found.variant) == (request.service, request.variant)
        assert (found.error_class is None) == (request.error is None)


def test_native_records_are_understood() -> None:
    request = Corpus().compose(Kind.HALLUCINATED)
    _, value = SpanMaker().native(request, time.time())
    found = read_native_line(value, DecodeConfig(), fallback_timestamp=0.0)
    assert (found.question, found.answer, found.tokens.input) == (
        request.question,
        request.answer,
        request.input_tokens,
    )


def test_recorded_spans_are_replayed_with_fresh_ids_and_times() -> None:
    maker, now = SpanMaker(), time.time()
    requests = [request for _ in range(20) for request in understood([maker.replay(now)[1].SerializeToString()])]
    assert len({request.trace_id for request in requests}) == 20
    assert all(abs(request.timestamp - now) < 5 for request in requests)


def test_wilson_bounds_are_those_of_the_worked_example() -> None:
    low, high = wilson(0.4, 60)
    assert (round(low, 4), round(high, 4)) == (0.2857, 0.5263)


@pytest.mark.parametrize("width", [80, 100, 140])
async def test_the_screen_shows_the_ratio_and_fits(width: int) -> None:
    watcher = Watcher()
    await watcher.start()
    await watcher.export(
        [result(n, verdict=Verdict.HALLUCINATED if n % 4 == 0 else Verdict.GROUNDED) for n in range(40)]
    )
    console = Console(record=True, width=width, height=40)
    console.print(
        live_view(watcher, seconds=10, sent=41, troubled=True, address="http://127.0.0.1:1/metrics", width=width)
    )
    text = console.export_text()
    assert "25.0% [14.2%, 40.2%] n=40" in text
    assert all(len(line) <= width for line in text.splitlines())
    assert "25.0%" in plain_line(watcher, seconds=10, sent=41, address="x")


@pytest.mark.parametrize(
    ("results", "sent", "well"),
    [
        ([result(1)], 1, True),
        ([result(1)], 2, False),
        ([result(1, verdict=None, outcome=Outcome.SAMPLED_OUT)], 1, False),
    ],
)
async def test_the_summary_is_well_only_where_something_was_scored_and_all_adds_up(
    results: list[Result], sent: int, well: bool
) -> None:
    watcher = Watcher()
    await watcher.export(results)
    assert summary(Console(record=True, width=100), watcher, sent=sent, kinds={"faithful": sent}) is well

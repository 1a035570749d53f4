"""Results out of the results topic: whose they are, counted once and at their time, erased too, and never in the way of anything."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import orjson
import pytest

from exporters.record import parse
from exporters.result import Completeness, ModelIdentity, Outcome, Result, Verdict
from exporters.serialize import result_to_json
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.others import Others
from sidecar.page.reading import OLDER, Reading
from sidecar.page.recorded import result_of
from sidecar.page.watch import Watch
from sidecar.record.clock import ManualClock
from sidecar.record.errors import BrokerError
from sidecar.record.record import Record
from tests.unit.page.answers import CLAIMS, feed, result, watch

OURS, THEIRS, BOT = "pod-a/00000001", "pod-b/00000002", "support-bot"
GOOD = Verdict.GROUNDED


@dataclass
class Topic:
    """A topic that hands out what it is given. Errors in it are raised in their turn."""

    steps: list[Sequence[Record] | Exception] = field(default_factory=list)
    caught_up: bool = True
    whole_since: float = 0.0
    missed_until: float = -math.inf
    opened: int = 0
    closed: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self) -> None:
        self.opened += 1
        if self.steps and isinstance(self.steps[0], BrokerError):
            raise self.steps.pop(0)  # type: ignore[misc]

    async def next(self) -> Sequence[Record]:
        if not self.steps:
            self.idle.set()
            await asyncio.sleep(3600)
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    async def close(self) -> None:
        self.closed += 1


def record(made: Result, *, at: float, writer: str | None = THEIRS, with_text: bool = False) -> Record:
    value = orjson.dumps(result_to_json(made, with_text=with_text))
    headers = () if writer is None else (("writer", writer.encode()),)
    return Record("results", 0, 0, at, made.trace_id.encode(), value, headers)


@asynccontextmanager
async def reading(seen: Watch, topic: Topic, clock: ManualClock) -> AsyncIterator[Reading]:
    """Until all that the topic has is read."""

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    state = Reading("results", OURS)
    others = Others(seen, topic, state, telemetry=Telemetry(), clock=clock, sleep=sleep)
    others.start()
    try:
        async with asyncio.timeout(20):
            await topic.idle.wait()
        yield state
    finally:
        await others.stop()
    assert topic.opened == topic.closed


def numbers(ids: Sequence[str]) -> list[int]:
    return sorted(int(one[-12:]) for one in ids)


def test_a_result_comes_back_as_it_was_written() -> None:
    made = result(
        1, judge=Verdict.GROUNDED, session="s-1", reason=None, redacted={"email": 2}, upstream_adjusted_count=4.0,
        trace=Completeness(records=2, spans=5, root_seen=True, ended="complete", cut=False),
    )  # fmt: skip
    first, *others = made.evaluations
    named = replace(
        first, other_models=(ModelIdentity("m", "1", "ab"),), abstention_model=ModelIdentity("a", "2", "cd")
    )
    made = replace(made, evaluations=(named, *others))
    read = parse(orjson.dumps(result_to_json(made, with_text=True)))
    assert read is not None
    assert result_of(read, at=made.completed_at) == made
    bare = parse(orjson.dumps(result_to_json(made, with_text=False)))
    assert bare is not None
    assert {claim.text for one in result_of(bare, at=0).evaluations for claim in one.claims} == {""}


async def test_what_others_wrote_is_shown_beside_ours_and_what_we_wrote_is_not_shown_twice() -> None:
    clock = ManualClock()
    seen, now = watch(clock), clock.now()
    feed(seen, result(1), result(2, GOOD, score=0.9))
    topic = Topic(
        [
            [
                record(result(1), at=now, writer=OURS),
                record(result(3, score=0.0), at=now),
                record(result(4, GOOD, score=0.9), at=now, writer=None),
                record(result(5), at=now, writer="backfill"),
            ]
        ]
    )
    async with reading(seen, topic, clock) as state:
        told = state.told(now)
    assert numbers([one.result.id for one in seen.listed(BOT, "worst")]) == [1, 2, 3, 4]
    assert [one.replica for one in seen.listed(BOT, "worst")] == ["pod-b", None, None, OLDER]
    assert told["writers"] == [
        {"name": OLDER, "results": 1, "last": now},
        {"name": "pod-b", "results": 1, "last": now},
    ]
    total = seen.services[BOT].total(3600, now)
    assert (total["weight"], total["local"]) == (4, 2)
    # What requests took is counted of ours alone.
    assert (total["scored"], total["tokens_input"]) == (2, 600)


async def test_each_is_counted_once_whichever_way_it_comes_first() -> None:
    clock = ManualClock()
    seen, now = watch(clock), clock.now()
    poor = replace(result(1, GOOD, score=0.9), trace=Completeness(1, 1, root_seen=False, ended="max_age", cut=False))
    rich = replace(result(1), trace=Completeness(1, 9, root_seen=True, ended="complete", cut=False))
    async with reading(seen, Topic([[record(one, at=now) for one in (rich, poor, result(2))]]), clock):
        pass
    kept = seen.get(result(1).id)
    assert kept is not None
    assert kept.result.verdict is Verdict.HALLUCINATED  # the more complete of the two
    feed(seen, result(2))
    total = seen.services[BOT].total(3600, now)
    assert (total["weight"], total["scored"]) == (2, 1)
    kept = seen.get(result(2).id)
    assert kept is not None
    assert (kept.texts is not None, kept.replica) == (True, None)
    async with reading(seen, Topic([[record(result(2), at=now, writer="pod-a/before")]]), clock):
        pass
    again = seen.get(result(2).id)
    assert again is not None
    assert again.texts is not None  # ours, with its texts, is not replaced by what the topic has
    assert len(seen.others.of(None, "latest")) == 1


async def test_a_restart_reads_back_estimate_answers_and_the_learning_time_in_whatever_order_they_lie() -> None:
    clock = ManualClock()
    now = clock.now()
    start = now - 71.9 * 3600
    written = [
        record(result(n, Verdict.HALLUCINATED if n % 5 == 0 else GOOD, score=0.5), at=start + n * 300)
        for n in range(860)
    ]
    random.Random(3).shuffle(written)
    seen = watch(clock, keep_answers=30)
    topic = Topic([written], whole_since=start)
    async with reading(seen, topic, clock) as state:
        assert state.caught_up
    assert seen.whole_since == start < seen.started
    own = seen.services[BOT]
    day = own.total(86_400, now)
    assert day["local"] / day["weight"] == pytest.approx(0.2, abs=0.02)
    assert Estimator(None).basis(own, now).word == "uncalibrated"
    clock.advance(600)
    basis = Estimator(None).basis(own, clock.now())
    assert basis.word == "baseline"
    assert "20.0%" in basis.text
    # Of answers only those that are not too old, the latest of them here.
    assert numbers([one.result.id for one in seen.listed(BOT, "latest")]) == list(range(830, 860))
    before = own.total(3 * 86_400, clock.now())
    async with reading(seen, Topic([[record(result(9999), at=now - 100 * 3600)]]), clock):
        pass
    assert own.total(3 * 86_400, clock.now()) == before
    assert before["weight"] == pytest.approx(860, abs=6)


async def test_the_page_knows_all_answers_only_since_what_was_last_missed() -> None:
    clock = ManualClock()
    seen = watch(clock)
    start = seen.started
    clock.advance(7200)
    # It is not whole before our start by a few seconds, of which our own results are known; then an hour later something was passed over.
    for missed, wanted in ((-math.inf, start), (start - 60, start - 60), (start + 3600, start + 3600)):
        whole = start - 3600 if missed == start - 60 else start + 5
        async with reading(seen, Topic([[]], whole_since=whole, missed_until=missed), clock):
            pass
        assert seen.whole_since == wanted


async def test_what_is_erased_is_gone_whoever_scored_it_and_an_erasure_in_the_topic_is_one_here() -> None:
    clock = ManualClock()
    seen, now = watch(clock), clock.now()
    feed(seen, result(1))
    ours = [record(replace(result(n), session="s-1"), at=now) for n in (2, 3)]
    more = [record(result(n), at=now) for n in (4, 5)]
    async with reading(seen, Topic([[*ours, *more]]), clock):
        pass
    assert len(seen.erase(session="s-1")) == 2
    assert len(seen.erase(trace_id=result(4).trace_id)) == 1
    stones = [Record("results", 0, 9, now, result(n).trace_id.encode(), None) for n in (1, 5)]
    again = [record(result(n), at=now) for n in (1, 4, 5)]
    async with reading(seen, Topic([[*stones, *again, *ours]]), clock):
        pass
    assert seen.listed(None, "latest") == []
    assert len(seen.shelf) == len(seen.others) == seen.others.bytes == 0


async def test_texts_are_those_that_the_results_have_and_none_where_none_are_shown() -> None:
    clock = ManualClock()
    shown, hidden, now = watch(clock), watch(clock, show_text=False), clock.now()
    rows = [record(result(1), at=now, with_text=True), record(result(2), at=now)]
    for seen in (shown, hidden):
        async with reading(seen, Topic([rows]), clock):
            pass
    said = {
        n: [claim.text for claim in kept.result.evaluations[0].claims]
        for n in (1, 2)
        if (kept := shown.get(result(n).id)) is not None
    }
    assert said == {1: [one.text for one in CLAIMS], 2: ["", "", ""]}
    kept = hidden.get(result(1).id)
    assert kept is not None
    assert {claim.text for claim in kept.result.evaluations[0].claims} == {""}


async def test_whatever_is_wrong_is_said_and_tried_again_and_ours_are_shown_all_the_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = ManualClock()
    seen, now = watch(clock), clock.now()
    caplog.set_level(logging.INFO)
    down = BrokerError("connect", "kafka:9092: no connection", passing=True)
    topic = Topic([down, down, [record(result(2), at=now)], ValueError("user text"), BrokerError("authorize", "not allowed to read results")])  # fmt: skip

    async def sleep(seconds: float) -> None:
        feed(seen, result(1))
        await asyncio.sleep(0)

    state = Reading("results", OURS)
    others = Others(seen, topic, state, telemetry=Telemetry(), clock=clock, sleep=sleep)
    others.start()
    async with asyncio.timeout(20):
        await topic.idle.wait()
    assert state.problem == "authorize: not allowed to read results"
    assert state.problem_since == now
    assert numbers([one.result.id for one in seen.listed(BOT, "latest")]) == [1, 2]
    topic.steps.append([record(result(3), at=now)])
    await others.stop()
    # Two attempts that fail alike are one line.
    lines = [one.getMessage() for one in caplog.records if one.name == "sidecar.page.others"]
    assert [line.split(": ")[0] for line in lines if "cannot read" in line] == [
        "the page cannot read the results topic results"
    ] * 3
    assert not any("user text" in line for line in lines)
    assert topic.opened == topic.closed == 5


async def test_what_is_no_result_is_counted_and_passed_over() -> None:
    clock = ManualClock()
    seen, now = watch(clock), clock.now()
    junk = [
        Record("results", 0, n, now, b"k", value, ())
        for n, value in enumerate((b"", b"{", b"[1]", b'{"schema": "x"}', b"\xff"))
    ]
    huge = result(1, upstream_adjusted_count=1e300)
    async with reading(seen, Topic([[*junk, record(huge, at=now), record(result(2), at=now + 999)]]), clock) as state:
        pass
    assert state.unread == 5
    kept = seen.get(result(2).id)
    assert kept is not None
    assert kept.at == now  # A clock that is ahead of ours makes nothing of the future.


async def test_memory_is_flat_and_the_queue_of_labels_is_ours_alone() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=20, keep_megabytes=1, most_services=3)
    before = seen.shelf.whole_below
    for step in range(10):
        rows = [
            record(result(100 * step + n, service=f"s{n % 5}"), at=clock.now(), writer=f"pod-{n}/x") for n in range(100)
        ]
        async with reading(seen, Topic([rows]), clock) as state:
            clock.advance(10)
    assert len(seen.services) == 3
    assert seen.left_out == 400
    assert seen.others.bytes <= 250_000
    assert len(seen.others) <= 3 * 3 * 20
    assert (len(seen.shelf), seen.shelf.whole_below) == (0, before)
    assert len(state.told(clock.now())["writers"]) == 50  # type: ignore[arg-type]


def test_requests_that_were_not_evaluated_are_only_counted() -> None:
    seen = watch(ManualClock())
    feed(seen, result(1, None, outcome=Outcome.SAMPLED_OUT))
    assert len(seen.shelf) == 0
    assert seen.services[BOT].total(3600, seen.now())["sampled_out"] == 1

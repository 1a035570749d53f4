"""Dollars and tokens: never more than is set, and some of it for every part of the hour."""

from __future__ import annotations

import asyncio
import random

import pytest

from sidecar.inference.judge.budget import DAY, HOUR, Budget, at_once, purses
from sidecar.inference.judge.cache import Cache
from sidecar.inference.judge.pace import Pace
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import RetryableInferenceError
from tests.unit.inference.judge.made import RIGHT, judging, question

STEP = 2.0


class Spent:
    """What was spent when, and how often nothing could be."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, float]] = []
        self.refused = 0

    def between(self, begin: float, end: float) -> float:
        return sum(dollars for at, dollars in self.calls if begin <= at < end)


def simulate(
    *, hours: float, wanted: float, hour: float | None = None, day: float | None = None, share: float = 1.0
) -> Spent:
    """Requests that would cost `wanted` dollars an hour, a cent each, drawn with what the budget leaves of a rate of 1."""
    clock, chance, spent = ManualClock(), random.Random(7), Spent()
    budget = Budget(purses(hour, day, lambda: share), clock)
    while clock.monotonic() < hours * HOUR:
        clock.advance(STEP)
        for _ in range(round(wanted * 100 * STEP / HOUR)):
            if chance.random() >= budget.factor:
                continue
            try:
                budget.reserve(0.012)
            except RetryableInferenceError:
                spent.refused += 1
            else:
                budget.settle(0.012, 0.01)
                spent.calls.append((clock.monotonic(), 0.01))
    return spent


def test_no_hour_costs_more_than_is_set_and_each_part_of_it_has_its_share() -> None:
    spent = simulate(hours=4, wanted=40.0, hour=2.0)
    tenths = [spent.between(HOUR + n * HOUR / 6, HOUR + (n + 1) * HOUR / 6) for n in range(18)]
    assert max(spent.between(begin, begin + HOUR) for begin in range(0, 3 * 3600, 300)) <= 2.02
    assert all(0.2 <= part <= 0.4 for part in tenths), tenths
    assert spent.between(HOUR, 4 * HOUR) > 0.8 * 3 * 2.0


def test_the_rate_gives_way_before_questions_are_refused() -> None:
    spent = simulate(hours=4, wanted=40.0, hour=2.0)
    assert spent.refused < 0.1 * len(spent.calls)


def test_a_day_is_paced_too() -> None:
    spent = simulate(hours=12, wanted=20.0, day=24.0)
    hours = [spent.between(n * HOUR, (n + 1) * HOUR) for n in range(1, 12)]
    assert all(0.5 <= one <= 2.3 for one in hours), hours


def test_what_costs_less_than_is_set_is_all_drawn() -> None:
    clock = ManualClock()
    budget = Budget(purses(2.0, 20.0, lambda: 1.0), clock)
    for _ in range(100):
        clock.advance(30)
        assert budget.factor == 1.0
        budget.reserve(0.002)
        budget.settle(0.002, 0.001)


def test_a_replica_has_its_share() -> None:
    half = simulate(hours=3, wanted=40.0, hour=2.0, share=0.5)
    assert 0.7 <= half.between(HOUR, 2 * HOUR) <= 1.01


def test_the_first_question_after_the_group_is_joined_is_not_refused() -> None:
    """Before that a replica has no share, and its purse nothing; then it has a tenth of its share of a purse, once."""
    clock, share = ManualClock(), 0.0
    budget = Budget(purses(1.0, None, lambda: share), clock)
    clock.advance(60)
    with pytest.raises(RetryableInferenceError):
        budget.reserve(0.001)
    share = 0.5
    budget.reserve(0.001)
    assert budget.left() == pytest.approx(0.1 * 0.1 * 0.5 - 0.001)
    # A rebalance takes the share away and gives it back: no second tenth.
    share = 0.0
    assert budget.left() == 0
    share = 0.5
    assert budget.left() == 0


def test_without_a_budget_everything_may_be_spent() -> None:
    budget = Budget([], ManualClock())
    budget.reserve(1e9)
    budget.settle(1e9, 1e9)
    assert budget.factor == 1.0


def test_a_command_may_spend_all_at_once_and_no_more() -> None:
    clock = ManualClock()
    budget = Budget(at_once(1.0), clock)
    for _ in range(10):
        budget.reserve(0.1)
        budget.settle(0.1, 0.1)
        clock.advance(60)
        assert budget.factor == 1.0
    with pytest.raises(RetryableInferenceError):
        budget.reserve(0.1)
    assert at_once(None) == []


def test_a_process_that_starts_again_and_again_does_not_spend_a_full_purse_each_time() -> None:
    budget = Budget(purses(1.0, None, lambda: 1.0), ManualClock())
    assert budget.left() == pytest.approx(0.01)
    [purse] = purses(None, 1.0, lambda: 1.0)
    assert purse.rate * DAY < 1.0


async def test_an_empty_purse_refuses_and_the_question_is_not_sent() -> None:
    telemetry, clock = Telemetry(), ManualClock()
    async with judging(lambda _: RIGHT, telemetry=telemetry, clock=clock, budget_usd_per_hour=1.0) as (judge, server):
        await judge.ask(question("one"))  # 1.20 at the test's price: more than comes in within the hour
        with pytest.raises(RetryableInferenceError, match="judge_budget"):
            await judge.ask(question("two"))
        assert len(server.asked) == 1
        assert judge.factor == 1.0
        clock.advance(10)
        assert judge.factor < 0.1
    assert telemetry.value("rag_sidecar_judge_requests_total", outcome="judge_budget") == 1


async def test_tokens_a_minute_are_kept_and_each_comes_in_its_turn() -> None:
    clock = ManualClock()
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds)
        await asyncio.sleep(0)

    pace = Pace(6000, clock, share=lambda: 0.5, sleep=sleep)
    order: list[int] = []

    async def call(number: int) -> None:
        await pace.take(100)
        order.append(number)

    await asyncio.gather(*(call(n) for n in range(40)))
    assert order == list(range(40))
    # 4,000 tokens at 50 a second, of which a bucket of 500 was there.
    assert clock.monotonic() == pytest.approx((4000 - 500) / 50, rel=0.05)
    pace.give_back(400)
    before = clock.monotonic()
    await pace.take(400)
    assert clock.monotonic() == before


async def test_a_question_larger_than_the_bucket_waits_for_a_full_one() -> None:
    clock = ManualClock()

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    pace = Pace(600, clock, share=lambda: 1.0, sleep=sleep)
    await pace.take(50)
    await pace.take(1000)
    assert clock.monotonic() == pytest.approx(5.0)
    await pace.take(1)
    assert clock.monotonic() > 90


def test_the_cache_is_bounded_and_forgets_what_was_not_asked_for_longest() -> None:
    cache = Cache(1000)
    for name in (b"a", b"b", b"c"):
        cache.put(name, "x" * 100)
    assert cache.get(b"a") == "x" * 100
    cache.put(b"d", "x" * 100)
    assert cache.get(b"b") is None
    assert cache.get(b"a") is not None
    assert cache.size <= 1000
    cache.put(b"e", "x" * 5000)
    assert cache.get(b"e") is None
    assert cache.size == 0

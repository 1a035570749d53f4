"""The budget on a model of a service: what scoring can do is used, and no more is asked of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sidecar.sample.budget import BudgetController, Interval

CAPACITY, QUEUE, READ, STEP, INTERVAL = 20.0, 128, 3000.0, 0.02, 2.0


@dataclass(frozen=True)
class Seen:
    """An interval of the model: its end, the factor after it, the backlog in Kafka, the share of the capacity that was used."""

    at: float
    factor: float
    lag: float
    used: float


def run(load: Callable[[float], float], *, seconds: float = 240.0, always: float = 0.0) -> list[Seen]:
    """A queue of scoring with a fixed capacity; intake stops while the queue is full. `always` is the share of requests kept whatever the rate."""
    chance = random.Random(1)
    budget = BudgetController(target_fill=0.25, floor=0.001)
    seen: list[Seen] = []
    lag = queue = read = served = 0.0
    is_open, offered, kept, scored = 0.0, 0, 0, 0
    for tick in range(1, int(seconds / STEP) + 1):
        lag += load(tick * STEP) * STEP
        if queue < QUEUE:
            is_open += STEP
            taken = min(lag, READ * STEP)
            lag, read = lag - taken, read + taken
            while read >= 1:
                read -= 1
                if chance.random() < always:
                    kept, queue = kept + 1, queue + 1
                else:
                    offered, queue = offered + 1, queue + (chance.random() < budget.factor)
        served = min(served, 1.0) if not queue else served
        served += CAPACITY * STEP
        while served >= 1 and queue:
            served, queue, scored = served - 1, queue - 1, scored + 1
        if tick % int(INTERVAL / STEP) == 0:
            budget.step(
                Interval(
                    seconds=INTERVAL,
                    open_seconds=is_open,
                    offered=offered,
                    always=kept,
                    scored=scored,
                    fill=queue / QUEUE,
                )
            )
            seen.append(Seen(tick * STEP, budget.factor, lag, scored / INTERVAL / CAPACITY))
            is_open, offered, kept, scored = 0.0, 0, 0, 0
    return seen


@pytest.mark.parametrize("times", [2, 10, 100])
def test_under_overload_the_capacity_is_used_and_no_backlog_stays(times: int) -> None:
    seen = run(lambda at: times * CAPACITY if 20 < at <= 140 else CAPACITY / 2)
    loaded = [one for one in seen if 24 < one.at <= 140]
    assert min(one.used for one in loaded) >= 0.8
    assert max(one.lag for one in loaded if one.at > 40) < times * CAPACITY
    settled = [one.factor for one in loaded if one.at > 40]
    assert sum(settled) / len(settled) == pytest.approx(1 / times, rel=0.15)


def test_when_the_load_ends_the_rate_is_back_at_once() -> None:
    seen = run(lambda at: 10 * CAPACITY if 20 < at <= 140 else CAPACITY / 2)
    assert next(one.at for one in seen if one.at > 140 and one.factor == 1.0) <= 160


def test_a_load_that_comes_and_goes_is_followed() -> None:
    seen = run(lambda at: 5 * CAPACITY if int(at / 30) % 2 else CAPACITY / 4, seconds=300)
    assert sum(one.used for one in seen if int((one.at - 1) / 30) % 2) / 75 >= 0.8


def test_what_is_always_kept_comes_out_of_what_fits() -> None:
    seen = run(lambda at: 4 * CAPACITY, always=0.1)
    settled = [one.factor for one in seen if one.at > 60]
    # A tenth of four times the capacity is kept; the other 0.6 of it are left for nine tenths of the requests.
    assert sum(settled) / len(settled) == pytest.approx(0.6 / 3.6, rel=0.2)


def test_without_load_nothing_is_lowered() -> None:
    assert {one.factor for one in run(lambda at: CAPACITY / 2)} == {1.0}


def test_what_overload_thins_out_does_not_bend_the_ratio() -> None:
    """Twice the share of bad answers while the load is ten times as high: the weighted ratio is that of all requests."""
    chance = random.Random(5)
    misses = []
    for _ in range(12):
        budget = BudgetController(target_fill=0.25, floor=0.001)
        queue = total = bad = weight = bad_weight = 0.0
        for second in range(0, 240, 2):
            overloaded = 60 <= second < 180
            arrived = 2 * int(10 * CAPACITY if overloaded else CAPACITY / 2)
            factor, scored = budget.factor, 0
            for _ in range(arrived):
                is_bad = chance.random() < (0.2 if overloaded else 0.1)
                total, bad = total + 1, bad + is_bad
                if chance.random() < factor:
                    queue += 1
                    weight, bad_weight = weight + 1 / factor, bad_weight + is_bad / factor
            scored = int(min(queue, 2 * CAPACITY))
            queue -= scored
            budget.step(
                Interval(seconds=2, open_seconds=2, offered=arrived, always=0, scored=scored, fill=queue / QUEUE)
            )
        misses.append(bad_weight / weight - bad / total)
    mean = sum(misses) / len(misses)
    spread = (sum((one - mean) ** 2 for one in misses) / (len(misses) - 1)) ** 0.5 / len(misses) ** 0.5
    assert abs(mean) < max(3 * spread, 0.005), (mean, spread)

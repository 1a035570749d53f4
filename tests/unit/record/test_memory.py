"""The budget of bytes: what is taken is given back, and the limit holds whoever asks."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.record.memory import MemoryBudget


def test_what_does_not_fit_is_refused_and_takes_nothing() -> None:
    budget = MemoryBudget(100)
    assert budget.take("traces", 60)
    assert not budget.take("export", 41)
    assert budget.by_buffer() == {"traces": 60}
    assert budget.take("export", 40)
    assert (budget.used, budget.fill) == (100, 1.0)


def test_bytes_given_back_by_one_buffer_are_there_for_another() -> None:
    budget = MemoryBudget(100)
    budget.take("traces", 100)
    budget.give("traces", 70)
    assert budget.take("export", 70)
    assert budget.by_buffer() == {"traces": 30, "export": 70}


def test_what_cannot_be_refused_is_counted_over_the_limit() -> None:
    budget = MemoryBudget(100)
    budget.charge("dead_letters", 150)
    assert budget.fill == 1.5
    assert not budget.take("traces", 1)
    assert not budget.take("traces", 0)


def test_giving_back_more_than_was_taken_is_a_bug() -> None:
    budget = MemoryBudget(100)
    budget.take("traces", 10)
    with pytest.raises(ValueError, match="traces gives back 11 bytes and has 10"):
        budget.give("traces", 11)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 60))))
def test_takes_alone_never_pass_the_limit(steps: list[tuple[str, int]]) -> None:
    budget = MemoryBudget(100)
    taken = [(name, amount) for name, amount in steps if budget.take(name, amount)]
    assert budget.used == sum(amount for _, amount in taken) <= 100
    for name, amount in taken:
        budget.give(name, amount)
    assert budget.used == 0 == sum(budget.by_buffer().values())


def test_threads_that_take_and_give_leave_nothing_behind() -> None:
    budget = MemoryBudget(1000)

    def work(name: str) -> None:
        for _ in range(2000):
            if budget.take(name, 400):
                budget.give(name, 400)

    threads = [threading.Thread(target=work, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.used == 0

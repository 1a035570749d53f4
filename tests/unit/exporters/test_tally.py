"""The arithmetic under the series."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.series import DOCUMENTS, FIRST_TOKEN, RETRIEVAL, SCORE, SECONDS
from exporters.subjects import Subjects
from exporters.tally import LONGEST_VALUE, OTHER, UNKNOWN, LabelLimit, Tally, disjoint_tokens, label_value

finite = st.floats(0, 1e6, allow_nan=False)
weights = st.floats(1e-3, 1e6, allow_nan=False)


@given(st.lists(st.tuples(finite, weights)))
def test_a_tally_holds_the_weight_at_or_below_each_bound(observations: list[tuple[float, float]]) -> None:
    tally = Tally(SECONDS)
    for value, weight in observations:
        assert tally.add(value, weight)
    for place, bound in enumerate(SECONDS):
        expected = math.fsum(weight for value, weight in observations if value <= bound)
        assert math.fsum(tally.weights[: place + 1]) == pytest.approx(expected)
    assert math.fsum(tally.weights) == pytest.approx(math.fsum(weight for _, weight in observations))
    assert tally.total == pytest.approx(math.fsum(value * weight for value, weight in observations))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.001])
def test_what_is_no_observation_leaves_the_tally_as_it_was(value: float) -> None:
    tally = Tally(SCORE)
    assert not tally.add(value)
    assert not tally.add(0.5, value)
    assert not tally.add(0.5, 0.0)
    assert (sum(tally.weights), tally.total) == (0, 0)


def test_a_copy_does_not_follow() -> None:
    tally = Tally(SCORE)
    tally.add(0.5, trace_id="a", timestamp=1.0)
    copy = tally.copy()
    tally.add(0.5, trace_id="b", timestamp=2.0)
    assert (sum(copy.weights), copy.total) == (1.0, 0.5)
    assert [exemplar.trace_id for exemplar in copy.exemplars.values()] == ["a"]


@pytest.mark.parametrize("bounds", [SECONDS, RETRIEVAL, FIRST_TOKEN, SCORE, DOCUMENTS])
def test_bounds_rise(bounds: tuple[float, ...]) -> None:
    assert list(bounds) == sorted(set(bounds))


@given(st.lists(st.text() | st.none()), st.integers(1, 5))
def test_a_label_has_no_more_values_than_allowed_and_each_can_be_exposed(values: list[str | None], most: int) -> None:
    limit = LabelLimit(most)
    admitted = [limit.admit(value) for value in values]
    assert len(set(admitted) - {UNKNOWN, OTHER}) <= most
    assert all(len(value) <= LONGEST_VALUE and value.encode("utf-8") for value in admitted)
    assert [limit.admit(value) for value in values] == admitted


def test_room_is_made_for_new_values() -> None:
    limit = LabelLimit(1)
    assert [limit.admit("a"), limit.admit("b")] == ["a", OTHER]
    limit.keep_only([])
    assert [limit.admit("b"), limit.admit("a")] == ["b", OTHER]


@given(st.text(st.characters(), max_size=300))
def test_a_label_value_is_stable_and_encodes(text: str) -> None:
    value = label_value(text + "\ud800")
    assert label_value(value) == value
    assert value.encode("utf-8")


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.data())
def test_parts_of_tokens_add_up(fresh: int, cached: int, written: int, output: int, data: st.DataObject) -> None:
    reasoning = data.draw(st.integers(0, output))
    tokens = {
        "input": fresh + cached + written,
        "cached_input": cached,
        "cache_write": written,
        "output": output,
        "reasoning": reasoning,
    }
    parts = disjoint_tokens(tokens)
    assert sum(parts.values()) == tokens["input"] + tokens["output"]
    assert all(count > 0 for count in parts.values())


def test_tokens_that_are_not_known_are_left_out() -> None:
    assert disjoint_tokens({"output": 5}) == {"output": 5}
    assert disjoint_tokens({"input": -5, "reasoning": 3}) == {"reasoning": 3}


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz") | st.none()), max_size=60))
def test_subjects_stay_within_their_number_and_answer_the_same_way_again(values: list[tuple[str, str | None]]) -> None:
    limits = {"rag_service": LabelLimit(3), "model": LabelLimit(2)}
    subjects = Subjects(limits, most=4, idle_seconds=10, now=0.0)
    first = [subjects.get(value, 0.0)[0].labels for value in values]
    again = [subjects.get(value, 1.0)[0].labels for value in values]
    assert first == again
    assert len(subjects) <= 5


def test_many_spellings_of_one_long_value_are_one_subject() -> None:
    subjects = Subjects({"rag_service": LabelLimit(3)}, most=4, idle_seconds=10, now=0.0)
    for n in range(11_000):
        subjects.get(("x" * 128 + str(n),), 0.0)
    assert len(subjects) == 1

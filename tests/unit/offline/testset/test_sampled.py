"""Cases out of production."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.offline.testset.sampled import Sample, Told, draw

WORDS = (
    "apple bridge candle dragon eagle forest garden harbour island jungle kettle lantern mirror needle orchard".split()
)


def sample(n: int, service: str = "kb", verdict: str = "grounded") -> Sample:
    return Sample(f"id-{n:03}", service, verdict, score=0.5, inclusion_probability=0.25)


def told(one: Sample) -> Told:
    n = int(one.id[3:])
    question = f"What about {WORDS[n % 15]} and {WORDS[n // 15 % 15]} number {n}?"
    return Told(question, "It is blue.", (("d1", "Blue."), ("", "Red.")))


def test_every_service_and_verdict_has_its_part() -> None:
    samples = [sample(n) for n in range(100)]
    samples += [sample(n, verdict="hallucinated") for n in range(100, 104)]
    samples += [sample(n, service="shop") for n in range(104, 106)]
    drawn = draw(samples, told, 12, seed=0)
    assert drawn.taken == {("kb", "grounded"): 6, ("kb", "hallucinated"): 4, ("shop", "grounded"): 2}
    assert drawn.of[("kb", "grounded")] == 100
    assert len(drawn.cases) == 12


def test_a_case_says_where_it_comes_from() -> None:
    [case] = draw([sample(1)], told, 5, seed=0).cases
    assert case == {
        "id": "id-001", "service": "kb", "question": told(sample(1)).question, "answer": "It is blue.",
        "contexts": [{"id": "d1", "text": "Blue."}, {"text": "Red."}], "origin": "production",
        "generation_params": {"by": "results", "verdict": "grounded", "score": 0.5, "inclusion_probability": 0.25},
    }  # fmt: skip


def test_what_users_ask_again_is_there_once() -> None:
    asked = {
        "id-001": "How long is the warranty?",
        "id-002": "how long is the warranty",
        "id-003": "Who pays for returns?",
    }
    drawn = draw([sample(n) for n in (1, 2, 3)], lambda one: Told(asked[one.id], "A.", ()), 5, seed=0)
    assert len(drawn.cases) == 2
    assert drawn.left_out == {"duplicate": 1}


@pytest.mark.parametrize(
    ("said", "reason"), [(None, "no_request"), (Told("", "A.", ()), "no_text"), (Told("Q?", " ", ()), "no_text")]
)
def test_what_has_no_text_is_left_out_by_its_reason(said: Told | None, reason: str) -> None:
    drawn = draw([sample(1)], lambda _: said, 5, seed=0)
    assert (drawn.cases, drawn.left_out) == ([], {reason: 1})


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=60),
    st.integers(1, 40),
    st.integers(0, 3),
)
def test_no_stratum_is_short_while_another_has_more_than_one_over_it(
    strata: list[tuple[str, str]], count: int, seed: int
) -> None:
    samples = [sample(n, service, verdict) for n, (service, verdict) in enumerate(strata)]
    drawn = draw(samples, told, count, seed)
    of = Counter(strata)
    assert len(drawn.cases) + sum(drawn.left_out.values()) <= len(samples)
    if not drawn.left_out:
        most = max(drawn.taken.values(), default=0)
        assert len(drawn.cases) == min(count, len(samples))
        assert all(drawn.taken[one] == of[one] or drawn.taken[one] >= most - 1 for one in of)
    assert drawn.cases == draw(list(reversed(samples)), told, count, seed).cases, (
        "the order of the results does not matter"
    )

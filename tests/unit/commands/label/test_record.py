"""Draws and labels: who is drawn follows from seed and id alone, and a label knows what it stands for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sidecar.labels.record import Beside, Draw, Facts, Label, label, latest

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TAKEN = next(str(n) for n in range(1000) if Draw(seed="1", rate=0.1).takes(str(n)))
PASSED_OVER = next(str(n) for n in range(1000) if not Draw(seed="1", rate=0.1).takes(str(n)))


TENTH = Draw(seed="1", rate=0.1)


def facts(name: str = TAKEN, *, draw: Draw | None = TENTH, p: float = 0.5) -> Facts:
    return Facts(result=name, trace_id="t", service="s", inclusion_probability=p, draw=draw)


def test_a_draw_takes_its_share_and_another_seed_takes_others() -> None:
    names = [str(n) for n in range(20_000)]
    one, two = ({n for n in names if Draw(seed=seed, rate=0.1).takes(n)} for seed in ("1", "2"))
    # Three standard deviations of a binomial of 20,000 at 0.1 are 127.
    assert abs(len(one) - 2000) < 127
    assert abs(len(two) - 2000) < 127
    assert abs(len(one & two) - 200) < 45


@given(st.text(min_size=1, max_size=20), st.floats(0.001, 1), st.floats(0.001, 1))
def test_what_a_lower_rate_takes_a_higher_one_takes_too(name: str, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert Draw(seed="s", rate=high).takes(name) or not Draw(seed="s", rate=low).takes(name)


def test_the_probability_is_that_of_the_sample_times_that_of_the_draw() -> None:
    made = label(facts(), "grounded", at=NOW)
    assert made.probability == pytest.approx(0.05)
    assert made.weight() == pytest.approx(20)
    upstream = label(facts().model_copy(update={"upstream_adjusted_count": 4.0}), "grounded", at=NOW)
    assert upstream.weight() == pytest.approx(80)
    # The judge saw a fifth of what was kept: its own probability holds that of the sample.
    assert made.weight(Beside(evaluator="groundedness_judge", judged=True, inclusion_probability=0.1)) == pytest.approx(
        100
    )


def test_a_picked_label_has_no_probability_and_no_weight() -> None:
    made = label(facts(draw=None), "hallucinated", wrong=[2], at=NOW)
    assert (made.drawn, made.probability, made.wrong_claims) == (False, None, (2,))
    with pytest.raises(ValueError, match="no weight"):
        made.weight()


def test_a_label_is_the_same_after_it_was_written() -> None:
    made = label(facts(), "hallucinated", wrong=[1, 3], who="reviewer 2", at=NOW)
    assert Label.model_validate_json(made.line()) == made
    assert made.line().startswith(b'{"schema":"rag-sidecar.label.v1","verdict":"hallucinated"')


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"probability": 0.06}, "is not about"),
        ({"probability": None}, "a drawn answer has a draw and a probability"),
        ({"about": facts(draw=None)}, "a drawn answer has a draw and a probability"),
        ({"about": facts(PASSED_OVER)}, "not one that the draw takes"),
        ({"probability": 0.0}, "greater than 0"),
        ({"verdict": "good"}, "verdict"),
        ({"at": "2026-01-01T00:00:00"}, "timezone"),
        ({"schema": "rag-sidecar.label.v2"}, "schema"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_a_label_that_does_not_add_up_is_refused(changes: dict[str, object], told: str) -> None:
    given = {**label(facts(), "grounded", at=NOW).model_dump(by_alias=True), **changes}
    with pytest.raises(ValidationError, match=told):
        Label.model_validate(given)


def test_of_several_labels_of_an_answer_the_later_counts_and_a_drawn_one_before_a_picked_one() -> None:
    later = NOW + timedelta(hours=1)
    first, second = label(facts(), "grounded", at=NOW), label(facts(), "hallucinated", at=later)
    picked = label(facts(draw=None), "abstained", at=later + timedelta(hours=1))
    assert latest([second, first, picked]) == {TAKEN: second}
    assert latest([picked, second, first]) == {TAKEN: second}

"""The verdict and the claims tell one story, whichever evaluators run and whatever thresholds are set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.result import Evaluation, Outcome, Verdict
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.evaluate.verdict import label_of, verdict_of
from tests.unit.evaluate.fakes import FakeGrounder, models, request

PART = st.floats(0, 1)


@given(PART, PART, st.lists(st.booleans(), min_size=1))
def test_the_score_and_at_least_one_claim_bear_out_every_verdict(
    score: float, threshold: float, supported: list[bool]
) -> None:
    label = label_of(score, threshold, supported)
    assert (label == Verdict.GROUNDED) is (score >= threshold and any(supported))
    assert (label == Verdict.HALLUCINATED) is (score < threshold and not all(supported))


@pytest.mark.parametrize("evaluators", [["faithfulness", "groundedness"], ["groundedness"]])
async def test_an_answer_without_a_supported_claim_is_never_grounded(evaluators: list[str]) -> None:
    config = EvaluateConfig.model_validate({"evaluators": evaluators})
    engine = Engine(config, models(FakeGrounder(whole=0.9)))
    evaluated = await engine.evaluate(request(answer="It is red. It is heavy."))
    assert evaluated.verdict is None
    assert evaluated.outcome is Outcome.SCORED
    [judged] = [one for one in evaluated.evaluations if one.decides_verdict]
    assert (judged.score, judged.label) == (0.9, "undecided")


async def test_the_threshold_of_claims_that_is_set_holds_for_the_verdict_too() -> None:
    grounder = FakeGrounder(whole=0.9, by_claim={"It is blue.": 0.6})
    for threshold, verdict in ((None, Verdict.GROUNDED), (0.6, Verdict.GROUNDED), (0.7, None)):
        config = EvaluateConfig.model_validate({"faithfulness": {"threshold": threshold}})
        evaluated = await Engine(config, models(grounder)).evaluate(request())
        [claims] = [one.claims for one in evaluated.evaluations if one.claims]
        assert [claim.supported for claim in claims] == [verdict is not None]
        assert evaluated.verdict is verdict


async def test_a_service_has_thresholds_of_its_own_and_they_tell_one_story() -> None:
    grounder = FakeGrounder(whole=0.6, by_claim={"It is blue.": 0.6})
    config = EvaluateConfig.model_validate(
        {
            "faithfulness": {"threshold": 0.5, "thresholds": {"strict-*": 0.7}},
            "groundedness": {"threshold": 0.5, "thresholds": {"strict-eu": 0.65, "strict-*": 0.7, "none": 0.0}},
        }
    )
    engine = Engine(config, models(grounder))
    for service, threshold, supported, verdict in (
        ("kb", 0.5, True, Verdict.GROUNDED),
        ("strict-eu", 0.65, False, Verdict.HALLUCINATED),
        ("strict-us", 0.7, False, Verdict.HALLUCINATED),
        ("none", 0.0, True, Verdict.GROUNDED),
    ):
        evaluated = await engine.evaluate(request(service=service))
        by_name = {one.evaluator: one for one in evaluated.evaluations}
        assert by_name["groundedness"].threshold == threshold
        assert [claim.supported for claim in by_name["faithfulness"].claims] == [supported]
        assert evaluated.verdict is verdict


@pytest.mark.parametrize(
    ("answers", "verdict"), [(None, Verdict.GROUNDED), (0.8, Verdict.HALLUCINATED), (1.0, Verdict.HALLUCINATED)]
)
async def test_the_threshold_of_claims_follows_that_of_answers_where_it_is_not_set(
    answers: float | None, verdict: Verdict
) -> None:
    """Else an answer whose only claim is as weak as itself would have no verdict at a threshold that was raised."""
    grounder = FakeGrounder(whole=0.6, by_claim={"It is blue.": 0.6})
    config = EvaluateConfig.model_validate({"groundedness": {"threshold": answers}})
    evaluated = await Engine(config, models(grounder)).evaluate(request())
    assert evaluated.verdict is verdict
    [claims] = [one.claims for one in evaluated.evaluations if one.claims]
    assert [claim.supported for claim in claims] == [verdict is Verdict.GROUNDED]


def test_only_an_evaluation_that_decides_is_asked() -> None:
    told = Evaluation(evaluator="a", outcome=Outcome.SCORED, score=0.1, label="hallucinated")
    decided = Evaluation(evaluator="b", outcome=Outcome.SCORED, score=0.9, label="grounded", decides_verdict=True)
    refused = Evaluation(evaluator="c", outcome=Outcome.UNSCORABLE, reason="abstained")
    assert verdict_of([told]) is None
    assert verdict_of([told, decided]) is Verdict.GROUNDED
    assert verdict_of([told, decided, refused]) is Verdict.ABSTAINED

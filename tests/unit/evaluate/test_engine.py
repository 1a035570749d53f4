"""The evaluators and the engine, with models that answer as told. Worked examples are those of the literature."""

from __future__ import annotations

import math

import pytest

from exporters.result import Evaluation, Outcome, Verdict
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.metrics.answer_relevancy import answer_relevancy
from sidecar.evaluate.metrics.context_precision import average_precision
from sidecar.evaluate.metrics.context_relevance import expected_share
from sidecar.evaluate.metrics.faithfulness import expected_faithfulness, faithfulness
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Models
from sidecar.record.errors import PermanentInferenceError
from sidecar.record.request import RagTrace
from tests.unit.evaluate.fakes import FakeGrounder, FakeRelevance, models, request


async def evaluate(trace: RagTrace, with_models: Models | None = None, **config: object) -> Evaluated:
    return await Engine(EvaluateConfig.model_validate(config), with_models or models()).evaluate(trace)


def by_name(evaluated: Evaluated) -> dict[str, Evaluation]:
    return {one.evaluator: one for one in evaluated.evaluations}


@pytest.mark.parametrize(
    ("useful", "score"), [([1, 0, 1, 0, 1], 0.7555555), ([1, 1, 1, 0, 0], 1.0), ([0, 0, 0, 1, 1], 0.325), ([0, 0], 0.0)]
)
def test_context_precision_is_average_precision(useful: list[int], score: float) -> None:
    assert average_precision([bool(one) for one in useful]) == pytest.approx(score, abs=1e-6)


def test_faithfulness_is_supported_claims_over_claims() -> None:
    assert faithfulness([True, True, False]) == pytest.approx(0.67, abs=0.005)
    assert faithfulness([True, False]) == 0.5


def test_doubt_about_a_claim_counts_in_part_and_the_threshold_by_half() -> None:
    assert expected_faithfulness([1.0, 1.0, 0.0], 0.2) == pytest.approx(2 / 3)
    assert expected_faithfulness([0.2], 0.2) == 0.5
    assert expected_faithfulness([0.74], 0.5) == pytest.approx(0.75)
    assert expected_faithfulness([0.98, 0.02], 0.5) == 0.5
    assert 0.5 < expected_faithfulness([0.3], 0.2) < expected_faithfulness([0.6], 0.2) < 1


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_a_threshold_that_leaves_no_doubt_counts_claims_whole(threshold: float) -> None:
    assert expected_faithfulness([0.3, 0.7], threshold) == 1 - threshold


def test_one_relevant_of_two_chunks_is_a_half() -> None:
    assert expected_share([1.0, 0.0]) == 0.5


def test_answer_relevancy_is_similarity_unless_the_answer_declines() -> None:
    assert answer_relevancy(0.9, noncommittal=False) == 0.9
    assert answer_relevancy(0.9, noncommittal=True) == 0.0


async def test_a_whole_request_gets_every_score_with_the_model_that_gave_it() -> None:
    evaluated = await evaluate(request(answer="It is blue. It is heavy.", documents=("It is blue.", "Nothing.")))
    scores = {name: one.score for name, one in by_name(evaluated).items()}
    assert scores == {
        "faithfulness": 0.5,
        "groundedness": 0.8,
        "context_relevance": 0.9,
        "context_precision": 1.0,
        "answer_relevancy": 0.9,
    }
    assert (evaluated.verdict, evaluated.outcome) == (Verdict.GROUNDED, Outcome.SCORED)
    assert all(one.model is not None and one.threshold is not None for one in evaluated.evaluations)


async def test_claims_point_into_the_documents_of_the_request() -> None:
    evaluated = await evaluate(request(answer="It is blue.", documents=(None, "Well. It is blue.")))
    [claim] = by_name(evaluated)["faithfulness"].claims
    assert claim.evidence is not None
    assert (claim.evidence.document, claim.evidence.start, claim.evidence.end) == (1, 6, 17)


async def test_an_answer_below_the_threshold_is_hallucinated() -> None:
    evaluated = await evaluate(request(documents=("It is red.",)), models(FakeGrounder(whole=0.2)))
    assert evaluated.verdict is Verdict.HALLUCINATED


async def test_an_answer_that_declines_is_neither_faithful_nor_a_hallucination() -> None:
    evaluated = await evaluate(request(answer="I'm sorry, but I don't know."))
    found = by_name(evaluated)
    assert evaluated.verdict is Verdict.ABSTAINED
    assert (found["faithfulness"].reason, found["groundedness"].reason) == ("abstained", "abstained")
    assert found["answer_relevancy"].score == 0.0


async def test_chinese_is_unscorable_with_english_models() -> None:
    evaluated = await evaluate(
        request(question="它多高？", answer="埃菲尔铁塔高330米。", documents=("埃菲尔铁塔高330米。",))
    )
    assert (evaluated.outcome, evaluated.reason) == (Outcome.UNSCORABLE, "language")
    assert all(one.score is None and one.reason == "language" for one in evaluated.evaluations)


@pytest.mark.parametrize("answer", ["Paris", "42", "Lee Harper", "NATO", "€ 4.50", "Yes, two years."])
async def test_short_answers_pass_the_language_gate(answer: str) -> None:
    found = by_name(await evaluate(request(answer=answer)))
    assert all(one.reason != "language" for one in found.values())


@pytest.mark.parametrize(
    "answer",
    ["Oui, pendant deux ans.", "Sí, durante dos años.", "Ja, twee jaar lang.", "Ja, zwei Jahre lang.", "Nein."],
)
async def test_a_short_answer_in_another_language_is_unscorable_and_no_hallucination(answer: str) -> None:
    evaluated = await evaluate(
        request(
            question="Is there a warranty, and for how long?",
            answer=answer,
            documents=("The warranty lasts two years from the date of purchase.",),
        )
    )
    assert (evaluated.verdict, evaluated.outcome, evaluated.reason) == (None, Outcome.UNSCORABLE, "language")
    assert {one.reason for one in evaluated.evaluations} == {"language"}


async def test_a_language_that_few_evaluators_ask_for_is_not_why_a_request_is_unscorable() -> None:
    evaluated = await evaluate(request(question="Was kostet eine Tageskarte für Kinder?", answer="x", documents=()))
    assert {one.reason for one in evaluated.evaluations} == {"no_context", "language"}
    assert (evaluated.outcome, evaluated.reason) == (Outcome.UNSCORABLE, "no_context")


async def test_what_can_be_scored_is_scored() -> None:
    without_answer = by_name(await evaluate(request(answer=None)))
    assert without_answer["context_relevance"].score == 0.9
    assert without_answer["groundedness"].reason == "no_answer"
    without_question = by_name(await evaluate(request(question="  ")))
    assert without_question["groundedness"].score == 0.8
    assert without_question["context_relevance"].reason == "no_question"
    without_context = by_name(await evaluate(request(documents=())))
    assert without_context["answer_relevancy"].score == 0.9
    assert without_context["faithfulness"].reason == "no_context"


async def test_an_answer_that_declines_because_nothing_was_retrieved_is_an_abstention() -> None:
    evaluated = await evaluate(request(answer="I could not find anything about that.", documents=()))
    assert evaluated.verdict is Verdict.ABSTAINED
    assert by_name(evaluated)["groundedness"].reason == "abstained"
    assert by_name(evaluated)["context_relevance"].reason == "no_context"


async def test_a_model_that_fails_fails_its_evaluators_alone() -> None:
    evaluated = await evaluate(request(), models(FakeGrounder(error=PermanentInferenceError("runtime"))))
    found = by_name(evaluated)
    assert (found["faithfulness"].outcome, found["faithfulness"].reason) == (Outcome.FAILED, "runtime")
    assert found["answer_relevancy"].score == 0.9
    assert evaluated.outcome is Outcome.SCORED


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
async def test_what_is_no_number_in_0_to_1_never_becomes_a_score(bad: float) -> None:
    evaluated = await evaluate(
        request(), models(FakeGrounder(whole=bad), FakeRelevance(of_documents=(bad,), of_answer=bad))
    )
    for name in ("groundedness", "context_relevance", "context_precision", "answer_relevancy"):
        one = by_name(evaluated)[name]
        assert (one.score, one.reason) == (None, "bad_score")


async def test_too_much_text_is_unscorable_and_never_cut() -> None:
    evaluated = await evaluate(
        request(answer="It is blue. " * 100, documents=("x" * 5000,)), most_answer_chars=1000, most_document_chars=1000
    )
    assert {one.reason for one in evaluated.evaluations} == {"too_long"}


async def test_the_last_claims_of_a_long_answer_count_as_the_first() -> None:
    true = [f"Pump {n} runs well." for n in range(200)]
    made_up = [f"Engine {n} was sold." for n in range(60)]
    sure = models(FakeGrounder(doubt=0.0))
    evaluated = await evaluate(request(answer=" ".join(true + made_up), documents=(" ".join(true),)), sure)
    found = by_name(evaluated)["faithfulness"]
    assert len(found.claims) == 260
    assert found.score == pytest.approx(200 / 260)


async def test_an_answer_of_more_claims_than_are_judged_is_unscorable_and_never_cut() -> None:
    evaluated = await evaluate(request(answer=" ".join(f"Pump {n} runs well." for n in range(401))))
    reasons = {name: one.reason for name, one in by_name(evaluated).items()}
    assert (reasons["faithfulness"], reasons["groundedness"], evaluated.verdict) == ("too_long", "too_long", None)


async def test_a_model_that_hangs_is_a_failed_evaluation() -> None:
    class Hanging(FakeRelevance):
        async def answer(self, question: str, answer: str) -> float:
            import asyncio

            await asyncio.sleep(60)
            return 1.0

    evaluated = await evaluate(
        request(), models(relevance=Hanging()), timeout_seconds=0.05, evaluators=["answer_relevancy"]
    )
    assert (evaluated.outcome, evaluated.reason) == (Outcome.FAILED, "timeout")


def test_an_unknown_evaluator_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(ValueError, match="did you mean faithfulness"):
        EvaluateConfig(evaluators=("faithfulnes",))


@pytest.mark.parametrize(
    ("reference", "documents", "reasons"),
    [
        ("14 euros.", ("A day ticket costs 14 euros.",), {None}),
        ("Es kostet vierzehn Euro am Tag, auch für Kinder.", ("A day ticket costs 14 euros.",), {"language"}),
        ("14 euros.", ("Eine Tageskarte kostet vierzehn Euro, auch für Kinder.",), {"language"}),
        ("14 Euro am Tag", ("A day ticket costs 14 euros.",), {"language"}),
        ("Lee Harper", ("A day ticket costs 14 euros.",), {None}),
    ],
    ids=[
        "tells no language",
        "another language",
        "the request is in another one",
        "words of none of its texts",
        "a name",
    ],
)
async def test_a_reference_that_tells_no_language_takes_that_of_the_request(
    reference: str, documents: tuple[str, ...], reasons: set[str | None]
) -> None:
    trace = request(question="What does a ticket cost?", answer="14 euros.", documents=documents, reference=reference)
    found = by_name(await evaluate(trace))
    names = ("context_recall", "answer_correctness", "noise_robustness", "context_precision_reference")
    assert {found[name].reason for name in names} == reasons

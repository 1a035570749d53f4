"""What a model says of how far an answer declines, beside the rules, and what becomes of it in an evaluation."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Abstention, Evaluation, ModelIdentity, Outcome, Subject
from sidecar.evaluate.base import Lane, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.evaluate.stance import MOST_CHARS, stance_by
from sidecar.evaluate.text.abstain import DECLINES, stance_of
from sidecar.inference.abstention import AbstentionClassifier, packaged_classifier
from sidecar.inference.runtime import PACKAGED
from sidecar.inference.words import words_of
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import RetryableInferenceError
from tests.unit.evaluate.fakes import IDENTITY, models, request

GOLDEN = Path(__file__).parents[2] / "golden" / "evaluate"


@dataclass
class Reader:
    """Is sure of what it was told, and that everything else answers; remembers what it read."""

    told: Mapping[str, str] = field(default_factory=dict)
    fails: bool = False
    waits: bool = False
    identity: ModelIdentity = IDENTITY
    threshold: float = 0.9
    part_threshold: float = 0.6
    languages: frozenset[str] = frozenset({"en"})
    read: list[str] = field(default_factory=list)

    async def kinds(self, question: str, answers: Sequence[str]) -> list[Mapping[Abstention, float] | None]:
        self.read += answers
        if self.waits:
            await asyncio.Event().wait()
        if self.fails:
            raise RetryableInferenceError("stopped")
        sure = [Abstention(self.told.get(one, "none")) for one in answers]
        return [{kind: 0.97 if kind is one else 0.01 for kind in Abstention} for one in sure]


async def test_what_no_rule_knows_is_told_by_the_model() -> None:
    idiom = "Your guess is as good as mine, as the leaflet skips that chapter."
    reader = Reader({idiom: "full", "Which of the two do you own?": "clarification"})
    assert (await stance_by(reader, "How long?", idiom)).kind is Abstention.FULL
    assert (await stance_by(reader, "How long?", "Two years.")).kind is Abstention.NONE


async def test_what_a_rule_knows_is_not_asked() -> None:
    reader = Reader()
    assert (await stance_by(reader, "How long?", "I don't know.")).kind is Abstention.FULL
    assert reader.read == []


async def test_of_an_answer_in_part_the_claims_that_decline_are_not_judged() -> None:
    told, silent = "The fee is 12 euros.", "Your guess about the deadline is as good as mine."
    answer = f"{told} {silent}"
    stance = await stance_by(Reader({answer: "partial", silent: "full"}), "What are fee and deadline?", answer)
    assert stance.kind is Abstention.PARTIAL
    assert [claim.text for claim in stance.claims] == [told]
    assert stance.stated == told
    assert stance.by == IDENTITY


@pytest.mark.parametrize("silent", [(), ("The fee is 12 euros.", "The deadline is in May.")])
async def test_where_no_claim_declines_or_all_do_the_rules_stand(silent: Sequence[str]) -> None:
    answer = "The fee is 12 euros. The deadline is in May."
    stance = await stance_by(Reader({answer: "partial", **dict.fromkeys(silent, "full")}), "What?", answer)
    assert stance.kind is Abstention.NONE
    assert len(stance.claims) == 2


async def test_an_answer_that_the_model_takes_for_an_abstention_is_not_judged() -> None:
    reader = Reader({"It is blue.": "full"})
    found = await Engine(EvaluateConfig(), replace(models(), abstention=reader)).evaluate(request())
    assert found.abstention is Abstention.FULL
    assert {one.reason for one in found.evaluations if one.evaluator in ("faithfulness", "groundedness")} == {
        "abstained"
    }
    assert reader.read == ["It is blue."]


READER = ModelIdentity("abstention", "1+0.9+0.6", "cd" * 32)


async def test_scores_name_the_model_that_decided_how_far_the_answer_declines() -> None:
    told, silent = "It is blue.", "Your guess about the weight is as good as mine."
    part, names = (
        f"{told} {silent}",
        ("faithfulness", "groundedness", "answer_relevancy", "answer_correctness", "noise_robustness"),
    )
    config = EvaluateConfig(evaluators=(*names, "context_relevance", "semantic_similarity"), references="off")

    async def said(answer: str, **kinds: str) -> dict[str, Evaluation]:
        reader = Reader({answer: kinds.get("whole", "none"), silent: kinds.get("silent", "none")}, identity=READER)
        engine = Engine(config, replace(models(), abstention=reader))
        found = await engine.evaluate(request(answer=answer, reference="It is blue."))
        return {one.evaluator: one for one in found.evaluations}

    thinned = await said(part, whole="partial", silent="full")
    by = {name: one.abstention_model for name, one in thinned.items()}
    assert by == {**dict.fromkeys(thinned), **dict.fromkeys(set(names) - {"answer_relevancy"}, READER)}
    declined = (await said(told, whole="full"))["answer_relevancy"]
    assert (declined.score, declined.model, declined.abstention_model) == (0.0, IDENTITY, READER)
    assert {one.abstention_model for one in (await said(told)).values()} == {None}
    rules = (await said("I don't know."))["answer_relevancy"]
    assert (rules.score, rules.abstention_model) == (0.0, None)


async def test_where_it_fails_what_asked_it_names_it() -> None:
    evaluators = ("faithfulness", "answer_correctness", "semantic_similarity", "answer_relevancy")
    engine = Engine(
        EvaluateConfig(evaluators=evaluators, references="off"),
        replace(models(), abstention=Reader(fails=True, identity=READER)),
    )
    found = await engine.evaluate(request(reference="It is blue."))
    named = {one.evaluator: (one.outcome, one.model, one.other_models) for one in found.evaluations}
    assert named == {
        "faithfulness": (Outcome.FAILED, IDENTITY, (READER,)),
        "answer_correctness": (Outcome.FAILED, IDENTITY, (IDENTITY, READER)),
        "semantic_similarity": (Outcome.SCORED, IDENTITY, ()),
        "answer_relevancy": (Outcome.FAILED, IDENTITY, (READER,)),
    }


async def test_a_request_in_another_language_is_not_given_to_it() -> None:
    reader = Reader()
    trace = request(
        question="Wie lange gilt die Garantie?",
        answer="Die Garantie gilt zwei Jahre ab dem Tag des Kaufs.",
        documents=("Die Garantie gilt zwei Jahre ab dem Tag des Kaufs.",),
    )
    await Engine(EvaluateConfig(), replace(models(), abstention=reader)).evaluate(trace)
    assert reader.read == []


async def test_where_it_fails_what_looks_at_the_answer_fails_and_the_rest_goes_on() -> None:
    engine = Engine(EvaluateConfig(), replace(models(), abstention=Reader(fails=True)))
    found = {one.evaluator: one for one in (await engine.evaluate(request())).evaluations}
    assert (found["faithfulness"].outcome, found["faithfulness"].reason) == (Outcome.FAILED, "stopped")
    assert found["context_relevance"].outcome is Outcome.SCORED
    assert (await engine.evaluate(request())).abstention is None


async def test_what_compares_the_answer_with_a_reference_alone_neither_waits_for_it_nor_fails_with_it() -> None:
    config = EvaluateConfig(evaluators=("faithfulness", "exact_match", "answer_correctness"))
    engine = Engine(config, replace(models(), abstention=Reader(fails=True)))
    found = {one.evaluator: one for one in (await engine.evaluate(request(reference="It is blue."))).evaluations}
    assert found["exact_match"].outcome is Outcome.SCORED
    # It counts claims, which are fewer where the answer declines in part.
    assert (found["answer_correctness"].outcome, found["faithfulness"].outcome) == (Outcome.FAILED, Outcome.FAILED)


async def test_where_it_fails_a_request_in_two_languages_is_in_a_language_that_is_not_read() -> None:
    trace = request(documents=("Die Garantie gilt zwei Jahre ab dem Tag des Kaufs, der auf dem Beleg steht.",))
    engine = Engine(EvaluateConfig(), replace(models(), abstention=Reader(fails=True)))
    found = {one.evaluator: one for one in (await engine.evaluate(trace)).evaluations}
    assert found["faithfulness"].reason == "language"


async def test_what_looks_at_the_answer_waits_for_it_no_longer_than_an_evaluation_may_take() -> None:
    engine = Engine(EvaluateConfig(timeout_seconds=1.0), replace(models(), abstention=Reader(waits=True)))
    found = {one.evaluator: one for one in (await engine.evaluate(request())).evaluations}
    assert (found["groundedness"].outcome, found["groundedness"].reason) == (Outcome.FAILED, "timeout")
    assert found["context_relevance"].outcome is Outcome.SCORED


async def test_an_answer_that_is_too_long_to_be_looked_at_or_to_be_read_whole_is_not_given_to_it() -> None:
    reader = Reader()
    engine = Engine(EvaluateConfig(most_answer_chars=1000), replace(models(), abstention=reader))
    for size in (700, 1200):
        await engine.evaluate(request(answer="It is blue. " * (size // 12)))
    assert reader.read == []


class Slow:
    """An evaluator of the slow lane that looks at answer and documents."""

    name = "slow"
    version = "1"
    method = "none"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = False
    lane = Lane.SLOW

    def languages(self, case: Case) -> None:
        return None

    async def evaluate(self, case: Case) -> Evaluation:
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=0.5)


async def test_the_slow_lane_asks_it_too() -> None:
    reader = Reader({"It is blue.": "full"})
    engine = Engine(EvaluateConfig(), replace(models(), abstention=reader), [Slow()])
    found = await engine.evaluate(request(), lane=Lane.SLOW)
    assert found.abstention is Abstention.FULL
    assert [(one.reason, one.model) for one in found.evaluations] == [("abstained", IDENTITY)]


@pytest.fixture
async def classifier() -> AsyncIterator[AbstentionClassifier]:
    """The packaged one."""
    one = packaged_classifier(PACKAGED, threads=1, batch_tokens=2048, telemetry=Telemetry(), tables=words_of(PACKAGED))
    await one.start()
    yield one
    await one.stop()


async def told_of(classifier: AbstentionClassifier, name: str) -> list[tuple[dict[str, Any], Abstention]]:
    """Rows of a golden file, and how far each declines by rules and model."""
    rows = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row, (await stance_by(classifier, row["question"], row["answer"])).kind) for row in rows]


# Measured: what rules and model reach today on answers that neither has read, of writers that no training knows. Raise it with them.
@pytest.mark.parametrize(
    ("name", "least_found", "most_wrong", "least_partial"),
    [("abstain_four", 340, 15, 78), ("abstain_held", 101, 2, 21), ("abstain_blind", 30, 3, 6)],
)
async def test_no_fewer_abstentions_are_told_than_before_and_hardly_any_else(
    classifier: AbstentionClassifier, name: str, least_found: int, most_wrong: int, least_partial: int
) -> None:
    told = await told_of(classifier, name)
    assert sum(kind in DECLINES for row, kind in told if row["kind"] in DECLINES) >= least_found
    assert sum(kind in DECLINES for row, kind in told if row["kind"] not in DECLINES) <= most_wrong
    assert sum(kind is Abstention.PARTIAL for row, kind in told if row["kind"] == "partial") >= least_partial


@pytest.mark.parametrize("head", ["", "Thanks for asking! ", "Sorry for the wait. "])
@pytest.mark.parametrize(
    "tail", ["", " Ask jo@example.org.", " Please contact support for more details.", " Anything else?"]
)
async def test_what_bots_say_around_an_answer_makes_no_abstention_of_it(
    classifier: AbstentionClassifier, head: str, tail: str
) -> None:
    for question, answer in (
        ("How long is the warranty?", "The warranty is two years."),
        ("hi! do u ship to norway?", "We only ship within the EU."),
        ("Who approves overtime?", "Payroll approves it, and it is reported to the team lead."),
    ):
        assert (await stance_by(classifier, question, f"{head}{answer}{tail}")).kind is Abstention.NONE


async def test_it_reads_an_answer_whole_or_not_at_all(classifier: AbstentionClassifier) -> None:
    fits = "7 " * 285
    whole = await classifier.kinds("", ["", fits, "x" * 50_000, "\u0000 \ufffd", "Two years."])
    assert all(one is not None and abs(sum(one.values()) - 1) < 1e-5 for one in whole)
    assert await classifier.kinds("", [fits + "7", "word " * 20_000]) == [None, None]
    assert [one is None for one in await classifier.kinds("Why?", ["Two years.", fits])] == [False, True]


async def test_an_answer_that_it_cannot_read_whole_is_left_to_the_rules(classifier: AbstentionClassifier) -> None:
    codes = " ".join(f"{n % 10}-{n % 7}" for n in range(100))
    silent = (
        f"The codes are {codes}. Your guess about the deadline is as good as mine, as the leaflet skips that chapter."
    )
    assert len(silent) <= MOST_CHARS
    assert await classifier.kinds("What is the deadline?", [silent]) == [None]
    stance = await stance_by(classifier, "What is the deadline?", silent)
    assert (stance.kind, stance.by) == (stance_of(silent).kind, None)


@pytest.mark.parametrize("name", ["threshold", "part_threshold"])
async def test_another_threshold_is_another_identity(name: str, tmp_path: Path) -> None:
    shutil.copytree(PACKAGED, tmp_path / "models")
    card = tmp_path / "models" / "abstention" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text(encoding="utf-8")), name: 0.75}))
    ours, other = (
        packaged_classifier(where, threads=1, batch_tokens=2048, telemetry=Telemetry(), tables=words_of(where)).identity
        for where in (PACKAGED, tmp_path / "models")
    )
    assert (ours.name, ours.sha256) == (other.name, other.sha256)
    assert ours.version != other.version
    assert "0.75" in other.version


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("The battery lasts 16 hours, but it is not stated how heavy the camera is.", ["The battery lasts 16 hours"]),
        ("Checkout is at 11; there is no information on late checkout.", ["Checkout is at 11"]),
        (
            "The warranty is five years, the shipping cost is not stated in the documents.",
            ["The warranty is five years"],
        ),
        ("The warranty is five years and shipping costs are not mentioned.", ["The warranty is five years"]),
        (
            "The warranty is five years (shipping costs are not mentioned in the documents).",
            ["The warranty is five years"],
        ),
        ("Shipping costs are not mentioned, and the warranty is five years.", ["the warranty is five years."]),
        ("Warranty: five years. Shipping: not stated.", ["Warranty: five years."]),
        ("The documents do not mention shipping and the warranty.", None),
        ("The price is not given, and neither is the time.", None),
        ("I searched the manual, but it does not mention the weight.", None),
        ("This is a good question, but the documents don't say.", None),
    ],
)
def test_what_stands_before_a_clause_that_declines_is_judged(answer: str, claims: list[str] | None) -> None:
    stance = stance_of(answer)
    assert stance.kind is (Abstention.FULL if claims is None else Abstention.PARTIAL)
    assert claims is None or [claim.text for claim in stance.claims] == claims


async def test_figures_beside_what_declines_are_judged_though_the_model_takes_all_for_an_abstention() -> None:
    told = "up to 64 clients can be connected at once."
    answer = f"The documentation doesn't mention the range, but {told}"
    assert (await stance_by(Reader({answer: "full"}), "What is the range?", answer)).kind is Abstention.PARTIAL
    both = Reader({answer: "full", told: "full"})
    assert (await stance_by(both, "What is the range?", answer)).kind is Abstention.FULL


BACK = "Which model do you have?"


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("The warranty lasts five years.", Abstention.NONE),
        ("You can use the warranty within 90 days.", Abstention.NONE),
        ("The warranty depends on the model.", Abstention.CLARIFICATION),
        ("I can look up the warranty for you.", Abstention.CLARIFICATION),
        ("The shop is in Leeds.", Abstention.CLARIFICATION),
    ],
)
async def test_what_an_answer_states_of_what_was_asked_is_judged_though_it_asks_back(
    stated: str, kind: Abstention
) -> None:
    for answer in (f"{stated} {BACK}", f"{BACK} {stated}"):
        reader = Reader({answer: "clarification"})
        assert (await stance_by(reader, "How long is the warranty?", answer)).kind is kind


async def test_a_sentence_beside_a_question_back_that_the_model_takes_for_a_refusal_states_nothing() -> None:
    stated = "The warranty stands on a page that was not passed on."
    reader = Reader({f"{stated} {BACK}": "clarification", stated: "full"})
    asked = "How long is the warranty?"
    assert (await stance_by(reader, asked, f"{stated} {BACK}")).kind is Abstention.CLARIFICATION


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("We do not offer a warranty.", Abstention.NONE),
        ("No, we can't accept cheques.", Abstention.NONE),
        ("We cannot offer any information on warranties.", Abstention.FULL),
        ("The report does not offer a figure.", Abstention.FULL),
    ],
)
async def test_what_a_house_does_not_do_is_an_answer(answer: str, kind: Abstention) -> None:
    assert (await stance_by(Reader({answer: "full"}), "Is there a warranty?", answer)).kind is kind


async def test_what_stands_beside_a_denial_and_is_of_the_question_is_judged() -> None:
    answer = "I don't have that information. Water damage is always covered."
    reader = Reader({answer: "full"})
    stance = await stance_by(reader, "Is water damage covered?", answer)
    assert (stance.kind, [claim.text for claim in stance.claims]) == (
        Abstention.PARTIAL,
        ["Water damage is always covered."],
    )
    assert (await stance_by(reader, "What is the number of the hotline?", answer)).kind is Abstention.FULL


async def test_nothing_asks_back_that_has_no_word_to_ask_with() -> None:
    told, asks = "Use the app or the slip at reception.", "There are several apps, and much hangs on the one you use."
    reader = Reader({told: "clarification", asks: "clarification"})
    assert (await stance_by(reader, "How can I order it?", told)).kind is Abstention.NONE
    assert (await stance_by(reader, "How can I order it?", asks)).kind is Abstention.CLARIFICATION


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Did you know that the battery is covered for five years?", "the battery is covered for five years"),
        ("Isn't it great that screens are covered too?", "screens are covered too"),
    ],
)
def test_a_question_that_tells_is_a_statement(answer: str, told: str) -> None:
    stance = stance_of(answer)
    assert (stance.kind, [claim.text for claim in stance.claims]) == (Abstention.NONE, [told])
    assert stance_of("Did you know which model you bought?").kind is Abstention.CLARIFICATION

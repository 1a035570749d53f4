"""What every evaluator of the registry promises, with its default settings and with others."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Evaluation, ModelIdentity, Outcome, Verdict
from sidecar.evaluate.base import AsksModels, Cost, Evaluator
from sidecar.evaluate.case import Case
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.registry import DEFAULTS, EVALUATORS, NAMES, Entry, Standing
from sidecar.evaluate.settings import EvaluateConfig, build
from sidecar.record.authored import Authored, Message, ToolCall
from sidecar.record.request import RagTrace
from tests.unit.evaluate.fakes import FakeEmbedder, FakeGrounder, FakeRelevance, models, request

TALK = (Message("user", "What is it?"), Message("assistant", "It is blue.", (ToolCall("look", {"at": 1}),)))
AUTHORED = Authored(
    contexts=("It is blue.",),
    context_ids=("d1",),
    tool_calls=(ToolCall("look", {"at": 1}),),
    topics=("colours",),
    rubric={1: "wrong", 5: "right"},
)
HOSTILE = Authored(
    contexts=("\ud800", "x" * 300_000),
    context_ids=("\ud800",),
    tool_calls=(),
    topics=("\ud800",),
    rubric={0: "a", 1: "b"},
)
CASES = {
    "empty answer": request(answer=""),
    "nothing at all": request(question=None, answer=None, documents=()),
    "text dropped": request(question=None, answer=None, documents=(None,), text_dropped=True),
    "chinese": request(question="它多高？", answer="高。", documents=("高。",)),
    "lone surrogate": request(answer="It is \ud800 blue.", documents=("It is \udfff blue.",)),
    "a megabyte": request(documents=("word " * 200_000,)),
    "200 documents": request(documents=("It is blue.",) * 200),
    "markup": request(answer="**" * 5000 + "[" * 5000),
    "only code": request(answer="```\nx = 1\n```"),
    "only a question": request(answer="Shall we?"),
    "all that an author may write": request(reference="It is blue.", authored=AUTHORED, messages=TALK),
    "hostile references": request(
        reference="\ud800" * 50, authored=HOSTILE, messages=(Message("assistant", "\udfff"),)
    ),
    "an empty reference": request(reference=" ", authored=Authored(contexts=(), context_ids=(), tool_calls=())),
}


GERMAN = request(
    question="Wie lange gilt die Garantie für dieses Gerät, und was muss ich tun, damit sie gilt?",
    answer="Die Garantie gilt zwei Jahre ab dem Kauf und deckt alle Teile außer dem Akku.",
    documents=("Die Garantie gilt zwei Jahre ab dem Kauf und deckt alle Teile außer dem Akku.",),
    reference="Die Garantie gilt zwei Jahre ab dem Kauf und deckt alle Teile außer dem Akku.",
    messages=(Message("assistant", "Die Garantie gilt zwei Jahre ab dem Kauf und deckt alle Teile außer dem Akku."),),
)
SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "strictest": {"threshold": 1.0},
    "most lenient": {"threshold": 0.0},
}
LOCAL = tuple(entry.name for entry in EVALUATORS if entry.local is not None)
THRESHOLDED = tuple(entry.name for entry in EVALUATORS if "threshold" in entry.settings.model_fields)
REFERENCE = "It is blue. It is heavy."
WRITTEN: dict[str, Any] = {"reference": REFERENCE, "authored": AUTHORED, "messages": TALK}
GOLDEN = Path(__file__).parents[2] / "golden" / "evaluate"


def built(name: str, settings: dict[str, object]) -> Evaluator:
    [one] = build(EvaluateConfig.model_validate({"evaluators": [name], "references": "off", name: settings}))
    return one


READING = tuple(name for name in LOCAL if built(name, {}).languages(Case(request(), models())) is not None)


async def evaluation(trace: RagTrace, name: str, settings: dict[str, object] | None = None) -> Evaluation:
    config = EvaluateConfig.model_validate({"evaluators": [name], "references": "off", name: settings or {}})
    [one] = (await Engine(config, models()).evaluate(trace)).evaluations
    return one


NAMED = tuple(ModelIdentity(role, "1", "") for role in ("embedding", "grounding", "relevance"))
TOLD_APART = models(FakeGrounder(identity=NAMED[1]), FakeRelevance(identity=NAMED[2]), FakeEmbedder(identity=NAMED[0]))


class Broken:
    """An evaluator that breaks where another one scores."""

    def __init__(self, other: Any) -> None:
        self._other = other

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        found: tuple[ModelIdentity, ...] = self._other.models(case)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._other, name)

    async def evaluate(self, case: Case) -> Evaluation:
        raise RuntimeError


@pytest.mark.parametrize("name", LOCAL)
async def test_a_score_names_every_model_that_it_follows_from_and_so_does_a_failure(name: str) -> None:
    one, trace = built(name, {}), request(**WRITTEN)
    [form] = (entry.local for entry in EVALUATORS if entry.name == name)
    assert form is not None
    assert isinstance(one, AsksModels) == (form.about.cost is Cost.MODEL)
    if not isinstance(one, AsksModels):
        return
    asked = one.models(Case(trace, TOLD_APART))
    [scored] = (await Engine(EvaluateConfig(), TOLD_APART, [one]).evaluate(trace)).evaluations
    [failed] = (await Engine(EvaluateConfig(), TOLD_APART, [Broken(one)]).evaluate(trace)).evaluations
    assert (scored.outcome, failed.outcome) == (Outcome.SCORED, Outcome.FAILED)
    for said in (scored, failed):
        assert tuple(model for model in (said.model, *said.other_models) if model) == asked


def test_names_are_unique_and_no_section_hides_a_limit() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert set(EvaluateConfig.model_fields) == {
        *NAMES, "anchors", "anchors_expire_days", "evaluators", "references", "metrics", "most_answer_chars", "most_document_chars", "most_documents", "timeout_seconds"
    }  # fmt: skip


@pytest.mark.parametrize("entry", [entry for entry in EVALUATORS if entry.local], ids=lambda entry: entry.name)
def test_an_evaluator_says_what_it_is(entry: Entry) -> None:
    one = built(entry.name, {})
    assert one.name == entry.name
    assert one.needs
    assert type(one).__doc__
    assert entry.settings.__doc__
    assert one.version.isdigit()
    assert one.method.isidentifier()
    assert (GOLDEN / f"{entry.name}.jsonl").is_file()
    languages = one.languages(Case(request(), models()))
    assert languages is None or all(len(code) == 2 for code in languages)


@pytest.mark.parametrize("entry", EVALUATORS, ids=lambda entry: entry.name)
def test_every_setting_of_an_evaluator_is_described_and_has_a_default(entry: Entry) -> None:
    for name, field in entry.settings.model_fields.items():
        assert field.description, name
        assert not field.is_required(), name


def test_one_evaluator_at_most_decides_the_verdict() -> None:
    assert [one.name for one in build(EvaluateConfig()) if one.decides] == ["groundedness"]


@pytest.mark.parametrize("entry", EVALUATORS, ids=lambda entry: entry.name)
def test_every_form_says_what_it_is_before_it_is_built(entry: Entry) -> None:
    for form, calls in ((entry.local, False), (entry.judged, True)):
        if form is not None:
            assert form.about.formula
            assert form.about.source
            assert (form.about.calls != "0", form.about.cost is Cost.JUDGE) == (calls, calls)
            assert form.method.isidentifier()
            assert form.needs
    assert entry.local or entry.judged


def test_what_needs_a_reference_runs_on_no_request_of_production_and_says_nothing_there() -> None:
    assert {entry.name for entry in EVALUATORS if entry.standing is Standing.ON} == set(DEFAULTS)
    assert all(entry.online for entry in EVALUATORS if entry.standing is Standing.ON)
    assert not any(entry.online for entry in EVALUATORS if entry.standing is Standing.REFERENCED)


async def test_evaluators_that_need_a_reference_come_on_where_a_request_brings_one() -> None:
    engine = Engine(EvaluateConfig(), models())
    assert engine.standing == DEFAULTS
    bare = await engine.evaluate(request())
    assert [one.evaluator for one in bare.evaluations] == list(DEFAULTS)
    brought = await engine.evaluate(request(reference="It is blue."))
    assert {"exact_match", "string_presence"} < {one.evaluator for one in brought.evaluations}
    off = await Engine(EvaluateConfig(references="off"), models()).evaluate(request(reference="It is blue."))
    assert [one.evaluator for one in off.evaluations] == list(DEFAULTS)


async def test_an_evaluator_that_is_named_says_what_a_request_lacks() -> None:
    assert (await evaluation(request(), "exact_match")).reason == "no_reference"


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("case", CASES)
async def test_every_evaluator_scores_in_0_to_1_or_says_why_not(name: str, case: str, settings: str) -> None:
    if SETTINGS[settings] and name not in THRESHOLDED:
        return
    one = await evaluation(CASES[case], name, SETTINGS[settings])
    if one.outcome is Outcome.SCORED:
        assert one.score is not None
        assert 0 <= one.score <= 1
    else:
        assert one.score is None
        assert one.reason
        assert one.reason.isidentifier()
        # What an author wrote and cannot be read is a failure of the case, none of the request.
        assert one.outcome is (Outcome.FAILED if one.reason == "bad_reference" else Outcome.UNSCORABLE)


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("trace", [request(), request(question=None, answer=None, documents=())], ids=["scored", "not"])
async def test_every_evaluation_carries_what_its_evaluator_declares(name: str, trace: RagTrace) -> None:
    one, by = await evaluation(trace, name), built(name, {})
    assert (one.evaluator, one.version, one.method) == (by.name, by.version, by.method)
    assert (one.subject, one.decides_verdict) == (by.subject, by.decides)


@pytest.mark.parametrize("name", THRESHOLDED)
async def test_a_threshold_of_ones_own_is_used_and_reported_and_changes_no_probability(name: str) -> None:
    trace = request(answer="It is blue. It is heavy.", documents=("It is blue.", "Nothing."), **WRITTEN)
    default, own = await evaluation(trace, name), await evaluation(trace, name, {"threshold": 0.97})
    assert (default.threshold, own.threshold) == (0.5, 0.97)
    assert [claim.support for claim in own.claims] == [claim.support for claim in default.claims]
    assert [document.score for document in own.documents] == [document.score for document in default.documents]
    assert not any(claim.supported for claim in own.claims)
    assert not any(document.relevant for document in own.documents if document.score < 0.97)
    if own.decides_verdict:
        assert (default.label, own.label) == (Verdict.GROUNDED, Verdict.HALLUCINATED)


@pytest.mark.parametrize("name", THRESHOLDED)
async def test_a_threshold_of_0_is_a_threshold(name: str) -> None:
    assert (await evaluation(request(**WRITTEN), name, {"threshold": 0.0})).threshold == 0.0


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("languages", [{"en"}, {"de", "fr"}], ids=["english", "others"])
async def test_a_request_in_a_language_that_its_model_does_not_read_is_turned_away(
    name: str, languages: set[str]
) -> None:
    known = frozenset(languages)
    engine = Engine(
        EvaluateConfig(evaluators=(name,), references="off"),
        models(FakeGrounder(languages=known), FakeRelevance(languages=known)),
    )
    for trace, language in ((request(**WRITTEN), "en"), (GERMAN, "de")):
        [one] = (await engine.evaluate(trace)).evaluations
        assert (one.reason == "language") is (language not in known)


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("part", ["question", "answer", "documents"])
async def test_one_part_in_another_language_turns_every_evaluator_away(name: str, part: str) -> None:
    foreign = {part: getattr(GERMAN, part)} if part != "documents" else {"documents": (GERMAN.documents[0],)}
    assert (await evaluation(dataclasses.replace(request(**WRITTEN), **foreign), name)).reason == "language"

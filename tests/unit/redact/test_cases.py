"""What authors of cases write is user text: redacted like the answer, in claims of references, in sessions, and before the judge sees it."""

from __future__ import annotations

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.judge.judge import Judge
from sidecar.record.authored import Authored
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from sidecar.results import redact
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import models, request
from tests.unit.evaluate.judged.scripted import only
from tests.unit.inference.judge.made import judging

MAIL = "a.dent@example.com"
REDACTOR = Redactor(RedactConfig())


async def test_a_claim_of_the_reference_leaves_as_pseudonyms_and_so_does_a_session() -> None:
    trace = request(reference=f"You can write to {MAIL} about it.", session=MAIL)
    evaluated = await Engine(EvaluateConfig(evaluators=("context_recall",)), models()).evaluate(trace)
    said = await redact(evaluated, trace, REDACTOR)
    assert said.evaluated is not None
    [recall] = [one for one in said.evaluated.evaluations if one.evaluator == "context_recall"]
    assert [claim.text for claim in recall.claims] == ["You can write to <email-1> about it."]
    assert said.session == "<email-1>"


async def test_the_judge_is_told_references_and_rubrics_as_pseudonyms() -> None:
    asked: list[str] = []

    def answer(one: Asked) -> object:
        asked.append(one.user)
        return {"reason": "r", "score": 1}

    trace = request(reference=f"Write to {MAIL}.", authored=Authored(rubric={1: f"names {MAIL}", 2: "names nobody"}))
    async with judging(answer, redactor=REDACTOR) as (judge, _):
        assert isinstance(judge, Judge)
        made = Engine(EvaluateConfig.model_validate(only("instance_rubric")), models(), judge=judge)
        await made.evaluate_all(trace)
    assert len(asked) == 1
    assert MAIL not in asked[0]
    assert asked[0].count("email-1") == 2

"""What the page is given of a request: its texts after redaction, and only where they were asked for."""

from __future__ import annotations

from exporters.result import ClaimResult, Evaluation, Evidence, Outcome
from sidecar.evaluate.engine import Evaluated
from sidecar.record.request import Document, RagTrace
from sidecar.record.texts import Texts
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from sidecar.results import redact

REQUEST = RagTrace(
    trace_id="t", service="s", convention="native", timestamp=0.0, question="Write to ada@example.org?", answer="Yes, to ada@example.org. Soon.",
    documents=(Document(1, "Mail goes to ada@example.org at once.", id="mail-1"),),
)  # fmt: skip
CLAIM = ClaimResult("to ada@example.org.", 0.9, supported=True, evidence=Evidence(0, 13, 28), start=5, end=24)
EVALUATED = Evaluated(
    (Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=1.0, claims=(CLAIM,)),),
    None,
    Outcome.SCORED,
    None,
)


async def test_texts_are_redacted_and_places_point_into_them() -> None:
    said = await redact(EVALUATED, REQUEST, Redactor(RedactConfig()), with_texts=True)
    name = "<email-1>"
    assert said.texts == Texts(
        f"Write to {name}?", f"Yes, to {name}. Soon.", (("mail-1", f"Mail goes to {name} at once."),)
    )
    assert said.evaluated is not None
    (claim,) = said.evaluated.evaluations[0].claims
    assert claim.evidence is not None
    assert f"Mail goes to {name} at once."[claim.evidence.start : claim.evidence.end] == name
    assert f"Yes, to {name}. Soon."[claim.start : claim.end] == f"to {name}."


async def test_texts_are_left_out_where_nobody_asked() -> None:
    assert (await redact(EVALUATED, REQUEST, Redactor(RedactConfig()))).texts is None
    assert (await redact(None, REQUEST, None, with_texts=True)).texts is None


async def test_without_redaction_they_are_as_they_came() -> None:
    said = await redact(EVALUATED, REQUEST, None, with_texts=True)
    assert said.texts is not None
    assert said.texts.question == REQUEST.question

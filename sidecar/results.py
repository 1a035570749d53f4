"""From a scored request to its result, and the one place where the texts of a result are redacted."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from exporters.result import (
    ClaimResult,
    Completeness,
    DocumentResult,
    Evaluation,
    Evidence,
    Outcome,
    Result,
    ValueConflict,
)
from exporters.text import clean
from sidecar.evaluate.engine import Evaluated
from sidecar.price import Pricer
from sidecar.record.request import RagTrace, Tokens
from sidecar.record.texts import Texts
from sidecar.redact.redactor import Redactor
from sidecar.redact.session import Session

NAMESPACE = uuid.UUID("8f6f5f0e-5d3c-5b0a-9a52-0d8c3b8a6f11")


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a request, how many values were replaced in it, by kind, None where nothing was looked for, and its session. `texts` are
    those of the request, where they were asked for."""

    evaluated: Evaluated | None
    redacted: Mapping[str, int] | None = None
    session: str | None = None
    texts: Texts | None = None


async def redact(
    evaluated: Evaluated | None, trace: RagTrace, redactor: Redactor | None, *, with_texts: bool = False
) -> Said:
    """What evaluators say, as it may leave the process, and with `with_texts` the request's own texts. Evaluators themselves have read the
    original.

    Evidence points into the documents, and claims into the answer, as they are after redaction.
    """
    if redactor is None or evaluated is None:
        own = _texts(trace, None) if with_texts and evaluated is not None else None
        return Said(evaluated, session=trace.session, texts=own)
    telling = any(one.claims or one.explanation or one.documents for one in evaluated.evaluations)
    if not (with_texts or trace.session or telling):
        return Said(evaluated, {})

    def work(session: Session) -> Said:
        evaluations = tuple(_redacted(one, trace, session) for one in evaluated.evaluations)
        known = trace.session and session.redact_id(trace.session)
        own = _texts(trace, session) if with_texts else None
        return Said(replace(evaluated, evaluations=evaluations), session.counts, known, own)

    return await redactor.run(work, texts_in(trace))


def texts_in(trace: RagTrace) -> list[str]:
    """All that a request says, in the order in which it is redacted: pseudonyms are numbered by it."""
    texts = [trace.question, *(document.text for document in trace.documents), trace.answer, trace.reference]
    texts += [*((trace.authored and trace.authored.contexts) or ()), *(message.text for message in trace.messages)]
    return [text for text in texts if text]


def _texts(trace: RagTrace, session: Session | None) -> Texts:
    """The texts of a request, redacted by its session; None is: nothing is redacted."""

    def told(text: str | None) -> str | None:
        return session.redact(text).text if text and session is not None else text

    def name(text: str | None) -> str | None:
        return session.redact_id(text) if text and session is not None else text

    documents = tuple((name(one.id), told(one.text)) for one in trace.documents)
    return Texts(told(trace.question), told(trace.answer), documents)


def _redacted(one: Evaluation, trace: RagTrace, session: Session) -> Evaluation:
    return replace(
        one,
        explanation=None if one.explanation is None else session.redact(one.explanation).text,
        claims=tuple(_claim(claim, trace, session) for claim in one.claims),
        documents=tuple(_document(document, session) for document in one.documents),
    )


def _claim(claim: ClaimResult, trace: RagTrace, session: Session) -> ClaimResult:
    evidence = None if claim.evidence is None else _evidence(claim.evidence, trace, session)
    whole = trace.answer or ""
    whole = whole if claim.text in whole else trace.reference or whole
    said = session.redact(claim.text, part_of=whole)
    marks = None if claim.unsupported is None else tuple(said.span(*place) for place in claim.unsupported)
    conflicts = tuple(
        ValueConflict(*said.span(one.start, one.end), _evidence(one.evidence, trace, session))
        for one in claim.conflicts
    )
    start, end = claim.start, claim.end
    if start is not None and end is not None:
        start, end = session.redact(trace.answer or "").span(start, end)
    made = replace(claim, text=said.text, evidence=evidence, unsupported=marks, conflicts=conflicts)
    return replace(made, start=start, end=end)


def _evidence(evidence: Evidence, trace: RagTrace, session: Session) -> Evidence:
    text = trace.documents[evidence.document].text or ""
    return Evidence(evidence.document, *session.redact(text).span(evidence.start, evidence.end))


def _document(document: DocumentResult, session: Session) -> DocumentResult:
    return document if document.id is None else replace(document, id=session.redact_id(document.id))


def make_result(
    trace: RagTrace,
    *,
    pricer: Pricer,
    completed_at: float,
    outcome: Outcome,
    reason: str | None = None,
    evaluated: Evaluated | None = None,
    inclusion_probability: float = 1.0,
    completeness: Completeness | None = None,
    redacted: Mapping[str, int] | None = None,
    session: str | None = None,
) -> Result:
    """The result of one request. `session` is its session as it may leave the process."""
    priced = pricer.price(trace.model_calls)
    return Result(
        id=result_id(trace),
        trace_id=trace.trace_id,
        span_id=trace.span_id,
        retrieval_span_id=trace.retrieval_span_id,
        service=trace.service,
        model=trace.model,
        provider=trace.provider,
        variant=trace.variant,
        timestamp=trace.timestamp,
        completed_at=completed_at,
        outcome=outcome,
        reason=reason,
        verdict=evaluated.verdict if evaluated else None,
        abstention=evaluated.abstention if evaluated else None,
        error_class=trace.error_class,
        session=session,
        inclusion_probability=inclusion_probability,
        upstream_adjusted_count=trace.upstream_adjusted_count,
        trace_sampled=trace.trace_sampled,
        response_id=trace.response_id,
        evaluations=evaluated.evaluations if evaluated else (),
        tokens=_known(trace.tokens),
        unpriced_tokens=priced.unpriced_tokens,
        cost_usd=priced.cost_usd,
        durations=_durations(trace),
        retrieved_documents=len(trace.documents),
        redacted=redacted,
        trace=completeness,
    )


def result_id(trace: RagTrace) -> str:
    """The id of a request's result: a function of the trace alone, so that a replay overwrites."""
    part = trace.root_span_id or trace.span_id or ""
    return str(uuid.uuid5(NAMESPACE, clean(f"{trace.service}/{trace.trace_id}/{part}")))


def _known(tokens: Tokens) -> dict[str, int]:
    names = ("input", "output", "cached_input", "cache_write", "reasoning")
    return {name: value for name in names if (value := getattr(tokens, name)) is not None}


def _durations(trace: RagTrace) -> dict[str, float]:
    names = ("total", "retrieval", "generation", "time_to_first_token")
    return {name: value for name in names if (value := getattr(trace.durations, name)) is not None}

"""A result as it was written to the results topic, as the Result that it was made of, as far as it was written."""

from __future__ import annotations

from exporters.record import ClaimRecord, EvaluationRecord, EvidenceRecord, ModelRecord, ResultRecord
from exporters.result import (
    ClaimResult,
    Completeness,
    DocumentResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Outcome,
    Result,
    ValueConflict,
)
from sidecar.evaluate.registry import DECIDING

_TOKENS = ("input", "output", "cached_input", "cache_write", "reasoning")
_DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")


def result_of(record: ResultRecord, *, at: float) -> Result:
    """The result, written at a time (seconds since the epoch). Texts that it has none of are empty."""
    trace = record.trace
    return Result(
        id=record.id,
        trace_id=record.trace_id,
        span_id=record.span_id,
        service=record.service,
        model=record.model,
        provider=record.provider,
        variant=record.variant,
        session=record.session,
        timestamp=at if record.timestamp is None else record.timestamp.timestamp(),
        completed_at=at,
        outcome=Outcome(record.outcome),
        reason=record.reason,
        verdict=record.verdict,
        abstention=record.abstention,
        error_class=record.error_class,
        inclusion_probability=record.inclusion_probability,
        upstream_adjusted_count=record.upstream_adjusted_count,
        evaluations=tuple(_evaluation(one) for one in record.evaluations),
        retrieved_documents=record.retrieved_documents,
        tokens={name: value for name in _TOKENS if (value := getattr(record.tokens, name)) is not None},
        cost_usd=_cost(record),
        durations={name: value for name in _DURATIONS if (value := getattr(record.durations, name)) is not None},
        redacted=record.redacted,
        trace=None
        if trace is None
        else Completeness(trace.records, trace.spans, root_seen=trace.root_seen, ended=trace.ended, cut=trace.cut),
    )


def _cost(record: ResultRecord) -> dict[str, float] | None:
    if record.cost_usd_by_type is not None:
        return dict(record.cost_usd_by_type)
    return None if record.cost_usd is None else {"request": record.cost_usd}


def _evaluation(one: EvaluationRecord) -> Evaluation:
    return Evaluation(
        evaluator=one.evaluator,
        outcome=Outcome(one.outcome),
        reason=one.reason,
        score=one.score,
        label=one.label,
        explanation=one.explanation,
        model=_model(one.model),
        other_models=tuple(ModelIdentity(each.name, each.version, each.sha256) for each in one.other_models),
        abstention_model=_model(one.abstention_model),
        threshold=one.threshold,
        version=one.version,
        method=one.method,
        subject=one.subject,
        decides_verdict=one.evaluator in DECIDING,
        judged=one.judged,
        inclusion_probability=one.inclusion_probability,
        claims=tuple(_claim(claim) for claim in one.claims),
        documents=tuple(
            DocumentResult(each.rank, each.id, each.score, relevant=each.relevant)
            for each in one.documents
            if each.score is not None
        ),
        parts=one.parts,
    )


def _model(one: ModelRecord | None) -> ModelIdentity | None:
    return None if one is None else ModelIdentity(one.name, one.version, one.sha256)


def _claim(one: ClaimRecord) -> ClaimResult:
    return ClaimResult(
        one.text or "",
        one.support,
        supported=one.supported,
        evidence=None if one.evidence is None else _evidence(one.evidence),
        unsupported=None if one.unsupported is None else tuple((mark.start, mark.end) for mark in one.unsupported),
        conflicts=tuple(ValueConflict(each.start, each.end, _evidence(each.evidence)) for each in one.conflicts),
        start=one.start,
        end=one.end,
        label=one.label,
    )


def _evidence(place: EvidenceRecord) -> Evidence:
    return Evidence(place.document, place.start, place.end)

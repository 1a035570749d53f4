"""The result record as JSON: `rag-sidecar.result.v1`, one object a request.

Absent is null. Texts (claims, explanations) are null unless asked for, and redacted where patterns are given. What comes out
can always be written by orjson: no NaN, no number beyond 64 bits, no lone surrogate.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from exporters.result import (
    SCHEMA,
    ClaimResult,
    Completeness,
    DocumentResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Result,
    ValueConflict,
)
from exporters.text import TextDoor, clean

_TOKENS = ("input", "output", "cached_input", "cache_write", "reasoning")
_DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_LARGEST_INTEGER = 2**63 - 1


def result_to_json(result: Result, *, with_text: bool, redact: Sequence[re.Pattern[str]] = ()) -> dict[str, Json]:
    """The record of one result.

    with_text  whether the text of claims and explanations is in it (it quotes the answer)
    redact     patterns whose matches in those texts become "[redacted]"

    `cost_usd` is the total in US dollars, `cost_usd_by_type` its parts; `timestamp` is the end of the request.
    """
    text = TextDoor(with_text, tuple(redact))
    cost = _numbers(result.cost_usd) if result.cost_usd is not None else None
    return {
        "schema": SCHEMA,
        "id": clean(result.id),
        "trace_id": clean(result.trace_id),
        "span_id": _clean(result.span_id),
        "service": clean(result.service),
        "model": _clean(result.model),
        "provider": _clean(result.provider),
        "variant": _clean(result.variant),
        "session": _clean(result.session),
        "timestamp": rfc3339(result.timestamp),
        "outcome": str(result.outcome),
        "reason": _clean(result.reason),
        "verdict": None if result.verdict is None else str(result.verdict),
        "abstention": None if result.abstention is None else str(result.abstention),
        "error_class": _clean(result.error_class),
        "inclusion_probability": _number(result.inclusion_probability),
        "upstream_adjusted_count": _number(result.upstream_adjusted_count),
        "evaluations": [_evaluation(evaluation, text) for evaluation in result.evaluations],
        "retrieved_documents": result.retrieved_documents,
        "tokens": {name: _number(result.tokens.get(name)) for name in _TOKENS},
        "cost_usd": None if cost is None else _number(math.fsum(cost.values())),
        "cost_usd_by_type": None if cost is None else dict(cost),
        "durations": {name: _number(result.durations.get(name)) for name in _DURATIONS},
        "redacted": None if result.redacted is None else dict(result.redacted),
        "trace": _completeness(result.trace),
    }


def _completeness(trace: Completeness | None) -> Json:
    if trace is None:
        return None
    return {
        "records": trace.records,
        "spans": trace.spans,
        "root_seen": trace.root_seen,
        "ended": clean(trace.ended),
        "cut": trace.cut,
    }


def rfc3339(seconds: float) -> str | None:
    """UTC with milliseconds and Z, as RFC 3339 has it; None for what is no time of the years 1 to 9999."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _evaluation(evaluation: Evaluation, text: TextDoor) -> Json:
    return {
        "evaluator": clean(evaluation.evaluator),
        "outcome": str(evaluation.outcome),
        "reason": _clean(evaluation.reason),
        "score": _number(evaluation.score),
        "label": _clean(evaluation.label),
        "explanation": text(evaluation.explanation),
        "model": _model(evaluation.model),
        "other_models": [_model(one) for one in evaluation.other_models],
        "abstention_model": _model(evaluation.abstention_model),
        "threshold": _number(evaluation.threshold),
        "version": clean(evaluation.version),
        "method": clean(evaluation.method),
        "subject": str(evaluation.subject),
        "judged": evaluation.judged,
        "inclusion_probability": _number(evaluation.inclusion_probability),
        "parts": dict(_numbers(evaluation.parts)),
        "claims": [_claim(claim, text) for claim in evaluation.claims],
        "documents": [_document(document) for document in evaluation.documents],
    }


def _model(model: ModelIdentity | None) -> Json:
    if model is None:
        return None
    return {"name": clean(model.name), "version": clean(model.version), "sha256": clean(model.sha256)}


def _claim(claim: ClaimResult, text: TextDoor) -> Json:
    return {
        "text": text(claim.text),
        "support": _number(claim.support),
        "supported": claim.supported,
        "label": claim.label,
        "evidence": _evidence(claim.evidence),
        "unsupported": None
        if claim.unsupported is None
        else [{"start": start, "end": end} for start, end in claim.unsupported],
        "conflicts": [_conflict(one) for one in claim.conflicts],
        "start": claim.start,
        "end": claim.end,
    }


def _conflict(conflict: ValueConflict) -> Json:
    return {"start": conflict.start, "end": conflict.end, "evidence": _evidence(conflict.evidence)}


def _evidence(evidence: Evidence | None) -> Json:
    if evidence is None:
        return None
    return {"document": evidence.document, "start": evidence.start, "end": evidence.end}


def _document(document: DocumentResult) -> Json:
    return {
        "rank": document.rank,
        "id": _clean(document.id),
        "score": _number(document.score),
        "relevant": document.relevant,
    }


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _number(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        return None
    return value


def _numbers(values: Mapping[str, float]) -> dict[str, float]:
    """Those of `values` that can be written."""
    return {key: number for key, value in values.items() if (number := _number(value)) is not None}

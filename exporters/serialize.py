"""The JSON form of a result: schema rag-sidecar.result.v1, one object a request; absent is null."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from exporters.result import SCHEMA, ClaimResult, Evaluation, Result

JsonObject = dict[str, Any]
_TOKENS = ("input", "output", "cached_input", "cache_write", "reasoning")
_DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")


def result_to_json(result: Result, *, with_text: bool, redact: Sequence[re.Pattern[str]] = ()) -> JsonObject:
    """A plain object that any JSON writer takes. User text (claims, explanations) only `with_text`, after redaction."""
    return {
        "schema": SCHEMA,
        "id": result.id,
        "trace_id": clean(result.trace_id),
        "span_id": result.span_id,
        "service": clean(result.service),
        "model": _maybe(result.model),
        "provider": _maybe(result.provider),
        "variant": _maybe(result.variant),
        "timestamp": rfc3339(result.timestamp),
        "outcome": result.outcome.value,
        "reason": result.reason,
        "verdict": result.verdict.value if result.verdict else None,
        "error_class": result.error_class,
        "inclusion_probability": result.inclusion_probability,
        "upstream_adjusted_count": result.upstream_adjusted_count,
        "evaluations": [_evaluation(one, with_text=with_text, redact=redact) for one in result.evaluations],
        "retrieved_documents": result.retrieved_documents,
        "tokens": {name: result.tokens.get(name) for name in _TOKENS},
        "cost_usd": sum(result.cost_usd.values()) if result.cost_usd is not None else None,
        "cost_usd_by_type": dict(result.cost_usd) if result.cost_usd is not None else None,
        "durations": {name: result.durations.get(name) for name in _DURATIONS},
    }


def rfc3339(timestamp: float) -> str | None:
    """UTC with milliseconds; None where the number is no time that a calendar knows."""
    try:
        return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


def clean(text: str) -> str:
    """Text that UTF-8 can hold: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _maybe(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _evaluation(one: Evaluation, *, with_text: bool, redact: Sequence[re.Pattern[str]]) -> JsonObject:
    return {
        "evaluator": one.evaluator,
        "version": one.version,
        "outcome": one.outcome.value,
        "reason": one.reason,
        "score": one.score,
        "label": one.label,
        "explanation": _text(one.explanation, redact) if with_text and one.explanation else None,
        "model": {"name": one.model.name, "version": one.model.version, "sha256": one.model.sha256} if one.model else None,
        "threshold": one.threshold,
        "claims": [_claim(claim, with_text=with_text, redact=redact) for claim in one.claims],
        "documents": [
            {"rank": d.rank, "id": _maybe(d.id), "score": d.score, "relevant": d.relevant} for d in one.documents
        ],
    }  # fmt: skip


def _claim(claim: ClaimResult, *, with_text: bool, redact: Sequence[re.Pattern[str]]) -> JsonObject:
    place = claim.evidence
    return {
        "text": _text(claim.text, redact) if with_text else None,
        "support": claim.support,
        "supported": claim.supported,
        "evidence": {"document": place.document, "start": place.start, "end": place.end} if place else None,
    }


def _text(text: str, redact: Sequence[re.Pattern[str]]) -> str:
    for pattern in redact:
        text = pattern.sub("[redacted]", text)
    return clean(text)

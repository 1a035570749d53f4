"""From a scored request to its result."""

from __future__ import annotations

import uuid

from exporters.result import Completeness, Outcome, Result
from exporters.text import clean
from sidecar.evaluate.engine import Evaluated
from sidecar.price import Pricer
from sidecar.record.request import RagTrace, Tokens

NAMESPACE = uuid.UUID("8f6f5f0e-5d3c-5b0a-9a52-0d8c3b8a6f11")


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
) -> Result:
    """The result of one request. Its id is a function of the trace alone, so that a replay overwrites."""
    priced = pricer.price(trace.model_calls)
    part = trace.root_span_id or trace.span_id or ""
    return Result(
        id=str(uuid.uuid5(NAMESPACE, clean(f"{trace.service}/{trace.trace_id}/{part}"))),
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
        error_class=trace.error_class,
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
        trace=completeness,
    )


def _known(tokens: Tokens) -> dict[str, int]:
    names = ("input", "output", "cached_input", "cache_write", "reasoning")
    return {name: value for name in names if (value := getattr(tokens, name)) is not None}


def _durations(trace: RagTrace) -> dict[str, float]:
    names = ("total", "retrieval", "generation", "time_to_first_token")
    return {name: value for name in names if (value := getattr(trace.durations, name)) is not None}

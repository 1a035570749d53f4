"""Evaluations as OpenInference EVALUATOR spans: a trace of its own for each result, never part of the user's, linked to the spans that were evaluated.

`openinference.span.kind` and `output.value` are OpenInference's (arize.com/openinference, "Semantic Conventions"), scores stand under the names of the
GenAI semantic conventions. Ids follow from the result, so that a span that is sent twice is there once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from exporters.otlp_values import key_values, nanoseconds, span_id_bytes, trace_id_bytes
from exporters.result import Evaluation, Outcome, Result
from exporters.scores import span_of
from exporters.text import TextDoor, clean

_KIND = "openinference.span.kind"


def evaluator_spans(results: Sequence[Result], text: TextDoor) -> list[Span]:
    """Of each result a root span with the verdict, and one below it for each evaluation."""
    return [span for result in results if result.evaluations for span in _of(result, text)]


def _of(result: Result, text: TextDoor) -> list[Span]:
    root = _span(result, "evaluate", "", result.span_id)
    told = {
        "output.value": result.verdict.value if result.verdict else result.reason,
        "rag_sidecar.result.id": result.id,
        # Not every backend keeps links.
        "rag_sidecar.trace_id": result.trace_id,
        "rag_sidecar.service": result.service,
    }
    root.attributes.extend(key_values({_KIND: "EVALUATOR", **told}))
    return [root, *(_one(result, one, root.span_id, text) for one in result.evaluations)]


def _one(result: Result, one: Evaluation, parent: bytes, text: TextDoor) -> Span:
    span = _span(result, one.evaluator, one.evaluator, span_of(result, one))
    span.parent_span_id = parent
    shown = one.label or one.reason if one.score is None else f"{one.score:g}"
    told = {
        _KIND: "EVALUATOR",
        "output.value": shown,
        "gen_ai.evaluation.name": one.evaluator,
        "gen_ai.evaluation.score.value": one.score,
        "gen_ai.evaluation.score.label": one.label,
        "gen_ai.evaluation.explanation": text(one.explanation),
        "error.type": (one.reason or "other") if one.outcome is Outcome.FAILED else None,
        "rag_sidecar.outcome": one.outcome.value,
        "rag_sidecar.evaluator.model": one.model.name if one.model else None,
    }
    span.attributes.extend(key_values(told))
    if one.outcome is Outcome.FAILED:
        span.status.code = Status.STATUS_CODE_ERROR
    return span


def _span(result: Result, name: str, part: str, evaluated: str | None) -> Span:
    """A span without attributes. How long an evaluator took is not in a result: it begins and ends when the result was made."""
    at = nanoseconds(result.completed_at)
    trace_id, span_id = trace_id_bytes(result.trace_id), span_id_bytes(evaluated)
    links = [Span.Link(trace_id=trace_id, span_id=span_id)] if trace_id and span_id else []
    return Span(
        trace_id=_made(result.id, "trace", 16),
        span_id=_made(result.id, f"span/{part}", 8),
        name=clean(name),
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=at,
        end_time_unix_nano=at,
        links=links,
    )


def _made(result_id: str, part: str, size: int) -> bytes:
    """An id that follows from the result."""
    told = f"{result_id}/{part}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=size, person=b"evaluator").digest()

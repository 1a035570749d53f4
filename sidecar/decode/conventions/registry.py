"""All trace conventions, in the order in which they are asked (the first that names a kind claims the span).

To add one: a file of its own with NAME, `kind(span)` and `fields(span, kind)`, a line here, and recorded spans under
tests/golden/decode/. LangSmith stands before OTel GenAI because it writes wrong operation names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.decode.conventions import (
    deepeval,
    genai,
    haystack,
    laminar,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    openllmetry,
    trulens,
    vectordb,
    vercel,
)
from sidecar.record.span import RawSpan, Said, SpanKind


@dataclass(frozen=True, slots=True)
class Convention:
    """`kind` says what a span is, or None where the convention does not know it; `fields` reads it."""

    name: str
    kind: Callable[[RawSpan], SpanKind | None]
    fields: Callable[[RawSpan, SpanKind], Said]


CONVENTIONS: tuple[Convention, ...] = (
    Convention(langfuse.NAME, langfuse.kind, langfuse.fields),
    Convention(openinference.NAME, openinference.kind, openinference.fields),
    Convention(langsmith.NAME, langsmith.kind, langsmith.fields),
    Convention(mlflow.NAME, mlflow.kind, mlflow.fields),
    Convention(vercel.NAME, vercel.kind, vercel.fields),
    Convention(haystack.NAME, haystack.kind, haystack.fields),
    Convention(trulens.NAME, trulens.kind, trulens.fields),
    Convention(deepeval.NAME, deepeval.kind, deepeval.fields),
    Convention(laminar.NAME, laminar.kind, laminar.fields),
    Convention(genai.NAME, genai.kind, genai.fields),
    Convention(vectordb.NAME, vectordb.kind, vectordb.fields),
    Convention(openllmetry.NAME, openllmetry.kind, openllmetry.fields),
    Convention(genai.NAME, genai.kind_by_shape, genai.fields),
)

"""One RawSpan into a RagSpan: the conventions read it, the rest of what it says is common to all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sidecar.decode.config import DecodeConfig
from sidecar.decode.conventions import openinference, openllmetry
from sidecar.decode.conventions.feedback import feedback, variant
from sidecar.decode.conventions.genai import fields as genai_fields
from sidecar.decode.conventions.registry import CONVENTIONS
from sidecar.decode.conventions.vectordb import fields as vectordb_fields
from sidecar.decode.cut import limit_of, without_cut_values
from sidecar.decode.errors import error_class
from sidecar.decode.probes import is_probe
from sidecar.decode.providers import provider_beside, provider_name
from sidecar.decode.values.scalars import parsed, text_of, unquoted
from sidecar.decode.weight import Weights
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Attributes
from sidecar.record.span import RagSpan, RawSpan, Said, SpanKind

_CONTEXT_PREFIXES = (
    "", "traceloop.association.properties.", "langfuse.trace.metadata.", "langfuse.observation.metadata.", "langsmith.metadata.",
    "ai.telemetry.metadata.", "mlflow.trace.tag.",
)  # fmt: skip


class SpanReader:
    """Reads spans; counts weights that cannot be. Safe for threads."""

    def __init__(self, config: DecodeConfig, telemetry: Telemetry, keep_text: Callable[[str, str], bool]) -> None:
        """`keep_text(trace_id, service)` says whether the texts of a trace may be needed."""
        self._config = config
        self._keep_text = keep_text
        self._tenant_keys = _prefixed(config.tenant_keys)
        self._variant_keys = _prefixed(config.variant_keys)
        self._weights = Weights(config.weight_attribute, telemetry)

    def read(self, span: RawSpan) -> RagSpan:
        """What the span says; texts that cannot be needed are dropped here."""
        span, limit = _mended(span)
        kind, name, said = _read(span)
        attributes = span.attributes
        service = text_of(span.resource.get("service.name")) or "unknown"
        keep = self._keep_text(span.trace_id, service)
        partial, asks = list(said.partial), said.question is not None
        if span.dropped_attributes > 0:
            partial.append("dropped_attributes")
        if limit is not None:
            partial.append("cut_value")
        if keep:
            self._hold_texts(said, partial)
        else:
            said.drop_texts()
        suspect = said.first_token_ns is not None and said.first_token_ns > span.end_ns
        weight = self._weights.read(span.trace_state, attributes, partial)
        self._general(said, span, kind, partial)
        failed = span.status_code == 2 or "error.type" in attributes or said.error_status is not None
        return RagSpan(
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_span_id,
            name=span.name[:256],
            kind=kind,
            convention=name,
            service=service[:256],
            start_ns=span.start_ns,
            end_ns=max(span.end_ns, span.start_ns),
            scope=span.scope,
            is_log=span.is_log,
            said=said,
            duration_suspect=suspect,
            backwards=span.end_ns < span.start_ns,
            error=failed,
            error_class=error_class(span, said.error_status) if failed else None,
            text_dropped=not keep,
            asks=asks,
            upstream_adjusted_count=weight,
            trace_sampled=bool(span.flags & 1) or not span.flags & 0xFF,
            probe=is_probe(span, self._config.probe_attributes, self._config.probe_trace_state),
            # Of two copies of a span the one with more in it is kept.
            size_bytes=600 + len(attributes) + (_size(said) if keep else 0),
            attributes={key: attributes[key] for key in self._config.keep_attributes if key in attributes},
        )

    def _general(self, said: Said, span: RawSpan, kind: SpanKind, partial: list[str]) -> None:
        """What is read of any span, whatever its convention."""
        _first_token(said, span)
        said.provider = provider_name(said.provider)
        if said.provider is None and kind is SpanKind.LLM:
            said.provider = provider_beside(span.attributes)
        said.tenant = _context(span, self._config.tenant_keys, self._tenant_keys)
        said.variant = _context(span, self._config.variant_keys, self._variant_keys) or variant(span)
        said.feedback = feedback(span)
        said.partial = tuple(partial)

    def _hold_texts(self, said: Said, partial: list[str]) -> None:
        """Leave out texts over the limit; never cut one."""
        limit = self._config.most_text_chars
        for name in ("question", "answer", "query", "prompt", "prompt_context"):
            text = getattr(said, name)
            if text is not None and len(text) > limit:
                setattr(said, name, None)
                partial.append("text_too_long")
        if any(d.text and len(d.text) > limit for d in said.documents):
            said.documents = tuple(d for d in said.documents if not d.text or len(d.text) <= limit)
            partial.append("text_too_long")


def _prefixed(keys: tuple[str, ...]) -> dict[str, None]:
    """The keys under all known prefixes, in the order in which they are looked up."""
    return dict.fromkeys(prefix + key for key in keys for prefix in _CONTEXT_PREFIXES)


def _context(span: RawSpan, keys: tuple[str, ...], prefixed: Mapping[str, None]) -> str | None:
    """A tenant or variant: span attributes under the known prefixes, the metadata JSON, the resource."""
    attributes = span.attributes
    if not prefixed.keys().isdisjoint(attributes):
        for key in prefixed:
            value = attributes.get(key)
            if value is not None and (text := unquoted(value) or _short(value)):
                return text
    metadata = parsed(attributes.get("metadata"))
    sources: tuple[Attributes, ...] = (metadata if isinstance(metadata, dict) else {}, span.resource)
    for source in sources:
        for key in keys:
            if key in source and (text := _short(source[key])):
                return text
    return None


def _mended(span: RawSpan) -> tuple[RawSpan, int | None]:
    """The span without the values that a length limit has cut, and the limit; the span itself where nothing was cut."""
    limit = limit_of(span.attributes)
    if limit is None:
        return span, None
    return replace(span, attributes=without_cut_values(span.attributes, limit)), limit


def _of_genai(key: str) -> bool:
    """Whether `genai.fields` reads an attribute: most spans of other conventions have none of these."""
    return key.startswith(("gen_ai.", "llm.usage.", "llm.is_", "session.", "user.", "enduser.", "spring."))


def _read(span: RawSpan) -> tuple[SpanKind, str, Said]:
    """The kind, the convention that claimed the span, and what it and the general attributes say."""
    for convention in CONVENTIONS:
        kind = convention.kind(span)
        if kind is None:
            continue
        found = convention.fields(span, kind)
        name = convention.name
        if name in ("otel_genai", "vector_db") and openllmetry.belongs(span):
            name = openllmetry.NAME
            found = (
                openllmetry.fields(span, kind).fill(found)
                if kind is not SpanKind.LLM
                else found.fill(openllmetry.fields(span, kind))
            )
        if name == openinference.NAME and kind is SpanKind.TOOL and not found.documents and openllmetry.belongs(span):
            found.documents = openllmetry.fields(
                span, kind
            ).documents  # A task that a processor has turned into a tool.
        if name not in ("otel_genai", "langsmith") and (span.events or any(map(_of_genai, span.attributes))):
            found.fill(genai_fields(span, kind))
        if kind is SpanKind.RETRIEVER and not found.documents:
            found.fill(vectordb_fields(span, kind))
        if kind is SpanKind.TOOL and not any(document.text for document in found.documents):
            found.documents = ()  # Any list of objects with an id.
        return kind, name, found
    return SpanKind.NONE, "none", Said()


def _first_token(found: Said, span: RawSpan) -> None:
    """Seconds from the span's start, where an event marks the first token."""
    if found.time_to_first_token is None and found.first_token_ns is not None:
        found.time_to_first_token = (found.first_token_ns - span.start_ns) / 1e9
        found.time_to_first_token_source = span.scope or "event"
    seconds = found.time_to_first_token
    if seconds is not None and not 0 <= seconds < 86_400:
        found.time_to_first_token, found.time_to_first_token_source = None, None


def _short(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return str(value)
    text = text_of(value)
    return text if text and len(text) <= 256 else None


def _size(found: Said) -> int:
    texts = (found.question, found.answer, found.query, found.prompt, found.prompt_context)
    return sum(2 * len(text) for text in texts if text) + sum(200 + 2 * len(d.text or "") for d in found.documents)

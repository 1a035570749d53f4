"""One Kafka record into RagSpans or whole requests: find the encoding, read the wire, let the conventions read the spans."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sidecar.decode.conventions import openinference, openllmetry
from sidecar.decode.conventions.feedback import feedback, variant
from sidecar.decode.conventions.genai import fields as genai_fields
from sidecar.decode.conventions.registry import CONVENTIONS
from sidecar.decode.conventions.vectordb import fields as vectordb_fields
from sidecar.decode.cut import limit_of, without_cut_values
from sidecar.decode.errors import error_class
from sidecar.decode.fields import Fields
from sidecar.decode.native.mapping import check
from sidecar.decode.native.native import read_native, without_text
from sidecar.decode.values import first_text, parsed, text_of, unquoted
from sidecar.decode.weight import Weights
from sidecar.decode.wire import wire
from sidecar.decode.wire.parse import load_json
from sidecar.decode.wire.split import Part, split_json, split_proto
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from sidecar.record.record import Attributes, Record
from sidecar.record.request import RagTrace
from sidecar.record.span import RagSpan, RawSpan, SpanKind

Encoding = Literal["sniff", "otlp_proto", "otlp_json", "native_json", "otlp_logs_proto"]
OWN_SCOPE, OWN_SERVICE = "rag_sidecar", "rag-sidecar"
_OTLP_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
_CONTEXT_PREFIXES = (
    "", "traceloop.association.properties.", "langfuse.trace.metadata.", "langfuse.observation.metadata.", "langsmith.metadata.",
    "ai.telemetry.metadata.", "mlflow.trace.tag.",
)  # fmt: skip
_PROVIDERS_NOT = frozenset({"langchain", "llamaindex", "llama_index", "haystack", "spring_ai", "unknown"})
_PROVIDER_ALIASES = {
    "az.ai.openai": "azure.ai.openai",
    "vertexai": "gcp.vertex_ai",
    "mistralai": "mistral_ai",
    "az.ai.inference": "azure.ai.inference",
    "xai": "x_ai",
    "google": "gcp.gen_ai",
}
_PROVIDER_ENDINGS = (".chat", ".messages", ".responses", ".completion")


class DecodeConfig(BaseModel):
    """Settings of the decoder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    encoding: Encoding = Field(default="sniff", description="How records are encoded; sniff tells by the first bytes.")
    topics: Mapping[str, Encoding] = Field(default={}, description="Encodings by topic; `*` and `?` are wildcards.")
    mapping: Mapping[str, str] = Field(
        default={}, description="Your own names in native records: field to JMESPath expression, as `question: data.q`."
    )
    most_record_bytes: int = Field(
        default=32_000_000, ge=1024, description="Larger records go to the dead-letter topic unread."
    )
    most_text_chars: int = Field(
        default=2_000_000, ge=1000, description="Longer texts are left out, and the request is marked."
    )
    tenant_keys: tuple[str, ...] = Field(
        default=("tenant", "tenant.id", "tenant_id"), description="Attributes that may hold the tenant."
    )
    variant_keys: tuple[str, ...] = Field(default=("variant",), description="Attributes that may hold the variant.")
    keep_attributes: tuple[str, ...] = Field(default=(), description="Span attributes that sampling rules ask for.")
    weight_attribute: str | None = Field(
        default=None,
        description="Attribute that says how many traces one stands for where tracestate does not, as `SampleRate`.",
    )

    @field_validator("mapping")
    @classmethod
    def _expressions(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        check(value)
        return value


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one record holds: spans that are yet to be put together, or whole requests (native JSON)."""

    spans: list[RagSpan] = field(default_factory=list)
    requests: list[RagTrace] = field(default_factory=list)


class Decoder:
    """Decodes records. Pure but for the counters; `decode` may be called from any thread."""

    def __init__(
        self,
        config: DecodeConfig,
        telemetry: Telemetry,
        *,
        keep_text: Callable[[str, str], bool] = lambda trace_id, service: True,
    ) -> None:
        """`keep_text(trace_id, service)` says whether the texts of a trace may be needed."""
        self._config = config
        self._telemetry = telemetry
        self._keep_text = keep_text
        self._weights = Weights(config.weight_attribute, telemetry)
        self._tenant_keys = _prefixed(config.tenant_keys)
        self._variant_keys = _prefixed(config.variant_keys)

    def decode(self, record: Record) -> Decoded:
        """What a record holds; a tombstone holds nothing. Raises DecodeError where nothing could be read; what could not be
        read of a record that was otherwise fine is counted in rag_sidecar_decode_errors_total."""
        value = record.value
        if not value:
            return Decoded()
        if len(value) > self._config.most_record_bytes:
            raise DecodeError(
                "too_large", f"{len(value)} bytes, decode.most_record_bytes is {self._config.most_record_bytes}"
            )
        bad: dict[str, int] = {}
        found = self._decoded(value, record, bad)
        for reason, amount in bad.items():
            self._telemetry.count("rag_sidecar_decode_errors_total", amount, topic=record.topic, reason=reason)
        if not (found.spans or found.requests) and bad and "log_without_span" not in bad:
            raise DecodeError(next(iter(bad)), "no part of the record could be read")
        names = (span.convention for span in found.spans)
        for convention, amount in Counter((*names, *(one.convention for one in found.requests))).items():
            self._telemetry.count("rag_sidecar_spans_total", amount, convention=convention)
        return found

    def split(self, record: Record) -> list[Part] | None:
        """The record as one (key, value) a trace, to be brought together by key; None where it holds whole requests (native JSON)
        or nothing. What belongs to no trace is counted as `decode` counts it. Raises DecodeError."""
        bad: dict[str, int] = {}
        parts = self._split(record, bad)
        if parts:
            for reason, amount in bad.items():
                self._telemetry.count("rag_sidecar_decode_errors_total", amount, topic=record.topic, reason=reason)
        return parts

    def _split(self, record: Record, bad: dict[str, int]) -> list[Part] | None:
        """The parts; without any the record goes on to `decode`, which counts what is wrong with it itself."""
        value = record.value
        if not value:
            return None
        if len(value) > self._config.most_record_bytes:
            limit = self._config.most_record_bytes
            raise DecodeError("too_large", f"{len(value)} bytes, decode.most_record_bytes is {limit}")
        encoding = self._encoding(record)
        if encoding in ("otlp_proto", "otlp_logs_proto") or (encoding == "sniff" and value[:1] == b"\n"):
            return split_proto(value, bad) or None
        data = load_json(value) if encoding != "native_json" else None
        if not isinstance(data, dict) or not any(key in data for key in _OTLP_KEYS):
            return None
        return split_json(data, bad) or None

    def read(self, raw: Iterable[RawSpan]) -> list[RagSpan]:
        """RagSpans of RawSpans; our own and evaluators' are left out."""
        ours = (span for span in raw if span.scope != OWN_SCOPE and span.resource.get("service.name") != OWN_SERVICE)
        return [found for span in ours if (found := self._rag_span(span)).kind is not SpanKind.EVALUATOR]

    def _decoded(self, value: bytes, record: Record, bad: dict[str, int]) -> Decoded:
        encoding = self._encoding(record)
        first = value.lstrip()[:1]
        if encoding == "otlp_logs_proto":
            return Decoded(self.read(wire.proto_logs(value, bad)))
        if encoding == "otlp_proto" or (encoding == "sniff" and value[:1] == b"\n" and first not in (b"{", b"[")):
            return Decoded(self.read(_spans_or_logs(value, bad)))
        if encoding in ("otlp_json", "native_json") or first in (b"{", b"["):
            return self._json(value, encoding, record, bad)
        raise DecodeError(
            "unknown_format", "neither OTLP protobuf nor JSON; set decode.encoding if it is something else"
        )

    def _encoding(self, record: Record) -> Encoding:
        patterns = self._config.topics.items()
        return next((e for topic, e in patterns if fnmatch.fnmatchcase(record.topic, topic)), self._config.encoding)

    def _json(self, value: bytes, encoding: Encoding, record: Record, bad: dict[str, int]) -> Decoded:
        data = load_json(value)
        if isinstance(data, dict) and encoding != "native_json":
            if "resourceSpans" in data or "resource_spans" in data:
                return Decoded(self.read(wire.json_spans(data, bad)))
            if "resourceLogs" in data or "resource_logs" in data:
                return Decoded(self.read(wire.json_logs(data, bad)))
            if encoding == "otlp_json":
                raise DecodeError("missing_field", "resourceSpans")
        if isinstance(data, dict):
            return Decoded(requests=[self._request(data, record)])
        return Decoded(requests=list(self._requests(data if isinstance(data, list) else [data], record, bad)))

    def _requests(self, items: Iterable[object], record: Record, bad: dict[str, int]) -> Iterator[RagTrace]:
        """The requests of a list; what could not be read of it is counted in `bad`."""
        for item in items:
            try:
                if not isinstance(item, dict):
                    raise DecodeError("not_an_object")
                yield self._request(item, record)
            except DecodeError as error:
                bad[error.reason] = bad.get(error.reason, 0) + 1

    def _request(self, data: Mapping[str, object], record: Record) -> RagTrace:
        trace = read_native(data, self._config, fallback_timestamp=record.timestamp)
        return trace if self._keep_text(trace.trace_id, trace.service) else without_text(trace)

    def _rag_span(self, span: RawSpan) -> RagSpan:
        span, limit = _mended(span)
        kind, name, found = _read(span)
        service = text_of(span.resource.get("service.name")) or "unknown"
        keep = self._keep_text(span.trace_id, service)
        partial = list(found.partial)
        if span.dropped_attributes > 0:
            partial.append("dropped_attributes")
        if limit is not None:
            partial.append("cut_value")
        if keep:
            self._hold_texts(found, partial)
        suspect = found.first_token_ns is not None and found.first_token_ns > span.end_ns
        _first_token(found, span)
        failed = span.status_code == 2 or "error.type" in span.attributes or found.error_status is not None
        attributes = span.attributes
        weight = self._weights.read(span.trace_state, attributes, partial)
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
            question=found.question if keep else None,
            answer=found.answer if keep else None,
            query=found.query if keep else None,
            prompt=found.prompt if keep else None,
            prompt_question=found.prompt_question if keep else None,
            prompt_context=found.prompt_context if keep else None,
            documents=found.documents
            if keep
            else tuple(type(d)(d.rank, None, d.id, d.score, d.distance, d.source) for d in found.documents),
            provider=provider_name(found.provider) or (_provider_beside(attributes) if kind is SpanKind.LLM else None),
            model_requested=found.model_requested,
            model_answered=found.model_answered,
            tokens=found.tokens,
            reported_cost_usd=found.reported_cost_usd,
            streaming=found.streaming,
            time_to_first_token=found.time_to_first_token,
            time_to_first_token_source=found.time_to_first_token_source,
            duration_suspect=suspect,
            error=failed,
            error_class=error_class(span, found.error_status) if failed else None,
            session=found.session,
            user=found.user,
            tenant=_context(span, self._config.tenant_keys, self._tenant_keys),
            variant=_context(span, self._config.variant_keys, self._variant_keys) or variant(span),
            response_id=found.response_id,
            reference=found.reference if keep else None,
            feedback=feedback(span),
            partial=tuple(partial),
            text_dropped=not keep,
            upstream_adjusted_count=weight,
            trace_sampled=bool(span.flags & 1) or not span.flags & 0xFF,
            # Of two copies of a span the one with more in it is kept.
            size_bytes=600 + len(attributes) + (_size(found) if keep else 0),
            attributes={key: attributes[key] for key in self._config.keep_attributes if key in attributes},
        )

    def _hold_texts(self, found: Fields, partial: list[str]) -> None:
        """Leave out texts over the limit; never cut one."""
        limit = self._config.most_text_chars
        for name in ("question", "answer", "query", "prompt", "prompt_context"):
            text = getattr(found, name)
            if text is not None and len(text) > limit:
                setattr(found, name, None)
                partial.append("text_too_long")
        if any(d.text and len(d.text) > limit for d in found.documents):
            found.documents = tuple(d for d in found.documents if not d.text or len(d.text) <= limit)
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


def provider_name(value: str | None) -> str | None:
    """A provider in the words of OTel GenAI; orchestrators are none."""
    if value is None:
        return None
    name = value.lower()
    for ending in _PROVIDER_ENDINGS:
        name = name.removesuffix(ending)
    return None if name in _PROVIDERS_NOT else _PROVIDER_ALIASES.get(name, name)


def _provider_beside(attributes: Attributes) -> str | None:
    """The provider that LangChain's metadata names, where the span itself names an orchestrator or none."""
    keys = ("traceloop.association.properties.ls_provider", "langsmith.metadata.ls_provider")
    return provider_name(first_text(attributes, *keys))


def _mended(span: RawSpan) -> tuple[RawSpan, int | None]:
    """The span without the values that a length limit has cut, and the limit; the span itself where nothing was cut."""
    limit = limit_of(span.attributes)
    if limit is None:
        return span, None
    return replace(span, attributes=without_cut_values(span.attributes, limit)), limit


def _spans_or_logs(value: bytes, bad: dict[str, int]) -> list[RawSpan]:
    """Traces and logs requests look alike on the wire; a logs request read as traces has spans without ids."""
    mine: dict[str, int] = {}
    problem: DecodeError | None = None
    spans: list[RawSpan] = []
    try:
        spans = list(wire.proto_spans(value, mine))
    except DecodeError as error:
        problem = error
    if not spans and (problem or mine):
        logs_bad: dict[str, int] = {}
        try:
            logs = list(wire.proto_logs(value, logs_bad))
        except DecodeError:
            logs = []
        if logs:
            bad.update(logs_bad)
            return logs
    if problem:
        raise problem
    bad.update(mine)
    return spans


def _of_genai(key: str) -> bool:
    """Whether `genai.fields` reads an attribute: most spans of other conventions have none of these."""
    return key.startswith(("gen_ai.", "llm.usage.", "llm.is_", "session.", "user.", "enduser.", "spring."))


def _read(span: RawSpan) -> tuple[SpanKind, str, Fields]:
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
        return kind, name, found
    return SpanKind.NONE, "none", Fields()


def _first_token(found: Fields, span: RawSpan) -> None:
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


def _size(found: Fields) -> int:
    texts = (found.question, found.answer, found.query, found.prompt, found.prompt_context)
    return sum(2 * len(text) for text in texts if text) + sum(200 + 2 * len(d.text or "") for d in found.documents)

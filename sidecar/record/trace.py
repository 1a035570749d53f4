"""All that flows through the pipeline, on the ground floor: records, spans, documents, RAG requests.

Times are integer nanoseconds since the epoch on spans, as on the wire, and float seconds on requests.
Absent is None, never 0 or "".
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

AttributeValue: TypeAlias = (
    "str | bool | int | float | bytes | Sequence[AttributeValue] | Mapping[str, AttributeValue] | None"
)
Attributes: TypeAlias = Mapping[str, AttributeValue]


class Acknowledgement(Protocol):
    """A claim on a Kafka record: its offset may be committed once every hold has been released.

    Both calls are cheap, never block and never raise; releasing more often than holding is ignored.
    """

    def hold(self) -> None: ...

    def release(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Record:
    """One Kafka message. `timestamp` is seconds since the epoch (broker or producer time)."""

    topic: str
    partition: int
    offset: int
    timestamp: float
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A span event, or a log record joined to a span."""

    name: str
    time_ns: int
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSpan:
    """One span as the wire has it, before any convention is applied. Ids are lower-case hex (32 and 16 digits).

    A log record that carries message content is a RawSpan with `is_log` set: it fills what its span lacks.
    """

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: Attributes
    resource: Attributes = field(default_factory=dict)
    scope: str = ""
    scope_version: str = ""
    events: tuple[RawEvent, ...] = ()
    status_code: int = 0
    status_message: str = ""
    trace_state: str = ""
    flags: int = 0
    dropped_attributes: int = 0
    is_log: bool = False


class SpanKind(enum.StrEnum):
    """What part of a RAG request a span is. REQUEST is a native record: a whole request in one."""

    LLM = "llm"
    RETRIEVER = "retriever"
    RERANKER = "reranker"
    EMBEDDING = "embedding"
    TOOL = "tool"
    AGENT = "agent"
    CHAIN = "chain"
    PROMPT = "prompt"
    EVALUATOR = "evaluator"
    GUARDRAIL = "guardrail"
    REQUEST = "request"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved chunk. `rank` starts at 1. `score`: higher is better; `distance`: lower is better; never both mixed."""

    rank: int
    text: str | None
    id: str | None = None
    score: float | None = None
    distance: float | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts, inclusive: input includes cached_input and cache_write, output includes reasoning."""

    input: int | None = None
    output: int | None = None
    cached_input: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One model call within a request: for pricing, and to see the same call reported by another trace. `model` is the one that
    answered, where that is known, `requested` the one that was asked for."""

    provider: str | None
    model: str | None
    tokens: Tokens
    start_ns: int = 0
    end_ns: int = 0
    requested: str | None = None


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds. `time_to_first_token_source` names the instrumentation scope or attribute it was read from."""

    total: float | None = None
    retrieval: float | None = None
    generation: float | None = None
    time_to_first_token: float | None = None
    time_to_first_token_source: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that a request lacks, and why: which switch of the instrumentation would supply it."""

    field: str
    why: str


class TraceKind(enum.StrEnum):
    """RAG: retrieval and generation. LLM_ONLY: no retrieval was seen. RETRIEVAL_ONLY: no generation was seen."""

    RAG = "rag"
    LLM_ONLY = "llm_only"
    RETRIEVAL_ONLY = "retrieval_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class RagTrace:
    """One RAG request put together from its spans: the unit that is sampled, evaluated and reported.

    span_id            of the generation span: what an evaluation of the answer is attached to
    retrieval_span_id  of the retriever: what an evaluation of the documents is attached to
    root_span_id       of the record's root; with trace_id it identifies the request (two requests may share a trace)
    timestamp          end of the request, seconds since the epoch
    context_source     where the document texts were found: spans, tool, prompt, none
    error_class        rate_limit, timeout, auth, bad_request, context_length, content_filter, server_error, connection,
                       cancelled, other; None = success
    partial            why the record may be incomplete, bounded words (dropped_attributes, cut_value, no_root, ...)
    text_dropped       the texts were dropped at decode because the sampler cannot keep this trace
    upstream_adjusted_count  2^56 / (2^56 - T) of tracestate `ot=th`; None = unknown, which is not 1
    trace_sampled      the W3C sampled flag: only then does the trace exist in a backend, for exemplars
    attributes         the few attributes that sampling rules may ask for
    """

    trace_id: str
    span_id: str | None = None
    retrieval_span_id: str | None = None
    root_span_id: str | None = None
    kind: TraceKind = TraceKind.RAG
    service: str
    convention: str
    timestamp: float
    question: str | None = None
    answer: str | None = None
    documents: tuple[Document, ...] = ()
    context_source: str = "none"
    provider: str | None = None
    model_requested: str | None = None
    model_answered: str | None = None
    tokens: Tokens = Tokens()
    model_calls: tuple[ModelCall, ...] = ()
    reported_cost_usd: float | None = None
    durations: Durations = Durations()
    error_class: str | None = None
    session: str | None = None
    user: str | None = None
    tenant: str | None = None
    variant: str | None = None
    response_id: str | None = None
    reference: str | None = None
    feedback: float | None = None
    partial: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    text_dropped: bool = False
    upstream_adjusted_count: float | None = None
    trace_sampled: bool = True
    spans: int = 1
    attributes: Attributes = field(default_factory=dict)

    @property
    def model(self) -> str | None:
        """The model that metrics are labelled with: the one that answered, else the one that was asked for."""
        return self.model_answered or self.model_requested


@dataclass(frozen=True, slots=True, kw_only=True)
class RagSpan:
    """One span after its convention has been read: what the assembler works on.

    `question` and `answer` are the unwrapped, validated input and output texts; `prompt` is all input text of a model
    span (to see which documents reached it). Text fields are None where content capture is off or the text was dropped.
    """

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    kind: SpanKind
    convention: str
    service: str
    start_ns: int
    end_ns: int
    scope: str = ""
    is_log: bool = False
    question: str | None = None
    answer: str | None = None
    query: str | None = None
    prompt: str | None = None
    prompt_question: str | None = None
    prompt_context: str | None = None
    documents: tuple[Document, ...] = ()
    provider: str | None = None
    model_requested: str | None = None
    model_answered: str | None = None
    tokens: Tokens | None = None
    reported_cost_usd: float | None = None
    streaming: bool = False
    time_to_first_token: float | None = None
    time_to_first_token_source: str | None = None
    duration_suspect: bool = False
    error: bool = False
    error_class: str | None = None
    session: str | None = None
    user: str | None = None
    tenant: str | None = None
    variant: str | None = None
    response_id: str | None = None
    reference: str | None = None
    feedback: float | None = None
    partial: tuple[str, ...] = ()
    text_dropped: bool = False
    upstream_adjusted_count: float | None = None
    trace_sampled: bool = True
    size_bytes: int = 0
    request: RagTrace | None = None
    attributes: Attributes = field(default_factory=dict)

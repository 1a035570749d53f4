"""Spans: as the wire has them, and after their convention has been read.

Times are integer nanoseconds since the epoch, as on the wire. Absent is None, never 0 or "".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, fields

from sidecar.record.authored import Message
from sidecar.record.record import Attributes
from sidecar.record.request import Document, Tokens


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
    """What part of a RAG request a span is."""

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
    NONE = "none"


RETRIEVING = frozenset({SpanKind.RETRIEVER, SpanKind.RERANKER})


@dataclass(slots=True)
class Said:
    """What a span says of its request. It is filled while the span is read and left alone afterwards; `fill` is the one merge: of
    two conventions in a span, of log records into their span, of the spans of a request.

    `question` and `answer` are the unwrapped, validated input and output texts; `prompt` is all input text of a model
    span (to see which documents reached it), `messages` the conversation,
    where it is more than a question and an answer. Text fields are None where content capture is off or the text was dropped.
    `first_token_ns` and `error_status` are what times and error classes are made of.
    """

    question: str | None = None
    answer: str | None = None
    query: str | None = None
    prompt: str | None = None
    prompt_question: str | None = None
    prompt_context: str | None = None
    documents: tuple[Document, ...] = ()
    messages: tuple[Message, ...] = ()
    provider: str | None = None
    model_requested: str | None = None
    model_answered: str | None = None
    tokens: Tokens | None = None
    reported_cost_usd: float | None = None
    streaming: bool = False
    time_to_first_token: float | None = None
    time_to_first_token_source: str | None = None
    first_token_ns: int | None = None
    session: str | None = None
    user: str | None = None
    tenant: str | None = None
    variant: str | None = None
    response_id: str | None = None
    reference: str | None = None
    feedback: float | None = None
    partial: tuple[str, ...] = ()
    error_status: str | None = None

    def fill(self, other: Said) -> Said:
        """Take from another reading what this one lacks; a feedback of 0 is no lack."""
        for name in _NAMES:
            mine = getattr(self, name)
            if not mine and not isinstance(mine, float) and (theirs := getattr(other, name)) is not None:
                setattr(self, name, theirs)
        return self

    def drop_texts(self) -> None:
        """Leave out all texts of the user."""
        for name in ("question", "answer", "query", "prompt", "prompt_question", "prompt_context", "reference"):
            setattr(self, name, None)
        self.documents = tuple(document.without_text() for document in self.documents)
        self.messages = ()


_NAMES = tuple(one.name for one in fields(Said))


@dataclass(frozen=True, slots=True, kw_only=True)
class RagSpan:
    """One span after its convention has been read: what the assembler works on. `asks`: it has a question, though the text may be dropped.
    `backwards`: it says that it ended before it started, so that nobody knows how long it took."""

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
    said: Said = field(default_factory=Said)
    duration_suspect: bool = False
    backwards: bool = False
    error: bool = False
    error_class: str | None = None
    text_dropped: bool = False
    asks: bool = False
    upstream_adjusted_count: float | None = None
    trace_sampled: bool = True
    probe: bool = False
    size_bytes: int = 0
    attributes: Attributes = field(default_factory=dict)

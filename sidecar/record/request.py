"""One RAG request, the unit that is sampled, evaluated and reported, and the documents, tokens and durations in it.

Times are float seconds. Absent is None, never 0 or "".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

from sidecar.record.authored import Authored, Message
from sidecar.record.record import Attributes

# How an id begins that was made of a document's text, since its record gave none.
MADE_ID = "sha256:"


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved chunk. `rank` starts at 1. `score`: higher is better; `distance`: lower is better; never both mixed."""

    rank: int
    text: str | None
    id: str | None = None
    score: float | None = None
    distance: float | None = None
    source: str | None = None

    def without_text(self) -> Document:
        """The same without what it says."""
        return Document(self.rank, None, self.id, self.score, self.distance, self.source)


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
    answered, where that is known, `requested` the one that was asked for; `reported_cost_usd` what the source says it cost."""

    provider: str | None
    model: str | None
    tokens: Tokens
    start_ns: int = 0
    end_ns: int = 0
    requested: str | None = None
    reported_cost_usd: float | None = None


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
    retrieved          whether retrieval ran, though it may have found nothing; None = unknown
    reference          the right answer, where somebody wrote one
    authored           what else the author of a test case or a probe says; None of production's own
    messages           the conversation, where there was more than a question and an answer
    probe              a probe sent it: no traffic
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
    retrieved: bool | None = None
    authored: Authored | None = None
    messages: tuple[Message, ...] = ()
    probe: bool = False

    @property
    def model(self) -> str | None:
        """The model that metrics are labelled with: the one that answered, else the one that was asked for."""
        return self.model_answered or self.model_requested

    def without_text(self) -> RagTrace:
        """The same without its texts."""
        return replace(
            self,
            question=None,
            answer=None,
            documents=tuple(document.without_text() for document in self.documents),
            reference=None,
            authored=self.authored and self.authored.without_text(),
            messages=(),
            text_dropped=True,
        )

"""The result of one RAG request: what every exporter is given.

All scores lie in 0..1 and 1 is good. Absent is None, never 0 or NaN.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMA = "rag-sidecar.result.v1"


class Outcome(enum.StrEnum):
    """How one RAG request ended. Every assembled request ends in exactly one of these."""

    SCORED = "scored"
    SAMPLED_OUT = "sampled_out"
    SHED = "shed"
    UNSCORABLE = "unscorable"
    FAILED = "failed"

    @property
    def evaluated(self) -> bool:
        """True where evaluators looked at the request (it was kept by the sampler)."""
        return self in (Outcome.SCORED, Outcome.UNSCORABLE, Outcome.FAILED)


class Verdict(enum.StrEnum):
    """What the evaluation that decides it says of the whole answer."""

    GROUNDED = "grounded"
    HALLUCINATED = "hallucinated"
    ABSTAINED = "abstained"


class Abstention(enum.StrEnum):
    """How far an answer declines to answer. Of a partial one only what it answers is judged; a clarification asks back."""

    FULL = "full"
    PARTIAL = "partial"
    CLARIFICATION = "clarification"
    NONE = "none"


class Subject(enum.StrEnum):
    """What an evaluation judges, and so the span that it is attached to: that of the retrieval, else that of the answer."""

    ANSWER = "answer"
    RETRIEVAL = "retrieval"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model gave a score. `sha256` is that of the weights file, hex."""

    name: str
    version: str
    sha256: str

    @property
    def called(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where in the documents a claim's best support stands. `document` is a 0-based index into the
    request's documents, `start` and `end` are character offsets into its text."""

    document: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """A value or word of a claim, text[start:end] of it, of which the documents say another one, or the contrary: "30 days" against "14 days",
    "before" against "after"."""

    start: int
    end: int
    evidence: Evidence


class ClaimLabel(enum.StrEnum):
    """What the documents say of a claim: it, the contrary, or nothing."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_SAID = "not_said"


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One checkable statement of the answer. `support` is the probability (0..1) that the documents say it, `unsupported` are
    places in its text (start, end) that they do not say; None where the model marks no words. `conflicts` are its values of which
    they say others. Characters `start` to `end` of the answer say it, where that is known; `text` may hold a subject or a heading
    beside them. `label` is None of a model that does not tell the contrary from nothing."""

    text: str
    support: float
    supported: bool
    evidence: Evidence | None = None
    unsupported: tuple[tuple[int, int], ...] | None = None
    conflicts: tuple[ValueConflict, ...] = ()
    start: int | None = None
    end: int | None = None
    label: ClaimLabel | None = None


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """One retrieved document as judged by an evaluator. `rank` starts at 1; `score` is the evaluator's, 0..1."""

    rank: int
    id: str | None
    score: float
    relevant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one evaluator says of one request: a score, or why there is none.

    `outcome` is SCORED (then `score` is set), UNSCORABLE or FAILED (then `reason` is set, from a closed set).
    `label` is a low-cardinality word that goes with the score, `explanation` is free text and counts as user text.
    `method` is the formula, a bounded word: scores of one evaluator by two methods are different things. `version` is
    the evaluator's own. Where `decides_verdict`, `label` is the verdict on the answer, or says that there is none.
    `model` gave the score, or told an abstention; `other_models` had a part in every score of this kind, `abstention_model` decided how far the answer
    declines where this score follows from that. Of a failed evaluation the first two are those that were asked, or were to be.
    `judged`: an LLM said it. `parts` are numbers that the score is made of, by name, in whatever range: precision and recall of an F1.
    `inclusion_probability` is the p in (0, 1] with which this evaluation was made, None = that of the result.
    """

    evaluator: str
    outcome: Outcome
    reason: str | None = None
    score: float | None = None
    label: str | None = None
    explanation: str | None = None
    model: ModelIdentity | None = None
    other_models: tuple[ModelIdentity, ...] = ()
    abstention_model: ModelIdentity | None = None
    threshold: float | None = None
    version: str = "1"
    method: str = "local"
    subject: Subject = Subject.ANSWER
    decides_verdict: bool = False
    judged: bool = False
    inclusion_probability: float | None = None
    claims: tuple[ClaimResult, ...] = ()
    documents: tuple[DocumentResult, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completeness:
    """How whole the trace was that a request was read from.

    records    Kafka records that fed it; a record that only repeats others counts too
    spans      different spans and log records in it: of two results of one request the one of more spans is the more complete
    root_seen  whether the trace's root span was among them
    ended      why it was taken as it was: complete, no_root, max_age, evicted, flushed
    cut        whether it had more spans than may be kept (`assemble.most_spans`)
    """

    records: int
    spans: int
    root_seen: bool
    ended: str
    cut: bool


def standing(*, root_seen: bool, spans: int, scored: int) -> tuple[bool, int, int]:
    """Of two results with one id the one of the greater value is kept, and of two equal ones the later (docs/results.md). `scored` counts evaluations."""
    return root_seen, spans, scored


# What a native record is by nature.
WHOLE = Completeness(records=1, spans=1, root_seen=True, ended="complete", cut=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything that is known of one RAG request once it has ended, without the request's own texts.

    tokens       keys input, output, cached_input, cache_write, reasoning; inclusive totals (input includes cached
                 and cache_write, output includes reasoning); a key that is not known is left out
    cost_usd     US dollars, keys input, cached_input, cache_write, output (with reasoning), request where a call itself
                 costs, and reported where the trace alone says what a call cost; their sum is the total; None where nothing had a price
    durations    seconds, keys total, retrieval, generation, time_to_first_token; unknown keys are left out
    inclusion_probability  p in (0, 1] with which this request was kept
    upstream_adjusted_count  how many requests of the source this one stands for (tracestate `ot=th`), None = unknown
    timestamp    end of the request, seconds since the epoch (event time)
    completed_at when the sidecar was done with it, seconds since the epoch
    redacted     how many different values were replaced by pseudonyms in its texts, by kind; evidence then points into the documents as
                 they are after that; None where nothing was looked for
    abstention   how far the answer declines; None where it was not looked at
    session      of the conversation that it belongs to, where the source says so
    trace        how whole the trace was; None where the request was made by hand. A native record is whole by nature
    """

    id: str
    trace_id: str
    span_id: str | None
    retrieval_span_id: str | None = None
    service: str
    model: str | None
    provider: str | None = None
    variant: str | None
    timestamp: float
    completed_at: float
    outcome: Outcome
    reason: str | None = None
    verdict: Verdict | None = None
    abstention: Abstention | None = None
    error_class: str | None = None
    session: str | None = None
    inclusion_probability: float = 1.0
    upstream_adjusted_count: float | None = None
    trace_sampled: bool = True
    response_id: str | None = None
    evaluations: tuple[Evaluation, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    unpriced_tokens: int = 0
    cost_usd: Mapping[str, float] | None = None
    durations: Mapping[str, float] = field(default_factory=dict)
    retrieved_documents: int | None = None
    redacted: Mapping[str, int] | None = None
    trace: Completeness | None = None

    @property
    def weight(self) -> float:
        """How many requests of the stream this one stands for: 1/p, times the upstream count where it is known."""
        return (self.upstream_adjusted_count or 1.0) / self.inclusion_probability

    def probability_of(self, evaluation: Evaluation) -> float:
        """p in (0, 1] with which an evaluation of this request was made: its own, else that of the request."""
        own = evaluation.inclusion_probability
        return self.inclusion_probability if own is None else own

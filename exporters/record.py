"""The result record as it is read back: `rag-sidecar.result.v1`, one JSON object a request (docs/results.md, docs/results.schema.json).

`serialize` writes it. Within v1 fields may be added and none goes away, so that a reader passes over what it does not know, and what was not
there yet is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from exporters.result import Abstention, ClaimLabel, Subject, Verdict, standing

SCHEMA: Final = "rag-sidecar.result.v1"
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Probability: TypeAlias = Annotated[float, Field(gt=0, le=1)]
Place: TypeAlias = Annotated[int, Field(ge=0)]
Ended: TypeAlias = Literal["scored", "unscorable", "failed"]


class _Part(BaseModel):
    # Whoever writes gives every field, null where it is absent: the schema says so.
    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_serialization_defaults_required=True)


class ModelRecord(_Part):
    """Which model gave a score."""

    name: str = Field(description="Its name.")
    version: str = Field(description="Its version.")
    sha256: str = Field(description="Of its weights, hex; empty for a judge.")


class Marked(_Part):
    """Characters `start` to `end` of a claim's text."""

    start: Place = Field(description="First character, from 0.")
    end: Place = Field(description="One past the last.")


class EvidenceRecord(Marked):
    """Characters `start` to `end` of the text of a document."""

    document: Place = Field(description="Index of the document among those of the request, from 0.")


class ConflictRecord(Marked):
    """A value of a claim of which a document says another one."""

    evidence: EvidenceRecord = Field(description="Where the other value stands.")


class ClaimRecord(_Part):
    """A checkable statement of the answer."""

    text: str | None = Field(default=None, description="What it says; user text, null unless asked for.")
    support: Share = Field(description="Probability that the documents say it.")
    supported: bool = Field(description="Whether that is enough.")
    label: ClaimLabel | None = Field(
        default=None, description="What the documents say of it; null of a model that does not tell the contrary apart."
    )
    evidence: EvidenceRecord | None = Field(default=None, description="The sentence that is nearest.")
    unsupported: tuple[Marked, ...] | None = Field(
        default=None, description="Places in the claim that no document says; null of a model that marks none."
    )
    conflicts: tuple[ConflictRecord, ...] = Field(default=(), description="Values that a document has otherwise.")
    start: Place | None = Field(default=None, description="Where it stands in the answer, where that is known.")
    end: Place | None = Field(default=None, description="One past its last character there.")


class DocumentRecord(_Part):
    """A retrieved document as one evaluator sees it."""

    rank: Annotated[int, Field(ge=1)] = Field(description="Place among the documents, from 1.")
    id: str | None = Field(default=None, description="Its id, where the trace has one.")
    score: Share | None = Field(default=None, description="The evaluator's score, 1 is good.")
    relevant: bool = Field(description="Whether that is enough.")


class EvaluationRecord(_Part):
    """What one evaluator says: a score, or why there is none."""

    evaluator: str = Field(description="Its name.")
    outcome: Ended = Field(description="How it ended.")
    reason: str | None = Field(default=None, description="Why there is no score, a bounded word.")
    score: Share | None = Field(default=None, description="1 is good.")
    label: str | None = Field(default=None, description="A word that goes with the score; of groundedness the verdict.")
    explanation: str | None = Field(default=None, description="User text, null unless asked for.")
    model: ModelRecord | None = Field(
        default=None,
        description="What scored, or told an abstention; null where nothing was asked, or rules told it. Of a failed evaluation what was to score.",
    )
    other_models: tuple[ModelRecord, ...] = Field(
        default=(),
        description="What else has a part in every such score: the embedding model of `answer_correctness`. Of a failed evaluation what else was asked, or was to be.",
    )
    abstention_model: ModelRecord | None = Field(
        default=None,
        description="What decided that the answer declines, in full or in part, where the score follows from that; null where rules did.",
    )
    threshold: float | None = Field(default=None, description="From which score or support on something is enough.")
    version: str = Field(default="1", description="Of the evaluator.")
    method: str = Field(default="local", description="Its formula: scores by two methods are different things.")
    subject: Subject = Field(default=Subject.ANSWER, description="What it judges.")
    judged: bool = Field(default=False, description="Whether an LLM said it.")
    inclusion_probability: Probability | None = Field(
        default=None, description="Probability with which it was made; null = that of the result."
    )
    parts: Mapping[str, float] = Field(default={}, description="Numbers that the score is made of, by name.")
    claims: tuple[ClaimRecord, ...] = Field(default=(), description="Statement by statement.")
    documents: tuple[DocumentRecord, ...] = Field(default=(), description="Document by document.")


class TokensRecord(_Part):
    """Inclusive totals: input has cached_input and cache_write in it, output has reasoning."""

    input: Place | None = Field(default=None, description="Read by models.")
    output: Place | None = Field(default=None, description="Written by models.")
    cached_input: Place | None = Field(default=None, description="Of the input, what came out of a cache.")
    cache_write: Place | None = Field(default=None, description="Of the input, what was written into one.")
    reasoning: Place | None = Field(default=None, description="Of the output, what was thought.")


class DurationsRecord(_Part):
    """Seconds."""

    total: float | None = Field(default=None, ge=0, description="The whole request.")
    retrieval: float | None = Field(default=None, ge=0, description="Of it, retrieval.")
    generation: float | None = Field(default=None, ge=0, description="Of it, the model call of the answer.")
    time_to_first_token: float | None = Field(default=None, ge=0, description="To the first token of the answer.")


class TraceRecord(_Part):
    """How whole the trace was that the request was read from."""

    records: Place = Field(description="Kafka records that fed it.")
    spans: Place = Field(description="Different spans and log records.")
    root_seen: bool = Field(description="Whether its root was among them.")
    ended: Literal["complete", "no_root", "max_age", "evicted", "flushed"] = Field(description="Why it was taken.")
    cut: bool = Field(description="Whether it had more spans than `assemble.most_spans`.")


class ResultRecord(_Part):
    """What is known of one request."""

    schema_: Literal["rag-sidecar.result.v1"] = Field(alias="schema", description="The version of this record.")
    id: str = Field(description="A function of the request: a replay has the same.")
    trace_id: str = Field(description="Hex of the trace, or the id that a native record has.")
    request_id: str | None = Field(default=None, description="A native record's own id, as `score` gives it back.")
    request_digest: str | None = Field(
        default=None,
        description="Hash of question, answer and documents, redacted where the result is, as `score` gives it: tells requests of one id apart.",
    )
    span_id: str | None = Field(default=None, description="Hex of the span of the answer.")
    service: str = Field(description="service.name, or what the native record says.")
    model: str | None = Field(default=None, description="The model that answered.")
    provider: str | None = Field(default=None, description="Whose model it is.")
    variant: str | None = Field(default=None, description="Experiment or release, where the trace says one.")
    session: str | None = Field(
        default=None, description="The conversation that it belongs to, where the trace says one."
    )
    timestamp: datetime | None = Field(default=None, description="End of the request.")
    outcome: Ended = Field(description="How it ended; requests that were not sampled have no result.")
    reason: str | None = Field(default=None, description="Why it is not scored, a bounded word.")
    verdict: Verdict | None = Field(default=None, description="On the whole answer.")
    abstention: Abstention | None = Field(default=None, description="How far the answer declines to answer.")
    error_class: str | None = Field(default=None, description="Of the request's own error.")
    inclusion_probability: Probability = Field(description="Probability with which it was kept: weigh by one over it.")
    upstream_adjusted_count: float | None = Field(default=None, description="Requests it stands for at its source.")
    evaluations: tuple[EvaluationRecord, ...] = Field(description="One an evaluator.")
    retrieved_documents: Place | None = Field(default=None, description="How many documents were retrieved.")
    tokens: TokensRecord = Field(default=TokensRecord(), description="Of all model calls.")
    cost_usd: float | None = Field(
        default=None,
        ge=0,
        description="US dollars; null where it is not known: no price, or input or output tokens not counted.",
    )
    cost_usd_by_type: Mapping[str, float] | None = Field(default=None, description="Its parts.")
    durations: DurationsRecord = Field(default=DurationsRecord(), description="Of the request.")
    redacted: Mapping[str, int] | None = Field(
        default=None, description="Values replaced in its texts, by kind; places are those after that."
    )
    trace: TraceRecord | None = Field(default=None, description="Null where no trace was read.")

    def evaluation(self, name: str) -> EvaluationRecord | None:
        """What the evaluator of that name says."""
        return next((one for one in self.evaluations if one.evaluator == name), None)

    @property
    def claims(self) -> tuple[ClaimRecord, ...]:
        """The claims of the answer: those that faithfulness checked, else those of any other evaluator."""
        return own.claims if (own := self.of_claims) else ()

    @property
    def of_claims(self) -> EvaluationRecord | None:
        """The evaluation that has them."""
        own = self.evaluation("faithfulness")
        return own if own and own.claims else next((one for one in self.evaluations if one.claims), None)

    @property
    def completeness(self) -> tuple[bool, int, int]:
        """Of two results with one id the one of the greater value is kept, and of two equal ones the later (docs/results.md)."""
        spans, seen = (self.trace.spans, self.trace.root_seen) if self.trace else (0, False)
        scored = sum(one.outcome == "scored" for one in self.evaluations)
        return standing(root_seen=seen, spans=spans, scored=scored)


class UnreadRecord(_Part):
    """What `score` writes for a line that it could not read, to keep its place."""

    schema_: Literal["rag-sidecar.result.v1"] = Field(alias="schema", description="The version of this record.")
    id: None = Field(description="There is none.")
    trace_id: None = Field(description="There is none.")
    request_id: str | None = Field(description="The record's own id, where it could be read.")
    line: Annotated[int, Field(ge=1)] = Field(description="Line of the input.")
    outcome: Literal["failed"] = Field(description="It was not read.")
    reason: str = Field(description="Why, a bounded word.")
    detail: str = Field(description="What was wrong, without the text.")
    verdict: None = Field(description="There is none.")
    evaluations: tuple[()] = Field(description="There are none.")


def parse(line: bytes) -> ResultRecord | None:
    """The result of a line, None where it only keeps the place of one that could not be read. Raises ValueError, whose text may
    hold what stands there."""
    row: Any = orjson.loads(line)
    if isinstance(row, dict) and row.get("schema") == SCHEMA and row.get("id") is None and "line" in row:
        return None
    return ResultRecord.model_validate(row)


def schema() -> dict[str, Any]:
    """The JSON Schema of a result, and of what keeps the place of a line."""
    either: TypeAdapter[Any] = TypeAdapter(ResultRecord | UnreadRecord)
    found = either.json_schema(by_alias=True, mode="serialization")
    for name in ("request_id", "request_digest"):  # `score` alone gives them.
        found["$defs"]["ResultRecord"]["required"].remove(name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "rag-sidecar.result.v1",
        "title": "Result of one RAG request, rag-sidecar.result.v1",
        **found,
    }

"""The fields of a native record: every name that is read, its shape and its meaning. docs/native.md and docs/native.schema.json are generated from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

TEXT: Mapping[str, Any] = {"type": ["string", "null"]}
NAME: Mapping[str, Any] = {"type": ["string", "number", "null"]}
SECONDS: Mapping[str, Any] = {"type": ["number", "null"], "minimum": 0}
COUNT: Mapping[str, Any] = {"type": ["integer", "null"], "minimum": 0}
OBJECT: Mapping[str, Any] = {"type": ["object", "null"]}
_TEXT_OR_OBJECT: Mapping[str, Any] = {"type": ["string", "object", "null"]}
_SAID: Mapping[str, Any] = {"type": ["string", "number", "boolean", "object", "null"]}
_ITEM: Mapping[str, Any] = {
    "oneOf": [
        {"type": "string"},
        {
            "type": "object",
            "description": "Its text as `text`, `content`, `page_content`, `chunk`, `passage`, `document` or `body`, or within the `metadata`, `payload` or `_source` of a "
            "hit; `id`, `score` and `metadata` where known.",
        },
        {"type": "array", "description": "A document and its number, as `similarity_search_with_score` gives them."},
        {"type": "null"},
    ]
}
_LIST: Mapping[str, Any] = {"type": ["array", "string", "null"]}
_TEXTS: Mapping[str, Any] = {"type": ["array", "string", "object", "null"]}
_UNITS = ("ms", "milliseconds", "s", "seconds", "sec", "us")


@dataclass(frozen=True, slots=True)
class NativeField:
    """One thing that a record may say. `names` are all names for it, the first one found wins; `shape` is JSON Schema of its value.

    `timed` names may carry a unit: `latency_ms`, `latency_seconds`.
    """

    name: str
    meaning: str
    shape: Mapping[str, Any]
    names: tuple[str, ...] = ()
    timed: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every name as a user may write it, without regard to case, `_` and `-`."""
        names = self.names or (self.name,)
        return (*names, *(f"{name}_{unit}" for name in names for unit in _UNITS)) if self.timed else names


FIELDS: tuple[NativeField, ...] = (
    NativeField(
        "question",
        "What the user asked: a text. A number or a truth value is read as one.",
        _SAID,
        ("user_input", "question", "query", "user_query", "prompt", "message", "q", "input"),
    ),
    NativeField(
        "answer",
        "What the service answered, likewise.",
        _SAID,
        ("response", "answer", "actual_output", "result", "completion", "generation", "reply", "output"),
    ),
    NativeField(
        "contexts",
        "The retrieved documents in the order of their rank: texts, or objects with a text, an id, a score; "
        "hits of vector stores and pairs `[document, score]` too. Empty ones are passed over.",
        {"oneOf": [{"type": "array", "items": _ITEM}, {"type": ["string", "object", "null"]}]},
        (
            "retrieved_contexts",
            "contexts",
            "retrieval_context",
            "retrieved_context",
            "context",
            "source_documents",
            "source_nodes",
            "documents",
            "citations",
            "chunks",
            "passages",
            "hits",
            "matches",
        ),
    ),
    NativeField(
        "retrieved_context_ids",
        "Ids of the documents, one each, where the documents are texts.",
        {"type": ["array", "null"]},
    ),
    NativeField(
        "request_id",
        "Your own id, up to 256 characters; comes back as `trace_id`, and makes a replay overwrite. Made of the texts and the time where there is none.",
        NAME,
        ("request_id", "trace_id", "run_id", "id"),
    ),
    NativeField("span_id", "Id of the span that was the request, 16 hexadecimal digits.", TEXT),
    NativeField(
        "timestamp",
        "When the request ended: RFC 3339, the date of an e-mail, or seconds, milliseconds, microseconds or nanoseconds since the epoch, of the years 1973 to 2286; any other "
        "text or number is an error. None, 0 and the year 1 are the time of the Kafka record.",
        NAME,
        ("timestamp", "ts", "created_at", "time", "end_time"),
    ),
    NativeField(
        "service", "Name of the RAG service; `unknown` where there is none.", NAME, ("service", "service_name", "app")
    ),
    NativeField("model", "The model that answered.", NAME, ("model", "model_name", "response_model")),
    NativeField("requested_model", "The model that was asked for.", NAME, ("requested_model", "request_model")),
    NativeField(
        "provider", "Who serves the model; prices are by provider and model.", NAME, ("provider", "model_provider")
    ),
    NativeField(
        "usage",
        "Tokens: `prompt_tokens` or `input_tokens`, `completion_tokens` or `output_tokens`, cached and reasoning ones as OpenAI, Anthropic and Google name them.",
        OBJECT,
        ("usage", "token_usage", "usage_metadata", "usageMetadata", "tokens"),
    ),
    NativeField("usage_details", "The same as Langfuse writes it, where parts add up.", OBJECT),
    NativeField("prompt_tokens", "Tokens in, where there is no `usage`.", COUNT, ("prompt_tokens", "input_tokens")),
    NativeField(
        "completion_tokens", "Tokens out, where there is no `usage`.", COUNT, ("completion_tokens", "output_tokens")
    ),
    NativeField(
        "latency",
        "Duration of the whole request, with its unit in the name: `latency_ms`, `latency_seconds`. A bare `duration` or `completion_time` is seconds.",
        SECONDS,
        ("latency", "total_latency", "duration", "total_duration", "completion_time"),
        timed=True,
    ),
    NativeField(
        "retrieval_latency",
        "Duration of the retrieval.",
        SECONDS,
        ("retrieval_latency", "retrieval_duration"),
        timed=True,
    ),
    NativeField(
        "generation_latency",
        "Duration of the generation.",
        SECONDS,
        ("generation_latency", "generation_duration", "llm_latency"),
        timed=True,
    ),
    NativeField(
        "ttft", "Time to the first token; bare it is seconds.", SECONDS, ("ttft", "time_to_first_token"), timed=True
    ),
    NativeField(
        "durations",
        "The durations as an object, in seconds: `latency`, `retrieval`, `generation`, `ttft`.",
        OBJECT,
        ("durations", "timings", "latencies"),
    ),
    NativeField(
        "error",
        "The request failed: true, a class, or an object with `type`, `code` or `message`. The text is not kept, only its class.",
        {},
        ("error_class", "error_type", "error", "exception"),
    ),
    NativeField(
        "status",
        "`error`, `failed` or `failure` in any case is an error without a class, 400 and more a status of HTTP.",
        NAME,
    ),
    NativeField("session_id", "Session or thread.", NAME, ("session_id", "thread_id", "conversation_id")),
    NativeField("user_id", "User; never a label.", NAME),
    NativeField("tenant", "Tenant; other names by `decode.tenant_keys`.", NAME, ("tenant", "tenant_id", "org_id")),
    NativeField(
        "variant",
        "Variant of an experiment, a label of the series; other names by `decode.variant_keys`.",
        NAME,
        ("variant", "experiment", "ab_group"),
    ),
    NativeField("response_id", "Id of the model's response.", NAME),
    NativeField(
        "reference",
        "The right answer, where one is known; of a list the first. With what follows down to `generation_params` a record is a [test case](cases.md).",
        {},
        (
            "reference",
            "ground_truth",
            "ground_truths",
            "ground_truth_answer",
            "expected_output",
            "gt_answer",
            "expected",
            "reference_answer",
        ),
    ),
    NativeField(
        "reference_contexts",
        "Texts of the chunks that retrieval should find, at most 1,000.",
        _TEXTS,
        ("reference_contexts", "ground_truth_contexts", "ground_truth_context", "gold_contexts"),
    ),
    NativeField(
        "reference_context_ids",
        "Their ids, at most 1,000.",
        _LIST,
        ("reference_context_ids", "ground_truth_context_ids"),
    ),
    NativeField(
        "reference_tool_calls",
        "The calls of tools that an agent should make, in order: objects with `name` and `args`, at most 100.",
        _LIST,
        ("reference_tool_calls", "expected_tools"),
    ),
    NativeField(
        "reference_topics", "What an assistant should talk about: at most 100 topics of 500 characters.", _TEXTS
    ),
    NativeField(
        "rubrics",
        "What each score means: `score1_description` and so on, or `1`; at most 2,000 characters each.",
        {},
        ("rubrics", "rubric"),
    ),
    NativeField(
        "messages",
        "The conversation in the shape of OpenAI, LangChain, Ragas or OTel GenAI, at most 500 messages. Question and answer are its last ones where they are "
        "not given; a list in `user_input` is one too.",
        {},
        ("messages", "conversation"),
    ),
    NativeField(
        "kind",
        "Kind of the case: `simple`, `reasoning`, `multi_hop`, `negative`, or a word of your own.",
        NAME,
        ("kind", "case_kind", "synthesizer_name", "evolution_type"),
    ),
    NativeField(
        "origin", "Where the case comes from: `synthetic`, `human`, `production`, or a word of your own.", NAME
    ),
    NativeField("persona", "Who asks, at most 4,000 characters.", _TEXT_OR_OBJECT, ("persona", "persona_name")),
    NativeField("difficulty", "How hard the case is.", NAME),
    NativeField(
        "source_units", "What the case was made from: objects with `document`, `start`, `end`, at most 1,000.", _LIST
    ),
    NativeField("generation_params", "How it was made: an object of at most 10,000 bytes.", {}),
    NativeField(
        "probe",
        "True where a probe sent the request: it is no traffic (docs/probe.md).",
        {"type": ["boolean", "string", "number", "null"]},
    ),
    NativeField(
        "feedback",
        "What the user said: a number, true or false, `up` or `down`, or an object with `score` or `label`. Rules of `sample.always_keep` may ask for it.",
        {},
        ("feedback", "user_score", "rating", "thumbs"),
    ),
)

# An object under one of these names is looked into, one level down.
INSIDE = ("inputs", "outputs", "input", "output", "data", "record", "attributes")


@lru_cache(maxsize=64)
def names(field: str) -> tuple[str, ...]:
    """All names of a field, in the order in which they are looked for."""
    found = next(one for one in FIELDS if one.name == field)
    return found.names or (found.name,)


def unknown(data: Mapping[str, Any], own: Iterable[str] = ()) -> list[str]:
    """Names at the top of a record that nobody reads; `own` are those that the settings add. A misspelt field is among them."""
    added = frozenset(map(squeeze, own))
    return [name for name in data if (squeezed := squeeze(name)) not in _known() and squeezed not in added]


def is_scalar(name: str) -> bool:
    """Whether a field is a short text or a number, so that no list and no object stands in it."""
    return squeeze(name) in _spelled(tuple(one.name for one in FIELDS if one.shape in (TEXT, NAME, SECONDS, COUNT)))


def text_field(name: str) -> str | None:
    """Which of question, answer and reference a name is one of, if any."""
    return next((one for one in ("question", "answer", "reference") if squeeze(name) in _spelled((one,))), None)


@lru_cache(maxsize=8)
def _spelled(fields: tuple[str, ...]) -> frozenset[str]:
    return frozenset(squeeze(name) for one in FIELDS if one.name in fields for name in one.spellings)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(squeeze(name) for one in FIELDS for name in one.spellings) | frozenset(map(squeeze, INSIDE))


def squeeze(name: str) -> str:
    """A name without case, `_` and `-`."""
    return _squeeze_short(name) if len(name) <= 64 else name.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=4096)
def _squeeze_short(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()

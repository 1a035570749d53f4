"""Seeds out of the recordings, one a span, and mutations of them: of bytes, of JSON values, and of the values of attributes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import orjson
from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from sidecar.commands.demo.spans import to_otlp_json
from tests.unit.decode.recordings import FOLDER

_LARGEST_SEED = 20_000
_HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 2**63 - 1, -(2**63), 1e308, "", " ", "0", "9" * 400, "\x00", "é\U0001f600", "nan", "Infinity", "__REDACTED__", "[", "{",
    '"', "[[[[[[[[", '{"a":' * 30, '{"input": ""}', [], {}, [[]], [None], [{}], {"kwargs": None}, {"messages": [None]}, {"lc": 1, "id": None},
    {"node": {"text": None}}, {"documents": [1]}, {"generations": [[]]}, "2026-13-45T99:99:99Z", "<generator object x at 0x0>",
)  # fmt: skip
_KEYS = (
    "openinference.span.kind", "gen_ai.operation.name", "langfuse.observation.type", "langsmith.span.kind", "mlflow.spanType", "ai.operationId",
    "haystack.component.type", "traceloop.span.kind", "db.system", "db.operation", "ai.observability.span_type", "confident.span.type",
    "lmnr.span.type", "input.value", "output.value", "gen_ai.prompt.0.content", "gen_ai.completion.9999.content", "retrieval.documents.0.document.id",
    "error.type", "metadata", "tag.tags", "annotations.0.annotation.score", "llm.token_count.prompt", "gen_ai.usage.input_tokens",
)  # fmt: skip
_WORDS = (
    "LLM", "RETRIEVER", "request", "chat", "retrieval", "generation", "span", "prompt", '"CHAT_MODEL"', "ai.toolCall", "OpenAIGenerator",
    "task", "chroma", "query", "record_root", "tool", "EVALUATOR",
)  # fmt: skip


_RUNS = (
    "\n", " ", "\t", "\r\n", "\n ", "[", "]", "{", "}", "(", "-", "0", "a", "<", '"', "'", "\\", '\\"', ",", ":", "a b ", "a\n", "[1]", "[1]\n",
    "<document>", "<doc ", "</doc>", "context:\n", "question:\n", "----------\n", '["', '{"a":', "[[1],", "th:f;", "status ", "\\ud800",
)  # fmt: skip
_LONGEST_RUN = 50_000


def seeds() -> list[bytes]:
    """Each span of the recordings as a request of its own, in both encodings, the log records, and a few native records."""
    found = [
        b'{"id": "1", "question": "q", "answer": "a", "contexts": ["c", {"text": "d", "score": 1}], "usage": {"prompt_tokens": 3}}',
        b'[{"run_id": "1", "inputs": {"query": "q"}, "outputs": {"result": "a"}, "latency_ms": 5, "ts": 1760000000, "feedback": {"score": 1}}]',
    ]
    for path in sorted(FOLDER.glob("*.pb")):
        for resource in TracesData.FromString(path.read_bytes()).resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    one = TracesData(resource_spans=[ResourceSpans(resource=resource.resource)])
                    one.resource_spans[0].scope_spans.append(ScopeSpans(scope=scope.scope, spans=[span]))
                    found += [one.SerializeToString(), to_otlp_json(one)]
    found += [path.read_bytes() for path in sorted(FOLDER.glob("*.logs.json"))]
    return [one for one in found if len(one) <= _LARGEST_SEED]


def mutate(value: bytes, other: bytes, random_: random.Random) -> bytes:
    """One of the mutations, sometimes several on top of each other."""
    for _ in range(random_.choice((1, 1, 1, 2, 4))):
        value = random_.choice(_MUTATIONS)(value, other, random_)
    return value[: 4 * _LARGEST_SEED]


def _run(random_: random.Random) -> str:
    """A text with a long run of the same, and mostly something before and after it, which makes a pattern that began to match fail."""
    one = random_.choice(_RUNS)
    before, after = (
        random_.choice(("", "hello", "[", '{"a": "', "[1] x", "Context:\n")),
        random_.choice(("", "what is it?", "\x00")),
    )
    return before + one * (random_.randrange(1, _LONGEST_RUN) // len(one)) + after


def _hostile(random_: random.Random) -> Any:
    return _run(random_) if random_.random() < 0.2 else random_.choice(_HOSTILE)


def _bytes(value: bytes, other: bytes, random_: random.Random) -> bytes:
    data = bytearray(value)
    if not data:
        return other
    at = random_.randrange(len(data))
    what = random_.randrange(5)
    if what == 0:
        data[at] ^= 1 << random_.randrange(8)
    elif what == 1:
        del data[at : at + random_.randrange(1, 64)]
    elif what == 2:
        data[at:at] = random_.randbytes(random_.randrange(1, 9))
    elif what == 3:
        del data[at:]
    else:
        start = random_.randrange(len(other) or 1)
        data[at:at] = other[start : start + random_.randrange(1, 200)]
    return bytes(data)


def _json(value: bytes, other: bytes, random_: random.Random) -> bytes:
    try:
        data = orjson.loads(value)
    except orjson.JSONDecodeError:
        return _bytes(value, other, random_)
    places: list[tuple[Any, Any]] = []
    todo = [data] if isinstance(data, dict | list) else []
    while todo:
        one = todo.pop()
        for key, inner in one.items() if isinstance(one, dict) else enumerate(one):
            places.append((one, key))
            if isinstance(inner, dict | list):
                todo.append(inner)
    if places:
        holder, key = random_.choice(places)
        if random_.random() < 0.2 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = _hostile(random_)
    return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS)


def _attribute(value: bytes, other: bytes, random_: random.Random) -> bytes:
    try:
        data = TracesData.FromString(value)
    except ProtobufError:
        return _json(value, other, random_)
    spans = [span for r in data.resource_spans for s in r.scope_spans for span in s.spans]
    if not spans:
        return _bytes(value, other, random_)
    span = random_.choice(spans)
    if random_.random() < 0.3 or not span.attributes:
        span.attributes.add(key=random_.choice(_KEYS)).value.string_value = random_.choice(_WORDS)
        return data.SerializeToString()
    pair = random_.choice(span.attributes)
    _set(pair.value, span, random_)
    if random_.random() < 0.1:
        pair.key = random_.choice(_KEYS)
    return data.SerializeToString()


def _set(value: AnyValue, span: Span, random_: random.Random) -> None:
    what = random_.randrange(6)
    if what == 0 and value.string_value:
        value.string_value = value.string_value[: random_.randrange(len(value.string_value))]
    elif what == 1 and value.string_value[:1] in ("{", "["):
        value.string_value = _json(value.string_value.encode(), b"", random_).decode("utf-8", "replace")
    elif what == 2:
        value.array_value.values.add().kvlist_value.values.add(key="content").value.int_value = -1
    elif what == 3:
        span.end_time_unix_nano = random_.choice((0, 2**64 - 1, span.start_time_unix_nano // 2))
    elif what == 4 and value.string_value:
        at = random_.randrange(len(value.string_value))
        value.string_value = value.string_value[:at] + _run(random_) + value.string_value[at:]
    else:
        hostile = _hostile(random_)
        value.string_value = hostile if isinstance(hostile, str) else orjson.dumps(hostile).decode()


_MUTATIONS: tuple[Callable[[bytes, bytes, random.Random], bytes], ...] = (_bytes, _json, _attribute, _attribute)

"""Made traffic of a stated shape: 5 chunks of 150 words, an answer of 5 sentences. Seeded; English words in no order."""

from __future__ import annotations

import random
import re

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from sidecar.commands.demo.corpus import Corpus

CHUNKS = 5
CHUNK_WORDS = 150
SENTENCES = 5
START_NS = 1_760_000_000_000_000_000


class Traffic:
    """Makes requests. `hot` is the share of chunks that come from a fixed pool of 50, as retrieved chunks repeat in practice."""

    def __init__(self, seed: int = 7, *, hot: float = 0.0) -> None:
        self._random = random.Random(seed)
        self._words = re.findall(r"[a-z]+", " ".join(passage.text for passage in Corpus().passages))
        self._hot = hot
        self._pool = [self._text(CHUNK_WORDS) for _ in range(50)]

    def request(self) -> dict[str, object]:
        """One native record."""
        chunks = [
            self._random.choice(self._pool) if self._random.random() < self._hot else self._text(CHUNK_WORDS)
            for _ in range(CHUNKS)
        ]
        return {
            "request_id": f"{self._random.getrandbits(128):032x}",
            "timestamp": "2026-01-01T00:00:00Z",
            "service": f"service-{self._random.randint(0, 4)}",
            "model": "gpt-4o-mini",
            "provider": "openai",
            "question": self._sentence(12).rstrip(".") + "?",
            "answer": " ".join(self._borrowed(chunk) for chunk in chunks[:SENTENCES]),
            "contexts": [{"id": f"d{n}", "text": chunk, "score": 0.5} for n, chunk in enumerate(chunks)],
            "usage": {"prompt_tokens": 1200, "completion_tokens": 90},
            "latency_ms": 1200,
        }

    def native(self, count: int) -> list[bytes]:
        """`count` native records, JSON."""
        return [orjson.dumps(self.request()) for _ in range(count)]

    def otlp(self, traces: int, *, spans_a_message: int) -> tuple[list[bytes], int]:
        """OTLP protobuf messages of three-span OpenInference traces (chain, retriever, model), and how many spans they hold."""
        messages: list[bytes] = []
        data, held, total = _message(), 0, 0
        for _ in range(traces):
            spans = self._trace()
            data.resource_spans[0].scope_spans[0].spans.extend(spans)
            held, total = held + len(spans), total + len(spans)
            if held >= spans_a_message:
                messages.append(data.SerializeToString())
                data, held = _message(), 0
        if held:
            messages.append(data.SerializeToString())
        return messages, total

    def _trace(self) -> list[Span]:
        request = self.request()
        trace_id = bytes.fromhex(str(request["request_id"]))
        root, retriever, model = (self._random.randbytes(8) for _ in range(3))
        documents: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": request["question"]}
        contexts = request["contexts"]
        assert isinstance(contexts, list)
        for n, chunk in enumerate(contexts):
            documents[f"retrieval.documents.{n}.document.id"] = chunk["id"]
            documents[f"retrieval.documents.{n}.document.content"] = chunk["text"]
            documents[f"retrieval.documents.{n}.document.score"] = chunk["score"]
        texts = {"input.value": request["question"], "output.value": request["answer"]}
        call: dict[str, object] = {
            "openinference.span.kind": "LLM",
            "llm.model_name": "gpt-4o-mini",
            "llm.provider": "openai",
            "llm.token_count.prompt": 1200,
            "llm.token_count.completion": 90,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": request["answer"],
        }
        return [
            _span(trace_id, retriever, root, "retrieve", documents, 0.1, 0.3),
            _span(trace_id, model, root, "chat", call, 0.3, 1.2),
            _span(trace_id, root, b"", "rag", {"openinference.span.kind": "CHAIN", **texts}, 0.0, 1.2),
        ]

    def _sentence(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, k=words)).capitalize() + "."

    def _text(self, words: int) -> str:
        return " ".join(self._sentence(15) for _ in range(words // 15))

    def _borrowed(self, chunk: str) -> str:
        sentence = self._random.choice(chunk.split(". ")).rstrip(".")
        return sentence + ("." if self._random.random() < 0.7 else f" and {self._random.choice(self._words)}.")


def _message() -> TracesData:
    resource = ResourceSpans()
    resource.resource.attributes.append(_attribute("service.name", "service-0"))
    resource.scope_spans.append(ScopeSpans())
    return TracesData(resource_spans=[resource])


def _span(
    trace_id: bytes, span_id: bytes, parent: bytes, name: str, attributes: dict[str, object], start: float, end: float
) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=name,
        start_time_unix_nano=START_NS + int(start * 1e9),
        end_time_unix_nano=START_NS + int(end * 1e9),
        attributes=[_attribute(key, value) for key, value in attributes.items()],
    )


def _attribute(key: str, value: object) -> KeyValue:
    if isinstance(value, int):
        return KeyValue(key=key, value=AnyValue(int_value=value))
    if isinstance(value, float):
        return KeyValue(key=key, value=AnyValue(double_value=value))
    return KeyValue(key=key, value=AnyValue(string_value=str(value)))

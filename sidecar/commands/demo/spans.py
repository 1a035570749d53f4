"""Requests as instrumentations write them: OpenInference, OTel GenAI and OpenLLMetry spans, and native JSON; and recorded
spans replayed with fresh ids and times."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import resources
from typing import Any

import orjson
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status, TracesData

from sidecar.commands.demo.corpus import Request

_PROMPT = "Answer the question using only the context.\n\nContext:\n"
RECORDED = ("oi_langchain_ok", "tl_langchain_ok", "otel_genai_ok", "langfuse_langchain_ok", "vercel_ai_ok")


class SpanMaker:
    """Makes messages. Seeded ids; times end at the moment that is given."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - ids for a demo
        folder = resources.files("sidecar.commands.demo").joinpath("data/recorded")
        self._recorded = [TracesData.FromString(folder.joinpath(f"{name}.pb").read_bytes()) for name in RECORDED]

    def openinference(self, request: Request, now: float) -> tuple[str, TracesData]:
        """(trace id, message) as openinference-instrumentation-langchain writes it."""
        documents: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": request.question}
        for n, chunk in enumerate(request.chunks):
            prefix = f"retrieval.documents.{n}.document."
            documents |= {prefix + "id": chunk.id, prefix + "content": chunk.text, prefix + "score": chunk.score}
        call: dict[str, object] = {
            "openinference.span.kind": "LLM",
            "llm.model_name": request.model,
            "llm.provider": request.provider,
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": _context(request),
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.content": request.question,
        }
        if request.answer is not None:
            call |= {
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.content": request.answer,
                "llm.token_count.prompt": request.input_tokens,
                "llm.token_count.completion": request.output_tokens,
                "llm.token_count.prompt_details.cache_read": request.cached_tokens,
                "llm.token_count.completion_details.reasoning": request.reasoning_tokens,
            }
        root = {
            "openinference.span.kind": "CHAIN",
            "input.value": request.question,
            "metadata": orjson.dumps({"variant": request.variant}).decode(),
        }
        if request.answer is not None:
            root["output.value"] = request.answer
        return self._trace(request, now, "openinference.instrumentation.langchain", root, documents, call)

    def genai(self, request: Request, now: float) -> tuple[str, TracesData]:
        """(trace id, message) as the GenAI conventions have it, with content switched on."""
        documents: dict[str, object] = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.query.text": request.question,
            "gen_ai.retrieval.documents": orjson.dumps(
                [{"id": c.id, "score": c.score, "content": c.text} for c in request.chunks]
            ).decode(),
        }
        sent = [{"role": "user", "parts": [{"type": "text", "content": request.question}]}]
        call: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": request.provider,
            "gen_ai.request.model": request.model,
            "gen_ai.system_instructions": orjson.dumps([{"type": "text", "content": _context(request)}]).decode(),
            "gen_ai.input.messages": orjson.dumps(sent).decode(),
            "gen_ai.response.time_to_first_chunk": request.first_token,
        }
        if request.answer is not None:
            made = [
                {"role": "assistant", "parts": [{"type": "text", "content": request.answer}], "finish_reason": "stop"}
            ]
            call |= {
                "gen_ai.response.model": request.model,
                "gen_ai.output.messages": orjson.dumps(made).decode(),
                "gen_ai.usage.input_tokens": request.input_tokens,
                "gen_ai.usage.output_tokens": request.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": request.cached_tokens,
                "gen_ai.usage.reasoning.output_tokens": request.reasoning_tokens,
            }
        root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "rag", "variant": request.variant}
        return self._trace(request, now, "opentelemetry.util.genai", root, documents, call)

    def openllmetry(self, request: Request, now: float) -> tuple[str, TracesData]:
        """(trace id, message) as OpenLLMetry's LangChain instrumentation writes it."""
        documents: dict[str, object] = {
            "traceloop.span.kind": "task",
            "gen_ai.operation.name": "vector_db_retrieve",
            "traceloop.entity.input": orjson.dumps({"inputs": request.question}).decode(),
            "traceloop.entity.output": orjson.dumps(
                {"documents": [{"page_content": c.text, "metadata": {"chunk_id": c.id}} for c in request.chunks]}
            ).decode(),
        }
        call: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": request.provider,
            "gen_ai.request.model": request.model,
            "gen_ai.input.messages": orjson.dumps(
                [{"role": "user", "parts": [{"type": "text", "content": request.question}]}]
            ).decode(),
        }
        if request.answer is not None:
            made = [{"role": "assistant", "parts": [{"type": "text", "content": request.answer}]}]
            call |= {
                "gen_ai.response.model": request.model,
                "gen_ai.output.messages": orjson.dumps(made).decode(),
                "gen_ai.usage.input_tokens": request.input_tokens,
                "gen_ai.usage.output_tokens": request.output_tokens,
            }
        root = {
            "traceloop.span.kind": "workflow",
            "traceloop.entity.name": "rag",
            "traceloop.entity.input": orjson.dumps({"inputs": request.question}).decode(),
            "traceloop.association.properties.variant": request.variant,
        }
        return self._trace(request, now, "opentelemetry.instrumentation.langchain", root, documents, call)

    def native(self, request: Request, now: float) -> tuple[str, bytes]:
        """(trace id, JSON) of a native record."""
        trace_id = self._random.randbytes(16).hex()
        record: dict[str, Any] = {
            "request_id": trace_id,
            "timestamp": datetime.fromtimestamp(now, UTC).isoformat(),
            "service": request.service,
            "variant": request.variant,
            "model": request.model,
            "provider": request.provider,
            "question": request.question,
            "contexts": [{"id": c.id, "text": c.text, "score": c.score} for c in request.chunks],
            "latency_ms": 1000 * (request.retrieval + request.generation),
            "retrieval_latency_ms": 1000 * request.retrieval,
            "generation_latency_ms": 1000 * request.generation,
            "ttft_ms": 1000 * request.first_token,
        }
        if request.answer is not None:
            record["answer"] = request.answer
            record["usage"] = {
                "prompt_tokens": request.input_tokens,
                "completion_tokens": request.output_tokens,
                "prompt_tokens_details": {"cached_tokens": request.cached_tokens},
            }
        else:
            record["error"] = request.error
        return trace_id, orjson.dumps(record)

    def replay(self, now: float) -> tuple[str, TracesData]:
        """(trace id, message) of one recorded request, with fresh ids and the present time."""
        data = TracesData()
        data.CopyFrom(self._random.choice(self._recorded))
        spans = [span for rs in data.resource_spans for ss in rs.scope_spans for span in ss.spans]
        shift = int(now * 1e9) - max(span.end_time_unix_nano for span in spans)
        names: dict[bytes, bytes] = {}
        traces: dict[bytes, bytes] = {}
        for span in spans:
            span.trace_id = traces.setdefault(span.trace_id, self._random.randbytes(16))
            span.span_id = names.setdefault(span.span_id, self._random.randbytes(8))
            if span.parent_span_id:
                span.parent_span_id = names.setdefault(span.parent_span_id, self._random.randbytes(8))
            span.start_time_unix_nano += shift
            span.end_time_unix_nano += shift
            for event in span.events:
                event.time_unix_nano += shift
        return spans[0].trace_id.hex(), data

    def _trace(
        self,
        request: Request,
        now: float,
        scope: str,
        root: Mapping[str, object],
        documents: Mapping[str, object],
        call: Mapping[str, object],
    ) -> tuple[str, TracesData]:
        trace_id = self._random.randbytes(16)
        ids = [self._random.randbytes(8) for _ in range(3)]
        begin = now - request.retrieval - request.generation - 0.004
        middle = begin + 0.002 + request.retrieval
        failed = (
            Status(code=Status.STATUS_CODE_ERROR, message=f"{request.error}('the model did not answer')")
            if request.error
            else None
        )
        spans = [
            _span(trace_id, ids[1], ids[0], "retrieve", documents, (begin + 0.001, middle)),
            _span(trace_id, ids[2], ids[0], "chat", call, (middle + 0.001, now - 0.001), failed),
            _span(trace_id, ids[0], b"", "rag", root, (begin, now), failed),
        ]
        resource = ResourceSpans(scope_spans=[ScopeSpans(spans=spans)])
        resource.resource.attributes.append(_attribute("service.name", request.service))
        resource.scope_spans[0].scope.name = scope
        return trace_id.hex(), TracesData(resource_spans=[resource])


def to_otlp_json(data: TracesData) -> bytes:
    """OTLP/JSON as the Collector writes it: ids in hex, enums as numbers."""
    plain = MessageToDict(data, use_integers_for_enums=True)
    for resource, plain_resource in zip(data.resource_spans, plain["resourceSpans"], strict=True):
        for scope, plain_scope in zip(resource.scope_spans, plain_resource["scopeSpans"], strict=True):
            for span, plain_span in zip(scope.spans, plain_scope["spans"], strict=True):
                plain_span |= {"traceId": span.trace_id.hex(), "spanId": span.span_id.hex()}
                if span.parent_span_id:
                    plain_span["parentSpanId"] = span.parent_span_id.hex()
    return orjson.dumps(plain)


def _context(request: Request) -> str:
    return _PROMPT + "\n\n".join(f"[{n}] {chunk.text}" for n, chunk in enumerate(request.chunks, 1))


def _span(
    trace_id: bytes,
    span_id: bytes,
    parent: bytes,
    name: str,
    attributes: Mapping[str, object],
    times: tuple[float, float],
    status: Status | None = None,
) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=name,
        start_time_unix_nano=int(times[0] * 1e9),
        end_time_unix_nano=int(times[1] * 1e9),
        attributes=[_attribute(key, value) for key, value in attributes.items()],
        status=status,
        flags=257,
    )


_VALUES: tuple[tuple[type, Callable[[Any], AnyValue]], ...] = (
    (int, lambda value: AnyValue(int_value=value)),
    (float, lambda value: AnyValue(double_value=value)),
    (str, lambda value: AnyValue(string_value=value)),
)


def _attribute(key: str, value: object) -> KeyValue:
    make = next(make for kind, make in _VALUES if isinstance(value, kind))
    return KeyValue(key=key, value=make(value))

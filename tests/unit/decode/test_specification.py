"""What the wire specification says and no recording shows: older and newer spellings, token buckets, streaming, errors, stores."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.record.request import RagTrace, Tokens, TraceKind
from tests.unit.decode.spans import START, TRACE, dumps, logs, message, one, pairs, span

DOCUMENTS: list[dict[str, Any]] = [
    {"page_content": "Two years.", "id": "d1", "metadata": {}},
    {"page_content": "Batteries.", "id": "d2"},
]
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages": dumps(
    [{"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "Two."}]}])}  # fmt: skip
RETRIEVAL = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "How long?",
             "gen_ai.retrieval.documents": dumps([{"id": "d1", "content": "Two years.", "score": None}])}  # fmt: skip


def model_call(attributes: dict[str, Any], **more: Any) -> RagTrace:
    """The request of a trace that is one model call."""
    return one(message(span("call", attributes, number=1, **more)))


@pytest.mark.parametrize(
    ("attributes", "tokens"),
    [
        (
            {"gen_ai.usage.prompt_tokens": "30", "gen_ai.usage.completion_tokens": "7", "gen_ai.usage.cache_read_input_tokens": 10},
            Tokens(30, 7, 10),
        ),
        (
            {"gen_ai.usage.input_tokens": 50, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.cache_read.input_tokens": 40,
             "gen_ai.usage.cache_creation.input_tokens": 5, "gen_ai.usage.reasoning.output_tokens": 3},
            Tokens(50, 5, 40, 5, 3),
        ),
        # Parts that exceed their total were counted apart from it, be it only together.
        (
            {"gen_ai.usage.input_tokens": 50, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.cache_read_input_tokens": 40,
             "gen_ai.usage.cache_creation_input_tokens": 900, "gen_ai.usage.reasoning_tokens": 20},
            Tokens(990, 25, 40, 900, 20),
        ),
        ({"gen_ai.usage.input_tokens": 10, "gen_ai.usage.details.cache_read_tokens": 4, "gen_ai.usage.output_tokens": -1}, Tokens(10, None, 4)),
        ({"gen_ai.usage.output_tokens": 5}, Tokens(None, 5)),
        ({"openinference.span.kind": "llm", "llm.token_count.prompt": 9, "llm.token_count.completion": 4,
          "llm.token_count.prompt_details.audio": 2, "llm.token_count.completion_details.audio": 1}, Tokens(9, 4)),
        ({"langfuse.observation.type": "generation", "langfuse.observation.usage_details": dumps(
            {"input": 10, "input_cached_tokens": 20, "input_audio_tokens": 5, "output": 3, "output_reasoning_tokens": 4, "total": 42})},
         Tokens(35, 7, 20, None, 4)),
        ({"langfuse.observation.type": "generation", "langfuse.observation.usage_details": dumps(
            {"input": 10, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5, "output": 3})}, Tokens(35, 3, 20, 5)),
        ({"langfuse.observation.type": "generation", "langfuse.observation.usage_details": dumps(
            {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "prompt_tokens_details": {"cached_tokens": 10},
             "completion_tokens_details": {"reasoning_tokens": 2}})}, Tokens(30, 5, 10, None, 2)),
        ({"langsmith.span.kind": "llm", "langsmith.metadata.usage_metadata": dumps(
            {"input_tokens": 30, "output_tokens": 9, "input_token_details": {"cache_read": 10}, "output_token_details": {"reasoning": 3}})},
         Tokens(30, 9, 10, None, 3)),
        ({"mlflow.spanType": '"CHAT_MODEL"', "mlflow.chat.tokenUsage": dumps(
            {"input_tokens": 5, "output_tokens": 9, "total_tokens": 114, "cache_read_input_tokens": 100})}, Tokens(105, 9, 100)),
        ({"ai.operationId": "ai.generateText.doGenerate", "ai.usage.inputTokens": 8, "ai.usage.outputTokens": 2,
          "ai.usage.inputTokenDetails.cacheReadTokens": 3, "ai.usage.inputTokenDetails.cacheWriteTokens": 1}, Tokens(8, 2, 3, 1)),
        ({"haystack.component.type": "OpenAIGenerator", "haystack.component.output": dumps(
            {"replies": ["Two."], "meta": [{"model": "m", "usage": {"prompt_tokens": 6, "completion_tokens": 2}}]})}, Tokens(6, 2)),
        ({"ai.observability.span_type": "generation", "ai.observability.cost.num_prompt_tokens": 6}, Tokens(6, None)),
        ({"confident.span.type": "llm", "confident.llm.input_token_count": 6, "confident.llm.output_token_count": 2.0}, Tokens(6, 2)),
    ],
)  # fmt: skip
def test_tokens_are_inclusive_totals_whatever_the_library_counts(attributes: dict[str, Any], tokens: Tokens) -> None:
    base = (
        {}
        if any("kind" in key or "ype" in key or "operationId" in key for key in attributes)
        else {"gen_ai.operation.name": "chat"}
    )
    assert model_call({**base, **attributes}).tokens == tokens


@pytest.mark.parametrize(
    ("attributes", "events", "seconds", "source"),
    [
        ({"gen_ai.response.time_to_first_chunk": 0.25}, [], 0.25, "gen_ai.response.time_to_first_chunk"),
        ({}, [("gen_ai.content.completion.chunk", 0.3, {}), ("gen_ai.content.completion.chunk", 0.4, {})], 0.3, "event"),
        ({}, [("llm.content.completion.chunk", 0.3, {})], 0.3, "event"),
        ({"gen_ai.server.time_to_first_token": 0.2, "gen_ai.request.stream": True}, [], 0.2, "gen_ai.server.time_to_first_token"),
        ({"gen_ai.server.time_to_first_token": 0.2}, [], None, None),
        ({"ai.operationId": "ai.streamText.doStream", "ai.response.msToFirstChunk": 120.5}, [], 0.1205, "ai.response.msToFirstChunk"),
        ({"ai.operationId": "ai.streamText.doStream"}, [("ai.stream.firstChunk", 0.1, {})], 0.1, "event"),
        ({"openinference.span.kind": "LLM"}, [("First Token Stream Event", 0.5, {})], 0.5, "event"),
        ({"mlflow.spanType": '"LLM"'}, [("new_token", 0.1, {"token": ""}), ("new_token", 0.2, {"token": " Two"})], 0.2, "event"),
        ({"langfuse.observation.type": "generation", "langfuse.observation.completion_start_time": '"2025-10-09T08:53:20.500Z"'}, [], 0.5,
         "langfuse.observation.completion_start_time"),
        ({"ai.observability.span_type": "generation", "ai.observability.generation.time_to_first_token_ms": 90}, [], 0.09,
         "ai.observability.generation.time_to_first_token_ms"),
        ({"gen_ai.response.time_to_first_chunk": -1.0}, [], None, None),
    ],
)  # fmt: skip
def test_the_time_to_first_token_names_its_source(
    attributes: dict[str, Any],
    events: list[tuple[str, float, dict[str, Any]]],
    seconds: float | None,
    source: str | None,
) -> None:
    request = model_call({"gen_ai.operation.name": "chat", **attributes}, events=events)
    assert request.durations.time_to_first_token == (None if seconds is None else pytest.approx(seconds, abs=1e-4))
    assert request.durations.time_to_first_token_source == source


def test_a_first_token_after_the_end_makes_the_duration_unknown() -> None:
    request = model_call({"openinference.span.kind": "LLM"}, lasts=0.1, events=[("First Token Stream Event", 0.5, {})])
    assert request.durations.generation is None


@pytest.mark.parametrize(
    ("more", "attributes", "found"),
    [
        ({"status": {"code": 2, "message": "boom"}}, {}, "other"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, {"error.type": "429"}, "rate_limit"),
        ({"status": {"code": 1}}, {}, None),
        ({"status": {}}, {}, None),
        ({}, {"error.type": "openai.RateLimitError"}, "rate_limit"),
        ({}, {"error.type": "APIConnectionError"}, "connection"),
        ({}, {"error.type": "ThrottlingException"}, "rate_limit"),
        ({}, {"error.type": "RESOURCE_EXHAUSTED"}, "rate_limit"),
        ({}, {"error.type": "httpx.ReadTimeout"}, "timeout"),
        ({}, {"error.type": "AbortError"}, "cancelled"),
        ({}, {"error.type": "ECONNREFUSED"}, "connection"),
        ({}, {"error.type": "SomethingNew"}, "other"),
        ({"status": {"code": 2, "message": "Error code: 503 - overloaded"}}, {}, "server_error"),
        ({"status": {"code": 2, "message": "BadRequestError(\"maximum context length is 8192 tokens\")"}}, {}, "context_length"),
        ({"status": {"code": 2, "message": "filtered due to Azure OpenAI's content management policy"}},
         {"error.type": "BadRequestError"}, "content_filter"),
        ({"status": {"code": 2}, "events": [{"name": "exception", "attributes": pairs(
            {"exception.type": "Exception", "exception.message": "RateLimitError: slow down"})}]}, {}, "rate_limit"),
        ({}, {"langfuse.observation.type": "generation", "langfuse.observation.level": "ERROR",
              "langfuse.observation.status_message": "Error code: 401"}, "auth"),
    ],
)  # fmt: skip
def test_errors_are_one_of_a_closed_set(more: dict[str, Any], attributes: dict[str, Any], found: str | None) -> None:
    one_span = {**span("call", {"gen_ai.operation.name": "chat", **attributes}, number=1), **more}
    assert one(message(one_span)).error_class == found


def test_the_deepest_failure_names_the_class() -> None:
    request = one(message(
        span("pipeline", {"haystack.pipeline.input_data": "{}", "error.type": "PipelineRuntimeError"}, number=1),
        span("retrieve", RETRIEVAL, number=2, parent=1),
        span("chat", {**CHAT, "error.type": "RateLimitError"}, number=3, parent=1, at=1),
    ))  # fmt: skip
    assert request.error_class == "rate_limit"


def test_a_retry_that_worked_is_no_failure() -> None:
    request = one(message(
        span("chain", {"openinference.span.kind": "CHAIN", "input.value": "How long?"}, number=1, lasts=5),
        span("retrieve", RETRIEVAL, number=2, parent=1),
        span("chat", {"gen_ai.operation.name": "chat", "error.type": "RateLimitError"}, number=3, parent=1, at=1),
        span("chat", CHAT, number=4, parent=1, at=2),
    ))  # fmt: skip
    assert (request.error_class, request.answer) == (None, "Two.")


STORES: list[tuple[str, dict[str, Any], list[tuple[str, float, dict[str, Any]]], list[str]]] = [
    ("chroma.query", {"db.system": "chroma", "db.operation": "query"},
     [("db.query.result", 0.5, {"db.query.result.id": "d1", "db.query.result.distance": 0.35, "db.query.result.document": "Two years."})], ["Two years."]),
    ("pinecone.query", {"db.system": "Pinecone"},
     [("db.query.result", 0.5, {"db.query.result.id": "d1", "db.query.result.score": 0.9, "db.query.result.metadata": '{"text": "Two years."}'})], ["Two years."]),
    ("qdrant.search", {"db.system": "Qdrant"}, [], []),
    ("milvus.search", {"db.system": "milvus", "db.operation": "search"},
     [("db.search.result", 0.5, {"db.search.result.id": 7, "db.search.result.distance": 0.1})], []),
    ("query lamp", {"db.system.name": "weaviate", "db.operation.name": "hybrid_search"}, [], []),
    ("vector_store query", {"db.system": "redis", "db.operation.name": "query", "spring.ai.kind": "vector_store", "db.vector.query.content": "How long?",
                            "db.vector.query.response.documents": ["Two years.", "Batteries."]}, [], ["Two years.", "Batteries."]),
    ("similarity", {"db.system": "pg_vector", "db.operation.name": "query", "db.vector.query.top_k": 3,
                    "db.vector.query.response.documents": dumps(DOCUMENTS)}, [], ["Two years.", "Batteries."]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "attributes", "events", "texts"), STORES, ids=[one[0] for one in STORES])
def test_a_read_of_a_vector_store_is_a_retrieval(
    name: str, attributes: dict[str, Any], events: list[tuple[str, float, dict[str, Any]]], texts: list[str]
) -> None:
    request = one(message(span(name, attributes, number=1, events=events), span("chat", CHAT, number=2, at=2)))
    assert request.kind is TraceKind.RAG
    assert request.durations.retrieval == pytest.approx(1.0)
    assert [d.text for d in request.documents if d.text] == texts


@pytest.mark.parametrize("operation", ["upsert", "delete", "insert"])
def test_a_write_to_a_vector_store_is_none(operation: str) -> None:
    attributes = {"db.system": "chroma", "db.operation": operation}
    request = one(message(span("store", attributes, number=1), span("chat", CHAT, number=2, at=2)))
    assert request.kind is TraceKind.LLM_ONLY


def test_fewer_hits_than_the_enclosing_task_gave_are_those_of_the_task() -> None:
    hit = ("db.query.result", 0.5, {"db.query.result.id": "d1", "db.query.result.document": "Two years."})
    request = one(message(
        span("ask.workflow", {"traceloop.span.kind": "workflow", "traceloop.entity.input": dumps({"args": ["How long?"], "kwargs": {}})}, number=1, lasts=9),
        span("search.task", {"traceloop.span.kind": "task", "traceloop.entity.output": dumps(DOCUMENTS)}, number=2, parent=1),
        span("chroma.query", {"db.system": "chroma", "db.operation": "query"}, number=3, parent=2, events=[hit]),
        span("chat", {"llm.request.type": "chat", "gen_ai.system": "OpenAI", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Two years. Batteries. Question: How long?",
                      "gen_ai.completion.0.content": "Two."}, number=4, parent=1, at=2),
    ))  # fmt: skip
    assert [d.id for d in request.documents] == ["d1", "d2"]
    assert (request.question, request.answer, request.provider) == ("How long?", "Two.", "openai")


@pytest.mark.parametrize(
    ("root", "retriever", "model"),
    [
        ({"ai.observability.span_type": "record_root", "ai.observability.record_root.input": "How long?", "ai.observability.record_root.output": "Two."},
         {"ai.observability.span_type": "retrieval", "ai.observability.retrieval.query_text": "How long?",
          "ai.observability.retrieval.retrieved_contexts": ["Two years.", "Batteries."]},
         {"ai.observability.span_type": "generation"}),
        ({"confident.span.type": "agent", "confident.span.input": "How long?", "confident.span.output": "Two."},
         {"confident.span.type": "retriever", "confident.span.input": "How long?", "confident.span.retrieval_context": ["Two years.", "Batteries."]},
         {"confident.span.type": "llm", "confident.span.output": "Two.", "confident.llm.model": "m"}),
        ({"openinference.span.kind": "CHAIN", "input.value": "How long?", "output.value": "Two."},
         {"openinference.span.kind": "unknown", "lmnr.span.type": "TOOL", "lmnr.span.output": dumps(DOCUMENTS)},
         {"lmnr.span.type": "LLM", "gen_ai.completion.0.content": "Two."}),
        ({"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": dumps("How long?"), "mlflow.spanOutputs": dumps("Two.")},
         {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": dumps(DOCUMENTS)},
         {"mlflow.spanType": '"LLM"', "mlflow.spanOutputs": dumps({"choices": [{"message": {"role": "assistant", "content": "Two."}}]})}),
        ({"langsmith.span.kind": "chain", "gen_ai.prompt": dumps({"input": "How long?"}), "gen_ai.completion": dumps({"output": "Two."})},
         {"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings", "gen_ai.completion": dumps({"documents": DOCUMENTS})},
         {"langsmith.span.kind": "llm", "gen_ai.completion": dumps({"choices": [{"message": {"role": "assistant", "content": "Two."}}]})}),
        ({"haystack.pipeline.input_data": dumps({"retriever": {"query": "How long?"}})},
         {"haystack.component.type": "InMemoryBM25Retriever", "haystack.component.output": dumps({"documents": [
             {"id": "d1", "content": "Two years.", "score": 7.8}, {"id": "d2", "content": "Batteries.", "score": 1.1}]})},
         {"haystack.component.type": "OpenAIChatGenerator", "haystack.component.output": dumps(
             {"replies": [{"_role": "assistant", "_content": [{"text": "Two."}], "_meta": {"model": "m"}}]})}),
        ({"traceloop.span.kind": "workflow", "traceloop.entity.input": dumps({"inputs": {"query_str": "How long?"}})},
         {"traceloop.span.kind": "task", "traceloop.entity.output": dumps([dumps({"node": {"id_": d["id"], "text": d["page_content"]}, "score": 0.5})
                                                                         for d in DOCUMENTS])},
         {"llm.request.type": "completion", "gen_ai.completion.0.content": "Two."}),
        ({"gen_ai.operation.name": "framework", "spring.ai.chat.client.conversation.id": "s1", "gen_ai.system": "spring_ai"},
         {"db.system": "pgvector", "db.operation.name": "query", "db.vector.query.content": "How long?",
          "db.vector.query.response.documents": ["Two years.", "Batteries."]},
         {"gen_ai.operation.name": "chat", "gen_ai.prompt": ["Be kind.", "How long?"], "gen_ai.completion": ["Two."]}),
        ({"ai.operationId": "ai.generateText", "ai.prompt": "x", "ai.response.text": "Two."},
         {"ai.operationId": "ai.toolCall", "ai.toolCall.args": dumps({"query": "How long?"}), "ai.toolCall.result": dumps(DOCUMENTS)},
         {"ai.operationId": "ai.generateText.doGenerate", "ai.response.text": "Two.",
          "ai.prompt.messages": dumps([{"role": "user", "content": [{"type": "text", "text": "How long?"}]}])}),
    ],
    ids=["trulens", "deepeval", "laminar", "mlflow", "langsmith", "haystack", "llamaindex of openllmetry", "spring ai", "vercel tool"],
)  # fmt: skip
def test_a_request_is_understood(root: dict[str, Any], retriever: dict[str, Any], model: dict[str, Any]) -> None:
    request = one(message(
        span("root", root, number=1, lasts=5), span("VectorRetriever.task", retriever, number=2, parent=1), span("model", model, number=3, parent=1, at=2)
    ))  # fmt: skip
    assert (request.question, request.answer) == ("How long?", "Two.")
    assert [d.text for d in request.documents] == ["Two years.", "Batteries."]


@pytest.mark.parametrize("kind", ["request", "REQUEST", "none"])
@pytest.mark.parametrize("key", ["openinference.span.kind", "langfuse.observation.type"])
def test_no_sender_can_claim_a_kind_that_is_ours(key: str, kind: str) -> None:
    assert one(message(span("x", {key: kind}, number=1), span("chat", CHAT, number=2))).answer == "Two."


def test_a_rerank_call_of_openllmetry_is_no_model_call() -> None:
    attributes = {
        "llm.request.type": "rerank",
        "gen_ai.prompt.0.content": "Two years. Batteries. Question: How long?",
        "gen_ai.completion.0.content": "doc 1, Score: 0.9",
    }
    request = one(
        message(
            span("retrieve", RETRIEVAL, number=1),
            span("cohere.rerank", attributes, number=2, at=1),
            span("chat", CHAT, number=3, at=3),
        )
    )
    assert (request.answer, len(request.model_calls)) == ("Two.", 1)


def test_a_rewrite_before_the_retrieval_is_not_the_answer() -> None:
    rewrite = {"ai.operationId": "ai.generateText", "ai.response.text": "warranty duration lamp"}
    request = one(message(
        span("rewrite", rewrite, number=1), span("retrieve", RETRIEVAL, number=2, at=2), span("chat", CHAT, number=3, at=4)
    ))  # fmt: skip
    assert request.answer == "Two."


def test_texts_at_a_length_limit_are_left_out_and_what_is_whole_is_saved() -> None:
    documents = [{"id": "d1", "content": "Two years."}, {"id": "d2", "content": "x" * 400}]
    messages = [
        {"role": "system", "parts": [{"type": "text", "content": "Be kind."}]},
        {"role": "user", "parts": [{"type": "text", "content": "y" * 400}]},
    ]
    request = one(message(
        span("retrieve", {**RETRIEVAL, "gen_ai.retrieval.documents": dumps(documents)[:256]}, number=1),
        span("chat", {**CHAT, "gen_ai.input.messages": dumps(messages)[:256], "gen_ai.prompt.variable.context": "z" * 256}, number=2, at=2),
    ))  # fmt: skip
    assert [d.text for d in request.documents if d.text] == ["Two years."]
    assert (request.question, request.answer) == ("How long?", "Two.")
    assert "cut_value" in request.partial


def test_texts_of_one_length_are_not_taken_for_cut_ones() -> None:
    attributes = {
        "openinference.span.kind": "RETRIEVER",
        **{f"retrieval.documents.{n}.document.content": str(n) * 256 for n in range(3)},
    }
    request = one(message(span("retrieve", attributes, number=1), span("chat", CHAT, number=2, at=2)))
    assert len(request.documents) == 3
    assert "cut_value" not in request.partial


def test_ranks_with_gaps_are_kept_and_marked() -> None:
    attributes = {
        "openinference.span.kind": "RETRIEVER",
        "retrieval.documents.2.document.content": "x",
        "retrieval.documents.4.document.content": "y",
    }
    request = one(message(span("retrieve", attributes, number=1)))
    assert [d.rank for d in request.documents] == [3, 5]
    assert "documents_missing" in request.partial


@pytest.mark.parametrize("logs_first", [True, False])
def test_an_operation_details_event_fills_its_span(logs_first: bool) -> None:
    bare = message(span("chat m", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, number=1))
    details = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.response.id": "r1", "gen_ai.usage.input_tokens": 9,
               "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "How long?"}]}],
               "gen_ai.output.messages": [{"role": "assistant", "parts": [7, {"type": "text", "content": "Two."}]}]}  # fmt: skip
    log = logs({"traceId": TRACE, "spanId": f"{1:016x}", "timeUnixNano": str(START), "eventName": "gen_ai.client.inference.operation.details",
                "attributes": pairs(details)})  # fmt: skip
    request = one(*((log, bare) if logs_first else (bare, log)))
    assert (request.question, request.answer, request.provider, request.response_id, request.tokens.input) == (
        "How long?",
        "Two.",
        "openai",
        "r1",
        9,
    )


def test_old_content_events_on_the_span_are_read() -> None:
    events = [("gen_ai.content.prompt", 0.1, {"gen_ai.prompt": dumps([{"role": "user", "content": "How long?"}])}),
              ("gen_ai.content.completion", 0.9, {"gen_ai.completion": dumps([{"role": "assistant", "content": "Two."}])})]  # fmt: skip
    request = model_call({"gen_ai.operation.name": "chat.completions"}, events=events)
    assert (request.question, request.answer) == ("How long?", "Two.")


def test_feedback_of_humans_is_taken_and_that_of_models_is_not() -> None:
    def annotated(kind: str) -> RagTrace:
        slot = {
            "annotations.0.annotation.name": "thumb",
            "annotations.0.annotation.score": 0.0,
            "annotations.0.annotation.annotator_kind": kind,
        }
        return model_call({**CHAT, **slot})

    assert (annotated("HUMAN").feedback, annotated("LLM").feedback) == (0.0, None)
    event = (
        "gen_ai.evaluation.result",
        0.5,
        {"gen_ai.evaluation.name": "user_feedback", "gen_ai.evaluation.score.value": 1.0},
    )
    assert model_call(CHAT, events=[event]).feedback == 1.0


def test_a_variant_may_come_of_a_feature_flag_or_a_tag() -> None:
    flag = ("feature_flag.evaluation", 0.1, {"feature_flag.key": "prompt", "feature_flag.result.variant": "B"})
    assert model_call(CHAT, events=[flag]).variant == "B"
    assert model_call({**CHAT, "tag.tags": ["x", "experiment:C"]}).variant == "C"
    assert model_call({**CHAT, "variant": "A", "tag.tags": ["experiment:C"]}).variant == "A"


def test_what_hides_its_content_is_marked() -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "__REDACTED__",
    }
    request = model_call(attributes)
    assert (request.question, request.partial) == (None, ("content_redacted",))


def test_a_question_that_is_empty_json_is_none() -> None:
    asked = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.input.messages": dumps(
        [{"role": "user", "parts": [{"type": "text", "content": '{"input": ""}'}]}])}  # fmt: skip
    request = one(
        message(
            span("workflow", asked, number=1, lasts=5),
            span("r", RETRIEVAL, number=2, parent=1),
            span("c", CHAT, number=3, parent=1, at=2),
        )
    )
    assert request.question == "How long?"

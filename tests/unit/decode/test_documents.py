"""Lists of documents in the shapes in which retrievers, vector stores and tools give them."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.values.documents import documents_in
from sidecar.record.request import Document, TraceKind
from tests.unit.decode.spans import dumps, message, one, span

KIND = "openinference.span.kind"
TEXTS = ["The warranty is two years.", "Shipping takes five days."]
PLAIN = {"id": "a", "content": TEXTS[0], "score": 0.9}


def texts(found: tuple[Document, ...]) -> list[str | None]:
    return [document.text for document in found]


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "b", "content": TEXTS[1], "score": 0.5, "type": "text"},
        {"id": "b", "content": TEXTS[1], "score": 0.5, "role": "admin"},
        {"id": "b", "content": TEXTS[1], "type": "text"},
        {"page_content": TEXTS[1], "metadata": {"type": "ai"}, "type": "Document"},
    ],
    ids=["type text", "role admin", "type text without a score", "LangChain"],
)
@pytest.mark.parametrize("retrieved", [True, False])
def test_a_document_may_have_a_type_or_a_role(odd: dict[str, Any], retrieved: bool) -> None:
    assert texts(documents_in(dumps([PLAIN, odd]), retrieved=retrieved)) == TEXTS


@pytest.mark.parametrize(
    "nothing",
    [None, "", {}, {"content": ""}, {"page_content": " ", "metadata": {"source": "a.md"}}, {"text": "", "score": 0.1}],
    ids=repr,
)
@pytest.mark.parametrize("retrieved", [True, False])
def test_an_item_that_holds_nothing_costs_no_other(nothing: Any, retrieved: bool) -> None:
    found = documents_in(dumps({"documents": [nothing, PLAIN]}), retrieved=retrieved)
    assert [(document.rank, document.id) for document in found] == [(2, "a")]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "How long?"}, {"role": "assistant", "content": "Two years.", "id": "m1"}],
        [{"type": "human", "content": "How long?", "id": "1"}, {"type": "ai", "content": "Two years.", "id": "2"}],
        {"content": [{"type": "text", "text": "Two years."}, {"type": "tool_use", "id": "t1", "name": "search", "input": {}}]},
        [{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "How long?", "type": "human"}}],
        [{"id": "a", "content": "Two years."}, {"price": 5}],
        ["Two years.", "Five days."],
        [["Munich", 20], ["Berlin", 10]],
    ],
    ids=["messages", "LangChain's messages", "parts of a message", "constructors of messages", "another thing among them", "texts", "pairs of something"],
)  # fmt: skip
def test_what_is_no_list_of_documents_is_none_where_a_value_may_be_anything(value: Any) -> None:
    assert documents_in(dumps(value)) == ()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (TEXTS, TEXTS),
        ({"result": TEXTS}, TEXTS),
        ([dumps({"id": "a", "text": TEXTS[0]}), TEXTS[1]], TEXTS),
        ({"ids": [["a", "b"]], "documents": [TEXTS]}, TEXTS),
        (['{"price": 5}', TEXTS[1]], ['{"price": 5}', TEXTS[1]]),
        ([{"content": [{"type": "text", "text": TEXTS[0]}]}, {"document_id": "b", "chunk": {"text": TEXTS[1]}}], TEXTS),
        (["terms.md#3", "terms.md#4"], [None, None]),
    ],
    ids=["texts", "in an object", "one of them JSON", "a list for each query", "JSON that is a text", "parts and objects", "ids"],
)  # fmt: skip
def test_what_a_retriever_gives_may_be_texts(value: Any, found: list[str | None]) -> None:
    assert texts(documents_in(dumps(value), retrieved=True)) == found


@pytest.mark.parametrize(
    ("numbers", "scores", "distances"),
    [
        ((0.9, 0.4), [0.9, 0.4], [None, None]),
        ((0.1, 0.4), [None, None], [0.1, 0.4]),
        ((0.4, 0.4), [None, None], [None, None]),
    ],
    ids=["scores fall", "distances rise", "nobody knows"],
)
def test_a_document_may_stand_beside_its_score(
    numbers: tuple[float, float], scores: list[float | None], distances: list[float | None]
) -> None:
    pairs = [[{"page_content": text, "metadata": {}}, number] for text, number in zip(TEXTS, numbers, strict=True)]
    found = documents_in(dumps(pairs), retrieved=True)
    assert texts(found) == TEXTS
    assert [document.score for document in found] == scores
    assert [document.distance for document in found] == distances


def test_a_text_that_was_hidden_leaves_a_document_with_its_score() -> None:
    hidden = {"content": "__REDACTED__", "score": 0.9}
    assert documents_in(dumps([hidden]), retrieved=True) == (Document(1, None, None, 0.9),)


def test_an_empty_one_among_flattened_documents_leaves_the_others_their_ids() -> None:
    flattened = {f"retrieval.documents.{n}.document.content": text for n, text in enumerate(["", *TEXTS])}
    scores = {f"retrieval.documents.{n}.document.score": 0.5 for n in range(3)}
    output = dumps([{"id": own, "content": text} for own, text in zip((None, "a", "b"), ["", *TEXTS], strict=True)])
    request = one(message(
        span("search", {KIND: "RETRIEVER", **flattened, **scores, "output.value": output}, number=1),
        span("llm", {KIND: "LLM"}, number=2, at=2),
    ))  # fmt: skip
    assert [(document.rank, document.id, document.text) for document in request.documents] == [
        (2, "a", TEXTS[0]),
        (3, "b", TEXTS[1]),
    ]


@pytest.mark.parametrize(
    "hit",
    [
        {"id": "v1", "score": 0.9, "metadata": {"text": TEXTS[0]}},
        {"id": "v1", "score": 0.9, "payload": {"page_content": TEXTS[0]}},
        {"_id": "v1", "_score": 0.9, "_source": {"text": TEXTS[0]}},
        {"_id": "v1", "_score": 0.9, "fields": {"body": [TEXTS[0]]}},
        {"id": "v1", "score": 0.9, "metadata": dumps({"text": TEXTS[0]})},
    ],
    ids=["Pinecone", "Qdrant", "Elasticsearch", "its fields", "JSON in a text"],
)
def test_a_hit_has_its_text_where_the_store_keeps_it(hit: dict[str, Any]) -> None:
    assert documents_in({"hits": {"hits": [hit]}}) == (Document(1, TEXTS[0], "v1", 0.9),)


@pytest.mark.parametrize(
    "retriever",
    [
        {"langfuse.observation.type": "retriever", "langfuse.observation.output": dumps(TEXTS)},
        {KIND: "RETRIEVER", "output.value": dumps(TEXTS)},
        {KIND: "RERANKER", "output.value": dumps([{"content": TEXTS[0], "role": "x"}, None, {"content": TEXTS[1]}])},
        {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": dumps(TEXTS)},
        {"langsmith.span.kind": "retriever", "gen_ai.completion": dumps({"output": TEXTS})},
        {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": dumps([*TEXTS, None])},
        {"traceloop.span.kind": "task", "traceloop.entity.output": dumps(TEXTS)},
        {"haystack.component.type": "MyRetriever", "haystack.component.output": dumps({"documents": TEXTS})},
    ],
    ids=["langfuse", "openinference", "openinference reranker", "mlflow", "langsmith", "otel", "openllmetry", "haystack"],
)  # fmt: skip
def test_retrievers_of_all_conventions_may_give_texts(retriever: dict[str, Any]) -> None:
    request = one(message(
        span("chain", {KIND: "CHAIN", "input.value": "How long?", "output.value": "Two years."}, number=1, lasts=5),
        span("Retriever.task", retriever, number=2, parent=1),
        span("llm", {KIND: "LLM"}, number=3, parent=1, at=2),
    ))  # fmt: skip
    assert texts(request.documents) == TEXTS
    assert request.missing[-1].field == "tokens"


def test_objects_with_ids_that_a_tool_gives_are_no_documents() -> None:
    request = one(message(
        span("agent", {KIND: "AGENT", "input.value": "How warm?", "output.value": "20 degrees."}, number=1, lasts=5),
        span("weather", {KIND: "TOOL", "output.value": dumps({"data": [{"id": "muc", "temp": 20}]})}, number=2, parent=1),
        span("llm", {KIND: "LLM"}, number=3, parent=1, at=2),
    ))  # fmt: skip
    assert (request.kind, request.documents) == (TraceKind.LLM_ONLY, ())


@pytest.mark.parametrize(
    "attributes", [{}, {"llm.output_messages.0.message.role": "assistant"}], ids=["none", "a call of a tool"]
)
def test_a_model_span_with_an_output_alone_has_an_answer_where_it_has_no_messages(attributes: dict[str, Any]) -> None:
    values = {KIND: "LLM", "input.value": "How long?", "output.value": "Two years.", **attributes}
    request = one(message(span("generate", values, number=1)))
    assert (request.question, request.answer) == ("How long?", None if attributes else "Two years.")


@pytest.mark.parametrize(
    "messages", [[["user", "How long?"]], [["system", "Be nice."], ["human", "How long?"], ["ai", "Two years."]]]
)
def test_a_message_may_be_a_role_and_a_text(messages: list[list[str]]) -> None:
    request = one(message(
        span("LangGraph", {KIND: "CHAIN", "input.value": dumps({"messages": messages})}, number=1, lasts=5),
        span("search", {KIND: "RETRIEVER", "input.value": "warranty duration"}, number=2, parent=1),
        span("llm", {KIND: "LLM", "output.value": "Two years."}, number=3, parent=1, at=2),
    ))  # fmt: skip
    assert request.question == "How long?"

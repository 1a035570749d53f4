"""Vector-store spans (`db.*`), as OpenLLMetry, OpenLIT and Spring AI write them: hits in events or one attribute."""

from __future__ import annotations

from sidecar.decode.values.documents import document, documents_in, settle_ids
from sidecar.decode.values.scalars import first_text, text_of
from sidecar.record.request import Document
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "vector_db"
_STORES = frozenset(
    {
        "chroma",
        "pinecone",
        "qdrant",
        "weaviate",
        "milvus",
        "lancedb",
        "pgvector",
        "redis_vector",
        "marqo",
        "astra",
        "vespa",
        "opensearch",
        "elasticsearch",
    }
)
_READS = ("query", "search", "similarity_search", "get_nearest", "hybrid_search", "query_points", "recommend")
_HITS = ("db.query.result", "db.search.result")


def kind(span: RawSpan) -> SpanKind | None:
    """A read of a vector store is a retrieval."""
    attributes = span.attributes
    system = attributes.get("db.system.name") or attributes.get("db.system")
    # OpenLLMetry names no operation on Pinecone, Qdrant and others: the span is called by the client's method.
    named = attributes.get("db.operation.name") or attributes.get("db.operation")
    operation = str(named or span.name.rpartition(".")[2]).lower()
    vectors = (
        any(key.startswith("db.vector.") for key in attributes) or attributes.get("spring.ai.kind") == "vector_store"
    )
    if (str(system).lower() in _STORES or vectors) and any(operation.endswith(word) for word in _READS):
        return SpanKind.RETRIEVER
    return None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """The query and the hits."""
    kept: list[Document] = []
    for event in span.events:
        if event.name in _HITS:
            hit = {key.removeprefix(event.name + "."): value for key, value in event.attributes.items()}
            if isinstance(hit.get("document"), str):
                hit["text"] = hit.pop("document")
            one = document(hit, len(kept) + 1)
            if one is not None:
                kept.append(one)
    return Said(
        query=text_of(first_text(span.attributes, "db.vector.query.content", "ai.observability.retrieval.query_text")),
        documents=documents_in(span.attributes.get("db.vector.query.response.documents"), retrieved=True)
        or settle_ids(kept),
    )

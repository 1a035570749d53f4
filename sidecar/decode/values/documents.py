"""Retrieved documents in any of the known shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exporters.text import clean
from sidecar.decode.values.messages import ROLES, parts_text
from sidecar.decode.values.scalars import MOST_SLOTS, number, parsed, text_of
from sidecar.record.request import MADE_ID, Document

_TEXT_KEYS = ("page_content", "content", "text", "document", "pageContent", "chunk", "passage")
_ID_KEYS = ("id", "id_", "doc_id", "document_id", "chunk_id")
_SCORE_KEYS = ("score", "relevance_score", "similarity", "_score")
_LIST_KEYS = (
    "documents", "outputs", "output", "source_nodes", "nodes", "results", "matches", "hits", "points", "result", "retrieved_contexts", "contexts",
    "data", "kwargs", "content",
)  # fmt: skip
# Where vector stores keep the text of a hit (Pinecone, Qdrant, Elasticsearch, Milvus, Weaviate), and what it is called there.
_STORED = ("metadata", "payload", "_source", "fields", "entity", "properties")
_STORED_TEXT_KEYS = ("text", "page_content", "content", "chunk_text", "passage", "body")
_MESSAGES = frozenset({"human", "ai", "system", "tool", "AIMessage", "HumanMessage", "SystemMessage", "ToolMessage"})


def documents_in(value: Any, *, retrieved: bool = False) -> tuple[Document, ...]:
    """Documents in any of the known shapes, ranked by their order; () where there are none. `retrieved`: the value is what a retriever gave, and whatever
    can be read of its items is a document, plain texts too. Else the value may be anything, and a list holds documents where all of its items are, but for
    those that hold nothing."""
    return _documents(value, retrieved, 0)


def _documents(value: Any, retrieved: bool, depth: int) -> tuple[Document, ...]:
    value = parsed(value)
    if isinstance(value, dict) and depth < 4:
        return next(
            (found for key in _LIST_KEYS if key in value and (found := _documents(value[key], retrieved, depth + 1))),
            (),
        )
    if not isinstance(value, list):
        return ()
    items = unpaired([parsed(item) for item in value[:MOST_SLOTS]], texts=retrieved)
    if retrieved:
        return _of_retriever(items, value)
    if _is_conversation(items):
        return ()
    filled = [(rank, item) for rank, item in enumerate(items, 1) if not holds_nothing(item)]
    kept = [one for rank, item in filled if (one := document(item, rank)) is not None]
    return settle_ids(kept) if len(kept) == len(filled) else ()


def _of_retriever(items: Sequence[Any], raw: Sequence[Any]) -> tuple[Document, ...]:
    """Documents out of objects and texts; a text may be JSON, of a document or just so. Chroma gives a list for each query."""
    if items and all(isinstance(item, list) for item in items):
        raw = [one for item in items for one in item][:MOST_SLOTS]
        items = [parsed(one) for one in raw]
    texts = texts_as_documents(items)
    if texts:
        return texts
    found = []
    for rank, (item, text) in enumerate(zip(items, raw, strict=False), 1):
        one = document(item, rank)
        if (one is None or one.text is None) and (plain := text_of(text)):
            one = Document(rank, plain)
        if one is not None and not holds_nothing(item):
            found.append(one)
    return settle_ids(found)


def texts_as_documents(value: Any) -> tuple[Document, ...]:
    """Documents out of a list that holds texts alone; () else. Where each is one word they are ids."""
    value = parsed(value)
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value[:MOST_SLOTS]):
        return ()
    texts = [(rank, text) for rank, one in enumerate(value[:MOST_SLOTS], 1) if (text := text_of(one))]
    if all(text.isascii() and len(text.split()) == 1 and text[-1] not in ".!?" for _, text in texts):
        return settle_ids(Document(rank, None, own) for rank, text in texts if (own := identifier(text)))
    return settle_ids(Document(rank, text) for rank, text in texts)


def document(item: Any, rank: int) -> Document | None:
    """One document: a map with a text or an id, LangChain's constructor form, LlamaIndex' node form, a hit of a vector store."""
    outer = parsed(item)
    if not isinstance(outer, dict):
        return None
    item = _inner(outer)
    metadata = parsed(item.get("metadata")) if "metadata" in item else item.get("meta")
    metadata = metadata if isinstance(metadata, dict) else {}
    text = next((found for key in _TEXT_KEYS if (found := _text(item.get(key)))), None)
    if text is None and isinstance(item.get("text_resource"), dict):
        text = text_of(item["text_resource"].get("text"))
    if text is None:
        if not any(key in outer for key in ("score", "_score")) and not any(key in item for key in _ID_KEYS):
            return None
        text = _stored_text(item)
    own = next((found for key in (*_ID_KEYS, "_id") if (found := identifier(item.get(key)))), None)
    own = own or next((found for key in ("chunk_id", "id", "doc_id") if (found := identifier(metadata.get(key)))), None)
    score = _first_number((outer, item), _SCORE_KEYS)
    if score is None:
        score = _first_number((metadata,), ("relevance_score", "score"))
    distance = _first_number((outer, item), ("distance",))
    source = text_of(metadata.get("source")) or text_of(item.get("source"))
    return Document(rank, text, own, score, distance, source)


def holds_nothing(item: Any) -> bool:
    """Whether an item of a list is no document because it is empty: nothing at all, or an object without an id whose text is."""
    item = parsed(item)
    if not isinstance(item, dict) or not item:
        return not item
    inner = _inner(item)
    if not any(key in inner and _is_blank(inner[key]) for key in _TEXT_KEYS):
        return False
    one = document(item, 1)
    return one is None or not (one.text or one.id)


def _is_blank(value: Any) -> bool:
    return not value or (isinstance(value, str) and not value.strip())


def unpaired(items: Sequence[Any], *, texts: bool = True) -> list[Any]:
    """The items of a list; those of `[[document, number], ...]`, as searches with scores give them, as objects, empty ones between them as they are. The first
    is the best: where the numbers fall they are scores, where they rise distances, and else nobody knows, and they are left out. `texts`: whether a document
    may be a text alone."""
    kinds = (dict, str) if texts else (dict,)
    pairs = [item for item in items if isinstance(item, list) and len(item) == 2 and isinstance(item[0], kinds)]
    numbers = [item[1] for item in pairs if isinstance(item[1], int | float) and not isinstance(item[1], bool)]
    if not numbers or len(numbers) + sum(map(holds_nothing, items)) != len(items):
        return list(items)
    order = sorted(numbers)
    names = [name for name, wanted in (("score", order[::-1]), ("distance", order)) if numbers == wanted]
    return [
        {
            "document" if isinstance(item[0], dict) else "text": item[0],
            **({names[0]: item[1]} if len(names) == 1 else {}),
        }
        if isinstance(item, list) and item
        else item
        for item in items
    ]


def _inner(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an item wraps: a document beside its score, a node, a constructor's arguments."""
    for key in ("document", "node", "kwargs"):
        if isinstance(item.get(key), dict):
            item = item[key]
    return item


def _text(value: Any) -> str | None:
    """A text, the parts of one, or an object that holds it."""
    if isinstance(value, dict):
        return text_of(value.get("text"))
    return parts_text(value) if isinstance(value, list) else text_of(value)


def _stored_text(item: Mapping[str, Any]) -> str | None:
    for place in _STORED:
        stored = parsed(item.get(place))
        if isinstance(stored, dict) and (
            text := next((found for key in _STORED_TEXT_KEYS if (found := _text(stored.get(key)))), None)
        ):
            return text
    return None


def _is_conversation(items: Sequence[Any]) -> bool:
    """Whether a list holds messages, or parts of one, and not documents with a `role` or a `type` of their own."""
    objects = [item for item in items if isinstance(item, dict)]
    if any("score" in item or "page_content" in _inner(item) for item in objects):
        return False
    return any(_is_message(_inner(item)) for item in objects)


def _is_message(item: Mapping[str, Any]) -> bool:
    role, kind = item.get("role"), item.get("type")
    if (isinstance(role, str) and role.lower() in ROLES) or (isinstance(kind, str) and kind in _MESSAGES):
        return True
    return ("role" in item or kind == "text") and not any(key in item for key in _ID_KEYS)


def _first_number(parts: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> float | None:
    return next((found for key in keys for part in parts if (found := number(part.get(key))) is not None), None)


def identifier(value: Any) -> str | None:
    """A document id: a short string or a whole number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) and 0 < len(value) <= 512 else None


def settle_ids(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Ids that repeat within the list are sources, not ids; a document without an id gets a hash of its text."""
    kept = list(documents)
    ids = [one.id for one in kept if one.id is not None]
    repeated = {one for one in ids if ids.count(one) > 1} if len(ids) < 500 and len(set(ids)) < len(ids) else set()
    settled = []
    for one in kept:
        own, source = one.id, one.source
        if own in repeated:
            own, source = None, own
        if own is None and one.text:
            own = MADE_ID + hashlib.sha256(clean(one.text).encode()).hexdigest()[:16]
        settled.append(one if own == one.id else Document(one.rank, one.text, own, one.score, one.distance, source))
    return tuple(settled)

"""Retrieved documents in any of the known shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exporters.text import clean
from sidecar.decode.values.scalars import MOST_SLOTS, number, parsed, text_of
from sidecar.record.request import MADE_ID, Document

_TEXT_KEYS = ("page_content", "content", "text", "document", "pageContent", "chunk", "passage")
_ID_KEYS = ("id", "id_", "doc_id", "document_id", "chunk_id")
_SCORE_KEYS = ("score", "relevance_score", "similarity")


def documents_in(value: Any, depth: int = 0) -> tuple[Document, ...]:
    """Documents in any of the known shapes, ranked by their order; () where there are none."""
    value = parsed(value)
    if isinstance(value, dict):
        for key in (
            "documents",
            "outputs",
            "output",
            "source_nodes",
            "nodes",
            "results",
            "matches",
            "result",
            "retrieved_contexts",
            "contexts",
            "data",
            "kwargs",
            "content",
        ):
            if key in value and depth < 4:
                found = documents_in(value[key], depth + 1)
                if found:
                    return found
        return ()
    if not isinstance(value, list):
        return ()
    found_all = [document(item, rank) for rank, item in enumerate(value[:MOST_SLOTS], 1)]
    kept = [one for one in found_all if one is not None]
    return settle_ids(kept) if len(kept) == len(value) or len(kept) == len(found_all) else ()


def texts_as_documents(value: Any) -> tuple[Document, ...]:
    """Documents out of a list of texts, or of whatever `documents_in` knows."""
    value = parsed(value)
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value[:MOST_SLOTS]):
        whole = [documents_in([one]) for one in value[:MOST_SLOTS]]
        if not all(whole):
            texts = [text_of(one) for one in value[:MOST_SLOTS]]
            return settle_ids(Document(rank, text) for rank, text in enumerate(texts, 1) if text)
    return documents_in(value)


def document(item: Any, rank: int) -> Document | None:
    """One document: a map with a text or an id, LangChain's constructor form, LlamaIndex' node form."""
    item = parsed(item)
    if not isinstance(item, dict):
        return None
    outer = item
    for key in ("kwargs", "node", "document"):
        if isinstance(item.get(key), dict):
            item = item[key]
    metadata = parsed(item.get("metadata")) if "metadata" in item else item.get("meta")
    metadata = metadata if isinstance(metadata, dict) else {}
    text = next((found for key in _TEXT_KEYS if (found := text_of(item.get(key)))), None)
    if text is None and isinstance(item.get("text_resource"), dict):
        text = text_of(item["text_resource"].get("text"))
    if text is None and not ("score" in outer or any(key in item for key in _ID_KEYS)):
        return None
    if text is None and (item.get("role") or item.get("type") in ("human", "ai", "system", "tool")):
        return None
    if "role" in item or item.get("type") in ("human", "ai", "system", "tool", "text", "AIMessage", "HumanMessage"):
        return None
    own = next((found for key in _ID_KEYS if (found := identifier(item.get(key)))), None)
    own = own or next((found for key in ("chunk_id", "id", "doc_id") if (found := identifier(metadata.get(key)))), None)
    score = _first_number((outer, item), _SCORE_KEYS)
    if score is None:
        score = _first_number((metadata,), ("relevance_score", "score"))
    distance = _first_number((outer, item), ("distance",))
    source = text_of(metadata.get("source")) or text_of(item.get("source"))
    return Document(rank, text, own, score, distance, source)


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

"""The documents of a request: which of the lists that its spans hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sidecar.assemble.contexts import choose_documents
from sidecar.assemble.tree import ORCHESTRATORS, Node
from sidecar.record.request import Document
from sidecar.record.span import SpanKind


def documents_of(
    group: Sequence[Node], retrievals: Sequence[Node], tools: Sequence[Node], prompt: str | None
) -> tuple[tuple[Document, ...], str, bool]:
    rerankers = [n for n in retrievals if n.span.kind is SpanKind.RERANKER and n.said.documents]
    plain = [n for n in retrievals if n.span.kind is SpanKind.RETRIEVER]
    candidates = [
        ("spans", _concatenated(_reranked(rerankers, plain))),
        ("spans", _concatenated([_own_or_nested(n) for n in plain])),
        ("spans", max((n.said.documents for n in group if n.span.kind in ORCHESTRATORS), key=len, default=())),
        ("tool", _concatenated([n.said.documents for n in tools])),
    ]
    if len(candidates[2][1]) <= len(candidates[1][1]) or candidates[0][1]:
        candidates[2] = ("spans", ())
    return choose_documents([(source, documents) for source, documents in candidates if documents], prompt)


def _reranked(rerankers: Sequence[Node], retrievers: Sequence[Node]) -> list[tuple[Document, ...]]:
    """What rerankers gave, but for what a later one reranked again. One that comes after another retrieval is of another hop."""
    kept: list[Node] = []
    for node in rerankers:
        before = [one for one in kept if one.span.end_ns <= node.span.start_ns]
        since = max((one.span.end_ns for one in before), default=0)
        another = any(since <= one.span.start_ns and one.span.end_ns <= node.span.start_ns for one in retrievers)
        if not another and _keys([node]) <= _keys(before):
            kept = [one for one in kept if one not in before]
        kept.append(node)
    return [node.said.documents for node in kept]


def _keys(nodes: Sequence[Node]) -> set[str | None]:
    return {document.id or document.text for node in nodes for document in node.said.documents}


def _own_or_nested(node: Node) -> tuple[Document, ...]:
    if node.said.documents:
        return node.said.documents
    return next(
        (n.said.documents for n in node.subtree() if n.span.kind is SpanKind.RETRIEVER and n.said.documents), ()
    )


def _concatenated(lists: Sequence[tuple[Document, ...]]) -> tuple[Document, ...]:
    """Documents of several retrievals in order, repeated ones once, ranks running on; a single list keeps its ranks."""
    filled = [one for one in lists if one]
    if len(filled) == 1:
        return filled[0]
    seen: set[tuple[str | None, str | None]] = set()
    found: list[Document] = []
    for document in (document for one in filled for document in one):
        key = (document.id, document.text)
        if key not in seen:
            seen.add(key)
            found.append(replace(document, rank=len(found) + 1))
    return tuple(found)


def with_ids(parsed: Sequence[str], known: Sequence[Document]) -> tuple[Document, ...]:
    """Texts out of the prompt, with the ids and scores of the retriever's list where the counts agree."""
    if len(known) == len(parsed):
        return tuple(replace(one, text=text) for one, text in zip(known, parsed, strict=True))
    return tuple(Document(rank, text) for rank, text in enumerate(parsed, 1))

"""The spans of a trace as a tree, and what part of a request each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sidecar.record.span import RagSpan, Said, SpanKind

ORCHESTRATORS = (SpanKind.CHAIN, SpanKind.AGENT)
# No framework nests deeper; without an end a chain of ten thousand spans would cost its square.
_DEEPEST = 200


@dataclass(slots=True)
class Node:
    """A span with its place in the tree."""

    span: RagSpan
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def said(self) -> Said:
        """What the span says."""
        return self.span.said

    def ancestors(self) -> Iterable[Node]:
        """Parents up to the root, or as many as are looked at; a loop of parents ends."""
        node, steps = self.parent, 0
        while node is not None and steps < _DEEPEST:
            yield node
            node, steps = node.parent, steps + 1

    def subtree(self) -> list[Node]:
        """This node and all below it, in no particular depth, ordered by start."""
        found, todo, seen = [], [self], {id(self)}
        while todo:
            node = todo.pop()
            found.append(node)
            for child in node.children:
                if id(child) not in seen:
                    seen.add(id(child))
                    todo.append(child)
        return sorted(found, key=lambda n: n.span.start_ns)


def joined(spans: Sequence[RagSpan]) -> list[RagSpan]:
    """Log records filled into their spans, what the span lacks alone; of several the last question and the first answer."""
    logs: dict[str, list[RagSpan]] = {}
    for log in sorted((span for span in spans if span.is_log), key=lambda s: s.start_ns):
        logs.setdefault(log.span_id, []).append(log)
    return [_filled(span, logs.get(span.span_id, [])) for span in spans if not span.is_log]


def _filled(span: RagSpan, logs: Sequence[RagSpan]) -> RagSpan:
    if not logs:
        return span
    said = replace(span.said)
    said.question = said.question or next((log.said.question for log in reversed(logs) if log.said.question), None)
    said.prompt = said.prompt or "\n\n".join(log.said.prompt for log in logs if log.said.prompt) or None
    for log in logs:
        said.fill(log.said)
    said.partial = tuple(dict.fromkeys([*span.said.partial, *(mark for log in logs for mark in log.said.partial)]))
    return replace(span, said=said, text_dropped=span.text_dropped or any(log.text_dropped for log in logs))


def tree(spans: Iterable[RagSpan]) -> list[Node]:
    nodes = {span.span_id: Node(span) for span in spans}
    for node in nodes.values():
        parent = nodes.get(node.span.parent_span_id or "")
        if parent is not None and parent is not node:
            node.parent = parent
            parent.children.append(node)
    return sorted(nodes.values(), key=lambda n: n.span.start_ns)


def is_part(node: Node) -> bool:
    return node.span.kind in (SpanKind.LLM, SpanKind.RETRIEVER, SpanKind.RERANKER)


def retrieves(node: Node) -> bool:
    return node.span.kind in (SpanKind.RETRIEVER, SpanKind.RERANKER) or (
        node.span.kind is SpanKind.TOOL and bool(node.said.documents)
    )


def record_roots(nodes: Sequence[Node]) -> list[Node]:
    """Topmost chains and agents whose subtree has both a model call and a retrieval. One that only holds several of
    these (a worker's batch) is not itself a request."""
    found = []
    for node in nodes:
        if node.span.kind not in ORCHESTRATORS or any(a.span.kind in ORCHESTRATORS for a in node.ancestors()):
            continue
        if _covers(node):
            found.append(node)
    return found


def _covers(node: Node) -> bool:
    below = node.subtree()
    return any(n.span.kind is SpanKind.LLM for n in below) and any(retrieves(n) for n in below)


def leaf_models(group: Sequence[Node]) -> list[Node]:
    """Model spans without a model span below them: wrappers repeat usage or hold something else than the answer."""
    inner = {id(a) for n in group if n.span.kind is SpanKind.LLM for a in n.ancestors()}
    return [n for n in group if n.span.kind is SpanKind.LLM and id(n) not in inner]


def outermost(group: Sequence[Node], wanted: Callable[[Node], bool]) -> list[Node]:
    return [n for n in group if wanted(n) and not any(wanted(a) and a.span.kind is n.span.kind for a in n.ancestors())]


def top_of(group: Sequence[Node]) -> Node:
    """The record's root where no chain covers both: the topmost span that belongs to a convention."""
    inside = [n for n in group if n.span.kind is not SpanKind.NONE]
    return next(
        (n for n in inside if not any(a.span.kind is not SpanKind.NONE for a in n.ancestors())),
        inside[0] if inside else group[0],
    )


def generation_of(models: Sequence[Node], retrievals: Sequence[Node]) -> Node | None:
    """The last model call after the last retrieval that has an answer; without one the last of them."""
    if not models:
        return None
    ended = max((n.span.end_ns for n in retrievals), default=0)
    after = [n for n in models if n.span.start_ns >= ended] or list(models)
    return next((n for n in reversed(after) if n.said.answer), after[-1])

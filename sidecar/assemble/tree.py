"""The spans of a trace as a tree, and what part of a request each of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sidecar.record.span import RagSpan, Said, SpanKind

ORCHESTRATORS = (SpanKind.CHAIN, SpanKind.AGENT)
# No framework nests deeper; without an end a chain of ten thousand spans would cost its square.
_DEEPEST = 200
_DEEPEST_BATCH = 20


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
    """Topmost chains and agents whose subtree has both a model call and a retrieval; of one that only holds several of these (a worker's batch, the turns of
    a conversation) those instead."""
    covering = _above(nodes, lambda n: n.span.kind is SpanKind.LLM) & _above(nodes, retrieves)
    found = []
    for node in nodes:
        if node.span.kind not in ORCHESTRATORS or any(a.span.kind in ORCHESTRATORS for a in node.ancestors()):
            continue
        if _covers(node):
            found.extend(_requests_of(node, covering))
    return found


def _requests_of(node: Node, covering: set[int], depth: int = 0) -> list[Node]:
    """The requests within a chain, or the chain itself where it is one: it was asked something, does a part of the work itself, or its parts are not alike.
    Whether something was asked is known where texts are dropped too."""
    inner = [] if node.span.asks or depth > _DEEPEST_BATCH else _topmost(node, covering)
    alike = len({one.span.name for one in inner}) == 1 or all(one.span.asks for one in inner)
    if not inner or not alike:
        return [node]
    below, asked = node.subtree(), {one.span.name for one in inner if one.span.asks}
    # One that needed no retrieval ("Thanks!") is a request too.
    turns = {id(n) for n in below if n.span.kind in ORCHESTRATORS and n.span.asks and n.span.name in asked}
    inner = _topmost(node, covering | turns)
    held = {id(n) for one in inner for n in one.subtree()}
    if any(id(n) not in held and (is_part(n) or retrieves(n)) for n in below):
        return [node]
    found = [one for part in inner for one in _requests_of(part, covering, depth + 1)]
    return found if len(found) > 1 else [node]


def _topmost(node: Node, covering: set[int]) -> list[Node]:
    """The topmost chains and agents below a node that cover a model call and a retrieval, by their start."""
    found, todo, seen = [], list(node.children), {id(node)}
    while todo:
        child = todo.pop()
        if id(child) in seen:
            continue
        seen.add(id(child))
        if child.span.kind in ORCHESTRATORS and id(child) in covering:
            found.append(child)
        else:
            todo.extend(child.children)
    return sorted(found, key=lambda n: n.span.start_ns)


def _above(nodes: Sequence[Node], wanted: Callable[[Node], bool]) -> set[int]:
    return {id(a) for n in nodes if wanted(n) for a in n.ancestors()}


def _covers(node: Node) -> bool:
    below = node.subtree()
    return any(n.span.kind is SpanKind.LLM for n in below) and any(retrieves(n) for n in below)


def fill_leaves(nodes: Sequence[Node]) -> None:
    """What a model span lacks its wrappers may say, the nearest first, where they wrap no other call: an SDK's span inside a framework's has neither texts nor,
    streaming, usage. The model's name is the leaf's: a gateway is asked by an alias."""
    leaves = leaf_models(nodes)
    calls = Counter(id(a) for leaf in leaves for a in leaf.ancestors())
    for leaf in leaves:
        wrappers = [wrapper for wrapper in _wrappers(leaf) if calls[id(wrapper)] == 1]
        if not wrappers:
            continue
        said, names = replace(leaf.said), (leaf.said.model_requested, leaf.said.model_answered)
        for wrapper in wrappers:
            # OpenLLMetry writes the names of Haystack's outputs for its answer; a call that failed has none.
            rubbish = leaf.span.error or wrapper.said.answer == "replies"
            said.fill(replace(wrapper.said, answer=None) if rubbish else wrapper.said)
        if any(names):
            said.model_requested, said.model_answered = names
        leaf.span = replace(leaf.span, said=said)


def caller_of(node: Node) -> Node:
    """The outermost span of the same model call: behind a gateway that is traced too it is the service's own."""
    return next(reversed(list(_wrappers(node))), node)


def _wrappers(node: Node) -> Iterable[Node]:
    """Model spans around a model span, the nearest first, with nothing between but spans of no kind (HTTP)."""
    for above in node.ancestors() if node.span.kind is SpanKind.LLM else ():
        if above.span.kind is SpanKind.LLM:
            yield above
        elif above.span.kind is not SpanKind.NONE:
            return


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

"""What the RAG requests of a trace are: roots, documents, question, answer, tokens, durations, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sidecar.assemble.contexts import choose_documents, documents_of_prompt
from sidecar.assemble.missing import what_is_missing
from sidecar.record.request import Document, Durations, ModelCall, RagTrace, Tokens, TraceKind
from sidecar.record.span import RagSpan, SpanKind

_ORCHESTRATORS = (SpanKind.CHAIN, SpanKind.AGENT)
_LABELS = ("question:", "query:")
_WIDEST_GAP_NS = 60_000_000_000


@dataclass(slots=True)
class Node:
    """A span with its place in the tree."""

    span: RagSpan
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    def ancestors(self) -> Iterable[Node]:
        """Parents up to the root; a loop of parents ends."""
        node, steps = self.parent, 0
        while node is not None and steps < 1000:
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


def build_requests(spans: Sequence[RagSpan], *, cut: bool = False, complete: bool = True) -> list[RagTrace]:
    """The requests of one trace, in order of their start; none where it holds no model call and no retrieval."""
    nodes = _tree(_joined(spans))
    roots: list[Node | None] = [*_record_roots(nodes)]
    groups = [root.subtree() for root in roots if root] or ([nodes] if any(_is_part(n) for n in nodes) else [])
    marks = tuple(mark for mark, wanted in (("spans_left_out", cut), ("no_root", not complete)) if wanted)
    built = [_request(group, root, marks) for group, root in zip(groups, roots or [None] * len(groups), strict=True)]
    return [one for one in built if one is not None]


def _joined(spans: Sequence[RagSpan]) -> list[RagSpan]:
    """Log records filled into their spans, what the span lacks alone; of several the last question and the first answer."""
    logs: dict[str, list[RagSpan]] = {}
    for log in sorted((span for span in spans if span.is_log), key=lambda s: s.start_ns):
        logs.setdefault(log.span_id, []).append(log)
    return [_filled(span, logs.get(span.span_id, [])) for span in spans if not span.is_log]


def _filled(span: RagSpan, logs: Sequence[RagSpan]) -> RagSpan:
    if not logs:
        return span
    return replace(
        span,
        question=span.question or next((log.question for log in reversed(logs) if log.question), None),
        answer=span.answer or next((log.answer for log in logs if log.answer), None),
        prompt=span.prompt or "\n\n".join(log.prompt for log in logs if log.prompt) or None,
        documents=span.documents or next((log.documents for log in logs if log.documents), ()),
        tokens=span.tokens or next((log.tokens for log in logs if log.tokens), None),
        model_requested=span.model_requested
        or next((log.model_requested for log in logs if log.model_requested), None),
        model_answered=span.model_answered or next((log.model_answered for log in logs if log.model_answered), None),
        provider=span.provider or next((log.provider for log in logs if log.provider), None),
        response_id=span.response_id or next((log.response_id for log in logs if log.response_id), None),
        session=span.session or next((log.session for log in logs if log.session), None),
        user=span.user or next((log.user for log in logs if log.user), None),
        tenant=span.tenant or next((log.tenant for log in logs if log.tenant), None),
        variant=span.variant or next((log.variant for log in logs if log.variant), None),
        feedback=span.feedback
        if span.feedback is not None
        else next((log.feedback for log in logs if log.feedback is not None), None),
        partial=tuple(dict.fromkeys([*span.partial, *(mark for log in logs for mark in log.partial)])),
        text_dropped=span.text_dropped or any(log.text_dropped for log in logs),
    )


def _tree(spans: Iterable[RagSpan]) -> list[Node]:
    nodes = {span.span_id: Node(span) for span in spans}
    for node in nodes.values():
        parent = nodes.get(node.span.parent_span_id or "")
        if parent is not None and parent is not node:
            node.parent = parent
            parent.children.append(node)
    return sorted(nodes.values(), key=lambda n: n.span.start_ns)


def _is_part(node: Node) -> bool:
    return node.span.kind in (SpanKind.LLM, SpanKind.RETRIEVER, SpanKind.RERANKER)


def _retrieves(node: Node) -> bool:
    return node.span.kind in (SpanKind.RETRIEVER, SpanKind.RERANKER) or (
        node.span.kind is SpanKind.TOOL and bool(node.span.documents)
    )


def _record_roots(nodes: Sequence[Node]) -> list[Node]:
    """Topmost chains and agents whose subtree has both a model call and a retrieval. One that only holds several of
    these (a worker's batch) is not itself a request."""
    found = []
    for node in nodes:
        if node.span.kind not in _ORCHESTRATORS or any(a.span.kind in _ORCHESTRATORS for a in node.ancestors()):
            continue
        if _covers(node):
            found.append(node)
    return found


def _covers(node: Node) -> bool:
    below = node.subtree()
    return any(n.span.kind is SpanKind.LLM for n in below) and any(_retrieves(n) for n in below)


def _request(group: Sequence[Node], root: Node | None, marks: tuple[str, ...]) -> RagTrace | None:
    models = _leaf_models(group)
    retrievals = _outermost(group, lambda n: n.span.kind in (SpanKind.RETRIEVER, SpanKind.RERANKER))
    tools = [n for n in group if n.span.kind is SpanKind.TOOL and n.span.documents]
    if not models and not retrievals:
        return None
    generation = _generation(models, [*retrievals, *tools])
    top = root or _top(group)
    head = generation or (retrievals[0] if retrievals else group[0])
    prompt = generation.span.prompt if generation else None
    question = _question(group, top, generation, retrievals)
    documents, source, filtered = _documents(group, retrievals, tools, prompt)
    variables = next((n.span.prompt_context for n in reversed(group) if n.span.prompt_context), None)
    if not any(d.text for d in documents) and (variables or prompt):
        parsed = documents_of_prompt(variables, prompt, question)
        if parsed:
            documents, source = _with_ids(parsed, documents), "prompt"
    answer = _answer(top if root or _is_above(top, generation) else None, generation)
    partial = tuple(
        dict.fromkeys(
            [*marks, *(p for n in group for p in n.span.partial), *(("contexts_filtered",) if filtered else ())]
        )
    )
    kind = TraceKind.LLM_ONLY if not (retrievals or tools) else TraceKind.RAG if models else TraceKind.RETRIEVAL_ONLY
    trace = RagTrace(
        trace_id=head.span.trace_id,
        span_id=generation.span.span_id if generation else None,
        retrieval_span_id=retrievals[0].span.span_id if retrievals else tools[0].span.span_id if tools else None,
        root_span_id=top.span.span_id,
        kind=kind,
        service=head.span.service,
        convention=head.span.convention,
        # Without a root the latest end by the clock of the service that answers: the others' clocks may differ.
        timestamp=(
            root.span.end_ns if root else max(n.span.end_ns for n in group if n.span.service == head.span.service)
        )
        / 1e9,
        question=question,
        answer=answer,
        documents=documents,
        context_source=source if any(d.text for d in documents) else "none",
        provider=generation.span.provider if generation else None,
        model_requested=generation.span.model_requested if generation else None,
        model_answered=generation.span.model_answered if generation else None,
        tokens=_sum([n.span.tokens for n in models]),
        model_calls=tuple(_call(n.span) for n in models),
        reported_cost_usd=_total([n.span.reported_cost_usd for n in models]),
        durations=_durations(group, root, generation, retrievals or tools),
        error_class=_error(group, top, generation),
        session=_first(group, top, lambda s: s.session),
        user=_first(group, top, lambda s: s.user),
        tenant=_first(group, top, lambda s: s.tenant),
        variant=_first(group, top, lambda s: s.variant),
        response_id=generation.span.response_id if generation else None,
        reference=_first(group, top, lambda s: s.reference),
        feedback=next((n.span.feedback for n in group if n.span.feedback is not None), None),
        partial=partial,
        text_dropped=any(n.span.text_dropped for n in group),
        upstream_adjusted_count=_weight(group, top),
        trace_sampled=any(n.span.trace_sampled for n in group),
        spans=len(group),
        attributes={key: value for n in group for key, value in n.span.attributes.items()},
    )
    return replace(trace, missing=what_is_missing(trace))


def _leaf_models(group: Sequence[Node]) -> list[Node]:
    """Model spans without a model span below them: wrappers repeat usage or hold something else than the answer."""
    inner = {id(a) for n in group if n.span.kind is SpanKind.LLM for a in n.ancestors()}
    return [n for n in group if n.span.kind is SpanKind.LLM and id(n) not in inner]


def _outermost(group: Sequence[Node], wanted: Callable[[Node], bool]) -> list[Node]:
    return [n for n in group if wanted(n) and not any(wanted(a) and a.span.kind is n.span.kind for a in n.ancestors())]


def _top(group: Sequence[Node]) -> Node:
    """The record's root where no chain covers both: the topmost span that belongs to a convention."""
    inside = [n for n in group if n.span.kind is not SpanKind.NONE]
    return next(
        (n for n in inside if not any(a.span.kind is not SpanKind.NONE for a in n.ancestors())),
        inside[0] if inside else group[0],
    )


def _generation(models: Sequence[Node], retrievals: Sequence[Node]) -> Node | None:
    """The last model call after the last retrieval that has an answer; without one the last of them."""
    if not models:
        return None
    ended = max((n.span.end_ns for n in retrievals), default=0)
    after = [n for n in models if n.span.start_ns >= ended] or list(models)
    return next((n for n in reversed(after) if n.span.answer), after[-1])


def _documents(
    group: Sequence[Node], retrievals: Sequence[Node], tools: Sequence[Node], prompt: str | None
) -> tuple[tuple[Document, ...], str, bool]:
    rerankers = [n for n in retrievals if n.span.kind is SpanKind.RERANKER and n.span.documents]
    plain = [n for n in retrievals if n.span.kind is SpanKind.RETRIEVER]
    candidates = [
        ("spans", rerankers[-1].span.documents if rerankers else ()),
        ("spans", _concatenated([_own_or_nested(n) for n in plain])),
        ("spans", max((n.span.documents for n in group if n.span.kind in _ORCHESTRATORS), key=len, default=())),
        ("tool", _concatenated([n.span.documents for n in tools])),
    ]
    if len(candidates[2][1]) <= len(candidates[1][1]) or candidates[0][1]:
        candidates[2] = ("spans", ())
    return choose_documents([(source, documents) for source, documents in candidates if documents], prompt)


def _own_or_nested(node: Node) -> tuple[Document, ...]:
    if node.span.documents:
        return node.span.documents
    return next(
        (n.span.documents for n in node.subtree() if n.span.kind is SpanKind.RETRIEVER and n.span.documents), ()
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


def _with_ids(parsed: Sequence[str], known: Sequence[Document]) -> tuple[Document, ...]:
    """Texts out of the prompt, with the ids and scores of the retriever's list where the counts agree."""
    if len(known) == len(parsed):
        return tuple(replace(one, text=text) for one, text in zip(known, parsed, strict=True))
    return tuple(Document(rank, text) for rank, text in enumerate(parsed, 1))


def _question(group: Sequence[Node], top: Node, generation: Node | None, retrievals: Sequence[Node]) -> str | None:
    if top.span.kind in _ORCHESTRATORS:
        if top.span.question:
            return top.span.question
        for child in sorted(top.children, key=lambda n: n.span.start_ns):
            if child.span.kind in _ORCHESTRATORS and child.span.question:
                return child.span.question
    variable = next((n.span.prompt_question for n in group if n.span.prompt_question), None)
    query = next((n.span.query for n in retrievals if n.span.query), None)
    if variable or query:
        return variable or query
    if generation and generation.span.question:
        return _after_label(generation.span.question)
    return next((n.span.query for n in group if n.span.kind is SpanKind.EMBEDDING and n.span.query), None)


def _after_label(text: str) -> str:
    """What stands after the last `Question:` or `Query:` of a prompt, up to an `Answer:` label."""
    lower = text.lower()
    place, label = max((lower.rfind(label), label) for label in _LABELS)
    if place < 0 or (place > 0 and lower[place - 1].isalnum()):
        return text
    rest = text[place + len(label) :]
    end = rest.lower().rfind("answer:")
    return (rest[:end] if end > 0 else rest).strip() or text


def _is_above(top: Node, generation: Node | None) -> bool:
    return generation is not None and any(a is top for a in generation.ancestors())


def _answer(top: Node | None, generation: Node | None) -> str | None:
    """The root's answer where it is a proper text, since the user saw it; else the model's."""
    own = generation.span.answer if generation else None
    shown = top.span.answer if top and top.span.kind in _ORCHESTRATORS and not top.span.documents else None
    if generation is None:
        return None
    if shown and (own is None or own in shown or _alike(shown, own)):
        return shown
    return own or shown


def _alike(shown: str, own: str) -> bool:
    """Whether the shown answer could be the model's after a parser or guardrail, and is not another field of the output."""
    return not shown.startswith(("{", "[", "<")) and len(shown) >= 0.2 * len(own)


def _sum(parts: Sequence[Tokens | None]) -> Tokens:
    known = [one for one in parts if one is not None]
    names = ("input", "output", "cached_input", "cache_write", "reasoning")
    totals = {name: [value for one in known if (value := getattr(one, name)) is not None] for name in names}
    return Tokens(**{name: sum(values) if values else None for name, values in totals.items()})


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value]
    return sum(known) if known else None


def _call(span: RagSpan) -> ModelCall:
    model = span.model_answered or span.model_requested
    return ModelCall(
        span.provider, model, span.tokens or Tokens(), span.start_ns, span.end_ns, requested=span.model_requested
    )


def _durations(
    group: Sequence[Node], root: Node | None, generation: Node | None, retrievals: Sequence[Node]
) -> Durations:
    whole = (root.span.end_ns - root.span.start_ns) / 1e9 if root else _extent([n.span for n in group])
    retrieving = [(n.span.start_ns, n.span.end_ns) for n in retrievals if n.span.kind is not SpanKind.RERANKER]
    made = generation.span if generation and not generation.span.duration_suspect else None
    first = generation.span if generation else None
    return Durations(
        total=None if whole is None else _sane(whole),
        retrieval=_sane(_union(retrieving)) if retrieving else None,
        generation=_sane((made.end_ns - made.start_ns) / 1e9) if made else None,
        time_to_first_token=first.time_to_first_token if first else None,
        time_to_first_token_source=first.time_to_first_token_source if first else None,
    )


def _extent(spans: Sequence[RagSpan]) -> float | None:
    """Seconds from the first start to the last end; None where services lie so far apart that their clocks must differ."""
    services: dict[str, tuple[int, int]] = {}
    for span in spans:
        start, end = services.get(span.service, (span.start_ns, span.end_ns))
        services[span.service] = min(start, span.start_ns), max(end, span.end_ns)
    own = sorted(services.values())
    reached = own[0][1]
    for start, end in own[1:]:
        if start - reached > _WIDEST_GAP_NS:
            return None
        reached = max(reached, end)
    return (reached - own[0][0]) / 1e9


def _union(intervals: Sequence[tuple[int, int]]) -> float:
    """Seconds covered by intervals that may overlap."""
    covered, reached = 0, 0
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered / 1e9


def _sane(seconds: float) -> float | None:
    return seconds if 0 <= seconds < 7 * 86_400 else None


def _error(group: Sequence[Node], top: Node, generation: Node | None) -> str | None:
    """A request failed where its root or its generation did; the class is that of the deepest failing span."""
    if not (top.span.error or (generation is not None and generation.span.error)):
        return None
    failing = [n for n in group if n.span.error]
    deepest = max(failing, key=lambda n: (n.span.error_class not in (None, "other"), sum(1 for _ in n.ancestors())))
    return deepest.span.error_class or "other"


def _first(group: Sequence[Node], top: Node, read: Callable[[RagSpan], str | None]) -> str | None:
    return read(top.span) or next((value for n in group if (value := read(n.span))), None)


def _weight(group: Sequence[Node], top: Node) -> float | None:
    """Adjusted count of the record's root or the nearest span above it that says one (samplers may write it on the trace's
    root alone), else the largest of any span; unknown is not 1."""
    for node in (top, *top.ancestors()):
        if node.span.upstream_adjusted_count is not None:
            return node.span.upstream_adjusted_count
    return max(
        (n.span.upstream_adjusted_count for n in group if n.span.upstream_adjusted_count is not None), default=None
    )

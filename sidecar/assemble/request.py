"""What the RAG requests of a trace are: question, answer, documents, tokens, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sidecar.assemble.contexts import documents_of_prompt
from sidecar.assemble.documents import documents_of, with_ids
from sidecar.assemble.durations import durations_of
from sidecar.assemble.generation import after_label, generation_of
from sidecar.assemble.missing import what_is_missing
from sidecar.assemble.tree import (
    ORCHESTRATORS,
    Node,
    caller_of,
    fill_leaves,
    is_part,
    joined,
    leaf_models,
    outermost,
    record_roots,
    top_of,
    tree,
)
from sidecar.record.record import Attributes
from sidecar.record.request import ModelCall, RagTrace, Tokens, TraceKind
from sidecar.record.span import RagSpan, Said, SpanKind


def build_requests(spans: Sequence[RagSpan], *, cut: bool = False, complete: bool = True) -> list[RagTrace]:
    """The requests of one trace, in order of their start; none where it holds no model call and no retrieval."""
    nodes = tree(joined(spans))
    fill_leaves(nodes)
    roots: list[Node | None] = [*record_roots(nodes)]
    groups = [root.subtree() for root in roots if root] or ([nodes] if any(is_part(n) for n in nodes) else [])
    marks = tuple(mark for mark, wanted in (("spans_left_out", cut), ("no_root", not complete)) if wanted)
    built = [_request(group, root, marks) for group, root in zip(groups, roots or [None] * len(groups), strict=True)]
    probe = any(span.probe for span in spans)
    return [replace(one, probe=True) if probe else one for one in built if one is not None]


def _request(group: Sequence[Node], root: Node | None, marks: tuple[str, ...]) -> RagTrace | None:
    models = leaf_models(group)
    retrievals = outermost(group, lambda n: n.span.kind in (SpanKind.RETRIEVER, SpanKind.RERANKER))
    tools = [n for n in group if n.span.kind is SpanKind.TOOL and n.said.documents]
    if not models and not retrievals:
        return None
    top = root or top_of(group)
    generation = generation_of(models, [*retrievals, *tools], _shown(top))
    head = generation or (retrievals[0] if retrievals else group[0])
    service = caller_of(head).span.service
    prompt = generation.said.prompt if generation else None
    question = _question(group, top, generation, retrievals)
    documents, source, filtered = documents_of(group, retrievals, tools, prompt)
    variables = next((n.said.prompt_context for n in reversed(group) if n.said.prompt_context), None)
    if not any(d.text for d in documents) and (variables or prompt):
        parsed = documents_of_prompt(variables, prompt, question)
        if parsed:
            documents, source = with_ids(parsed, documents), "prompt"
    answer = _answer(top if root or _is_above(top, generation) else None, generation)
    told = _told(group, top)
    partial = tuple(
        dict.fromkeys(
            [*marks, *(p for n in group for p in n.said.partial), *(("contexts_filtered",) if filtered else ())]
        )
    )
    kind = TraceKind.LLM_ONLY if not (retrievals or tools) else TraceKind.RAG if models else TraceKind.RETRIEVAL_ONLY
    trace = RagTrace(
        trace_id=head.span.trace_id,
        span_id=generation.span.span_id if generation else None,
        retrieval_span_id=retrievals[0].span.span_id if retrievals else tools[0].span.span_id if tools else None,
        root_span_id=top.span.span_id,
        kind=kind,
        service=service,
        convention=head.span.convention,
        # Without a root the latest end by the clock of the service that answers: the others' clocks may differ.
        timestamp=(root.span.end_ns if root else max(n.span.end_ns for n in group if n.span.service == service)) / 1e9,
        question=question,
        answer=answer,
        documents=documents,
        context_source=source if any(d.text for d in documents) else "none",
        provider=generation.said.provider if generation else None,
        model_requested=generation.said.model_requested if generation else None,
        model_answered=generation.said.model_answered if generation else None,
        tokens=_sum([n.said.tokens for n in models]),
        model_calls=tuple(_call(n.span) for n in models),
        durations=durations_of(group, root, generation, retrievals or tools),
        error_class=_error(group, top, generation),
        session=told.session,
        user=told.user,
        tenant=told.tenant,
        variant=told.variant,
        response_id=generation.said.response_id if generation else None,
        reference=told.reference,
        feedback=told.feedback,
        partial=partial,
        text_dropped=any(n.span.text_dropped for n in group),
        upstream_adjusted_count=_weight(group, top),
        trace_sampled=any(n.span.trace_sampled for n in group),
        spans=len(group),
        attributes=_attributes(group, top),
    )
    shown_by = {n.span.kind for n in group if n.span.kind in ORCHESTRATORS and n.said.answer}
    return replace(
        trace, missing=what_is_missing(trace, shown_by), messages=generation.said.messages if generation else ()
    )


def _attributes(group: Sequence[Node], top: Node) -> Attributes:
    """Of several spans with one attribute the request's own says it, else the first, else a batch around it."""
    batches = [n for n in top.ancestors() if n.span.kind in ORCHESTRATORS]
    return {key: value for n in (*reversed(batches), *reversed(group), top) for key, value in n.span.attributes.items()}


def _question(group: Sequence[Node], top: Node, generation: Node | None, retrievals: Sequence[Node]) -> str | None:
    if top.span.kind in ORCHESTRATORS:
        if top.said.question:
            return top.said.question
        for child in sorted(top.children, key=lambda n: n.span.start_ns):
            if child.span.kind in ORCHESTRATORS and child.said.question:
                return child.said.question
    variable = next((n.said.prompt_question for n in group if n.said.prompt_question), None)
    query = next((n.said.query for n in retrievals if n.said.query), None)
    if variable or query:
        return variable or query
    if generation and generation.said.question:
        return after_label(generation.said.question)
    return next((n.said.query for n in group if n.span.kind is SpanKind.EMBEDDING and n.said.query), None)


def _is_above(top: Node, generation: Node | None) -> bool:
    return generation is not None and any(a is top for a in generation.ancestors())


def _answer(top: Node | None, generation: Node | None) -> str | None:
    """The root's answer where it is a proper text, since the user saw it; else the model's."""
    own = generation.said.answer if generation else None
    shown = _shown(top) if top else None
    if generation is None:
        return None
    if shown and (own is None or own in shown or _alike(shown, own)):
        return shown
    return own or shown


def _shown(top: Node) -> str | None:
    """The answer that a chain or an agent gave; its documents are none."""
    return top.said.answer if top.span.kind in ORCHESTRATORS and not top.said.documents else None


def _alike(shown: str, own: str) -> bool:
    """Whether the shown answer could be the model's after a parser or guardrail, and is not another field of the output."""
    return not shown.startswith(("{", "[", "<")) and len(shown) >= 0.2 * len(own)


def _sum(parts: Sequence[Tokens | None]) -> Tokens:
    known = [one for one in parts if one is not None]
    names = ("input", "output", "cached_input", "cache_write", "reasoning")
    totals = {name: [value for one in known if (value := getattr(one, name)) is not None] for name in names}
    return Tokens(**{name: sum(values) if values else None for name, values in totals.items()})


def _call(span: RagSpan) -> ModelCall:
    model = span.said.model_answered or span.said.model_requested
    return ModelCall(
        span.said.provider,
        model,
        span.said.tokens or Tokens(),
        span.start_ns,
        span.end_ns,
        requested=span.said.model_requested,
        reported_cost_usd=span.said.reported_cost_usd,
    )


def _error(group: Sequence[Node], top: Node, generation: Node | None) -> str | None:
    """A request failed where its root or its generation did; the class is that of the deepest failing span."""
    if not (top.span.error or (generation is not None and generation.span.error)):
        return None
    failing = [n for n in group if n.span.error]
    deepest = max(failing, key=lambda n: (n.span.error_class not in (None, "other"), sum(1 for _ in n.ancestors())))
    return deepest.span.error_class or "other"


def _told(group: Sequence[Node], top: Node) -> Said:
    """What the top says, filled by what the others say in their order, then by whose a batch around it is."""
    told = replace(top.said)
    for node in group:
        if node is not top:
            told.fill(node.said)
    for above in top.ancestors():
        if above.span.kind in ORCHESTRATORS:
            own = above.said
            told.fill(Said(session=own.session, user=own.user, tenant=own.tenant, variant=own.variant))
    return told


def _weight(group: Sequence[Node], top: Node) -> float | None:
    """Adjusted count of the record's root or the nearest span above it that says one (samplers may write it on the trace's
    root alone), else the largest of any span; unknown is not 1."""
    for node in (top, *top.ancestors()):
        if node.span.upstream_adjusted_count is not None:
            return node.span.upstream_adjusted_count
    return max(
        (n.span.upstream_adjusted_count for n in group if n.span.upstream_adjusted_count is not None), default=None
    )

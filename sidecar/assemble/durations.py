"""How long a request and its parts took, by event time."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.assemble.tree import Node
from sidecar.record.request import Durations
from sidecar.record.span import RagSpan, SpanKind

_WIDEST_GAP_NS = 60_000_000_000


def durations_of(
    group: Sequence[Node], root: Node | None, generation: Node | None, retrievals: Sequence[Node]
) -> Durations:
    whole = _took(root.span) if root else _extent([n.span for n in group])
    retrieving = [n.span for n in retrievals if n.span.kind is not SpanKind.RERANKER]
    made = generation.span if generation and not generation.span.duration_suspect else None
    first = generation.span if generation else None
    return Durations(
        total=_sane(whole),
        retrieval=_sane(_union(retrieving)),
        generation=_sane(_took(made)) if made else None,
        time_to_first_token=first.said.time_to_first_token if first else None,
        time_to_first_token_source=first.said.time_to_first_token_source if first else None,
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


def _took(span: RagSpan) -> float | None:
    return None if span.backwards else (span.end_ns - span.start_ns) / 1e9


def _union(spans: Sequence[RagSpan]) -> float | None:
    """Seconds covered by spans that may overlap."""
    if not spans or any(span.backwards for span in spans):
        return None
    covered, reached = 0, 0
    for start, end in sorted((span.start_ns, span.end_ns) for span in spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered / 1e9


def _sane(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 <= seconds < 7 * 86_400 else None

"""The statistics of weighted verdicts, written in PromQL once, for the rules and for the dashboards.

Each verdict counts w = 1/p, so that sums estimate all traffic. Sums are taken over rates before anything is divided:
ratios are never averaged, so everything adds up over replicas, restarts and label values. Abstentions are in neither part
of the hallucination ratio.
"""

from __future__ import annotations

WEIGHT = "rag_verdict_weight_total"
WEIGHT_SQUARED = "rag_verdict_weight_squared_total"
SQUARED = "rag_evaluation_squared_weight_total"
JUDGED = 'verdict=~"grounded|hallucinated"'
HALLUCINATED = 'verdict="hallucinated"'
ABSTAINED = 'verdict="abstained"'
DETECTOR = "grounding_model"
_JOIN = f"on ({DETECTOR}) group_left ()"

# Two-sided 95 %.
Z = 1.96


def selector(*matchers: str) -> str:
    """`{a="b",c="d"}`, or nothing without matchers."""
    present = [matcher for matcher in matchers if matcher]
    return "{" + ",".join(present) + "}" if present else ""


def total(function: str, series: str, window: str, *, by: str = "", where: str = "", extra: str = "") -> str:
    """`sum by (..) (rate(series{..}[window]))`; without `by` one sum over everything."""
    grouping = f"by ({by}) " if by else ""
    return f"sum {grouping}({function}({series}{selector(extra, where)}[{window}]))"


def ratio(part: str, whole: str) -> str:
    """part / whole; 0 where the part has no series yet, nothing where the whole is 0."""
    return f"(\n  {part}\n  or 0 * {whole}\n)\n/ ({whole} > 0)"


def hallucination_ratio(window: str, *, by: str = "", where: str = "") -> str:
    """Weighted hallucinated / (grounded + hallucinated) in a window, 0..1."""
    part = total("rate", WEIGHT, window, by=by, where=where, extra=HALLUCINATED)
    return ratio(part, total("rate", WEIGHT, window, by=by, where=where, extra=JUDGED))


def abstention_ratio(window: str, *, by: str = "", where: str = "") -> str:
    """Weighted abstained / all verdicts in a window, 0..1."""
    part = total("rate", WEIGHT, window, by=by, where=where, extra=ABSTAINED)
    return ratio(part, total("rate", WEIGHT, window, by=by, where=where))


def effective_samples(window: str, *, by: str = "", where: str = "") -> str:
    """Kish's effective sample size of the verdicts that count for the ratio: (sum w)^2 / sum w^2."""
    weight = total("increase", WEIGHT, window, by=by, where=where, extra=JUDGED)
    squared = total("increase", WEIGHT_SQUARED, window, by=by, where=where, extra=JUDGED)
    return f"{weight} ^ 2\n/ ({squared} > 0)"


def wilson(p: str, n: str, *, upper: bool) -> str:
    """A 95 % bound of a ratio `p` seen in `n` samples (Wilson 1927), inside 0..1.

    Multiplied out by n, so that it needs no division but the last: (np + z^2/2 -+ z sqrt(np(1-p) + z^2/4)) / (n + z^2).
    """
    square = round(Z * Z, 4)
    sign, clamp, limit = ("+", "clamp_max", 1) if upper else ("-", "clamp_min", 0)
    p, n = _operand(p), _operand(n)
    spread = f"sqrt({n} * {p} * (1 - {p}) + {square / 4:.4f})"
    return f"{clamp}(\n  ({n} * {p} + {square / 2:.4f}\n   {sign} {Z} * {spread})\n  / ({n} + {square}),\n  {limit}\n)"


def hallucination_bound(window: str, *, upper: bool, by: str = "", where: str = "") -> str:
    """A Wilson bound of the hallucination ratio in a window, from the raw counters."""
    p = hallucination_ratio(window, by=by, where=where)
    return wilson(p, effective_samples(window, by=by, where=where), upper=upper)


def detector(series: str, matcher: str, *, where: str = "") -> str:
    """How often each grounding model is right, or on how many labelled answers that was measured; of `where`'s replicas. Where they
    differ, while new rates are rolled out, it is their mean."""
    return f"avg by ({DETECTOR}) (rag_sidecar_detector_{series}{selector(matcher, where)})"


def by_detector(by: str = "") -> str:
    """The labels `by`, and the grounding model: what is corrected is corrected for each model by its own rates."""
    return f"{by}, {DETECTOR}" if by else DETECTOR


def _rates(where: str) -> tuple[str, str, str]:
    """Sensitivity, specificity, and Youden's index where the detector is better than chance."""
    sensitivity, specificity = (
        detector("rate", f'rate="{rate}"', where=where) for rate in ("sensitivity", "specificity")
    )
    return sensitivity, specificity, f"({sensitivity} + {specificity} - 1 > 0)"


def corrected_ratio(p: str, *, where: str = "") -> str:
    """The share of hallucinated answers behind a ratio `p` of verdicts, given how often the detector is right (Rogan and Gladen
    1978): (p + specificity - 1) / (sensitivity + specificity - 1), inside 0..1; nothing where the detector is no better than chance.

    `p` has the label `grounding_model` (see `by_detector`), by which it is joined with the rates; `where` chooses the replicas
    whose detectors count.
    """
    _, specificity, youden = _rates(where)
    return f"clamp(\n  ({_operand(p)} + {_JOIN} {specificity} - 1)\n  / {_JOIN} {youden},\n  0, 1\n)"


def corrected_bound(p: str, n: str, *, upper: bool, where: str = "") -> str:
    """A 95 % bound of the corrected ratio by the delta method, the uncertainty of the detector's own rates included. `p` and `n` have
    the same labels."""
    p, n, r = _operand(p), _operand(n), f"({corrected_ratio(p, where=where)})"
    found, passed, youden = _rates(where)
    hallucinated, grounded = (
        detector("labelled", f'label="{label}"', where=where) for label in ("hallucinated", "grounded")
    )
    sensitivity = f"{r} ^ 2 * {_JOIN} ({found} * (1 - {found}) / {hallucinated})"
    specificity = f"(1 - {r}) ^ 2 * {_JOIN} ({passed} * (1 - {passed}) / {grounded})"
    variance = f"{p} * (1 - {p}) / {n}\n   + {sensitivity}\n   + {specificity}"
    return f"clamp(\n  {r} {'+' if upper else '-'} {Z} * sqrt(\n   {variance}\n  ) / {_JOIN} {youden},\n  0, 1\n)"


def mean_score(window: str, *, by: str, where: str = "") -> str:
    """Weighted mean of the scores in a window, 0..1."""
    whole = total("rate", "rag_evaluation_score_count", window, by=by, where=where)
    return f"{total('rate', 'rag_evaluation_score_sum', window, by=by, where=where)}\n/ ({whole} > 0)"


def mean_score_error(window: str, *, by: str, where: str = "") -> str:
    """Standard error of the weighted mean score m: sqrt(sum w^2 (x - m)^2) / sum w, multiplied out (Hájek's ratio estimator)."""
    m = f"({mean_score(window, by=by, where=where)})"
    powers = [total("increase", SQUARED, window, by=by, where=where, extra=f'power="{power}"') for power in (0, 1, 2)]
    weight = total("increase", "rag_evaluation_score_count", window, by=by, where=where)
    spread = f"{powers[2]}\n- 2 * {m} * {powers[1]}\n+ {m} ^ 2 * {powers[0]}"
    return f"sqrt(clamp_min(\n{spread},\n0))\n/ ({weight} > 0)"


def within(histogram: str, limit: float, window: str, *, by: str = "", where: str = "") -> str:
    """Share of a histogram's observations up to `limit`, 0..1. `limit` is an edge of a bucket."""
    # As the exporter writes an edge: always with a decimal point.
    part = total("rate", histogram + "_bucket", window, by=by, where=where, extra=f'le="{float(limit)!r}"')
    return f"{part}\n/ ({total('rate', histogram + '_count', window, by=by, where=where)} > 0)"


def quantile(q: float, histogram: str, window: str, *, by: str = "", where: str = "") -> str:
    """A quantile of a histogram, over all replicas."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({q}, {total('rate', histogram + '_bucket', window, by=labels, where=where)})"


def mean(histogram: str, window: str, *, by: str = "", where: str = "") -> str:
    """Mean of what a histogram observed in a window, over all replicas."""
    whole = total("rate", f"{histogram}_count", window, by=by, where=where)
    return f"{total('rate', f'{histogram}_sum', window, by=by, where=where)}\n/ ({whole} > 0)"


def difference(window: str, a: str, b: str, *, by: str = "") -> str:
    """Hallucination ratio of what `a` matches less that of what `b` matches, -1..1."""
    return f"({hallucination_ratio(window, by=by, where=a)})\n- ({hallucination_ratio(window, by=by, where=b)})"


def newcombe(p_a: str, n_a: str, p_b: str, n_b: str, *, upper: bool) -> str:
    """A 95 % bound of `p_a - p_b`, two independent ratios seen in `n_a` and `n_b` samples, inside -1..1.

    The hybrid score interval (Newcombe 1998, Statistics in Medicine 17:873-890, method 10): the distances of both ratios to
    the Wilson bounds that lie in the direction of the bound, squared and added.
    """
    p_a, p_b = _operand(p_a), _operand(p_b)
    to_a = f"({p_a} - {wilson(p_a, n_a, upper=upper)}) ^ 2"
    to_b = f"({p_b} - {wilson(p_b, n_b, upper=not upper)}) ^ 2"
    return f"{p_a} - {p_b}\n{'+' if upper else '-'} sqrt(\n  {to_a}\n  + {to_b}\n)"


def difference_bound(window: str, a: str, b: str, *, upper: bool, by: str = "") -> str:
    """A bound of `difference`, from the raw counters."""
    p_a, p_b = (hallucination_ratio(window, by=by, where=where) for where in (a, b))
    n_a, n_b = (effective_samples(window, by=by, where=where) for where in (a, b))
    return newcombe(p_a, n_a, p_b, n_b, upper=upper)


def _operand(expression: str) -> str:
    return expression if expression.replace("_", "").replace(":", "").isalnum() else f"({expression})"

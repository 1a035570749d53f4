"""The statistics of weighted verdicts, written in PromQL once, for the rules and for the dashboards.

Each verdict counts w = 1/p, so that sums estimate all traffic. Sums are taken over rates before anything is divided:
ratios are never averaged, so everything adds up over replicas, restarts and label values. Abstentions are in neither part
of the hallucination ratio.
"""

from __future__ import annotations

WEIGHT = "rag_verdict_weight_total"
WEIGHT_SQUARED = "rag_verdict_weight_squared_total"
JUDGED = 'verdict=~"grounded|hallucinated"'
HALLUCINATED = 'verdict="hallucinated"'
ABSTAINED = 'verdict="abstained"'

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


def mean_score(window: str, *, by: str, where: str = "") -> str:
    """Weighted mean of the scores in a window, 0..1."""
    whole = total("rate", "rag_evaluation_score_count", window, by=by, where=where)
    return f"{total('rate', 'rag_evaluation_score_sum', window, by=by, where=where)}\n/ ({whole} > 0)"


def within(histogram: str, limit: float, window: str, *, by: str = "", where: str = "") -> str:
    """Share of a histogram's observations up to `limit`, 0..1. `limit` is an edge of a bucket."""
    # As the exporter writes an edge: always with a decimal point.
    part = total("rate", histogram + "_bucket", window, by=by, where=where, extra=f'le="{float(limit)!r}"')
    return f"{part}\n/ ({total('rate', histogram + '_count', window, by=by, where=where)} > 0)"


def quantile(q: float, histogram: str, window: str, *, by: str = "", where: str = "") -> str:
    """A quantile of a histogram, over all replicas."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({q}, {total('rate', histogram + '_bucket', window, by=labels, where=where)})"


def _operand(expression: str) -> str:
    return expression if expression.replace("_", "").replace(":", "").isalnum() else f"({expression})"

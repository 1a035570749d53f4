"""Recording rules: the hallucination ratio of each service with its confidence bounds, and mean scores.

Names are `level:metric:operation`. Alerts and the alerting runbooks read these; the dashboards compute the same
expressions from the raw series, because there one may also ask by model, variant and replica.
"""

from __future__ import annotations

from typing import Any

from dashboards import promql
from dashboards.objectives import WINDOWS, Windows

LEVEL = "rag_service"


def ratio(window: str) -> str:
    """Name of the weighted hallucination ratio."""
    return f"{LEVEL}:rag_hallucination:ratio_rate{window}"


def lower_bound(window: str) -> str:
    """Name of the ratio's 95 % lower bound."""
    return f"{LEVEL}:rag_hallucination:lower95_rate{window}"


def upper_bound(window: str) -> str:
    """Name of the ratio's 95 % upper bound."""
    return f"{LEVEL}:rag_hallucination:upper95_rate{window}"


def corrected(window: str) -> str:
    """Name of the ratio corrected for the errors of the grounding model."""
    return f"{LEVEL}:rag_hallucination:corrected_ratio_rate{window}"


def corrected_bound(window: str, *, upper: bool) -> str:
    """Name of a 95 % bound of the corrected ratio."""
    return f"{LEVEL}:rag_hallucination:corrected_{'upper95' if upper else 'lower95'}_rate{window}"


def samples(window: str) -> str:
    """Name of the effective sample size behind the ratio."""
    return f"{LEVEL}:rag_verdict_effective_samples:increase{window}"


def abstention(window: str) -> str:
    """Name of the weighted abstention ratio."""
    return f"{LEVEL}:rag_abstention:ratio_rate{window}"


def mean_score(window: str) -> str:
    """Name of the weighted mean score of each evaluator."""
    return f"{LEVEL}_evaluator:rag_evaluation_score:mean_rate{window}"


def mean_score_error(window: str) -> str:
    """Name of the standard error of that mean."""
    return f"{LEVEL}_evaluator:rag_evaluation_score:stderr_rate{window}"


def groups(windows: Windows = WINDOWS, *, interval: str = "30s") -> list[dict[str, Any]]:
    """The rule groups, one a window, as Prometheus reads them."""
    return [
        {"name": f"rag-sidecar.recording.{window}", "interval": interval, "rules": _rules(window, windows)}
        for window in windows.all()
    ]


def _rules(window: str, windows: Windows) -> list[dict[str, Any]]:
    p, n = ratio(window), samples(window)
    rules = {
        p: promql.hallucination_ratio(window, by=LEVEL),
        n: promql.effective_samples(window, by=LEVEL),
        lower_bound(window): promql.wilson(p, n, upper=False),
        upper_bound(window): promql.wilson(p, n, upper=True),
    }
    if window in (windows.fast, windows.slow):
        rules[corrected(window)] = promql.corrected_ratio(p)
        for upper in (False, True):
            rules[corrected_bound(window, upper=upper)] = promql.corrected_bound(p, n, upper=upper)
        rules[abstention(window)] = promql.abstention_ratio(window, by=LEVEL)
        rules[mean_score(window)] = promql.mean_score(window, by=f"{LEVEL}, evaluator")
        rules[mean_score_error(window)] = promql.mean_score_error(window, by=f"{LEVEL}, evaluator")
    return [{"record": name, "expr": expression} for name, expression in rules.items()]

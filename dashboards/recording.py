"""Recording rules: the share of answers below the threshold, the anchored hallucination ratio and the rise against the past of each service, mean scores,
cost and slowness.

Names are `level:metric:operation`. Alerts and the alerting runbooks read these; the dashboards compute the same
expressions from the raw series, because there one may also ask by model, variant and replica.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboards import baseline, estimate, promql
from dashboards.objectives import (
    FIRST_TOKEN_SECONDS,
    REQUEST_SECONDS,
    WINDOWS,
    Windows,
)

LEVEL = "rag_service"
BASIS = "rag_hallucination_basis"
_INTERVAL = "30s"
# Ranges of days cost much to read and change slowly. Below five minutes, after which Prometheus calls a series stale.
_TICKET_INTERVAL = "2m"


def ratio(window: str) -> str:
    """Name of the uncalibrated ratio: the weighted share of answers whose local verdict is hallucinated."""
    return f"{LEVEL}:rag_hallucination:ratio_rate{window}"


def lower_bound(window: str) -> str:
    """Name of the ratio's 95 % lower bound."""
    return f"{LEVEL}:rag_hallucination:lower95_rate{window}"


def upper_bound(window: str) -> str:
    """Name of the ratio's 95 % upper bound."""
    return f"{LEVEL}:rag_hallucination:upper95_rate{window}"


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


def scored(window: str) -> str:
    """Name of the number of scores of each evaluator, unweighted."""
    return f"{LEVEL}_evaluator:rag_evaluations_scored:increase{window}"


def requests(window: str) -> str:
    """Name of the number of requests."""
    return f"{LEVEL}:rag_requests:increase{window}"


def cost(window: str) -> str:
    """Name of the cost of one request in US dollars."""
    return f"{LEVEL}:rag_cost_usd_per_request:ratio_rate{window}"


def slow_requests(window: str) -> str:
    """Name of the share of requests that took longer than they should."""
    return f"{LEVEL}:rag_request_duration_over_slo:ratio_rate{window}"


def slow_first_tokens(window: str) -> str:
    """Name of the share of answers whose first token took longer than it should."""
    return f"{LEVEL}:rag_time_to_first_token_over_slo:ratio_rate{window}"


def empty(window: str) -> str:
    """Name of the share of requests without a retrieved document."""
    return f"{LEVEL}:rag_retrieved_documents_none:ratio_rate{window}"


def groups(windows: Windows = WINDOWS, *, interval: str | None = None) -> list[dict[str, Any]]:
    """The rule groups, one a window, as Prometheus reads them. `interval` is for all of them; else each has its own."""
    judge = {
        "name": "rag-sidecar.recording.judge",
        "interval": interval or _INTERVAL,
        "rules": _as_rules(estimate.judge_rules()),
    }
    return [
        judge,
        *(
            {
                "name": f"rag-sidecar.recording.{window}",
                "interval": interval or (_TICKET_INTERVAL if window in windows.tickets() else _INTERVAL),
                "rules": _rules(window, windows),
            }
            for window in windows.all()
        ),
        {
            "name": "rag-sidecar.recording.basis",
            "interval": interval or _INTERVAL,
            "rules": _basis(windows),
        },
    ]


def _basis(windows: Windows) -> list[dict[str, Any]]:
    """What the number of a service rests on, as the label `basis` of a series that is 1: the first of these that holds."""
    quick, slow, *_ = baseline.pasts(windows)
    anchored = estimate.enough(windows.ticket)
    learned = f"(\n  {quick.samples} > 0\n  or {slow.samples} > 0\n)"
    seen = f"sum by ({LEVEL}) (increase({promql.WEIGHT}{promql.selector(promql.JUDGED)}[{windows.ticket}])) > 0"
    conditions = {
        "anchored": anchored,
        "baseline": f"{learned}\nunless {anchored}",
        "uncalibrated": f"({seen})\nunless {anchored}\nunless {learned}",
    }
    return [
        {"record": BASIS, "expr": f"(\n{expr}\n) * 0 + 1", "labels": {"basis": name}}
        for name, expr in conditions.items()
    ]


def _rules(window: str, windows: Windows) -> list[dict[str, Any]]:
    rules: dict[str, str] = {}
    if window in (windows.fast, windows.slow):
        rules |= _verdicts(window) | _bounds(window)
    if window in windows.anchored():
        rules |= estimate.rules(window)
    rules |= baseline.rules(window, windows)
    if window in (windows.fast, windows.slow):
        rules |= _scores(window)
    if window == windows.slow:
        rules[scored(window)] = promql.total(
            "increase", "rag_evaluations_total", window, by=f"{LEVEL}, evaluator", extra='outcome="scored"'
        )
    if window in (windows.slow_check, windows.ticket):
        rules[empty(window)] = promql.within("rag_retrieved_documents", 0, window, by=LEVEL)
    if window in (windows.fast_check, windows.fast):
        rules |= _slowness(window)
    if window == windows.fast:
        rules |= _traffic(window)
    return _as_rules(rules)


def _as_rules(rules: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"record": name, "expr": expression} for name, expression in rules.items()]


def _verdicts(window: str) -> dict[str, str]:
    return {
        ratio(window): promql.hallucination_ratio(window, by=LEVEL),
        samples(window): promql.effective_samples(window, by=LEVEL),
    }


def _bounds(window: str) -> dict[str, str]:
    p, n = ratio(window), samples(window)
    return {
        lower_bound(window): promql.wilson(p, n, upper=False),
        upper_bound(window): promql.wilson(p, n, upper=True),
    }


def _scores(window: str) -> dict[str, str]:
    return {
        abstention(window): promql.abstention_ratio(window, by=LEVEL),
        mean_score(window): promql.mean_score(window, by=f"{LEVEL}, evaluator"),
        mean_score_error(window): promql.mean_score_error(window, by=f"{LEVEL}, evaluator"),
    }


def _slowness(window: str) -> dict[str, str]:
    return {
        slow_requests(window): "1 - "
        + promql.within("rag_request_duration_seconds", REQUEST_SECONDS, window, by=LEVEL),
        slow_first_tokens(window): "1 - "
        + promql.within("rag_time_to_first_token_seconds", FIRST_TOKEN_SECONDS, window, by=LEVEL),
    }


def _traffic(window: str) -> dict[str, str]:
    whole = promql.total("rate", "rag_requests_total", window, by=LEVEL)
    return {
        requests(window): promql.total("increase", "rag_requests_total", window, by=LEVEL),
        cost(window): f"{promql.total('rate', 'rag_cost_usd_total', window, by=LEVEL)}\n/ ({whole} > 0)",
    }

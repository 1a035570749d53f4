"""Alerts about the traffic of the RAG services: retrieval, latency and cost of every request, sampled or not."""

from __future__ import annotations

from dashboards import promql, recording
from dashboards.alert import COST_LATENCY, Alert
from dashboards.objectives import (
    COST_RISE,
    EMPTY_SHARE,
    FIRST_TOKEN_BURN_RATIO,
    FIRST_TOKEN_SECONDS,
    LEAST_REQUESTS,
    LEAST_RETRIEVALS,
    NEVER_RETRIEVES,
    REQUEST_BURN_RATIO,
    REQUEST_SECONDS,
    Windows,
)


def alerts(windows: Windows) -> tuple[Alert, ...]:
    """Every alert about traffic, over the given windows."""
    return (_empty(windows), *_slow(windows), *_cost(windows))


def _empty(windows: Windows) -> Alert:
    count = _observed("rag_retrieved_documents", windows.slow_check)
    return Alert(
        name="RagRetrievalEmpty",
        severity="warning",
        expr=f"{recording.empty(windows.slow_check)} > {EMPTY_SHARE}\n"
        f"and {count} >= {LEAST_RETRIEVALS}\n"
        f"and {recording.empty(windows.ticket)} < {NEVER_RETRIEVES}",
        wait="10m",
        summary="The retrieval of a RAG service returns no documents.",
        description="{{ $labels.rag_service }}: {{ $value | humanizePercentage }} of its requests have no document to answer from.",
        board=COST_LATENCY,
        choose="rag_service",
    )


def _slow(windows: Windows) -> tuple[Alert, ...]:
    long, short = windows.fast, windows.fast_check
    return (
        Alert(
            name="RagLatencyBudgetBurnFast",
            severity="critical",
            expr=f"{recording.slow_requests(long)} > {REQUEST_BURN_RATIO}\n"
            f"and {recording.slow_requests(short)} > {REQUEST_BURN_RATIO}\n"
            f"and {_observed('rag_request_duration_seconds', long)} >= {LEAST_REQUESTS}",
            wait="2m",
            summary="A RAG service is burning its latency budget too fast.",
            description="{{ $labels.rag_service }}: {{ $value | humanizePercentage }} of its requests took longer than "
            f"{REQUEST_SECONDS:g} s.",
            board=COST_LATENCY,
            choose="rag_service",
        ),
        Alert(
            name="RagFirstTokenBudgetBurnFast",
            severity="critical",
            expr=f"{recording.slow_first_tokens(long)} > {FIRST_TOKEN_BURN_RATIO}\n"
            f"and {recording.slow_first_tokens(short)} > {FIRST_TOKEN_BURN_RATIO}\n"
            f"and {_observed('rag_time_to_first_token_seconds', long)} >= {LEAST_REQUESTS}",
            wait="2m",
            summary="The first token of a RAG service's answers comes too late too often.",
            description="{{ $labels.rag_service }}: {{ $value | humanizePercentage }} of its answers began after more than "
            f"{FIRST_TOKEN_SECONDS:g} s.",
            board=COST_LATENCY,
            choose="rag_service",
        ),
    )


def _observed(histogram: str, window: str) -> str:
    return promql.total("increase", f"{histogram}_count", window, by=recording.LEVEL)


def _cost(windows: Windows) -> tuple[Alert, ...]:
    now, requests = recording.cost(windows.fast), recording.requests(windows.fast)
    yesterday, last_week = _usual_cost(windows.fast, "1d"), _usual_cost(windows.fast, "1w")
    return (
        Alert(
            name="RagCostSpike",
            severity="warning",
            # The greater of the two, or the one that there is.
            expr=f"{now} > {COST_RISE:g} * (\n"
            f"  {yesterday}\n"
            f"  >= {last_week}\n"
            f"  or {last_week}\n"
            f"  or {yesterday}\n"
            ")\n"
            f"and {requests} >= {LEAST_REQUESTS}",
            wait="15m",
            summary=f"A request to a RAG service costs more than {COST_RISE:g} times what it did yesterday and last week.",
            description='{{ $labels.rag_service }}: a request costs {{ $value | printf "%.4f" }} US dollars on average over the last hour.',
            board=COST_LATENCY,
            choose="rag_service",
        ),
        Alert(
            name="RagTokensUnpriced",
            severity="info",
            expr=f"{promql.total('increase', 'rag_unpriced_tokens_total', '1h', by='model')} > 0",
            wait="15m",
            summary="A model has no known price, or its calls count one side alone, so that cost is missing.",
            description="{{ $labels.model }}: {{ $value | humanize }} tokens of the last hour are in no cost.",
            board=COST_LATENCY,
            choose="model",
        ),
    )


def _usual_cost(window: str, offset: str) -> str:
    cost, requests = recording.cost(window), recording.requests(window)
    return f"({cost} offset {offset} > 0 and {requests} offset {offset} >= {LEAST_REQUESTS})"

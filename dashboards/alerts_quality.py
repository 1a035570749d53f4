"""Alerts about the quality of the answers. Each asks for enough samples: one bad answer of three is no incident."""

from __future__ import annotations

from dashboards import promql, recording
from dashboards.alert import QUALITY, Alert
from dashboards.objectives import (
    CONTEXT_RELEVANCE_DROP,
    FAITHFULNESS_DROP,
    FAST_BURN_RATIO,
    LEAST_REQUESTS,
    LEAST_SAMPLES,
    LEAST_SCORES,
    LEAST_TICKET_SAMPLES,
    LONG_TICKET_BURN_RATIO,
    LOWER_BOUND,
    SLOW_BURN_RATIO,
    TICKET_BURN_RATIO,
    Windows,
)


def alerts(windows: Windows) -> tuple[Alert, ...]:
    """Every alert about quality, over the given windows."""
    return (*_hallucinations(windows), *_drops(windows), _starved(windows))


def _hallucinations(windows: Windows) -> tuple[Alert, ...]:
    fast = _burn(windows.fast, windows.fast_check, FAST_BURN_RATIO, LEAST_SAMPLES)
    slow = _burn(windows.slow, windows.slow_check, SLOW_BURN_RATIO, LEAST_SAMPLES)
    ticket = _burn(windows.ticket, windows.ticket_check, TICKET_BURN_RATIO, LEAST_TICKET_SAMPLES)
    long_ticket = _burn(windows.long_ticket, windows.slow, LONG_TICKET_BURN_RATIO, LEAST_TICKET_SAMPLES)
    return (
        Alert(
            name="RagHallucinationBudgetBurnFast",
            severity="critical",
            expr=f"(\n{fast}\n)\nor\n(\n{slow}\n)",
            wait="2m",
            summary="A RAG service is burning its hallucination budget too fast.",
            description="{{ $labels.rag_service }}: about {{ $value | humanizePercentage }} of its answers are not supported by what "
            "it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagHallucinationBudgetBurnSlow",
            severity="warning",
            expr=f"(\n{ticket}\n)\nor\n(\n{long_ticket}\n)",
            wait="15m",
            summary="A RAG service will not keep its hallucination budget.",
            description="{{ $labels.rag_service }}: over days about {{ $value | humanizePercentage }} of its answers are not supported by "
            "what it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagHallucinationRateHigh",
            severity="warning",
            expr=f"{recording.lower_bound(windows.fast)} > {LOWER_BOUND}\n"
            f"and {recording.samples(windows.fast)} >= {LEAST_SAMPLES}",
            wait="10m",
            keep="15m",
            summary="The hallucination ratio of a RAG service is high, with 95 % confidence.",
            description="{{ $labels.rag_service }}: at least {{ $value | humanizePercentage }} of its answers are not supported by what "
            "it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
    )


def _burn(long: str, short: str, threshold: float, least: int) -> str:
    return (
        f"  {recording.ratio(long)} > {threshold}\n"
        f"  and {recording.ratio(short)} > {threshold}\n"
        f"  and {recording.samples(long)} >= {least}"
    )


def _drops(windows: Windows) -> tuple[Alert, ...]:
    return (
        Alert(
            name="RagFaithfulnessDrop",
            severity="warning",
            expr=_drop("faithfulness", windows.slow, FAITHFULNESS_DROP),
            wait="30m",
            summary="The mean faithfulness of a RAG service is lower than at the same time last week.",
            description='{{ $labels.rag_service }}: its mean faithfulness is {{ $value | printf "%.3f" }} lower than a week ago.',
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagContextRelevanceDrop",
            severity="warning",
            expr=_drop("context_relevance", windows.slow, CONTEXT_RELEVANCE_DROP),
            wait="30m",
            summary="The mean context relevance of a RAG service is lower than at the same time last week.",
            description='{{ $labels.rag_service }}: its mean context relevance is {{ $value | printf "%.3f" }} lower than a week ago.',
            board=QUALITY,
            choose="rag_service",
        ),
    )


def _drop(evaluator: str, window: str, threshold: float) -> str:
    where = promql.selector(f'evaluator="{evaluator}"')
    mean, count = recording.mean_score(window) + where, recording.scored(window) + where
    return (
        f"({mean} offset 1w\n - {mean}) > {threshold}\n"
        f"and {count} >= {LEAST_SCORES}\n"
        f"and {count} offset 1w >= {LEAST_SCORES}"
    )


def _starved(windows: Windows) -> Alert:
    return Alert(
        name="RagSamplingStarved",
        severity="warning",
        expr=f"{recording.requests(windows.fast)} >= {LEAST_REQUESTS}\n"
        f"unless {recording.samples(windows.fast)} >= {LEAST_SAMPLES}\n"
        # A rate of 0 is someone's will.
        f"unless max by ({recording.LEVEL}) (rag_sidecar_sampling_probability) == 0",
        wait="1h",
        summary="A RAG service has traffic, but too few verdicts for its quality alerts.",
        description="{{ $labels.rag_service }}: {{ $value | humanize }} requests in an hour gave fewer than "
        f"{LEAST_SAMPLES} effective samples.",
        board=QUALITY,
        choose="rag_service",
    )

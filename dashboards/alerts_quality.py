"""Alerts about the quality of the answers. Each asks for enough samples: one bad answer of three is no incident."""

from __future__ import annotations

from dashboards import baseline, estimate, labels, promql, recording
from dashboards.alert import QUALITY, SIDECAR, Alert
from dashboards.objectives import (
    CONTEXT_RELEVANCE_DROP,
    COVERED,
    DROP_Z,
    FAITHFULNESS_DROP,
    FAST_BURN_RATIO,
    LABELS_RENEWED_DAYS,
    LEAST_ANCHORS,
    LEAST_REQUESTS,
    LEAST_RISE_SAMPLES,
    LEAST_SAMPLES,
    LEAST_SCORES,
    LEAST_SLOW_RISE_SAMPLES,
    LONG_TICKET_BURN_RATIO,
    LOWER_BOUND,
    QUICK_RISE_TOLERATED,
    RISE_TOLERATED,
    RISE_Z,
    SLOW_BURN_RATIO,
    SLOW_RISE_Z,
    TICKET_BURN_RATIO,
    Windows,
    seconds,
)


def alerts(windows: Windows) -> tuple[Alert, ...]:
    """Every alert about quality, over the given windows."""
    return (*_levels(windows), _risen(windows), *_drops(windows), _starved(windows), *_anchors(windows))


def _levels(windows: Windows) -> tuple[Alert, ...]:
    """They read the anchored ratio alone: of a service without anchors there is none, and they are silent."""
    fast = _burn(windows.fast, windows.slow_check, FAST_BURN_RATIO)
    slow = _burn(windows.slow, windows.ticket_check, SLOW_BURN_RATIO)
    ticket = _burn(windows.ticket, windows.slow, TICKET_BURN_RATIO)
    long_ticket = _burn(windows.long_ticket, windows.ticket, LONG_TICKET_BURN_RATIO)
    return (
        Alert(
            name="RagHallucinationBudgetBurnFast",
            severity="critical",
            expr=f"(\n{fast}\n)\nor\n(\n{slow}\n)",
            wait="2m",
            summary="A RAG service is burning its hallucination budget too fast.",
            description="{{ $labels.rag_service }}: with 95 % confidence at least {{ $value | humanizePercentage }} of its answers are not supported "
            "by what it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagHallucinationBudgetBurnSlow",
            severity="warning",
            expr=f"(\n{ticket}\n)\nor\n(\n{long_ticket}\n)",
            wait="15m",
            summary="A RAG service will not keep its hallucination budget.",
            description="{{ $labels.rag_service }}: over days, with 95 % confidence, at least {{ $value | humanizePercentage }} of its answers are not "
            "supported by what it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagHallucinationRateHigh",
            severity="warning",
            expr=f"{estimate.bound(windows.fast, upper=False)} > {LOWER_BOUND}\nand {estimate.enough(windows.fast)}",
            wait="10m",
            keep="15m",
            summary="The hallucination ratio of a RAG service is high, with 95 % confidence.",
            description="{{ $labels.rag_service }}: at least {{ $value | humanizePercentage }} of its answers are not supported by what "
            "it retrieved.",
            board=QUALITY,
            choose="rag_service",
        ),
    )


def _burn(long: str, short: str, threshold: float) -> str:
    """Certainly above the limit in the long window, and not certainly below it in the short one."""
    return (
        f"  {estimate.bound(long, upper=False)} > {threshold}\n"
        f"  and {estimate.enough(long)}\n"
        f"  unless {estimate.bound(short, upper=True)} < {threshold}"
    )


def _risen(windows: Windows) -> Alert:
    quick, slow, weeks, yesterday = baseline.pasts(windows)
    soon = (
        f"  {_beyond(quick, QUICK_RISE_TOLERATED, RISE_Z)}\n  and {quick.samples} >= {LEAST_RISE_SAMPLES}\n"
        # Where a fortnight is known, the same hour of the same weekday has to have been lower too.
        f"  unless {weeks.rise} < {QUICK_RISE_TOLERATED}"
    )
    later = (
        f"  {_beyond(slow, RISE_TOLERATED, SLOW_RISE_Z)}\n  and {slow.samples} >= {LEAST_SLOW_RISE_SAMPLES}\n"
        # A rise that yesterday had too is known, or the sum of two small ones.
        f"  and {_beyond(yesterday, RISE_TOLERATED, SLOW_RISE_Z)}"
    )
    # Where a judge looks at the service, its word on the level is better than the local model's on the rise.
    return Alert(
        name="RagHallucinationShareRisen",
        severity="critical",
        expr=f"(\n(\n{soon}\n)\nor\n(\n{later}\n)\n)\n"
        f"unless (\n  {estimate.bound(windows.ticket_check, upper=True)} < {SLOW_BURN_RATIO}\n"
        f"  and {estimate.judged_samples(windows.ticket_check)} >= {LEAST_ANCHORS}\n)",
        wait="2m",
        keep="15m",
        summary="Many more answers of a RAG service than before are called hallucinated.",
        description="{{ $labels.rag_service }}: the share of its answers below the threshold is {{ $value | humanizePercentage }} (of all answers) "
        "above that of the days before.",
        board=QUALITY,
        choose="rag_service",
    )


def _beyond(past: baseline.Past, tolerated: float, errors: float) -> str:
    return f"{past.rise} > {tolerated} + {errors} * {past.error}"


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
    error = recording.mean_score_error(window) + where
    return (
        f"({mean} offset 1w\n - {mean}) > {threshold}\n"
        f"and ({mean} offset 1w\n - {mean}) > {DROP_Z:g} * sqrt({error} ^ 2 + ({error} offset 1w) ^ 2)\n"
        f"and {count} >= {LEAST_SCORES}\n"
        f"and {count} offset 1w >= {LEAST_SCORES}\n"
        # Other models or versions of ours give other scores: from them on a new week begins, for the services that they score.
        f"unless on ({recording.LEVEL}) (\n{_scored_otherwise(evaluator, window)}\n)"
    )


def _scored_otherwise(evaluator: str, window: str) -> str:
    """The services whose scores of a window and of a week before it are not of the same models and version of the evaluator."""
    return f"  {_default_changed(evaluator, window)}\n  or {_judged_otherwise(window)}"


def _default_changed(evaluator: str, window: str) -> str:
    """The services of the sidecars whose default models or evaluator changed. Models that rules name come and go with what is asked."""
    used = (
        ("role, name, version", 'rag_sidecar_model_info{role!~".+_by_rule"}'),
        ("method, version", f'rag_sidecar_evaluator_info{{evaluator="{evaluator}"}}'),
    )
    sides = [
        side
        for labels, info in used
        for side in _differ(_used(labels, info, window), _used(labels, info, window, " offset 1w"))
    ]
    scored = f'rag_evaluations_total{{evaluator="{evaluator}",outcome="scored"}}'
    ours = "\n    or ".join(sides)
    return f"count by ({recording.LEVEL}, {SIDECAR}) ({scored})\n  and on ({SIDECAR}) (\n    {ours}\n  )"


def _judged_otherwise(window: str) -> str:
    """The services of whose verdicts more than a few come from what gave none in the other window: a model that a rule names moves their means."""
    now = baseline.weight(window)
    then = f"{now} offset 1w"
    sides = zip(_differ(f"({now} > 0)", f"({then} > 0)"), (now, then), strict=True)
    level = recording.LEVEL
    return "\n  or ".join(
        f"sum by ({level}) {side}\n  > {1 - COVERED:g} * sum by ({level}) ({whole})" for side, whole in sides
    )


def _used(labels: str, info: str, window: str, offset: str = "") -> str:
    return f"count by ({SIDECAR}, {labels}) (present_over_time({info}[{window}]{offset}))"


def _differ(now: str, then: str) -> tuple[str, str]:
    """What is there now and was not then, and what was there then and is not now."""
    return f"({now} unless {then})", f"({then} unless {now})"


def _starved(windows: Windows) -> Alert:
    return Alert(
        name="RagSamplingStarved",
        severity="warning",
        expr=f"{recording.requests(windows.fast)} >= {LEAST_REQUESTS}\n"
        f"unless {recording.samples(windows.fast)} >= {LEAST_SAMPLES}\n"
        # A rate of 0 is someone's will.
        f"unless max by ({recording.LEVEL}) (rag_sidecar_sampling_probability) == 0",
        wait="1h",
        summary="A RAG service has traffic, but too few verdicts to say anything of it.",
        description="{{ $labels.rag_service }}: {{ $value | humanize }} requests in an hour gave fewer than "
        f"{LEAST_SAMPLES} effective samples.",
        board=QUALITY,
        choose="rag_service",
    )


def _anchors(windows: Windows) -> tuple[Alert, ...]:
    basis, level = f'{recording.BASIS}{{basis="anchored"}}', recording.LEVEL
    left = labels.seconds_left()
    return (
        Alert(
            name="RagHallucinationAnchorLost",
            severity="warning",
            # Labels that are there and anchor nothing are told for as long as that is so.
            expr=f"(\n  max by ({level}) ({basis} offset {windows.day})\n  or\n  {labels.given()}\n)\n"
            f"unless on ({level}) {basis}\n"
            f"and on ({level}) {recording.requests(windows.fast)} >= {LEAST_REQUESTS}",
            wait="30m",
            summary="Nothing tells the hallucination ratio of a RAG service, though a judge did yesterday, or labels should.",
            description="{{ $labels.rag_service }}: in a day the judge saw fewer than "
            f"{LEAST_ANCHORS} effective answers, and labels are too old, of another verdict, or none, so that the alerts on its level are silent.",
            board=QUALITY,
            choose="rag_service",
        ),
        Alert(
            name="RagHallucinationLabelsExpire",
            severity="warning",
            expr=f"({left} < {LABELS_RENEWED_DAYS * seconds('1d')}) > 0\n"
            f"unless on ({level}) {estimate.judged_samples(windows.ticket)} >= {LEAST_ANCHORS}",
            wait="1h",
            summary="The labels that anchor the hallucination ratio of a RAG service are soon too old.",
            description="{{ $labels.rag_service }}: its labels anchor for {{ $value | humanizeDuration }} more; then nothing tells its ratio.",
            board=QUALITY,
            choose="rag_service",
        ),
    )

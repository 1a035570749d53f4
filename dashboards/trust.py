"""The first row of the dashboard *RAG quality*: what is known of the hallucinations of each service, on which basis, and what watching costs.

These panels read the recorded series of the services, as the alerts do; a choice of model, variant or replica does not cut them.
"""

from __future__ import annotations

from dashboards import baseline, estimate, labels, promql, recording, shapes
from dashboards.objectives import (
    FAST_BURN_RATIO,
    HALLUCINATION_BUDGET,
    LEARNING_DAYS,
    LEAST_ANCHORS,
    LOWER_BOUND,
    QUICK_RISE_TOLERATED,
    RISE_TOLERATED,
    WINDOWS,
)
from dashboards.panels import NEUTRAL, RATE, RED, REPLICAS, SERVICES, YELLOW, Panel, Target

_HOUR = WINDOWS.fast
_CHOSEN = '{rag_service=~"$rag_service"}'
LEVELS = ((HALLUCINATION_BUDGET, YELLOW), (LOWER_BOUND, "orange"), (FAST_BURN_RATIO, RED))
_QUICK = baseline.pasts(WINDOWS)[0]
_OURS = f"on (job, instance) group_left () rag_sidecar_build_info{{{REPLICAS}}}"
_RISE = (
    f"By how many points the share of answers below the threshold is above that of the {LEARNING_DAYS} days before, at the same time of day. "
    "A rise needs no label to be one. " + shapes.runbook("RagHallucinationShareRisen")
)


_KNOWN = (
    "On what the numbers of a service rest: `uncalibrated`, only the share below the threshold is known, and nothing pages; `baseline`, a rise against its own past "
    "pages; `anchored`, a judge on a random sample says the ratio, or labels do, and its level pages (docs/alerts.md says how to get from one to the next). The anchored "
    "ratio is the share of answers that the retrieved documents do not support, between its 95 % bounds, where enough is known for an alert: "
    f"{LEAST_ANCHORS} judged answers, or as many verdicts of the labelled identity. *Worth* is the size of the plain random sample of judged answers that would know as much. "
)


def row() -> list[Panel]:
    """The panels of the row."""
    return [_known(), _below(), _cost()]


def over_time() -> list[Panel]:
    """The same over time: the estimate in its interval, and the trend against the baseline."""
    return [
        Panel(
            title="Hallucination ratio, anchored, with its 95 % interval",
            description="What the judge's random sample and the local verdicts on all answers say together, or, where no judge looks, the local verdicts corrected by how "
            "often they are right by labels; the interval allows for the errors of both. Empty where too little is known for an alert. "
            f"Dashed lines: the budget ({HALLUCINATION_BUDGET:.0%}), where the lower bound warns ({LOWER_BOUND:.0%}), and where it pages "
            f"({FAST_BURN_RATIO:.1%}). "
            + shapes.runbook(
                "RagHallucinationRateHigh", "RagHallucinationBudgetBurnFast", "RagHallucinationBudgetBurnSlow"
            ),
            unit="percentunit",
            width=12,
            height=9,
            targets=_interval(),
            thresholds=LEVELS,
            lines=True,
            bands=".* bound",
            ratio=True,
            answers=True,
        ),
        Panel(
            title="Rise against the days before",
            description=_RISE
            + f" Up to {QUICK_RISE_TOLERATED * 100:g} points in two hours, and {RISE_TOLERATED * 100:g} in a day, are tolerated.",
            unit="percentunit",
            width=12,
            height=9,
            targets=(Target(_QUICK.rise + _CHOSEN, "{{rag_service}}"),),
            thresholds=((QUICK_RISE_TOLERATED, YELLOW),),
            lines=True,
            signed=True,
            answers=True,
        ),
    ]


def _interval() -> tuple[Target, ...]:
    lower, upper = (_where_enough(estimate.bound(_HOUR, upper=upper)) for upper in (False, True))
    return (
        Target(_where_enough(estimate.ratio(_HOUR)), "{{rag_service}}"),
        Target(lower, "{{rag_service}}, lower bound"),
        Target(upper, "{{rag_service}}, upper bound"),
    )


def _where_enough(series: str) -> str:
    """A series of the chosen services where it rests on as much as the alerts ask for: three judged answers say nothing."""
    return f"{series}{_CHOSEN}\nand on (rag_service) {estimate.enough(_HOUR, where=_CHOSEN)}"


def _stat(title: str, description: str, targets: tuple[Target, ...], *, unit: str = "percentunit") -> Panel:
    return Panel(
        title=title, description=description, unit=unit, kind="stat", width=5, height=8, base=NEUTRAL, targets=targets
    )


def _known() -> Panel:
    """One row a service: numbers of many services in one line could not be read."""

    def of(series: str, *, enough: bool = False) -> Target:
        return Target(f"max by (rag_service) ({_where_enough(series) if enough else series + _CHOSEN})")

    return Panel(
        title=f"What is known of each service, {_HOUR}",
        description=_KNOWN + _RISE + " " + shapes.runbook("RagHallucinationAnchorLost"),
        unit="short",
        kind="table",
        width=14,
        height=8,
        targets=(
            Target(f"max by (rag_service, basis) ({recording.BASIS}{_CHOSEN})"),
            of(estimate.ratio(_HOUR), enough=True),
            of(estimate.bound(_HOUR, upper=False), enough=True),
            of(estimate.bound(_HOUR, upper=True), enough=True),
            of(estimate.samples(_HOUR), enough=True),
            of(estimate.judged_samples(_HOUR)),
            of(labels.samples(_HOUR)),
            of(_QUICK.rise),
        ),
        columns=(("rag_service", "Service"), ("basis", "Basis")),
        values=(
            ("", ""),
            ("Anchored ratio", "percentunit"),
            ("At least", "percentunit"),
            ("At most", "percentunit"),
            ("Worth", "short"),
            ("Judged", "short"),
            ("By labels", "short"),
            ("Rise", "percentunit"),
        ),
    )


def _below() -> Panel:
    return _stat(
        f"Below the threshold, {_HOUR}",
        "Uncalibrated: share of answers that the local model calls hallucinated, right or wrong. It errs, on some services on a third of the good answers. Weighted "
        "by 1/p, so it estimates all traffic; abstentions are left out. Good for comparing and for its trend, not for its level.",
        (Target(promql.hallucination_ratio(_HOUR, where=SERVICES), "share"),),
    )


def _cost() -> Panel:
    requests = f"({promql.total('rate', 'rag_requests_total', RATE, where=SERVICES)} > 0)"
    cpu = f"sum(rate(process_cpu_seconds_total{{{REPLICAS}}}[{RATE}]) * {_OURS})"
    judge = promql.total("rate", "rag_sidecar_judge_cost_usd_total", RATE, where=REPLICAS)
    return _stat(
        "Cost per 1,000 requests",
        "CPU seconds of the sidecar, and US dollars of the judge, for a thousand requests of what is selected; of all replicas, so it is right where all services "
        "are chosen.",
        (Target(f"1000 * {cpu} / {requests}", "CPU seconds"), Target(f"1000 * {judge} / {requests}", "judge, USD")),
        unit="short",
    )

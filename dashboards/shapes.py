"""Panels that recur: rates of counters, quantiles and heatmaps of histograms, and the traffic of the RAG services."""

from __future__ import annotations

from dashboards import promql
from dashboards.alerts import RUNBOOKS
from dashboards.objectives import LAG_SECONDS
from dashboards.panels import RATE, RED, REPLICAS, SERVICES, Panel, Target

_REQUESTS = "rag_requests_total"
QUANTILES = ((0.5, "half"), (0.95, "95 of 100"), (0.99, "99 of 100"))


def runbook(*alerts: str) -> str:
    """Where to read on. Whoever serves the runbooks elsewhere has this path replaced by the generator or the chart."""
    return "Read on: " + ", ".join(f"{RUNBOOKS}/{alert}.md" for alert in alerts)


def legend(by: str) -> str:
    """`a, b` as `{{a}} {{b}}`."""
    return " ".join("{{" + label.strip() + "}}" for label in by.split(","))


def rates(
    title: str,
    description: str,
    series: str,
    *,
    by: str,
    unit: str = "ops",
    where: str = REPLICAS,
    extra: str = "",
    width: int = 8,
    stacked: bool = False,
) -> Panel:
    """A counter per second by some labels."""
    expression = promql.total("rate", series, RATE, by=by, where=where, extra=extra)
    return Panel(
        title=title,
        description=description,
        unit=unit,
        width=width,
        targets=(Target(expression, legend(by)),),
        stacked=stacked,
    )


def quantiles(
    title: str,
    description: str,
    histogram: str,
    *,
    where: str = REPLICAS,
    unit: str = "s",
    width: int = 8,
    exemplars: bool = False,
) -> Panel:
    """Three quantiles of a histogram. One of them asks for the exemplars, which are the same for all."""
    return Panel(
        title=title,
        description=description,
        unit=unit,
        width=width,
        targets=tuple(
            Target(promql.quantile(q, histogram, RATE, where=where), word, exemplars and q == 0.95)
            for q, word in QUANTILES
        ),
    )


def heat(
    title: str,
    description: str,
    histogram: str,
    *,
    where: str,
    unit: str = "s",
    width: int = 12,
    exemplars: bool = True,
) -> Panel:
    """How many observations fell into which bucket."""
    expression = promql.total("increase", f"{histogram}_bucket", RATE, by="le", where=where)
    return Panel(
        title=title,
        description=description,
        unit=unit,
        kind="heatmap",
        width=width,
        targets=(Target(expression, exemplars=exemplars),),
    )


def gauge(title: str, description: str, expression: str, text: str, *, unit: str = "short", width: int = 8) -> Panel:
    """A value over time."""
    return Panel(title=title, description=description, unit=unit, width=width, targets=(Target(expression, text),))


def requests_by(by: str, word: str) -> Panel:
    """RAG requests per second."""
    return rates(
        f"Requests by {word}",
        "RAG requests per second, every one, sampled or not. A service that is missing here sends no traces.",
        _REQUESTS,
        by=by,
        unit="reqps",
        where=SERVICES,
        stacked=True,
    )


def error_share(by: str = "") -> str:
    """Share of requests that ended in an error, 0..1."""
    return promql.ratio(
        promql.total("rate", _REQUESTS, RATE, by=by, where=SERVICES, extra='status="error"'),
        promql.total("rate", _REQUESTS, RATE, by=by, where=SERVICES),
    )


def errors_by_service() -> Panel:
    """The share of errors of each service."""
    return Panel(
        title="Errors by service",
        description="Share of requests whose trace says that they ended in an error. Look at the service's own traces and logs.",
        unit="percentunit",
        width=8,
        targets=(Target(error_share("rag_service")),),
        ratio=True,
    )


def tokens_by_type() -> Panel:
    """Tokens in parts that add up."""
    return rates(
        "Tokens per second by type",
        "Types add up: input does not hold cached input, output does not hold reasoning. Input that grows alone means longer "
        "contexts or prompts.",
        "rag_tokens_total",
        by="type",
        unit="short",
        where=SERVICES,
        stacked=True,
    )


def cost_per_hour(by: str, word: str) -> Panel:
    """US dollars an hour by a label."""
    cost = promql.total("rate", "rag_cost_usd_total", RATE, by=by, where=SERVICES)
    return Panel(
        title=f"Cost per hour by {word}",
        description="US dollars per hour at list prices. What has no price is not in it: see Tokens without a price.",
        unit="currencyUSD",
        width=8,
        targets=(Target(f"{cost} * 3600", legend(by)),),
        stacked=True,
    )


def unpriced_tokens() -> Panel:
    """Tokens that are in no cost. The series knows the model only."""
    return rates(
        "Tokens without a price",
        "Tokens per second of models whose price is not known, and of calls that count input or output alone; their cost is missing from every cost panel. "
        f"Give a price for the model in the settings (`price`). Service and variant do not narrow this panel. {runbook('RagTokensUnpriced')}",
        "rag_unpriced_tokens_total",
        by="model",
        unit="short",
        extra='model=~"$model"',
    )


def funnel() -> Panel:
    """What became of every request."""
    return rates(
        "The funnel",
        "What became of every request, per second. The outcomes add up to all of them; `shed` and `failed` were not intended. "
        + runbook("RagSidecarScoringStalled"),
        "rag_sidecar_requests_total",
        by="outcome",
        unit="reqps",
        stacked=True,
    )


def lag() -> Panel:
    """Age of what is taken from Kafka now."""
    return Panel(
        title="Lag",
        description=f"Age of what is taken from Kafka now. Above {LAG_SECONDS:.0f} s the quality panels show the past, and an alert pages. "
        + runbook("RagSidecarConsumerLagTooOld"),
        unit="s",
        width=8,
        targets=(Target(f"max by (topic) (rag_sidecar_consumer_lag_seconds{{{REPLICAS}}})", "{{topic}}"),),
        thresholds=((LAG_SECONDS, RED),),
        lines=True,
    )

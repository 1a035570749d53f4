"""Panels about the judge: what it is asked and costs, and how far the local verdict agrees with it."""

from __future__ import annotations

from dashboards import promql, shapes
from dashboards.objectives import JUDGE_ERROR, WINDOWS
from dashboards.panels import EVALUATORS, RATE, REPLICAS, SERVICES, Panel, Target

_HOUR = WINDOWS.fast
_PAUSED = shapes.runbook("RagSidecarJudgePaused")
_WEIGHT, _SQUARED = "rag_judged_verdict_weight_total", "rag_judged_verdict_weight_squared_total"
_BOTH = 'local=~"grounded|hallucinated"'
_LOCAL = "faithfulness|groundedness|context_relevance|context_precision|answer_relevancy"


def itself() -> list[Panel]:
    """The row *Judge* of the dashboard about the sidecar."""
    return [*_questions(), *_costs()]


def _questions() -> list[Panel]:
    return [
        shapes.rates(
            "Questions to the judge",
            "Questions per second by evaluator and what came of them. `cached` was answered before; `judge_budget` means that the budget is "
            f"spent, `judge_invalid` that a reply was not by the schema. {_PAUSED}",
            "rag_sidecar_judge_requests_total",
            by="evaluator, outcome",
        ),
        shapes.gauge(
            "Judge paused",
            "Replicas that ask nothing, by why. `failing` is the circuit breaker, which tries again by itself; all others want a person. "
            f"Local scores go on. {_PAUSED}",
            f"sum by (reason) (rag_sidecar_judge_paused{{{REPLICAS}}})",
            "{{reason}}",
        ),
        shapes.quantiles(
            "Seconds of a call to the judge",
            "Of one HTTP call, failed or not. Evaluators that ask it have a lane of their own: it never slows local scoring.",
            "rag_sidecar_judge_seconds",
        ),
        shapes.rates(
            "Texts that speak to the judge",
            "Questions, documents and answers per second that give it orders, play a role, show verdicts or praise themselves. They change "
            "no verdict by that; many in `document` mean that somebody plants them in what is retrieved.",
            "rag_sidecar_judge_suspicious_texts_total",
            by="place, kind",
        ),
        Panel(
            title="Requests drawn for the judge",
            description="Probability with which a scored request is drawn, by evaluator, of the replica with the least; and what the budget leaves "
            "of the rates that are set. It falls before the budget is spent.",
            unit="percentunit",
            width=16,
            targets=(
                Target(f"min by (evaluator) (rag_sidecar_judge_rate{{{REPLICAS}}})", "{{evaluator}}"),
                Target(f"min(rag_sidecar_judge_budget_factor{{{REPLICAS}}})", "left by the budget"),
            ),
        ),
    ]


def _costs() -> list[Panel]:
    return [
        Panel(
            title="Cost of the judge",
            description="US dollars an hour, by evaluator, over all replicas. `judge.budget_usd_per_hour` is its limit.",
            unit="currencyUSD",
            width=8,
            targets=(
                Target(
                    f"3600 * {promql.total('rate', 'rag_sidecar_judge_cost_usd_total', RATE, by='evaluator', where=REPLICAS)}",
                    "{{evaluator}}",
                ),
            ),
            stacked=True,
        ),
        shapes.rates(
            "Tokens of the judge",
            "Tokens per second, by evaluator and type.",
            "rag_sidecar_judge_tokens_total",
            by="evaluator, type",
            stacked=True,
        ),
        Panel(
            title="Tokens of the judge without a price or a count",
            description="Tokens per second. `no price`: the model has no known one, they are in no cost and no budget; set `price.models`. `no count`: the reply "
            "did not count them, or there was none to a call that was sent; cost and budget go by the length of the texts.",
            unit="ops",
            width=8,
            targets=(
                Target(
                    promql.total("rate", "rag_sidecar_judge_unpriced_tokens_total", RATE, where=REPLICAS), "no price"
                ),
                Target(
                    promql.total("rate", "rag_sidecar_judge_estimated_tokens_total", RATE, where=REPLICAS), "no count"
                ),
            ),
        ),
    ]


def quality() -> list[Panel]:
    """The row *Judge* of the dashboard about quality."""
    return [_agreement(), _confusion(), _samples(), _scores(), _errors()]


def _agreement() -> Panel:
    def part(extra: str) -> str:
        return promql.total("rate", _WEIGHT, _HOUR, by="rag_service", where=SERVICES, extra=extra)

    whole = part(_BOTH)
    right = " + ".join(f"({part(_pair(one, one))} or 0 * {whole})" for one in ("grounded", "hallucinated"))
    return Panel(
        title="Agreement of local verdict and judge",
        description="Weighted share of the answers that both gave a verdict on and that got the same from both, by service. Low: look at the answers, then at "
        "the threshold (`rag-sidecar calibrate --from-judge`).",
        unit="percentunit",
        width=8,
        targets=(Target(promql.ratio(f"({right})", whole)),),
    )


def _pair(local: str, judge: str) -> str:
    return f'local="{local}",judge="{judge}"'


def _confusion() -> Panel:
    return Panel(
        title="Local verdict against the judge's",
        description="Answers that the judge gave a verdict on, unweighted: local / judge. `none` is what no local model could judge.",
        unit="short",
        width=8,
        targets=(
            Target(
                promql.total("increase", "rag_judged_verdicts_total", RATE, by="local, judge", where=SERVICES),
                "{{local}} / {{judge}}",
            ),
        ),
        stacked=True,
    )


def _samples() -> Panel:
    weight, squared = (
        promql.total("increase", series, _HOUR, by="rag_service", where=SERVICES) for series in (_WEIGHT, _SQUARED)
    )
    return Panel(
        title="Effective size of the judged sample",
        description="What the answers that the judge saw are worth as a plain sample: (Σw)²/Σw², by service.",
        unit="short",
        width=8,
        targets=(Target(f"({weight}) ^ 2 / ({squared} > 0)"),),
    )


def _scores() -> Panel:
    others = f'{EVALUATORS},evaluator!~"{_LOCAL}"'
    return Panel(
        title="Mean score by the judge and of metrics of your own",
        description="Weighted mean of what the judge says, 0..1, 1 is good: `_judge` behind a name is the judged form of that evaluator, all other names "
        "are those of `evaluate.metrics`.",
        unit="percentunit",
        width=16,
        targets=(Target(promql.mean_score(_HOUR, by="evaluator", where=others), "{{evaluator}}"),),
    )


def _errors() -> Panel:
    rate, labelled = (f"rag_sidecar_judge_detector_{word}" for word in ("rate", "labelled"))
    return Panel(
        title="How often the judge is right",
        description="On answers that people labelled (`judge.detector`), and how many these were. Empty: nobody measured it, and the interval of the "
        f"anchored ratio allows for an error of {JUDGE_ERROR:.0%}.",
        unit="short",
        width=8,
        kind="stat",
        targets=(
            Target(f"avg by (rate) ({rate}{{{REPLICAS}}})", "{{rate}}"),
            Target(f"max by (label) ({labelled}{{{REPLICAS}}})", "{{label}} labelled"),
        ),
    )

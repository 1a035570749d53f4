"""The dashboard *RAG quality*: do the answers hold, for whom not, and can the numbers be trusted?

Ratios are over the windows of the alerts, so that a panel shows what an alert sees; all else is over `$__rate_interval`.
"""

from __future__ import annotations

from dashboards import detector, judge, promql, shapes, variants
from dashboards.alert import QUALITY
from dashboards.board import add_variants_to_compare, new_dashboard
from dashboards.objectives import (
    FAST_BURN_RATIO,
    HALLUCINATION_BUDGET,
    LEAST_SAMPLES,
    LOWER_BOUND,
    WINDOWS,
)
from dashboards.panels import EVALUATORS, GREEN, RATE, RED, SERVICES, YELLOW, Dashboard, Panel, Target, add

HOUR = WINDOWS.fast
_RATIO_LINES = ((HALLUCINATION_BUDGET, YELLOW), (LOWER_BOUND, "orange"), (FAST_BURN_RATIO, RED))
_ABOUT_LINES = (
    f"Dashed lines: the budget ({HALLUCINATION_BUDGET:.0%}), where the lower bound warns ({LOWER_BOUND:.0%}), and where the fast "
    f"burn pages ({FAST_BURN_RATIO:.1%}). "
    + shapes.runbook("RagHallucinationRateHigh", "RagHallucinationBudgetBurnFast", "RagHallucinationBudgetBurnSlow")
)


def dashboard() -> Dashboard:
    """The dashboard as the SDK's record."""
    board = new_dashboard(
        title="RAG quality",
        uid=QUALITY,
        description="Hallucination ratio with its confidence, scores, abstentions, traffic, latency and cost of RAG services.",
    )
    add_variants_to_compare(board)
    add(board, "Now", _now())
    add(board, "Hallucinations", _hallucinations())
    add(board, "Errors of the detector", detector.panels())
    add(board, "Variants", variants.panels())
    add(board, "Scores", _scores())
    add(board, "Judge", judge.quality())
    add(board, "Traffic, latency and cost", _traffic())
    add(board, "Can the numbers be trusted?", _sidecar())
    return board.build()


def _now() -> list[Panel]:
    return [
        Panel(
            title=f"Hallucination ratio, {HOUR}",
            description="Share of answers that the retrieved documents do not support, as the grounding model judges (raw). Weighted by "
            "1/p, so it estimates all traffic; abstentions are left out.",
            unit="percentunit",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(detector.RAW, "ratio"),),
            thresholds=_RATIO_LINES,
        ),
        Panel(
            title="Lower bound, 95 %",
            description=f"With 95 % confidence the ratio is above this (Wilson). An alert warns above {LOWER_BOUND:.0%}.",
            unit="percentunit",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(promql.hallucination_bound(HOUR, upper=False, where=SERVICES), "lower bound"),),
            thresholds=((LOWER_BOUND, RED),),
        ),
        Panel(
            title=f"Corrected ratio, {HOUR}",
            description="The raw ratio corrected for what the grounding model misses and flags in vain (Rogan-Gladen). No alert reads it: "
            "it is as good as the rates it rests on. See the row Errors of the detector.",
            unit="percentunit",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(detector.CORRECTED, "{{grounding_model}}"),),
            thresholds=_RATIO_LINES,
        ),
        Panel(
            title=f"Effective sample size, {HOUR}",
            description=f"What the weighted sample is worth as a plain one: (Σw)²/Σw². Below {LEAST_SAMPLES} no quality alert fires.",
            unit="short",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(promql.effective_samples(HOUR, where=SERVICES), "samples"),),
            base=YELLOW,
            thresholds=((LEAST_SAMPLES, GREEN),),
        ),
        Panel(
            title="Abstained",
            description="Share of answers that say they do not know, or refuse. Neither hallucinated nor faithful.",
            unit="percentunit",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(promql.abstention_ratio(HOUR, where=SERVICES), "abstained"),),
        ),
        Panel(
            title="Requests",
            description="RAG requests per second, every one, sampled or not.",
            unit="reqps",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(promql.total("rate", "rag_requests_total", RATE, where=SERVICES), "requests"),),
        ),
    ]


def _hallucinations() -> list[Panel]:
    return [
        Panel(
            title="Hallucination ratio with its 95 % interval",
            description="The ratio of everything selected, between its Wilson bounds; a wide band means few samples. "
            + _ABOUT_LINES,
            unit="percentunit",
            width=16,
            height=9,
            targets=(
                Target(detector.RAW, "ratio"),
                Target(promql.hallucination_bound(HOUR, upper=False, where=SERVICES), "lower bound"),
                Target(promql.hallucination_bound(HOUR, upper=True, where=SERVICES), "upper bound"),
            ),
            thresholds=_RATIO_LINES,
            lines=True,
            bands=".* bound",
            ratio=True,
        ),
        Panel(
            title="Effective sample size by service",
            description=f"Below the line at {LEAST_SAMPLES} the quality alerts of a service stay silent: sample more of it. "
            + shapes.runbook("RagSamplingStarved"),
            unit="short",
            width=8,
            height=9,
            targets=(Target(promql.effective_samples(HOUR, by="rag_service", where=SERVICES)),),
            base=YELLOW,
            thresholds=((LEAST_SAMPLES, GREEN),),
            lines=True,
        ),
        *(
            Panel(
                title=f"Hallucination ratio by {word}",
                description=f"Where it comes from: the ratio of each {word} of what is selected. {_ABOUT_LINES}",
                unit="percentunit",
                width=8,
                targets=(Target(promql.hallucination_ratio(HOUR, by=label, where=SERVICES), "{{" + label + "}}"),),
                thresholds=_RATIO_LINES,
                lines=True,
                ratio=True,
            )
            for word, label in (("service", "rag_service"), ("model", "model"), ("variant", "variant"))
        ),
        Panel(
            title="Worst services",
            description="The ten services whose lower bound is highest: with 95 % confidence at least this share of their answers is "
            f"hallucinated. Few samples make a bound low. {shapes.runbook('RagHallucinationRateHigh')}",
            unit="percentunit",
            kind="table",
            width=8,
            targets=(
                Target(f"topk(10, {promql.hallucination_bound(HOUR, upper=False, by='rag_service', where=SERVICES)})"),
            ),
            thresholds=((LOWER_BOUND, RED),),
            columns=(("rag_service", "Service"),),
            value="At least",
        ),
        Panel(
            title="Verdicts in the sample",
            description="How many answers were judged, unweighted.",
            unit="short",
            width=8,
            targets=(
                Target(
                    promql.total("increase", "rag_verdicts_total", RATE, by="verdict", where=SERVICES), "{{verdict}}"
                ),
            ),
            stacked=True,
        ),
        Panel(
            title="Abstention ratio by service",
            description="Share of answers that say they do not know. It rises when retrieval finds nothing.",
            unit="percentunit",
            width=8,
            targets=(Target(promql.abstention_ratio(HOUR, by="rag_service", where=SERVICES)),),
            ratio=True,
        ),
    ]


def _scores() -> list[Panel]:
    return [
        Panel(
            title="Mean score by evaluator",
            description="Weighted mean of each evaluator's scores, 0..1; 1 is good. "
            + shapes.runbook("RagFaithfulnessDrop", "RagContextRelevanceDrop"),
            unit="percentunit",
            width=8,
            targets=(Target(promql.mean_score(HOUR, by="evaluator", where=EVALUATORS), "{{evaluator}}", True),),
        ),
        Panel(
            title="Standard error of the mean score",
            description="How far the mean of each evaluator may be off by chance: twice this to both sides is about its 95 % interval.",
            unit="percentunit",
            width=8,
            targets=(Target(promql.mean_score_error(HOUR, by="evaluator", where=EVALUATORS), "{{evaluator}}"),),
        ),
        Panel(
            title="Score distribution",
            description="How many answers (weighted) fall into which score bucket, over the evaluators selected. A second hump near 0 "
            "is hidden by a mean.",
            unit="percentunit",
            kind="heatmap",
            width=8,
            targets=(
                Target(
                    promql.total("increase", "rag_evaluation_score_bucket", RATE, by="le", where=EVALUATORS),
                    exemplars=True,
                ),
            ),
        ),
    ]


def _traffic() -> list[Panel]:
    latencies = (
        ("rag_request_duration_seconds", "total"),
        ("rag_retrieval_duration_seconds", "retrieval"),
        ("rag_generation_duration_seconds", "generation"),
        ("rag_time_to_first_token_seconds", "first token"),
    )
    return [
        shapes.requests_by("rag_service", "service"),
        shapes.errors_by_service(),
        Panel(
            title="Latency, 95th percentile",
            description="95 of 100 requests were faster: in all, in retrieval, in generation, and until the first token.",
            unit="s",
            width=8,
            targets=tuple(
                Target(promql.quantile(0.95, histogram, RATE, where=SERVICES), word, True)
                for histogram, word in latencies
            ),
        ),
        shapes.tokens_by_type(),
        shapes.cost_per_hour("model", "model"),
        shapes.unpriced_tokens(),
    ]


def _sidecar() -> list[Panel]:
    return [
        shapes.funnel(),
        shapes.rates(
            "Why there is no score",
            "Evaluations per second that had nothing to score, by evaluator and reason. `no_context`, `no_answer` and "
            "`no_question` mean that the traces hold no text: switch content capture on.",
            "rag_evaluations_total",
            by="evaluator, reason",
            where=EVALUATORS,
            extra='outcome="unscorable"',
            stacked=True,
        ),
        shapes.lag(),
    ]

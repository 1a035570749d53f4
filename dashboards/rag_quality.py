"""The dashboard *RAG quality*: do the answers hold, for whom not, and can the numbers be trusted?

Ratios are over the windows of the alerts, so that a panel shows what an alert sees; all else is over `$__rate_interval`.
"""

from __future__ import annotations

from dashboards import detector, judge, probe, promql, shapes, trust, variants
from dashboards.alert import QUALITY
from dashboards.board import add_variants_to_compare, new_dashboard
from dashboards.objectives import LEAST_SAMPLES, WINDOWS
from dashboards.panels import EVALUATORS, GREEN, RATE, SERVICES, YELLOW, Dashboard, Panel, Target, add

HOUR = WINDOWS.fast
_ABOUT_BELOW = "Uncalibrated: good for comparing, not for its level. "


def dashboard() -> Dashboard:
    """The dashboard as the SDK's record."""
    board = new_dashboard(
        title="RAG quality",
        uid=QUALITY,
        description="Hallucination ratio with its confidence, scores, abstentions, traffic, latency and cost of RAG services.",
    )
    add_variants_to_compare(board)
    add(board, "Now", trust.row())
    add(board, "Hallucinations", _hallucinations())
    add(board, "Errors of the detector", detector.panels())
    add(board, "Variants", variants.panels())
    add(board, "Scores", _scores())
    add(board, "Judge", judge.quality())
    add(board, "Probes", probe.panels())
    add(board, "Traffic, latency and cost", _traffic())
    add(board, "Can the numbers be trusted?", _sidecar())
    return board.build()


def _hallucinations() -> list[Panel]:
    return [
        *trust.over_time(),
        Panel(
            title="Share of answers below the threshold with its 95 % interval",
            description="Of everything selected, between its Wilson bounds; a wide band means few samples. "
            + _ABOUT_BELOW,
            unit="percentunit",
            width=16,
            height=9,
            targets=(
                Target(detector.RAW, "share"),
                Target(promql.hallucination_bound(HOUR, upper=False, where=SERVICES), "lower bound"),
                Target(promql.hallucination_bound(HOUR, upper=True, where=SERVICES), "upper bound"),
            ),
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
                title=f"Share below the threshold by {word}",
                description=f"Where it comes from: the share of each {word} of what is selected. {_ABOUT_BELOW}",
                unit="percentunit",
                width=8,
                targets=(Target(promql.hallucination_ratio(HOUR, by=label, where=SERVICES), "{{" + label + "}}"),),
                ratio=True,
            )
            for word, label in (("service", "rag_service"), ("model", "model"), ("variant", "variant"))
        ),
        Panel(
            title="Most below the threshold",
            description="The ten services with the highest lower bound of the share below the threshold. Few samples make a bound low. "
            + _ABOUT_BELOW,
            unit="percentunit",
            kind="table",
            width=8,
            targets=(
                Target(f"topk(10, {promql.hallucination_bound(HOUR, upper=False, by='rag_service', where=SERVICES)})"),
            ),
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

"""The row *Variants* of the dashboard *RAG quality*: does variant A hallucinate more than variant B, or is it chance?"""

from __future__ import annotations

from dashboards import promql
from dashboards.objectives import LEAST_SAMPLES, WINDOWS
from dashboards.panels import GREEN, NEUTRAL, REPLICAS, YELLOW, Panel, Target

_WINDOW = WINDOWS.fast
_COMMON = f'{REPLICAS},rag_service=~"$rag_service",model=~"$model"'
VARIANT_A = f'{_COMMON},variant="$variant_a"'
VARIANT_B = f'{_COMMON},variant="$variant_b"'
_BOTH = ((VARIANT_A, "A: $variant_a"), (VARIANT_B, "B: $variant_b"))
_READ = (
    "Hallucination ratio of A less that of B, with its 95 % interval (Newcombe). All above 0: A is worse. All below 0: B is worse. "
    "With 0 inside, the sample does not tell them apart: wait, or sample more. "
)
_FAIR = (
    "It is fair only where both answer the same kind of question: choose one service, and split its traffic by chance."
)


def panels() -> list[Panel]:
    """The panels of the row."""
    compared = (
        Target(promql.difference_bound(_WINDOW, VARIANT_A, VARIANT_B, upper=False), "lower bound"),
        Target(promql.difference(_WINDOW, VARIANT_A, VARIANT_B), "A - B"),
        Target(promql.difference_bound(_WINDOW, VARIANT_A, VARIANT_B, upper=True), "upper bound"),
    )
    return [
        Panel(
            title=f"A - B, {_WINDOW}",
            description=_READ + _FAIR,
            unit="percentunit",
            kind="stat",
            width=24,
            height=4,
            targets=compared,
            base=NEUTRAL,
        ),
        Panel(
            title="A - B with its 95 % interval",
            description=_READ
            + "Whoever looks often sees 0 outside by chance now and then: decide before you start when to look.",
            unit="percentunit",
            width=10,
            targets=compared,
            base=NEUTRAL,
            thresholds=((0.0, NEUTRAL),),
            lines=True,
            bands=".* bound",
            signed=True,
        ),
        Panel(
            title="Hallucination ratio of A and B",
            description="The two ratios that are compared. " + _FAIR,
            unit="percentunit",
            width=7,
            targets=tuple(Target(promql.hallucination_ratio(_WINDOW, where=where), name) for where, name in _BOTH),
            ratio=True,
        ),
        Panel(
            title="Effective sample size of A and B",
            description=f"Four times the samples halve the interval. Below {LEAST_SAMPLES} of either do not decide anything.",
            unit="short",
            width=7,
            targets=tuple(Target(promql.effective_samples(_WINDOW, where=where), name) for where, name in _BOTH),
            base=YELLOW,
            thresholds=((LEAST_SAMPLES, GREEN),),
            lines=True,
        ),
    ]

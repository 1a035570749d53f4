"""The row *Errors of the detector* of the dashboard *RAG quality*: the raw ratio beside the corrected one, what it is corrected for, and what labels say."""

from __future__ import annotations

from dashboards import promql, shapes
from dashboards.objectives import WINDOWS
from dashboards.panels import REPLICAS, SERVICES, Panel, Target

_WINDOW = WINDOWS.fast
RAW = promql.hallucination_ratio(_WINDOW, where=SERVICES)
_RAW_BY_MODEL = promql.hallucination_ratio(_WINDOW, by=promql.DETECTOR, where=SERVICES)
_CORRECTED = promql.corrected_ratio(_RAW_BY_MODEL, where=REPLICAS)
_MODEL = "{{" + promql.DETECTOR + "}}"


def panels() -> list[Panel]:
    """The panels of the row."""
    samples = promql.effective_samples(_WINDOW, by=promql.DETECTOR, where=SERVICES)
    lower, upper = (
        promql.corrected_bound(_RAW_BY_MODEL, samples, upper=upper, where=REPLICAS) for upper in (False, True)
    )
    return [
        Panel(
            title="Share below the threshold, raw and corrected",
            description="Raw: the share of verdicts. Corrected: what the share of hallucinated answers would be, given how often the "
            "verdict of each grounding model is right on answers of yours (Rogan-Gladen), between its 95 % bounds; the uncertainty of those rates is in them. At 0 % "
            "false alarms explain all of the raw ratio. Empty until `rag-sidecar calibrate` measured the rates (`inference.detector`); no alert reads it.",
            unit="percentunit",
            width=12,
            height=9,
            targets=(
                Target(RAW, "raw ratio"),
                Target(_CORRECTED, f"corrected ratio, {_MODEL}"),
                Target(lower, f"corrected, lower bound, {_MODEL}"),
                Target(upper, f"corrected, upper bound, {_MODEL}"),
            ),
            bands=".* bound.*",
            ratio=True,
        ),
        Panel(
            title="How often the verdict is right",
            description="On labelled answers: sensitivity is the share of hallucinated answers that were found, specificity the share of "
            "grounded ones that passed. From `inference.detector`; empty until `rag-sidecar calibrate` measured it on answers of yours.",
            unit="percentunit",
            width=6,
            height=9,
            kind="stat",
            targets=tuple(
                Target(promql.detector("rate", f'rate="{rate}"', where=REPLICAS), f"{_MODEL}: {rate}")
                for rate in ("sensitivity", "specificity")
            ),
        ),
        Panel(
            title="Labelled answers behind that",
            description="How many answers of each kind the rates were measured on. Few of them make the corrected interval wide.",
            unit="short",
            width=6,
            height=9,
            kind="stat",
            targets=tuple(
                Target(promql.detector("labelled", f'label="{label}"', where=REPLICAS), f"{_MODEL}: {label}")
                for label in ("hallucinated", "grounded")
            ),
        ),
        _labelled(),
    ]


def _labelled() -> Panel:
    """What anchors the ratio where no judge does."""
    where = f'{REPLICAS},rag_service=~"$rag_service"'
    return Panel(
        title="How often the verdict is right by labels, and how many these are",
        description="Of each service whose answers people labelled at random (`evaluate.anchors`): its anchored ratio is made of these where no judge looks at it. "
        "Empty: nobody labelled (docs/labels.md). Labels without a date are never too old. "
        + shapes.runbook("RagHallucinationLabelsExpire"),
        unit="short",
        width=24,
        height=5,
        kind="stat",
        targets=(
            Target(
                f'avg by (rag_service, rate) (rag_sidecar_label_rate{{{where},bound="share"}})',
                "{{rag_service}}: {{rate}}",
            ),
            Target(
                f"max by (rag_service, label) (rag_sidecar_labelled_answers{{{where}}})",
                "{{rag_service}}: {{label}} labelled",
            ),
            Target(
                f"(max by (rag_service) (rag_sidecar_labels_expiry_timestamp_seconds{{{where}}}) - time()) / 86400",
                "{{rag_service}}: days until they are too old",
            ),
        ),
    )

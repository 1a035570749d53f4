"""Alerts, each with a summary, a description, a severity, a runbook and a dashboard.

`runbook_url` and `dashboard_url` start with a base that the caller gives, because only whoever installs the rules knows where
the runbooks and Grafana are served. The file in this repository has the path of the runbook in this repository, and the
path of the dashboard below Grafana's own address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboards import recording
from dashboards.objectives import (
    FAST_BURN_RATIO,
    LAG_SECONDS,
    LEAST_SAMPLES,
    LOWER_BOUND,
    SLOW_BURN_RATIO,
    WINDOWS,
    Windows,
)

RUNBOOKS = "docs/runbooks"
GRAFANA = "/d"
DASHBOARD_UID = "rag-quality"

_SIDECAR = "namespace, job"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert. `wait` is Prometheus's `for`, `keep` its `keep_firing_for`."""

    name: str
    severity: str
    expr: str
    wait: str
    summary: str
    description: str
    keep: str | None = None
    by_service: bool = False


def alerts(windows: Windows = WINDOWS) -> tuple[Alert, ...]:
    """Every alert, over the given windows."""
    return (*_quality(windows), *_sidecar())


def _quality(windows: Windows) -> tuple[Alert, ...]:
    fast = _burn(windows.fast, windows.fast_check, FAST_BURN_RATIO)
    slow = _burn(windows.slow, windows.slow_check, SLOW_BURN_RATIO)
    return (
        Alert(
            name="RagHallucinationBudgetBurnFast",
            severity="critical",
            expr=f"(\n{fast}\n)\nor\n(\n{slow}\n)",
            wait="2m",
            summary="A RAG service is burning its hallucination budget too fast.",
            description="{{ $labels.rag_service }}: about {{ $value | humanizePercentage }} of its answers are not supported by what "
            "it retrieved.",
            by_service=True,
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
            by_service=True,
        ),
    )


def _burn(long: str, short: str, threshold: float) -> str:
    return (
        f"  {recording.ratio(long)} > {threshold}\n"
        f"  and {recording.ratio(short)} > {threshold}\n"
        f"  and {recording.samples(long)} >= {LEAST_SAMPLES}"
    )


def _sidecar() -> tuple[Alert, ...]:
    return (
        Alert(
            name="RagSidecarAbsent",
            severity="critical",
            expr="absent(rag_sidecar_build_info)",
            wait="5m",
            summary="No RAG Sidecar is scraped at all.",
            description="Prometheus sees no replica of the sidecar: nothing watches the quality of the RAG services.",
        ),
        Alert(
            name="RagSidecarReplicaDown",
            severity="warning",
            expr="up == 0\nand on (job, instance) count_over_time(rag_sidecar_build_info[1d])",
            wait="5m",
            summary="A replica of the RAG Sidecar cannot be scraped.",
            description="{{ $labels.instance }} of {{ $labels.job }} does not answer; its share of the traces waits or moves to the others.",
        ),
        Alert(
            name="RagSidecarScoringStalled",
            severity="critical",
            expr=(
                "(\n"
                f'  sum by ({_SIDECAR}) (min_over_time(rag_sidecar_queue_length{{queue="evaluate"}}[10m])) > 0\n'
                f'  or sum by ({_SIDECAR}) (rate(rag_sidecar_requests_total{{outcome="failed"}}[10m])) > 0\n'
                ")\n"
                f'unless sum by ({_SIDECAR}) (rate(rag_sidecar_requests_total{{outcome=~"scored|unscorable"}}[10m])) > 0'
            ),
            wait="10m",
            summary="The RAG Sidecar takes requests but scores none.",
            description="{{ $labels.job }}: requests wait or fail, and for 10 minutes none was scored. Quality numbers stand still.",
        ),
        Alert(
            name="RagSidecarConsumerLagTooOld",
            severity="critical",
            expr=f"max by ({_SIDECAR}, topic) (rag_sidecar_consumer_lag_seconds) > {LAG_SECONDS:g}",
            wait="10m",
            summary="The RAG Sidecar is too far behind its topic.",
            description="{{ $labels.topic }}: what is scored now happened {{ $value | humanizeDuration }} ago. Quality numbers describe that time.",
        ),
    )


def group(windows: Windows = WINDOWS, *, runbooks: str = RUNBOOKS, grafana: str = GRAFANA) -> dict[str, Any]:
    """The rule group of all alerts, as Prometheus reads it."""
    return {
        "name": "rag-sidecar.alerts",
        "rules": [_rule(one, runbooks.rstrip("/"), grafana.rstrip("/")) for one in alerts(windows)],
    }


def _rule(alert: Alert, runbooks: str, grafana: str) -> dict[str, Any]:
    query = "?var-rag_service={{ $labels.rag_service }}" if alert.by_service else ""
    return {
        "alert": alert.name,
        "expr": alert.expr,
        "for": alert.wait,
        **({"keep_firing_for": alert.keep} if alert.keep else {}),
        "labels": {"severity": alert.severity},
        "annotations": {
            "summary": alert.summary,
            "description": alert.description,
            "runbook_url": f"{runbooks}/{alert.name}.md",
            "dashboard_url": f"{grafana}/{DASHBOARD_UID}{query}",
        },
    }

"""What one alert is."""

from __future__ import annotations

from dataclasses import dataclass

# Replicas that share these are one sidecar.
SIDECAR = "namespace, job"
# The dashboards that alerts link to, by uid.
QUALITY, COST_LATENCY, ITSELF = "rag-quality", "rag-cost-latency", "rag-sidecar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert. `wait` is Prometheus's `for`, `keep` its `keep_firing_for`; `board` is the uid of the dashboard to open, with
    the variable `choose` set to the alert's label of that name."""

    name: str
    severity: str
    expr: str
    wait: str
    summary: str
    description: str
    board: str
    choose: str | None = None
    keep: str | None = None

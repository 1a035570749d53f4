"""What one alert is."""

from __future__ import annotations

from dataclasses import dataclass

# Replicas that share these are one sidecar.
SIDECAR = "namespace, job"


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

"""Alerts, each with a summary, a description, a severity, a runbook and a dashboard; those about answers lead to the worst of them on the status page.

`runbook_url` and `dashboard_url` start with a base that the caller gives, because only whoever installs the rules knows where
the runbooks and Grafana are served. The file in this repository has the path of the runbook in this repository, and the
path of the dashboard below Grafana's own address.

Severities: `critical` pages someone, `warning` opens a ticket, `info` is for whoever looks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dashboards import alerts_probe, alerts_quality, alerts_sidecar, alerts_traffic
from dashboards.alert import QUALITY, Alert
from dashboards.objectives import WINDOWS, Windows

RUNBOOKS = "docs/runbooks"
GRAFANA = "/d"
STATUS_PAGE = "/"
SERVICE = "rag_service"


def alerts(windows: Windows = WINDOWS) -> tuple[Alert, ...]:
    """Every alert, over the given windows."""
    return (
        *alerts_quality.alerts(windows),
        *alerts_traffic.alerts(windows),
        *alerts_probe.alerts(),
        *alerts_sidecar.alerts(),
    )


def group(
    windows: Windows = WINDOWS,
    *,
    wait: str | None = None,
    runbooks: str = RUNBOOKS,
    grafana: str = GRAFANA,
    status_page: str = STATUS_PAGE,
) -> dict[str, Any]:
    """The rule group of all alerts, as Prometheus reads it. With `wait`, each waits so long and is kept so long."""
    chosen = alerts(windows)
    if wait:
        chosen = tuple(replace(one, wait=wait, keep=one.keep and wait) for one in chosen)
    return {
        "name": "rag-sidecar.alerts",
        "rules": [_rule(one, runbooks.rstrip("/"), grafana.rstrip("/"), status_page.rstrip("/")) for one in chosen],
    }


def _rule(alert: Alert, runbooks: str, grafana: str, status_page: str) -> dict[str, Any]:
    query = f"?var-{alert.choose}={{{{ $labels.{alert.choose} | urlquery }}}}" if alert.choose else ""
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
            "dashboard_url": f"{grafana}/{alert.board}{query}",
            **(
                {
                    "answers_url": f"{status_page}/?service={{{{ $labels.{SERVICE} | urlquery }}}}&list=worst&range={_range(alert)}"
                }
                if _about_answers(alert)
                else {}
            ),
        },
    }


def _range(alert: Alert) -> str:
    """Of which time the answers are wanted: what pages is of the last hours."""
    return "6h" if alert.severity == "critical" else "3d"


def _about_answers(alert: Alert) -> bool:
    """Whether somebody who reads the alert wants to read the answers of a service."""
    return alert.board == QUALITY and alert.choose == SERVICE

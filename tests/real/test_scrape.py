"""promtool reads the scrape examples, and the one for Kubernetes keeps the chart's pods and no others.

Debian builds Prometheus without Kubernetes, so pods are given as fixed targets with the labels that discovery would give them.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import paths
from tests.real import chart

pytestmark = pytest.mark.real
DASHBOARDS = Path(__file__).parents[2] / "dashboards"


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(paths.find("promtool")), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def with_pods(folder: Path, pods: list[dict[str, str]]) -> Path:
    """The example for Kubernetes with these pods in place of discovery."""
    config = yaml.safe_load((DASHBOARDS / "scrape-kubernetes.yml").read_text(encoding="utf-8"))
    config["rule_files"] = [str(DASHBOARDS / path) for path in config["rule_files"]]
    (job,) = config["scrape_configs"]
    del job["kubernetes_sd_configs"]
    job["static_configs"] = [{"targets": ["10.0.0.1:9464"], "labels": labels} for labels in pods]
    path = folder / "scrape.yml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def pod_of_the_chart() -> dict[str, str]:
    """What discovery says of a pod that the chart made."""
    (deployment,) = [one for one in chart.objects(chart.render()) if one["kind"] == "Deployment"]
    pod: dict[str, Any] = deployment["spec"]["template"]
    port = next(one for one in pod["spec"]["containers"][0]["ports"] if one["name"] == "metrics")
    labels = pod["metadata"]["labels"]
    return {
        "__meta_kubernetes_namespace": "monitoring",
        "__meta_kubernetes_pod_name": "rag-sidecar-0",
        "__meta_kubernetes_pod_phase": "Running",
        "__meta_kubernetes_pod_container_port_name": port["name"],
        **{"__meta_kubernetes_pod_label_" + re.sub(r"\W", "_", name): value for name, value in labels.items()},
    }


def test_prometheus_would_start_with_the_example_of_fixed_addresses() -> None:
    done = promtool("check", "config", "--lint=all", "--lint-fatal", DASHBOARDS / "scrape.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_would_start_with_the_example_for_kubernetes(tmp_path: Path) -> None:
    done = promtool("check", "config", "--lint=all", "--lint-fatal", with_pods(tmp_path, [pod_of_the_chart()]))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_example_would_be_found(tmp_path: Path) -> None:
    wrong = with_pods(tmp_path, [pod_of_the_chart()])
    wrong.write_text(wrong.read_text(encoding="utf-8").replace("action: drop", "action: dropp"), encoding="utf-8")
    done = promtool("check", "config", wrong)
    assert done.returncode == 1
    assert "dropp" in done.stdout + done.stderr


def test_pods_of_the_chart_are_kept_and_no_others(tmp_path: Path) -> None:
    ours = pod_of_the_chart()
    others = [
        {**ours, "__meta_kubernetes_pod_label_app_kubernetes_io_name": "another"},
        {**ours, "__meta_kubernetes_pod_container_port_name": "http"},
        {**ours, "__meta_kubernetes_pod_container_port_name": "probes"},
        {**ours, "__meta_kubernetes_pod_phase": "Succeeded"},
    ]
    done = promtool("check", "service-discovery", "--timeout=2s", with_pods(tmp_path, [ours, *others]), "rag-sidecar")
    assert done.returncode == 0, done.stdout + done.stderr
    kept = [one["labels"] for one in json.loads(done.stdout) if one["labels"]]
    assert [{name: value for name, value in one.items() if not name.startswith("__")} for one in kept] == [
        {"instance": "10.0.0.1:9464", "job": "rag-sidecar", "namespace": "monitoring", "pod": "rag-sidecar-0"}
    ]

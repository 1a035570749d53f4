"""A real Alertmanager takes the example configuration, routes by severity and holds back what it should."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import paths
from tests.parts.process import Server, free_ports

pytestmark = pytest.mark.real
CONFIG = Path(__file__).parents[2] / "dashboards/alertmanager.yml"


def amtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(paths.find("amtool")), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_amtool_finds_nothing_to_complain_of() -> None:
    done = amtool("check-config", CONFIG)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_configuration_would_be_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(CONFIG.read_text(encoding="utf-8").replace("- name: log", "- name: logs"), encoding="utf-8")
    assert amtool("check-config", wrong).returncode == 1


@pytest.mark.parametrize(("severity", "receiver"), [("critical", "pages"), ("warning", "tickets"), ("info", "log")])
def test_the_severity_chooses_the_receiver(severity: str, receiver: str) -> None:
    done = amtool("config", "routes", "test", f"--config.file={CONFIG}", f"severity={severity}", "alertname=Rag")
    assert done.stdout.split() == [receiver], done.stderr


@pytest.fixture
def alertmanager(tmp_path: Path) -> Iterator[str]:
    """Its address. It waits for an hour before it sends anything, so that it sends nothing."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["route"]["group_wait"] = "1h"
    (tmp_path / "alertmanager.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (port,) = free_ports(1)
    server = Server(
        "Alertmanager",
        [
            paths.find("alertmanager"),
            f"--config.file={tmp_path / 'alertmanager.yml'}",
            f"--storage.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
        ],
        log=tmp_path / "alertmanager.log",
    )
    address = f"http://127.0.0.1:{port}"
    try:
        server.wait_until(lambda: answers(f"{address}/-/ready"), seconds=30)
        yield address
    finally:
        server.stop()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def post(address: str, *alerts: Mapping[str, str]) -> None:
    body = json.dumps([{"labels": labels} for labels in alerts]).encode()
    request = urllib.request.Request(f"{address}/api/v2/alerts", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def states(address: str) -> dict[str, str]:
    """State of each alert, by its name and service."""
    with urllib.request.urlopen(f"{address}/api/v2/alerts", timeout=10) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return {
        " ".join(filter(None, (one["labels"]["alertname"], one["labels"].get("rag_service")))): one["status"]["state"]
        for one in found
    }


def wait_for(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)


def alert(name: str, severity: str, /, **labels: str) -> dict[str, str]:
    return {"alertname": name, "severity": severity, **labels}


def test_a_page_holds_back_the_tickets_of_its_service_alone(alertmanager: str) -> None:
    post(
        alertmanager,
        alert("RagHallucinationBudgetBurnFast", "critical", rag_service="kb"),
        alert("RagHallucinationBudgetBurnSlow", "warning", rag_service="kb"),
        alert("RagHallucinationRateHigh", "warning", rag_service="kb"),
        alert("RagHallucinationRateHigh", "warning", rag_service="shop"),
        alert("RagCostSpike", "warning", rag_service="kb"),
    )
    expected = {
        "RagHallucinationBudgetBurnFast kb": "active",
        "RagHallucinationBudgetBurnSlow kb": "suppressed",
        "RagHallucinationRateHigh kb": "suppressed",
        "RagHallucinationRateHigh shop": "active",
        "RagCostSpike kb": "active",
    }
    wait_for(lambda: states(alertmanager) == expected)
    assert states(alertmanager) == expected


def test_where_nothing_is_scored_its_consequences_are_held_back(alertmanager: str) -> None:
    where = {"namespace": "n", "job": "rag-sidecar"}
    post(
        alertmanager,
        alert("RagSidecarScoringStalled", "critical", **where),
        alert("RagSidecarConsumerLagTooOld", "critical", **where, topic="t"),
        alert("RagSidecarEvaluationsFailing", "warning", **where, evaluator="groundedness"),
        alert("RagSidecarModelFallback", "warning", **where, name="embedded"),
        alert("RagSidecarModelsDiffer", "info", **where, role="grounding"),
    )
    expected = {
        "RagSidecarScoringStalled": "active",
        "RagSidecarConsumerLagTooOld": "suppressed",
        "RagSidecarEvaluationsFailing": "suppressed",
        "RagSidecarModelFallback": "active",
        "RagSidecarModelsDiffer": "suppressed",
    }
    wait_for(lambda: states(alertmanager) == expected)
    assert states(alertmanager) == expected


def test_without_a_sidecar_only_that_is_told(alertmanager: str) -> None:
    post(
        alertmanager,
        alert("RagSidecarAbsent", "critical"),
        alert("RagHallucinationBudgetBurnFast", "critical", rag_service="kb"),
        alert("RagSidecarStreamSilent", "warning", namespace="n", job="rag-sidecar", topic="t"),
        alert("SomethingElse", "critical"),
    )
    expected = {
        "RagSidecarAbsent": "active",
        "RagHallucinationBudgetBurnFast kb": "suppressed",
        "RagSidecarStreamSilent": "suppressed",
        "SomethingElse": "active",
    }
    wait_for(lambda: states(alertmanager) == expected)
    assert states(alertmanager) == expected

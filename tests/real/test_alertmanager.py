"""A real Alertmanager takes the example configuration, routes by severity and holds back what it should."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.parts import paths
from tests.parts.alertmanager import Alertmanager

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
def alertmanager() -> Iterator[Alertmanager]:
    """It waits for an hour before it sends anything, so that it sends nothing."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["route"]["group_wait"] = "1h"
    with Alertmanager(config) as running:
        yield running


def wait_for(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)


def alert(name: str, severity: str, /, **labels: str) -> dict[str, str]:
    return {"alertname": name, "severity": severity, **labels}


def test_a_page_holds_back_the_tickets_of_its_service_alone(alertmanager: Alertmanager) -> None:
    alertmanager.post(
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
    wait_for(lambda: alertmanager.states() == expected)
    assert alertmanager.states() == expected


def test_where_nothing_is_scored_its_consequences_are_held_back(alertmanager: Alertmanager) -> None:
    where = {"namespace": "n", "job": "rag-sidecar"}
    alertmanager.post(
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
    wait_for(lambda: alertmanager.states() == expected)
    assert alertmanager.states() == expected


def test_without_a_sidecar_only_that_is_told(alertmanager: Alertmanager) -> None:
    alertmanager.post(
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
    wait_for(lambda: alertmanager.states() == expected)
    assert alertmanager.states() == expected

"""The whole way of a page: answers get worse, and Alertmanager pages; they get better, and it sees the alert resolve.

The rules are the project's own over windows of seconds, the routes those of dashboards/alertmanager.yml.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboards import generate, recording
from dashboards.objectives import LEAST_SAMPLES, SLOW_BURN_RATIO, Windows
from tests.parts.alertmanager import Alertmanager, Receivers, Told
from tests.parts.broker import produce
from tests.parts.judge_server import in_a_thread
from tests.parts.mock_kafka import MockKafka
from tests.parts.process import Server, free_ports
from tests.parts.prometheus import Prometheus
from tests.real.test_prometheus import GROUNDED, HALLUCINATED, ready, record, says, settings

pytestmark = [pytest.mark.real, pytest.mark.alone]
ROOT = Path(__file__).parents[2]
SHORT = Windows("20s", "5s", "40s", "10s", ticket="160s", ticket_check="80s", long_ticket="240s")
# Longer than Prometheus takes to scrape for the first time, or it would say that there is no sidecar.
WAIT = "3s"
A_SECOND = 6
PAGE = "RagHallucinationBudgetBurnFast"
RAISED = 0.8


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that a page comes through."""

    broker: MockKafka
    prometheus: Prometheus
    alertmanager: Alertmanager
    receivers: Receivers
    chance: random.Random = field(default_factory=lambda: random.Random(5))

    def feed(self, hallucinated: float, until: Callable[[], bool], *, seconds: float) -> None:
        """Send requests of which this share is hallucinated. Raises TimeoutError where `until` does not come true."""
        started = time.monotonic()
        for sent in itertools.count(1):
            answer = HALLUCINATED if self.chance.random() < hallucinated else GROUNDED
            message = record(answer, uuid.uuid4().hex, model="gpt-4o-mini", variant="a")
            produce(self.broker, "requests", [message])
            if until():
                return
            if time.monotonic() - started > seconds:
                raise TimeoutError(f"{sent} requests and {seconds} s later: {self.alertmanager.states()}")
            time.sleep(max(0.0, started + sent / A_SECOND - time.monotonic()))

    def value(self, name: str) -> float:
        """The latest value of a recorded series of the service, or 0."""
        found = self.prometheus.query(f'{name}{{rag_service="support"}}')
        return found[0][1] if found else 0.0

    def told(self, receiver: str, status: str) -> list[Told]:
        """What a receiver was told of the service."""
        told = [one for one in self.receivers.told if (one.receiver, one.status) == (receiver, status)]
        return [one for one in told if one.labels.get("rag_service") == "support"]


def alertmanager_config(receivers: Receivers) -> dict[str, Any]:
    """The example, which sends at once, and to us."""
    config: dict[str, Any] = yaml.safe_load((ROOT / "dashboards/alertmanager.yml").read_text(encoding="utf-8"))
    config["route"].update(group_wait="1s", group_interval="1s")
    config["receivers"] = receivers.instead_of(config["receivers"])
    return config


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    rules = tmp_path / "rules.yml"
    made = generate.rules_yaml(
        SHORT,
        interval="1s",
        wait=WAIT,
        runbooks="https://wiki.test/rag",
        grafana="https://grafana.test/d",
        status_page="https://rag.test",
    )
    rules.write_text(made, encoding="utf-8")
    (port,) = free_ports(1)
    with (
        MockKafka() as broker,
        Receivers() as receivers,
        Alertmanager(alertmanager_config(receivers)) as alertmanager,
        in_a_thread(says) as judge,
    ):
        broker.create_topic("requests")
        broker.create_topic("results")
        config = settings(tmp_path, broker.bootstrap_servers, port, rate=1.0, judge=judge.url)
        command = [sys.executable, "-m", "sidecar", "run", "--config", str(config)]
        sidecar = Server("rag-sidecar", command, log=tmp_path / "sidecar.log", cwd=ROOT)
        try:
            sidecar.wait_until(lambda: ready(port), seconds=60)
            target = {"rag-sidecar": f"127.0.0.1:{port}"}
            with Prometheus(target, rule_files=[rules], alertmanager=alertmanager.address) as prometheus:
                yield Setting(broker, prometheus, alertmanager, receivers)
        finally:
            sidecar.stop()


def test_someone_is_paged_when_answers_get_worse_and_told_when_they_are_well_again(setting: Setting) -> None:
    ratio, samples = recording.ratio(SHORT.fast), recording.samples(SHORT.fast)

    setting.feed(0.0, lambda: setting.value(samples) >= 2 * LEAST_SAMPLES, seconds=40)
    assert setting.value(ratio) < SLOW_BURN_RATIO
    assert PAGE + " support" not in setting.alertmanager.states()
    assert setting.told("pages", "firing") == []

    setting.feed(RAISED, lambda: bool(setting.told("pages", "firing")), seconds=40)
    assert setting.value(ratio) > SLOW_BURN_RATIO
    page = setting.told("pages", "firing")[0]
    assert page.labels == {"alertname": PAGE, "severity": "critical", "rag_service": "support"}
    assert page.annotations["runbook_url"] == f"https://wiki.test/rag/{PAGE}.md"
    assert page.annotations["dashboard_url"] == "https://grafana.test/d/rag-quality?var-rag_service=support"
    assert page.annotations["answers_url"] == "https://rag.test/?service=support&list=worst&range=6h"
    assert page.annotations["description"].startswith("support: with 95 % confidence at least ")
    # Whoever is paged needs no ticket for the same.
    held = "RagHallucinationRateHigh support"
    setting.feed(RAISED, lambda: setting.alertmanager.states().get(held) == "suppressed", seconds=20)

    setting.feed(0.0, lambda: bool(setting.told("pages", "resolved")), seconds=60)
    resolved = setting.told("pages", "resolved")[0]
    assert resolved.labels == page.labels
    assert setting.alertmanager.states().get(PAGE + " support") is None
    assert {one.labels["alertname"] for one in setting.receivers.told if one.receiver == "pages"} == {PAGE}

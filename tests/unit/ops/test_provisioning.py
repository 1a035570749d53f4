"""What Grafana is provisioned with refers to things that exist, and the scrape examples ask where we answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sidecar.observe.admin import AdminConfig

DASHBOARDS = Path(__file__).parents[3] / "dashboards"


def read(path: str) -> Any:
    return yaml.safe_load((DASHBOARDS / path).read_text(encoding="utf-8"))


def test_exemplars_lead_to_a_datasource_that_is_provisioned() -> None:
    sources = {one["uid"]: one for one in read("provisioning/datasources/rag-sidecar.yml")["datasources"]}
    assert {uid: one["type"] for uid, one in sources.items()} == {
        "rag-sidecar-prometheus": "prometheus",
        "rag-sidecar-tempo": "tempo",
    }
    (destination,) = sources["rag-sidecar-prometheus"]["jsonData"]["exemplarTraceIdDestinations"]
    assert destination == {"name": "trace_id", "datasourceUid": "rag-sidecar-tempo"}


def test_the_dashboards_of_the_provider_are_files() -> None:
    (provider,) = read("provisioning/dashboards/rag-sidecar.yml")["providers"]
    assert provider["type"] == "file"
    assert provider["allowUiUpdates"] is False
    assert provider["options"]["path"].startswith("/")


def test_the_datasource_knows_the_scrape_interval() -> None:
    source = read("provisioning/datasources/rag-sidecar.yml")["datasources"][0]
    assert source["jsonData"]["timeInterval"] == read("scrape.yml")["global"]["scrape_interval"]


@pytest.mark.parametrize("path", ["scrape.yml", "scrape-kubernetes.yml"])
def test_prometheus_loads_the_rules_and_asks_for_the_path_that_we_serve(path: str) -> None:
    config = read(path)
    assert all((DASHBOARDS / rules).is_file() for rules in config["rule_files"])
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "rag-sidecar"
    assert "metrics_path" not in job, "/metrics is the default"


def test_the_fixed_address_is_the_admin_port() -> None:
    (job,) = read("scrape.yml")["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"localhost:{AdminConfig().port}"]}]


def test_pods_come_from_kubernetes() -> None:
    (job,) = read("scrape-kubernetes.yml")["scrape_configs"]
    assert job["kubernetes_sd_configs"] == [{"role": "pod"}]

"""compose.yaml and what it mounts agree with each other and with the rest: addresses, ports, versions, logins, rules, dashboards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidecar import config
from tests.parts import paths

ROOT = Path(__file__).parents[3]
STACK = ROOT / "examples/stack"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]

# What Grafana reads of a data source and of a provider: upsertDataSourceFromConfigV1 in pkg/services/provisioning/datasources/types.go, and configs in
# .../dashboards/types.go of its source. It passes over other keys in silence.
DATASOURCE = set(
    "orgId orgName version name type access url user database basicAuth basicAuthUser withCredentials isDefault correlations jsonData secureJsonData editable uid".split()
)
PROVIDER = set("name orgId folder folderUid type disableDeletion updateIntervalSeconds allowUiUpdates options".split())


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def published(service: str) -> list[tuple[str, int, int]]:
    """Address, port of the machine, port of the container."""
    parts = [one.split(":") for one in SERVICES[service].get("ports", [])]
    return [(address, int(outside), int(inside)) for address, outside, inside in parts]


def ports(service: str) -> set[int]:
    return {inside for _, _, inside in published(service)} | {int(one) for one in SERVICES[service].get("expose", [])}


def mounts(service: str) -> dict[str, str]:
    """Source by target, of what is mounted out of the clone or kept in a volume."""
    found = {}
    for one in SERVICES[service].get("volumes", []):
        source, target, *mode = one.split(":")
        assert (mode == ["ro"]) == source.startswith("./"), f"{one}: files are read only, volumes are not"
        found[target] = source
    return found


def test_every_image_is_of_one_version_and_those_that_tests_run_are_of_theirs() -> None:
    images = {name: one["image"].rpartition(":") for name, one in SERVICES.items()}
    assert {name for name, (_, _, tag) in images.items() if not re.search(r"\d+\.\d+\.\d+", tag)} == {
        "sidecar",
        "rag-service",
    }
    assert images["kafka"][2] == paths.KAFKA_VERSION
    assert images["collector"][2] == paths.COLLECTOR_VERSION
    assert images["phoenix"][2] == f"version-{paths.PHOENIX_VERSION}"


def test_the_sidecars_image_is_built_once_and_never_looked_for_in_a_registry() -> None:
    """Two builds of one tag at the same time get in each other's way: "image already exists"."""
    built = {name: one["image"] for name, one in SERVICES.items() if "build" in one}
    assert built == {"sidecar": "rag-sidecar:stack"}
    assert SERVICES["sidecar"]["build"] == {"context": ".", "target": "sidecar"}
    others = {name: one for name, one in SERVICES.items() if name not in built and one["image"] in built.values()}
    assert {name: one["pull_policy"] for name, one in others.items()} == {"rag-service": "never"}
    # `docker compose up --build rag-service` builds what it depends on, and so its image too.
    assert all("sidecar" in one["depends_on"] for one in others.values())


def test_the_sidecars_image_runs_as_kubernetes_would_run_it() -> None:
    for name in ("sidecar", "rag-service"):
        one = SERVICES[name]
        assert (one["read_only"], one["cap_drop"], one["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])


def test_ports_are_open_on_this_machine_alone_and_no_two_services_have_the_same() -> None:
    opened = [one for name in SERVICES for one in published(name)]
    assert {address for address, _, _ in opened} == {"127.0.0.1"}
    assert all(outside == inside for _, outside, inside in opened)
    everywhere = [port for name in SERVICES for port in ports(name)]
    assert len(everywhere) == len(set(everywhere)), "without containers they share one machine"


def test_what_is_mounted_is_there_and_every_volume_is_declared() -> None:
    sources = {source for name in SERVICES for source in mounts(name).values()}
    files = {source for source in sources if source.startswith("./")}
    assert [one for one in files if not (ROOT / one).exists()] == []
    assert sources - files == set(COMPOSE["volumes"])
    assert {f"./examples/stack/{path.name}" for path in STACK.iterdir()} - files == {"./examples/stack/README.md"}


def addresses() -> list[tuple[str, str, int]]:
    """Every host:port in what is mounted and in the environment, with where it stands."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in STACK.iterdir() if path.suffix != ".md"}
    texts |= {name: "\n".join(map(str, one.get("environment", {}).values())) for name, one in SERVICES.items()}
    found = r"(?<![\w.-])([a-z][\w.-]*|\d+(?:\.\d+){3}):(\d{4,5})\b"
    return [(place, host, int(port)) for place, text in texts.items() for host, port in re.findall(found, text)]


@pytest.mark.parametrize(("place", "host", "port"), addresses())
def test_every_address_is_that_of_a_service_that_listens_there(place: str, host: str, port: int) -> None:
    everywhere = {one for name in SERVICES for one in ports(name)}
    outside = {one for name in SERVICES for _, one, _ in published(name)}
    known = {"0.0.0.0": everywhere, "localhost": outside}
    assert port in (known[host] if host in known else ports(host)), place


def test_addresses_were_found_in_every_file() -> None:
    assert {place for place, _, _ in addresses()} >= {path.name for path in STACK.iterdir() if path.suffix != ".md"}


def test_who_is_waited_for_with_a_health_check_has_one() -> None:
    for one in SERVICES.values():
        for name, how in one.get("depends_on", {}).items():
            assert name in SERVICES
            assert how["condition"] == "service_started" or "healthcheck" in SERVICES[name]


def test_the_sidecar_takes_its_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SERVICES["sidecar"]["environment"].items():
        monkeypatch.setenv(name, value)
    told = config.load(ROOT / mounts("sidecar")["/etc/rag-sidecar/config.yaml"])
    assert SERVICES["sidecar"]["command"][-1] == "/etc/rag-sidecar/config.yaml"
    assert {told.admin.port, told.admin.probes} == ports("sidecar")
    assert told.status_page.show_text


def test_prometheus_logs_in_where_the_sidecar_answers_and_loads_our_rules() -> None:
    (job,) = read(STACK / "prometheus.yml")["scrape_configs"]
    environment = SERVICES["sidecar"]["environment"]
    assert job["basic_auth"] == {
        "username": environment["RAG_SIDECAR_ADMIN__BASIC_USERNAME"],
        "password": environment["RAG_SIDECAR_ADMIN__BASIC_PASSWORD"],
    }
    assert job["job_name"] == read(ROOT / "dashboards/scrape.yml")["scrape_configs"][0]["job_name"]
    (rules,) = read(STACK / "prometheus.yml")["rule_files"]
    assert mounts("prometheus")[f"/etc/prometheus/{rules}"] == f"./dashboards/{rules}"


def test_alertmanager_routes_and_holds_back_as_the_example_does() -> None:
    ours, example = read(STACK / "alertmanager.yml"), read(ROOT / "dashboards/alertmanager.yml")
    assert ours == {**example, "receivers": [{"name": one["name"]} for one in example["receivers"]]}


def test_grafana_finds_its_data_sources_and_every_dashboard() -> None:
    sources = {one["uid"]: one for one in read(STACK / "grafana-datasources.yml")["datasources"]}
    example = read(ROOT / "dashboards/provisioning/datasources/rag-sidecar.yml")["datasources"][0]
    assert sources[example["uid"]]["type"] == "prometheus"
    assert (
        sources[example["uid"]]["jsonData"]["timeInterval"]
        == read(STACK / "prometheus.yml")["global"]["scrape_interval"]
    )
    mounted = mounts("grafana")
    (provider,) = read(ROOT / mounted["/etc/grafana/provisioning/dashboards/rag-sidecar.yml"])["providers"]
    place = provider["options"]["path"]
    assert {target for target in mounted if target.startswith(place)} == {
        f"{place}/{path.name}" for path in (ROOT / "dashboards").glob("*.json")
    }
    assert SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] in mounted


@pytest.mark.parametrize(
    "path", [STACK / "grafana-datasources.yml", ROOT / "dashboards/provisioning/datasources/rag-sidecar.yml"]
)
def test_grafana_reads_every_key_of_its_data_sources(path: Path) -> None:
    told = read(path)
    assert set(told) == {"apiVersion", "datasources"}
    assert [set(one) - DATASOURCE for one in told["datasources"]] == [set() for _ in told["datasources"]]


def test_grafana_reads_every_key_of_its_provider() -> None:
    told = read(ROOT / "dashboards/provisioning/dashboards/rag-sidecar.yml")
    assert set(told) == {"apiVersion", "providers"}
    assert [set(one) - PROVIDER for one in told["providers"]] == [set()]


def test_a_trace_is_shown_by_phoenix() -> None:
    told = read(STACK / "sidecar.yaml")["status_page"]["trace_url"]
    (shown,) = (
        one["jsonData"]["exemplarTraceIdDestinations"][0]["url"]
        for one in read(STACK / "grafana-datasources.yml")["datasources"]
        if one["type"] == "prometheus"
    )
    assert told.format(trace_id="1") == shown.replace("$${__value.raw}", "1")

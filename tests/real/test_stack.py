"""compose.yaml: each part's configuration by its own tool, and the whole chain at work without containers."""

from __future__ import annotations

import base64
import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_service.retrieval import Knowledge
from tests.parts import paths
from tests.stack import model
from tests.stack.model import COMPOSE, ROOT
from tests.stack.stack import QUICK, Stack

pytestmark = pytest.mark.real
STACK = ROOT / "examples/stack"
QUESTIONS = Knowledge.read().questions


def run(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(paths.find(name)), *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("image: apache/kafka:4.1.0", "imge: apache/kafka:4.1.0", "services.kafka"),
        ("condition: service_healthy", "condition: healthy", "depends_on.kafka.condition"),
        ('expose: ["6007"]', "expose: 6007", "services.phoenix.expose"),
    ],
    ids=["a key that the specification lacks", "a word that it lacks", "a value of another kind"],
)
def test_what_is_wrong_in_a_compose_file_is_told(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    assert right in text
    (tmp_path / "compose.yaml").write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        model.load(tmp_path / "compose.yaml")


def test_promtool_takes_what_prometheus_is_started_with(tmp_path: Path) -> None:
    (service,) = (one for one in model.load().values() if one.name == "prometheus")
    for mount in service.mounts:
        if mount.source is not None:
            place = tmp_path / mount.target.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(mount.source.read_bytes())
    done = run("promtool", "check", "config", "--lint=all", "--lint-fatal", tmp_path / "etc/prometheus/prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 rule files found" in done.stdout


def test_amtool_takes_the_configuration_of_alertmanager() -> None:
    done = run("amtool", "check-config", STACK / "alertmanager.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_collector_takes_its_configuration_and_would_refuse_a_wrong_one(tmp_path: Path) -> None:
    config = STACK / "collector.yaml"
    assert run("otelcol", "validate", "--config", config).returncode == 0
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        config.read_text(encoding="utf-8").replace("partition_traces_by_id", "partition_by"), encoding="utf-8"
    )
    assert run("otelcol", "validate", "--config", wrong).returncode != 0


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Without traffic of its own, and without Phoenix, which test_phoenix.py is about and which takes a minute to start."""
    with Stack(
        ports_free=True,
        without={"phoenix"},
        environment={"rag-service": {"KNOBS": "{}"}, "sidecar": QUICK},
    ) as one:
        yield one


def get(url: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return json.load(answer)


def post(url: str, body: object) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=20) as answer:
        return json.load(answer)


def query(stack: Stack, promql: str) -> dict[str, float]:
    """Value by the one label of a query."""
    found = get(f"{stack.url('prometheus')}/api/v1/query?{urllib.parse.urlencode({'query': promql})}")
    return {"".join(one["metric"].values()): float(one["value"][1]) for one in found["data"]["result"]}


def wait_for(condition: Callable[[], object], what: str, *, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.5)


def ask_all(stack: Stack, total: int) -> dict[str, float]:
    """Ask every question once, and wait until Prometheus knows verdicts on so many answers: how many of each."""
    for question in QUESTIONS:
        assert post(f"{stack.url('rag-service')}/ask", {"question": question})["documents"]
    verdicts = "sum by (verdict) (rag_verdicts_total)"
    wait_for(lambda: sum(query(stack, verdicts).values()) >= total, f"not {total} verdicts in Prometheus")
    return query(stack, verdicts)


def test_a_question_over_http_becomes_a_score_in_prometheus_and_the_knob_moves_it(stack: Stack) -> None:
    before = ask_all(stack, len(QUESTIONS))
    assert sum(before.values()) == len(QUESTIONS)
    assert before.get("hallucinated", 0.0) <= 0.1 * len(QUESTIONS)
    post(f"{stack.url('rag-service')}/knobs", {"hallucinate": 1})
    after = ask_all(stack, 2 * len(QUESTIONS))
    assert sum(after.values()) == 2 * len(QUESTIONS)
    assert after["hallucinated"] - before.get("hallucinated", 0.0) >= 0.9 * len(QUESTIONS)
    tokens = query(stack, "sum by (type) (rag_cost_usd_total) > 0")
    assert set(tokens) == {"input", "output"}
    assert stack.ended() is None


def test_prometheus_scrapes_what_it_should_and_knows_where_alerts_go(stack: Stack) -> None:
    url = stack.url("prometheus")
    wait_for(lambda: get(f"{url}/api/v1/targets")["data"]["activeTargets"][0]["health"] != "unknown", "no scrape")
    (target,) = get(f"{url}/api/v1/targets")["data"]["activeTargets"]
    assert (target["health"], target["labels"]["job"]) == ("up", "rag-sidecar"), target["lastError"]
    (known,) = get(f"{url}/api/v1/alertmanagers")["data"]["activeAlertmanagers"]
    assert known["url"].startswith(stack.url("alertmanager"))
    assert get(f"{url}/api/v1/rules")["data"]["groups"]


def test_the_status_page_asks_who_one_is_and_shows_texts(stack: Stack) -> None:
    address = f"{stack.url('sidecar')}/api/answers?service=bicycle-rental&list=latest"
    with pytest.raises(urllib.error.HTTPError, match="401"):
        get(address)
    login = base64.b64encode(b"demo:demo").decode()
    told = get(address, authorization=f"Basic {login}")
    assert told["answers"][0]["question_start"] in QUESTIONS

"""`rag-sidecar probe` as a user types it, against a RAG service over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parts.rag_server import Asked, RagServer, Said, answer, serving
from tests.unit.commands.called import called as cli

SECRET = "s3cret-of-the-probe"
CASES = [
    {"id": "backups", "question": "How long are backups kept?", "reference": "Backups are kept for 14 days."},
    {"id": "card", "question": "What does a library card cost?", "reference": "A library card costs 20 euros a year."},
    {"id": "chess", "question": "Who won the chess tournament?", "reference": "Not said.", "kind": "negative"},
]


@pytest.fixture
def server() -> Iterator[RagServer]:
    with serving() as one:
        yield one


def probe(folder: Path, url: str, **more: Any) -> Path:
    rows = [{"kind": "simple", **one} for one in CASES]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    given = {
        "service": "kb",
        "cases": "cases.jsonl",
        "gate": {"metrics": {"context_recall": 0.9}, "defaults": False, "negatives": 1.0},
        "request": {
            "url": url, "body": {"q": "{question}"}, "headers": {"authorization": {"env": "KB_TOKEN"}}, "prefix": {"authorization": "Bearer "}
        },
        "response": {"answer": "data.text", "contexts": "data.hits[].{text: body, id: id}"},
        "admin": {"host": "127.0.0.1", "port": 0},
        **more,
    }  # fmt: skip
    (path := folder / "probe.yaml").write_text(json.dumps(given), encoding="utf-8")
    return path


def test_once_it_asks_scores_and_gates(tmp_path: Path, server: RagServer) -> None:
    target = tmp_path / "report.json"
    run = cli("probe", probe(tmp_path, server.url), "--once", "-o", target, KB_TOKEN=SECRET)
    assert run.returncode == 0, run.stderr
    assert {one.headers["authorization"] for one in server.asked} == {f"Bearer {SECRET}"}
    assert "gate passed" in run.stdout
    report = json.loads(target.read_text())
    assert report["gate"]["passed"] is True
    assert report["results"][0]["service"] == "kb"
    assert report["durations"]["total"]["cases"] == 3
    assert SECRET not in run.stdout + run.stderr + target.read_text()


def test_a_gate_that_fails_has_the_exit_code_of_evaluate(tmp_path: Path) -> None:
    def says(asked: Asked) -> object:
        said: Any = answer(asked)
        return {"data": {**said["data"], "hits": []}}

    with serving(says) as server:
        run = cli("probe", probe(tmp_path, server.url), "--once", KB_TOKEN=SECRET)
    assert run.returncode == 5
    assert re.search(r"context_recall +0\.9 +(0\.000|-) +failed", run.stdout)


def test_a_service_that_does_not_answer_fails_the_gate(tmp_path: Path) -> None:
    with serving(lambda _: Said("no", status=503)) as server:
        run = cli("probe", probe(tmp_path, server.url), "--once", KB_TOKEN=SECRET)
    assert run.returncode == 5
    assert re.search(r"answered +0\.95 +0\.000 +failed", run.stdout)
    assert "http_5xx" in run.stdout


def test_a_secret_that_is_missing_is_told_by_its_name(tmp_path: Path, server: RagServer) -> None:
    run = cli("probe", probe(tmp_path, server.url), "--once")
    assert run.returncode == 2
    assert "request.headers.authorization: the environment has no KB_TOKEN" in run.stderr
    assert server.asked == []


def test_a_gate_with_an_unknown_metric_is_told_before_anything_is_asked(tmp_path: Path, server: RagServer) -> None:
    path = probe(tmp_path, server.url, gate={"metrics": {"context_recal": 0.9}})
    run = cli("probe", path, "--once", KB_TOKEN=SECRET)
    assert run.returncode == 2
    assert "gate: metrics: no metric is called 'context_recal' (did you mean context_recall?)" in run.stderr
    assert server.asked == []


def wait_for(true: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    """A busy machine takes its time; nothing here is about how long."""
    until = time.monotonic() + 300
    while not true():
        assert run.poll() is None, run.communicate()[1]
        assert time.monotonic() < until
        time.sleep(0.1)


def metrics(port: int) -> dict[str, float]:
    """The samples of /metrics, by their text."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answered:
            lines = answered.read().decode().splitlines()
    except urllib.error.URLError:
        return {}
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


def free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_it_stays_asks_again_and_shows_it_until_it_is_stopped(tmp_path: Path) -> None:
    down = False
    port = free_port()
    with serving(lambda asked: Said("no", status=503) if down else answer(asked)) as server:
        path = probe(tmp_path, server.url, every_seconds=10, admin={"host": "127.0.0.1", "port": port, "probe_port": 0})
        environment = {**os.environ, "KB_TOKEN": SECRET}
        command = [sys.executable, "-m", "sidecar", "probe", str(path), "-o", str(tmp_path / "last.json")]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as run:
            try:
                wait_for(lambda: metrics(port).get('rag_probe_passed{rag_service="kb"}') == 1, run)
                first = metrics(port)
                down = True
                wait_for(lambda: metrics(port).get('rag_probe_passed{rag_service="kb"}') == 0, run)
                second = metrics(port)
                run.send_signal(signal.SIGTERM)
                _, said = run.communicate(timeout=300)
            finally:
                run.kill()
    assert run.returncode == 0, said
    assert first['rag_probe_score{evaluator="context_recall",rag_service="kb"}'] == 1
    assert first['rag_probe_answer_seconds_count{rag_service="kb"}'] == 3
    assert second['rag_probe_failures_total{rag_service="kb",reason="http_5xx"}'] == 3
    assert second['rag_probe_failed_rounds{rag_service="kb"}'] == 1
    # None of the sidecar's own series, whose alerts would take a probe for a replica.
    assert [name for name in second if name.startswith("rag_sidecar_")] == []
    logged = [json.loads(line)["message"] for line in said.splitlines() if line.startswith("{")]
    assert any("the gate passed over 3 answered cases" in line for line in logged)
    assert any("the gate failed over 0 answered cases: answered" in line for line in logged)
    assert json.loads((tmp_path / "last.json").read_text())["gate"]["passed"] is False
    assert SECRET not in said
    assert "backups" not in said, "questions are texts, which no log has"

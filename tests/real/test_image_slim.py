"""What the image leaves out is not needed: the Dockerfile's own steps on an environment made as it makes one, then a start and a score. No engine is needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
RECORD = (
    '{"question": "How long is the warranty?", "answer": "Nine years.", "contexts": ["The warranty is two years."]}'
)
# With the base image, 120 MB of Debian and Python, less than 350.
MOST_MEGABYTES = 228


def steps(stage: str) -> list[str]:
    """The commands of a stage, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    (body,) = re.findall(rf"^FROM \S+ AS {stage}$(.*?)^FROM ", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"^RUN (.+)$", body, re.MULTILINE)


def run(place: Path, command: str, given: str = "") -> str:
    """What a command says, run as in the image: its programs first, and no word of ours in the environment."""
    environment = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "HOME": str(place)}
    done = subprocess.run(
        ["sh", "-ec", command],
        cwd=place / "lib",
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def slim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("image") / "rag-sidecar"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=120)
    uv = [
        str(Path(sys.executable).with_name("uv")),
        "pip",
        "install",
        "-q",
        "--python",
        str(place / "bin/python"),
        "--link-mode",
        "copy",
    ]
    subprocess.run([*uv, "--require-hashes", "-r", ROOT / "requirements.lock"], check=True, timeout=300)
    subprocess.run([*uv, "--no-deps", ROOT], check=True, timeout=300)
    for step in steps("slim"):
        run(place, step)
    return place


def test_it_scores(slim: Path) -> None:
    assert '"verdict":"hallucinated"' in run(slim, "rag-sidecar score -", RECORD)


@pytest.mark.parametrize(
    "words", ["version", "check --example", "metrics", "models --help", "run --help", "results --help"]
)
def test_commands_start(slim: Path, words: str) -> None:
    assert run(slim, f"rag-sidecar {words}")


def test_it_waits_for_kafka_with_every_exporter(slim: Path) -> None:
    """As far as a start goes without a broker: everything is built and started, and ends on a signal."""
    settings = {
        "RECEIVE__BOOTSTRAP_SERVERS": "127.0.0.1:1",
        "RECEIVE__TOPICS": "spans",
        "RESULTS__TOPIC": "results",
        "OTLP__ENDPOINT": "http://127.0.0.1:1",
        "PHOENIX__URL": "http://127.0.0.1:1",
        "ADMIN__HOST": "127.0.0.1",
        "ADMIN__PORT": "0",
        "ADMIN__PROBE_PORT": "0",
    }
    given = " ".join(f"RAG_SIDECAR_{name}={value}" for name, value in settings.items())
    said = run(slim, f"{given} timeout --preserve-status -s TERM 15 rag-sidecar run 2>&1")
    assert "started, version" in said
    assert "waiting for Kafka" in said
    assert "Traceback" not in said


def test_it_is_small(slim: Path) -> None:
    whole = sum(path.stat().st_size for path in slim.rglob("*") if path.is_file() and not path.is_symlink())
    assert whole / 1e6 < MOST_MEGABYTES

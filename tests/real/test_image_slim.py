"""What the image leaves out is not needed: the Dockerfile's own steps on an environment made as it makes one, then a start and a score. No engine is needed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import paths
from training.made_hhem import TINY, make_snapshot

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
RECORD = (
    '{"question": "How long is the warranty?", "answer": "Nine years.", "contexts": ["The warranty is two years."]}'
)
# With the base image, 120 MB of Debian and Python, under 350.
MOST_MEGABYTES = 227


def steps(stage: str) -> list[str]:
    """The commands of a stage, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    (body,) = re.findall(rf"^FROM \S+ AS {stage}$(.*?)^FROM ", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"^RUN (.+)$", body, re.MULTILINE)


def run(place: Path, command: str, given: str = "", *, builds: bool = False) -> str:
    """What a command says, run as in the image: its programs first, no word of ours in the environment, and no bytecode written but by what builds."""
    environment = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "HOME": str(place)}
    if not builds:
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
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
    """As the stages `build` and `slim` make it, with uv for pip."""
    place = tmp_path_factory.mktemp("image") / "rag-sidecar"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=120)
    wheels = paths.find_image_wheels()
    here = ("--offline", "--no-index", "--find-links", wheels, "--link-mode", "copy", "--python", place / "bin/python")
    locks: list[str | Path] = [word for lock in paths.IMAGE_LOCKS for word in ("-r", lock)]
    uv("install", *here, "--require-hashes", *locks)
    uv("install", *here, "--no-deps", "--no-build-isolation", ROOT)
    uv("uninstall", "--python", place / "bin/python", "setuptools")
    for step in steps("slim"):
        run(place, step, builds=True)
    return place


def uv(*words: str | Path) -> None:
    """`uv pip`, quietly."""
    program = Path(sys.executable).with_name("uv")
    subprocess.run([str(word) for word in (program, "pip", *words, "-q")], check=True, timeout=300)


def test_it_scores(slim: Path) -> None:
    assert '"verdict":"hallucinated"' in run(slim, "rag-sidecar score -", RECORD)


def test_it_scores_with_hhem_out_of_a_snapshot(slim: Path, tmp_path: Path) -> None:
    """What the stage `export` makes of it, by its own command and on made weights in the real layout, is read by an environment that cannot export."""
    make_snapshot(tmp_path / "snapshot", TINY, [RECORD])
    command = (
        steps("export")[-1].replace(" /snapshot ", f" {tmp_path}/snapshot ").replace("/opt/hhem", f"{tmp_path}/hhem")
    )
    assert "model.int8.onnx" in run(Path(sys.prefix), command)
    result = json.loads(run(slim, f"RAG_SIDECAR_INFERENCE__HHEM_DIR={tmp_path}/hhem rag-sidecar score -", RECORD))
    (found,) = [one for one in result["evaluations"] if one["evaluator"] == "groundedness"]
    assert found["model"]["name"] == "HHEM-2.1-Open"
    assert 0 <= found["score"] <= 1


def test_records_are_read_by_what_is_compiled(slim: Path) -> None:
    """Without it aiokafka takes its slower one in Python, and says nothing."""
    said = run(
        slim, "python -c 'from aiokafka.record.default_records import DefaultRecordBatch as it; print(it.__module__)'"
    )
    assert said.strip().endswith("_crecords.default_records")


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
    assert whole / 1e6 < MOST_MEGABYTES, whole

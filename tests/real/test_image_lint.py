"""The Dockerfile is free of what hadolint finds, and the image is what Kubernetes will let run. No engine builds it here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"


def hadolint(path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("hadolint")), "--failure-threshold", "style", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def instructions(name: str) -> list[str]:
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(rf"^{name} (.+)$", text, re.MULTILINE)


def test_hadolint_finds_nothing() -> None:
    done = hadolint(DOCKERFILE)
    assert (done.returncode, done.stdout) == (0, "")


def test_hadolint_would_find_a_fault(tmp_path: Path) -> None:
    wrong = tmp_path / "Dockerfile"
    wrong.write_text("FROM python\nRUN cd /tmp\n", encoding="utf-8")
    assert hadolint(wrong).returncode == 1


def test_the_image_runs_the_command_as_a_numbered_user_and_needs_no_shell() -> None:
    assert instructions("USER") == ["10001:10001"]
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["rag-sidecar"]
    assert json.loads(instructions("CMD")[-1]) == ["run"]
    (health,) = re.findall(r"HEALTHCHECK .*?CMD (\[.+\])", DOCKERFILE.read_text().replace("\\\n", " "))
    assert json.loads(health)[0] == "python"
    compile(json.loads(health)[2], "HEALTHCHECK", "exec")


def test_the_base_is_pinned_and_everything_is_installed_by_hash() -> None:
    base = instructions("ARG")[0]
    assert re.fullmatch(r"PYTHON_IMAGE=python:3\.\d+-slim-\w+", base)
    made = [line.partition(" AS ")[::2] for line in instructions("FROM")]
    assert {source for source, _ in made} == {"${PYTHON_IMAGE}", "build", "runtime"}
    assert made[-1] == ("runtime", "sidecar"), "what is built by default is the plain image"
    for command in re.findall(r"pip install ([^&\n]+)", DOCKERFILE.read_text(encoding="utf-8")):
        assert "--require-hashes" in command or "--no-index" in command, command


def test_what_the_image_copies_is_let_through_to_the_builder() -> None:
    let_through = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")
    }
    copied = {word for line in instructions("COPY") if not line.startswith("--from") for word in line.split()[:-1]}
    assert copied == let_through
    assert all((ROOT / name).exists() for name in copied)

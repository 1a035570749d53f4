"""What runs elsewhere calls only what is here: every script, target and interpreter that a workflow names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def load(path: Path) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true.
    loaded: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in loaded.items()}


def commands(path: Path) -> list[str]:
    return [step["run"] for job in load(path)["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_script_and_target_is_there(path: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    said = "\n".join(commands(path))
    assert re.findall(r"\.ci/\w+", said)
    for script in re.findall(r"\.ci/\w+", said):
        assert (ROOT / script).stat().st_mode & 0o100, script
    assert set(re.findall(r"\bmake ([\w-]+)", said)) <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_rights_are_given_one_by_one_and_no_secret_but_the_own_token(path: Path) -> None:
    assert load(path)["permissions"] == {"contents": "read"}
    assert set(re.findall(r"secrets\.(\w+)", path.read_text(encoding="utf-8"))) <= {"GITHUB_TOKEN"}


def test_every_interpreter_that_the_package_names_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tried = load(ROOT / ".github/workflows/ci.yml")["jobs"]["fast"]["strategy"]["matrix"]["python"]
    named = [one.rpartition(" :: ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert tried == named
    assert project["requires-python"] == f">={tried[0]}"


def test_a_release_is_made_by_a_tag_alone() -> None:
    assert load(ROOT / ".github/workflows/release.yml")["on"] == {"push": {"tags": ["v*"]}}

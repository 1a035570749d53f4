"""docs/offline.md: every block does what it says, in its order; so do the examples for CI."""

from __future__ import annotations

import os
import pickle
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

import pytest
import typer
import yaml

from sidecar import FrameScorer
from sidecar.commands import compare, evaluate

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/offline.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
BIN = Path(sys.executable).parent


def test_the_page_works_as_it_stands(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    for kind, text in BLOCKS:
        if kind == "yaml":
            (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text, encoding="utf-8")
        elif kind == "jsonl":
            (tmp_path / "cases.jsonl").write_text(text, encoding="utf-8")
    for _, text in (block for block in BLOCKS if block[0] == "sh"):
        run = subprocess.run(
            ["bash", "-e", "-c", text],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert run.returncode == 0, f"{text}\n{run.stdout}\n{run.stderr}"
    assert (tmp_path / "report.html").is_file()
    assert {kind for kind, _ in BLOCKS} == {"sh", "yaml", "jsonl", "text", "python"}


def test_what_is_written_for_other_engines_calls_what_there_is() -> None:
    """tests/real/test_scale_out.py runs both; here the page's own lines, against engines that take note of what they are given."""
    spark, ray = MagicMock(), MagicMock()
    with patch.dict(sys.modules, ray=ray):
        for text in (text for kind, text in BLOCKS if kind == "python"):
            exec(text, space := {"spark": spark, "FrameScorer": FrameScorer})
            if "scorer" in space:
                own: Any = space["scorer"]
                spark.read.parquet().mapInPandas.assert_called_once_with(own.frames, own.schema)
    (scorer,), options = ray.data.read_parquet().map_batches.call_args
    assert (scorer, options["batch_format"]) == (FrameScorer, "pandas")
    assert pickle.dumps(FrameScorer(*options["fn_constructor_args"])) == pickle.dumps(own), (
        "both have the same settings"
    )


def test_what_needs_a_service_has_options_that_there_are() -> None:
    lines = [line for kind, text in BLOCKS if kind == "text" for line in text.splitlines()]
    assert len(lines) == 3
    for line in lines:
        words = shlex.split(line)
        context = typer.main.get_command(compare.cli).make_context("compare", words[2:])
        assert context.params["variant"] == ["old", "new"]


def commands(example: Path) -> list[str]:
    """The lines of an example that call the sidecar."""

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for one in value.values() for text in texts(one)]
        if isinstance(value, list):
            return [text for one in value for text in texts(one)]
        return [value] if isinstance(value, str) else []

    loaded = yaml.safe_load(example.read_text(encoding="utf-8"))
    return [line for text in texts(loaded) for line in text.splitlines() if line.startswith("rag-sidecar ")]


@pytest.mark.parametrize("example", sorted((ROOT / "examples/ci").glob("*.yml")), ids=lambda path: path.name)
def test_an_example_for_ci_calls_options_that_there_are(example: Path) -> None:
    [line] = commands(example)
    words = shlex.split(line)
    assert words[:2] == ["rag-sidecar", "evaluate"]
    context = typer.main.get_command(evaluate.cli).make_context("evaluate", words[2:])
    assert context.params["gate"] == Path("gate.yaml")
    assert context.params["against"] == Path("stored.json")
    assert Path("junit.xml") in context.params["output"]

"""The documentation as a site builds strictly, and its code blocks are true: settings are settings, JSON is JSON, commands have those options, Python runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
import yaml

from docs import native
from docs.hooks import BESIDE, relinked
from sidecar import config
from sidecar.__main__ import COMMANDS, cli
from sidecar.config import Config

ROOT = Path(__file__).parents[3]
PAGES = sorted({*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in BESIDE)})
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(*languages: str) -> list[Any]:
    return [
        pytest.param(text, id=f"{page.relative_to(ROOT)} {number}")
        for page in PAGES
        for number, (language, text) in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8")), 1)
        if language in languages
    ]


def build(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        "mkdocs.yml",
        "--site-dir",
        str(target),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def test_the_site_builds_without_a_dead_link_or_a_page_left_out(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site/production.html").read_text(encoding="utf-8")
    assert 'href="project/index.html#send-it-traces"' in page
    assert (tmp_path / "site/project/SECURITY.html").is_file()
    assert not list((tmp_path / "site").rglob("*.py"))


def test_dead_links_fail_the_build(tmp_path: Path) -> None:
    dead = ("nowhere.md", "alerts.md#no-such-part", "../README.md#no-part-here")
    for path in ROOT.iterdir():
        if path.name != "docs":
            (tmp_path / path.name).symlink_to(path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "docs/production.md").open("a", encoding="utf-8") as page:
        page.write("".join(f"\n[x]({one})\n" for one in dead))
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode == 1
    assert [one for one in dead if one.removeprefix("../README.md") not in done.stderr] == []


@pytest.mark.parametrize(
    ("place", "said", "expected"),
    [
        ("production.md", "[a](../README.md#x)", "[a](project/README.md#x)"),
        ("models/own.md", "[a](../../benchmarks/README.md)", "[a](../project/benchmarks/README.md)"),
        ("project/README.md", "[a](docs/judge.md)", "[a](../judge.md)"),
        ("project/README.md", "![a](docs/img/rag-quality.png)", "![a](../img/rag-quality.png)"),
        ("scaling.md", "[a](../helm/rag-sidecar/examples/keda/values.yaml)", "a"),
        ("index.md", "[a](https://example.org/b)", "[a](https://example.org/b)"),
    ],
)
def test_links_go_where_things_lie_on_the_site(place: str, said: str, expected: str) -> None:
    assert relinked(said, place) == expected


@pytest.mark.parametrize("text", blocks("yaml"))
def test_yaml_is_yaml_and_settings_are_settings(text: str) -> None:
    loaded = yaml.safe_load(text)
    if isinstance(loaded, dict) and loaded and loaded.keys() <= Config.model_fields.keys():
        for section, value in loaded.items():
            assert not isinstance(value, dict) or value.keys() <= config_names(section), section


def config_names(section: str) -> set[str]:
    """The settings of a section."""
    model: Any = Config.model_fields[section].annotation
    return set(model.model_fields)


@pytest.mark.parametrize("text", blocks("json"))
def test_json_is_json_and_requests_are_requests(text: str) -> None:
    loaded = json.loads(text)
    if isinstance(loaded, dict) and {"question", "answer"} <= loaded.keys():
        jsonschema.validate(loaded, json.loads(native.schema()))


@pytest.mark.parametrize("text", blocks("python"))
def test_python_runs(text: str) -> None:
    code = compile(text, "page", "exec")
    if "from sidecar import score" in text:
        exec(code, {})


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands_and_their_options_are_there(text: str) -> None:
    known = {one.name for one in COMMANDS}
    group: Any = typer.main.get_command(cli)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = line.partition("#")[0].split()
        if words[:1] != ["rag-sidecar"]:
            continue
        assert words[1] in known, line
        command = group.get_command(None, words[1])
        if hasattr(command, "commands") and len(words) > 2 and words[2] in command.commands:
            command = command.commands[words[2]]
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
        assert {word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1} <= options, line


@pytest.mark.parametrize("name", ["production.md", "index.md"])
def test_the_settings_that_a_beginner_copies_are_taken_whole(name: str) -> None:
    for language, text in _BLOCK.findall((ROOT / "docs" / name).read_text(encoding="utf-8")):
        if language == "yaml" and "receive:" in text:
            assert config.build(yaml.safe_load(text)).results.topic == "rag_results"

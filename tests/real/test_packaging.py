"""Wheel and source distribution, built from a copy of the clone and installed where nothing else is. Needs a package index."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from sidecar import __version__, score

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", "wt-*")
RECORD = {
    "request_id": "a",
    "timestamp": "2026-01-01T00:00:00Z",
    "question": "How long is the warranty?",
    "answer": "Two years.",
    "contexts": ["The warranty is two years."],
}


def run(*words: str | Path, folder: Path) -> str:
    """The output of a command. AssertionError with its words where it fails."""
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `.ci/release` makes of a copy of the clone whose changelog is ready for a release."""
    shutil.copytree(ROOT, source := tmp_path_factory.mktemp("release") / "source", ignore=LEFT_OUT)
    (source / ".venv").symlink_to(sys.prefix)
    changelog = source / "CHANGELOG.md"
    changelog.write_text(changelog.read_text(encoding="utf-8").replace("## Unreleased", f"## {__version__}"), "utf-8")
    run(".ci/release", f"v{__version__}", folder=source)
    return source / "dist"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return dist / f"rag_sidecar-{__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with what requirements.lock holds and the wheel, and nothing else."""
    home = tmp_path_factory.mktemp("clean")
    run(UV, "venv", "--quiet", "--python", sys.executable, home / "env", folder=home)
    install = (UV, "pip", "install", "--quiet", "--python", home / "env/bin/python")
    run(*install, "--require-hashes", "-r", ROOT / "requirements.lock", folder=home)
    run(*install, "--no-deps", wheel, folder=home)
    run(UV, "pip", "check", "--python", home / "env/bin/python", folder=home)
    return home / "env/bin"


def test_the_wheel_holds_the_packages_with_their_models_and_types_and_nothing_else(wheel: Path) -> None:
    names, source = set(zipfile.ZipFile(wheel).namelist()), wheel.parents[1]
    assert {name.split("/")[0] for name in names} == {
        "sidecar",
        "exporters",
        f"rag_sidecar-{__version__}.dist-info",
    }
    expected = {
        str(path.relative_to(source))
        for top in ("sidecar", "exporters")
        for path in (source / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_the_source_distribution_holds_what_the_wheel_is_built_of(dist: Path, wheel: Path) -> None:
    with tarfile.open(dist / f"rag_sidecar-{__version__}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    packaged = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {*packaged, "pyproject.toml", "README.md", "LICENSE"} <= names
    assert not [name for name in names if name.startswith((".ci", "benchmarks", "training", "helm", "tests/data"))]


def test_a_release_is_summed_up_and_says_what_is_installed(dist: Path) -> None:
    run("sha256sum", "--check", "--strict", "SHA256SUMS", folder=dist)
    listed = json.loads((dist / "rag-sidecar.cdx.json").read_text(encoding="utf-8"))
    locked = {
        line.split("==")[0] for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if "==" in line
    }
    assert {one["name"] for one in listed["components"]} == locked
    assert (listed["metadata"]["component"]["name"], listed["metadata"]["component"]["version"]) == ("rag-sidecar", __version__)  # fmt: skip
    with tarfile.open(dist / f"rag-sidecar-{__version__}.tgz") as chart:
        assert {"rag-sidecar/Chart.yaml", "rag-sidecar/values.schema.json"} <= set(chart.getnames())


@pytest.mark.parametrize(("tag", "message"), [("v9.9.9", "the tag v9.9.9 is not"), ("", "CHANGELOG.md has no section")])
def test_a_release_needs_its_tag_and_its_changelog(tag: str, message: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT, source := tmp_path / "source", ignore=LEFT_OUT)
    (source / ".venv").symlink_to(sys.prefix)
    (source / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n", encoding="utf-8")
    done = subprocess.run([".ci/release", *filter(None, [tag])], cwd=source, capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert (done.returncode, message in done.stderr) == (1, True), done.stderr
    assert not (source / "dist").exists()


def test_the_command_and_the_module_say_the_version(installed: Path, tmp_path: Path) -> None:
    for words in (("rag-sidecar",), ("python", "-m", "sidecar")):
        assert run(installed / words[0], *words[1:], "version", folder=tmp_path) == f"rag-sidecar {__version__}\n"


def test_command_and_api_give_the_numbers_that_the_clone_gives(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    run(installed / "rag-sidecar", "score", "in.jsonl", "out.jsonl", folder=tmp_path)
    code = f"import json; from sidecar import score; print(json.dumps(score([{RECORD!r}])))"
    (by_api,) = json.loads(run(installed / "python", "-c", code, folder=tmp_path))
    by_command = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    (here,) = score([RECORD])
    assert by_command == by_api == here


def test_a_user_of_the_package_has_its_types(installed: Path, tmp_path: Path) -> None:
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--python-executable", installed / "python")  # fmt: skip
    (tmp_path / "right.py").write_text(
        "from sidecar import score\n\nreveal_type(score([{'answer': 'a'}]))\n",
        encoding="utf-8",
    )
    assert "list[dict[str, Any]]" in run(*mypy, "right.py", folder=tmp_path)
    (tmp_path / "wrong.py").write_text("from sidecar import score\n\nscore(3)\n", encoding="utf-8")
    done = subprocess.run(
        [str(word) for word in (*mypy, "wrong.py")], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )  # fmt: skip
    assert (done.returncode, "call-overload" in done.stdout) == (1, True), done.stdout


@pytest.mark.parametrize(
    ("extra", "use"),
    [
        ("demo", "import confluent_kafka, sidecar.commands.demo.run"),
        ("export", "import onnx, safetensors.numpy, sidecar.inference.export.hhem, sidecar.inference.export.quantise"),
        ("presidio", "from presidio_analyzer import PatternRecognizer; import sidecar.redact.presidio"),
    ],
)
def test_an_extra_brings_what_its_part_imports(
    extra: str, use: str, wheel: Path, installed: Path, tmp_path: Path
) -> None:
    """On top of the clean environment, in a folder of its own, so that one extra does not stand in for another. `train` is torch, and is not light."""
    python = installed / "python"
    target = tmp_path / "site"
    run(UV, "pip", "install", "--quiet", "--python", python, "--target", target, f"rag-sidecar[{extra}] @ file://{wheel}", folder=tmp_path)  # fmt: skip
    code = f"import sys; sys.path.insert(0, {str(target)!r})\n{use}"
    run(python, "-W", "ignore", "-c", code, folder=tmp_path)
    done = subprocess.run([str(python), "-c", use], cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 1, "the part works without its extra, so that this shows nothing"

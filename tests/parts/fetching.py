"""What fetching a part is made of: running tools, and moving what was made into the cache in one step."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.parts import paths

# What is fetched, with hashes. `make lock` writes those of Python packages.
LOCKS = Path(__file__).with_name("locks")
# How to get it.
JAVA = "Debian: apt-get install openjdk-17-jre-headless maven"
GO = "https://go.dev/dl, version 1.26 or newer"


class FetchError(Exception):
    """A part cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `version` says what is there (None = nothing usable), `fetch` gets it. Both may raise FetchError."""

    name: str
    wanted: str
    version: Callable[[], str | None]
    fetch: Callable[[], None]


def need(tool: str, part: str, how: str) -> Path:
    """A tool out of PATH. Raises FetchError that says for which part, and how to get it."""
    found = shutil.which(tool)
    if found is None:
        raise FetchError(f"{part} needs {tool}, which is not in PATH; {how}")
    return Path(found)


def run(command: Sequence[str | Path], *, cwd: Path | None = None, seconds: float = 1800, **environment: str) -> str:
    """Run a command and return its output; when it fails, its last lines are the error."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=cwd,
        timeout=seconds,
        check=False,
    )
    if done.returncode:
        tail = "\n    ".join(done.stdout.strip().splitlines()[-12:])
        raise FetchError(f"`{' '.join(str(word) for word in command)}` failed with {done.returncode}:\n    {tail}")
    return done.stdout


def uv(*words: str | Path) -> None:
    """`uv pip install`, which takes seconds where pip takes minutes, from the index that pip is told of: uv reads no setting of pip's."""
    settings = pip_settings()
    indexes = {"UV_DEFAULT_INDEX": settings.get("index-url"), "UV_INDEX": settings.get("extra-index-url")}
    if indexes["UV_INDEX"] and "UV_INDEX" not in os.environ:
        # As pip does: of all indexes, and not the first that has the name at all, whatever its versions. Hashes say that it is the right one.
        indexes["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    # In the environment, since an address may have a password in it, and a command that fails is shown.
    told = {name: " ".join(value.split()) for name, value in indexes.items() if value and name not in os.environ}
    offline = ["--offline", "--no-cache"] if settings.get("no-index", "0").lower() not in ("0", "false", "no") else []
    run(
        [Path(sys.executable).with_name("uv"), "pip", "install", "-q", *offline, *words], cwd=None, seconds=1800, **told
    )


def pip_settings() -> dict[str, str]:
    """What pip's files and environment say of its installs, by name; of two the later one wins, as in pip."""
    said = output([sys.executable, "-m", "pip", "config", "list"])
    found = re.findall(r"^(global|install|:env:)\.([\w-]+)=(.+)$", said, re.MULTILINE)
    order = ("global", "install", ":env:")
    return {name: str(ast.literal_eval(value)) for _, name, value in sorted(found, key=lambda one: order.index(one[0]))}


def output(command: Sequence[str | Path]) -> str:
    """What a command says, however it ends."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    return done.stdout + done.stderr


def check_sums(files: Iterable[Path]) -> None:
    """Hold downloaded files against locks/files.sha256, which is as `sha256sum` writes it. Raises FetchError that names one that differs or is not in it."""
    lines = (LOCKS / "files.sha256").read_text(encoding="utf-8").splitlines()
    known = {name: wanted for wanted, name in (line.split("  ") for line in lines)}
    for file in files:
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if known.get(file.name) != found:
            raise FetchError(
                f"{file.name} has the SHA-256 {found}; {LOCKS / 'files.sha256'} says {known.get(file.name)}"
            )


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder inside the cache, so that what was made can be moved into place in one step."""
    with tempfile.TemporaryDirectory(dir=paths.cache(), prefix=".making-") as folder:
        yield Path(folder)


def install(made: Path, place: Path) -> None:
    """Move what was made to its place, over what was there."""
    shutil.rmtree(place, ignore_errors=True)
    made.rename(place)

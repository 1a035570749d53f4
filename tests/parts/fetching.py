"""What fetching a part is made of: running tools, and moving what was made into the cache in one step."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.parts import paths

# How to get it.
JAVA = "Debian: apt-get install openjdk-17-jre-headless maven"


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


def run(command: Sequence[str | Path], **environment: str) -> str:
    """Run a command and return its output; when it fails, its last lines are the error."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=1800,
        check=False,
    )
    if done.returncode:
        tail = "\n    ".join(done.stdout.strip().splitlines()[-12:])
        raise FetchError(f"`{' '.join(str(word) for word in command)}` failed with {done.returncode}:\n    {tail}")
    return done.stdout


def output(command: Sequence[str | Path]) -> str:
    """What a command says, however it ends."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    return done.stdout + done.stderr


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder inside the cache, so that what was made can be moved into place in one step."""
    with tempfile.TemporaryDirectory(dir=paths.cache(), prefix=".making-") as folder:
        yield Path(folder)


def install(made: Path, place: Path) -> None:
    """Move what was made to its place, over what was there."""
    shutil.rmtree(place, ignore_errors=True)
    made.rename(place)

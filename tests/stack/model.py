"""What compose.yaml says, as the loader of Docker Compose (compose-go) reads it: checked against the Compose Specification, defaults filled in."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.parts import paths

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "compose.yaml"


@dataclass(frozen=True, slots=True)
class Mount:
    """What a service sees at `target`: a file or folder of the clone, or None for a volume of its own."""

    target: str
    source: Path | None


@dataclass(frozen=True, slots=True)
class Service:
    """One service. `published` are ports that people open, `ports` all that it listens on, the first of them last to answer."""

    name: str
    image: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str]
    working_dir: str | None
    mounts: tuple[Mount, ...]
    published: tuple[int, ...]
    ports: tuple[int, ...]
    after: frozenset[str]


def load(path: Path = COMPOSE) -> dict[str, Service]:
    """Services by name. Raises ValueError with the loader's words for a file that it refuses."""
    command = [str(paths.find("compose")), "-format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip() or done.stdout.strip())
    return {name: _service(name, said) for name, said in json.loads(done.stdout)["services"].items()}


def _service(name: str, said: Mapping[str, Any]) -> Service:
    published = tuple(int(one["target"]) for one in said.get("ports", ()))
    return Service(
        name=name,
        image=said["image"].rpartition(":")[0],
        entrypoint=tuple(said.get("entrypoint") or ()),
        command=tuple(said.get("command") or ()),
        environment=said.get("environment", {}),
        working_dir=said.get("working_dir"),
        mounts=tuple(
            Mount(one["target"], Path(one["source"]) if one["type"] == "bind" else None)
            for one in said.get("volumes", ())
        ),
        published=published,
        ports=(*published, *(int(one) for one in said.get("expose", ()))),
        after=frozenset(said.get("depends_on", {})),
    )

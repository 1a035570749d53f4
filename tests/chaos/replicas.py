"""Sidecars of one group as processes of their own: started, killed as a crash would, stopped as by SIGTERM."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.parts.process import Server, free_ports

ROOT = Path(__file__).parents[2]


class Replicas:
    """Replicas by number. `settings` are those of every one; each has ports of its own."""

    def __init__(self, settings: Mapping[str, Any], folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._running: dict[int, tuple[Server, int]] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._running)

    @property
    def numbers(self) -> list[int]:
        """Those that run, oldest first."""
        return sorted(self._running)

    @property
    def metrics_ports(self) -> list[int]:
        """Where each serves /metrics."""
        return [port for _, port in self._running.values()]

    def start(self, *, root: Path = ROOT) -> int:
        """Start one more, of the tree at `root`; does not wait for it."""
        number, self._next = self._next, self._next + 1
        port, probes = free_ports(2)
        admin = {"host": "127.0.0.1", "port": port, **self._settings.get("admin", {})}
        if root == ROOT:  # An older version knows no port of its own for probes.
            admin["probe_port"] = probes
        settings = {**self._settings, "admin": admin}
        path = self._folder / f"replica-{number}.yaml"
        path.write_text(yaml.safe_dump(settings), encoding="utf-8")
        command: list[str | Path] = [sys.executable, "-m", "sidecar", "run", "--config", path]
        server = Server(f"replica {number}", command, log=self._folder / f"replica-{number}.log", cwd=root)
        self._running[number] = (server, port)
        return number

    def wait_ready(self, *, seconds: float = 120.0) -> None:
        """Wait until every replica has joined the group."""
        for server, port in self._running.values():
            server.wait_until(lambda port=port: _ready(port), seconds=seconds)  # type: ignore[misc]

    def kill(self, number: int) -> None:
        """SIGKILL."""
        self._running.pop(number)[0].kill()

    def stop(self, number: int) -> None:
        """SIGTERM, and wait for its end."""
        self._running.pop(number)[0].stop(seconds=60)

    def stop_all(self) -> None:
        """Stop every one."""
        for number in self.numbers:
            self.stop(number)

    def ended(self) -> list[str]:
        """The last lines of replicas that ended by themselves, which none should."""
        return [f"{server.name}:\n{server.tail()}" for server, _ in self._running.values() if not server.runs]


def _ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False

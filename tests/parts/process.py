"""One server process of a test: its output in a file, a wait until it answers, an end by its own process id."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# Below those that the system hands out to connections, which would take the port of a server that restarts; a part for each worker of the tests.
_FIRST, _PARTS, _EACH = 12_000, 5, 4_000
_PART = _FIRST + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _PARTS * _EACH
_offered = itertools.cycle(random.sample(range(_PART, _PART + _EACH), _EACH))


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody listens on now, all different; the same ones come again only after 4,000 others.

    Raises OSError where so many are not free.
    """
    found: list[int] = []
    for port in itertools.islice(_offered, _EACH):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"of the ports from {_PART} on {_EACH} were tried, and {count} are not free")


def listens(port: int) -> bool:
    """Whether something accepts connections on a port of 127.0.0.1."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A child process. `stop` is safe to call twice. With `own_session`, Ctrl-C in a terminal does not reach it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        own_session: bool = False,
        user: str | None = None,
    ) -> None:
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                start_new_session=own_session,
                user=user,
            )

    def wait_until(self, ready: Callable[[], bool], *, seconds: float) -> None:
        """Return when `ready` says so. Raises RuntimeError with the last lines of output when the process ends or time is up."""
        deadline = time.monotonic() + seconds
        while not ready():
            code = self._process.poll()
            if code is not None:
                raise RuntimeError(f"{self.name} ended with {code}:\n{self.tail()}")
            if time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.name} was not ready after {seconds:.0f} s:\n{self.tail()}")
            time.sleep(0.1)

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def tail(self, lines: int = 30) -> str:
        """The last lines of output."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def stop(self, *, seconds: float = 15.0) -> None:
        """Ask the process to end, and end it when it does not."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        self._process.kill()
        self._process.wait(10)

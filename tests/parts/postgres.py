"""Postgres: one server on a free port, in a folder of its own that goes when it stops. It refuses to be root, and then is `nobody`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from tests.parts import paths
from tests.parts.process import Server, free_ports, listens

USER, DATABASE = "rag", "postgres"


class Postgres:
    """A server. Used as `with Postgres() as postgres`."""

    def __init__(self) -> None:
        [self.port] = free_ports(1)
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-postgres-")
        self._work = Path(self._folder.name)
        self._user = "nobody" if os.geteuid() == 0 else None
        self._programs = paths.find_postgres_packages() / paths.POSTGRES_PROGRAMS
        self._server: Server | None = None

    @property
    def url(self) -> str:
        """Where it is, for psql."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def jdbc_url(self) -> str:
        """Where it is, for Java."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/{DATABASE}"

    def __enter__(self) -> Postgres:
        try:
            self._make_ready()
            options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"]
            command: list[str | Path] = [self._programs / "postgres", "-D", self._data, "-p", str(self.port)]
            command += [word for option in options for word in ("-c", option)]
            self._server = Server("Postgres", command, log=self._work / "log", cwd=self._work, user=self._user)
            self._server.wait_until(lambda: listens(self.port), seconds=60)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.stop()
        self._folder.cleanup()

    def psql(self, *words: str | Path, cwd: Path | None = None) -> str:
        """What psql says, bare: rows as lines, columns apart by `|`. Raises RuntimeError for what the server refuses."""
        bare: list[str | Path] = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url]
        return _run([self._programs / "psql", *bare, *words], cwd=cwd)

    @property
    def _data(self) -> Path:
        return self._work / "data"

    def _make_ready(self) -> None:
        """Make an empty database cluster."""
        if self._user is not None:
            # The cache may lie where nobody else may read.
            self._work.chmod(0o755)
            copy = shutil.copytree(paths.find_postgres_packages(), self._work / "packages")
            self._programs = copy / paths.POSTGRES_PROGRAMS
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(self._data, self._user)
        how: list[str | Path] = ["-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        _run([self._programs / "initdb", "-D", self._data, *how], cwd=self._work, user=self._user)


def _run(command: list[str | Path], *, cwd: Path | None = None, user: str | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, user=user, capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout

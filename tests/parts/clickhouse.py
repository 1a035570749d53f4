"""ClickHouse as a library (chDB), in a process of its own: it is large, starts threads, and is not in our environment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.parts import paths

_WORKER = """
import json, sys
from chdb.session import Session
session = Session(sys.argv[1])
for line in sys.stdin:
    try:
        said = {"rows": str(session.query(json.loads(line), "JSONCompactEachRow"))}
    except Exception as error:
        said = {"error": str(error)}
    print(json.dumps(said), flush=True)
"""


class ClickHouse:
    """One database under `folder`. Used as `with ClickHouse(folder) as clickhouse`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> ClickHouse:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(paths.find_clickhouse_packages()), "TZ": "UTC"},
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def query(self, sql: str) -> list[list[Any]]:
        """The rows of the last statement of `sql`. Raises RuntimeError for what the server refuses."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("not started")
        process.stdin.write(json.dumps(sql) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"ClickHouse ended with {process.wait(10)}")
        said = json.loads(line)
        if "error" in said:
            raise RuntimeError(said["error"])
        return [json.loads(row) for row in said["rows"].splitlines()]

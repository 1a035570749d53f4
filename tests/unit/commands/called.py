"""A command as a user types it, within the process of the test: cheaper than one of its own where nothing is killed."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from sidecar.__main__ import main


@dataclass(frozen=True, slots=True)
class Called:
    """What a process would have given."""

    returncode: int
    stdout: str
    stderr: str


def called(*words: str | Path, **environment: str) -> Called:
    """Run a command to its end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_SIDECAR_", "OTEL_"))}
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        mock.patch.dict(os.environ, {**clean, **environment}, clear=True),
        mock.patch.object(sys, "argv", ["rag-sidecar", *map(str, words)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code: object = 0
        try:
            main()
        except SystemExit as error:
            code = error.code
    texts = [stream.buffer.getvalue().decode() for stream in (out, err) if isinstance(stream.buffer, io.BytesIO)]
    return Called(int(code) if isinstance(code, int) else 1, texts[0], texts[1])

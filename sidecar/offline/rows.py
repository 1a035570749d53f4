"""Rows of a file of cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from sidecar.decode.wire.parse import load_json
from sidecar.offline.record import Source
from sidecar.record.errors import ConfigError, DecodeError


def read(path: Path) -> tuple[Source, list[object]]:
    """Where the cases come from, and the file's rows: an object each, or the DecodeError that says why not. Raises ConfigError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError("CASES", f"{path}: {error.strerror}", "give a readable file") from error
    return Source(name=path.name, sha256=hashlib.sha256(content).hexdigest()), list(_lines(content))


def _lines(content: bytes) -> Iterator[object]:
    for line in content.splitlines():
        if line.strip():
            try:
                yield load_json(line)
            except DecodeError as error:
                yield error

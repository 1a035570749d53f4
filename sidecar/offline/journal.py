"""What is done of a run that is not over: a file beside the report, a line a case, so that a stop costs nothing that was paid for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import BinaryIO, Generic, Protocol, Self, TypeVar

import orjson
from pydantic import ValidationError

from sidecar.record.errors import ConfigError, OutputError

_SCHEMA = "rag-sidecar.journal.v1"


class Kept(Protocol):
    """A line: `digest` is a hash of what was asked for, and what `failed` is asked for again."""

    @property
    def digest(self) -> str: ...
    @property
    def failed(self) -> bool: ...
    def model_dump_json(self) -> str: ...
    @classmethod
    def model_validate_json(cls, json_data: bytes, /) -> Self: ...


Line = TypeVar("Line", bound=Kept)


def beside(target: Path | None) -> Path | None:
    """Where the journal of a run into this file is; standard output has none."""
    return None if target is None or str(target) == "-" else target.with_name(f".{target.name}.partial.jsonl")


class Journal(Generic[Line]):
    """`done` holds what an earlier run wrote, by its digest. What failed is not among it: it is tried again."""

    def __init__(self, path: Path, settings: str, line: type[Line]) -> None:
        """`settings` identifies who judges: what others said counts for nothing, and is left behind."""
        self.path = path
        self._settings = settings
        self.done: Mapping[str, Line] = _read(path, settings, line)
        self._stream: BinaryIO | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[Self]:
        """While it is open records can be added. Raises ConfigError where the file cannot be written."""
        goes_on = bool(self.done)
        how = os.O_APPEND if goes_on else os.O_CREAT | os.O_TRUNC
        try:
            stream = os.fdopen(os.open(self.path, os.O_WRONLY | how, 0o600), "wb")
        except OSError as error:
            raise ConfigError("-o", f"{self.path}: {error.strerror}", "give a writable path") from error
        with stream:
            self._stream = stream
            # The run before may have been killed within a line.
            self._write(b"" if goes_on else orjson.dumps({"schema": _SCHEMA, "settings": self._settings}))
            yield self

    def add(self, record: Line) -> None:
        """Write a record, whole or not at all for a reader. Raises OutputError."""
        self._write(record.model_dump_json().encode())

    def remove(self) -> None:
        """All is done: nothing is left to go on with."""
        self.path.unlink(missing_ok=True)

    def forget(self, digests: Set[str]) -> None:
        """These are done. Where it has others too it stays whole, for the run that wrote them."""
        if self.done.keys() <= digests:
            self.remove()

    def _write(self, line: bytes) -> None:
        if self._stream is None:
            raise RuntimeError("the journal is not open")
        try:
            self._stream.write(line + b"\n")
            self._stream.flush()
        except OSError as error:
            raise OutputError(f"{self.path}: {error.strerror}: what was done could not be kept") from error


def _read(path: Path, settings: str, line: type[Line]) -> dict[str, Line]:
    try:
        head, *lines = path.read_bytes().split(b"\n")
        told = orjson.loads(head)
    except (OSError, ValueError):
        return {}
    if not isinstance(told, dict) or (told.get("schema"), told.get("settings")) != (_SCHEMA, settings):
        return {}
    found: dict[str, Line] = {}
    for text in lines:
        try:
            record = line.model_validate_json(text)
        except ValidationError:
            continue  # The last line of a run that was killed.
        if not record.failed:
            found[record.digest] = record
    return found

"""A file that a user names to be read, or standard input; what is packed with gzip is read as what it holds."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from sidecar.record.errors import ConfigError

_STDIN = "standard input"
_GZIP = b"\x1f\x8b"
_OTHER_ARCHIVES = (b"PK\x03\x04", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
# A file of zeros packs a thousand to one: more than this of an archive is not taken into memory.
_MOST_UNPACKED = 2_000_000_000
# What reading may raise; the last two of an archive that is cut short or damaged.
FAULTS = (OSError, EOFError, zlib.error)


def refusal(path: Path, problem: str, mend: str, option: str = "", *, line: int | None = None) -> ConfigError:
    """What is wrong with a file: named by its path, behind the option that gave it, for nobody typed the name of an argument."""
    name = (_STDIN if str(path) == "-" else str(path)) + ("" if line is None else f", line {line}")
    return ConfigError(option, f"{name}: {problem}", mend) if option else ConfigError(name, problem, mend)


def ending(path: Path) -> str:
    """How its name ends, in small letters: that of what is packed, where it is."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def fault(path: Path, error: Exception, mend: str, option: str = "") -> ConfigError:
    """What to say of one of FAULTS."""
    problem = getattr(error, "strerror", None)
    if problem is None:
        return refusal(path, "the gzip archive is damaged or cut short", "pack it anew", option)
    return refusal(path, problem, mend, option)


def open_input(path: Path, mend: str) -> BinaryIO:
    """A stream of its bytes as they are; `unpacked` reads on. Raises ConfigError."""
    try:
        # A stream of our own: closing Python's while it is read would wait for the next line.
        return os.fdopen(_stdin().fileno(), "rb", closefd=False) if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise fault(path, error, mend) from error


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The same, or what is packed in it. Waits for the first bytes, and raises one of FAULTS, as reading on does."""
    packed = isinstance(stream, io.BufferedReader) and stream.peek(len(_GZIP)).startswith(_GZIP)
    return gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[return-value]  # It is read as any other.


def read_input(path: Path, mend: str, option: str = "") -> bytes:
    """All of a file, or of standard input where it is called "-". Raises ConfigError."""
    if str(path) != "-":
        return read_file(path, mend, option)
    try:
        return _whole(path, bytes(_stdin().buffer.read()))
    except FAULTS as error:
        raise fault(path, error, mend, option) from error


def read_file(path: Path, mend: str, option: str = "") -> bytes:
    """All of a file. Raises ConfigError."""
    if str(path) == "-":
        raise ConfigError(option or "-", "standard input is not read here", "give a file")
    try:
        return _whole(path, path.read_bytes(), option)
    except FAULTS as error:
        raise fault(path, error, mend, option) from error


def _stdin() -> io.TextIOWrapper:
    if sys.stdin is None:
        raise ConfigError(_STDIN, "is closed", "give a file, or send something in")
    return sys.stdin  # type: ignore[return-value]  # What tests put there has a buffer too.


def _whole(path: Path, content: bytes, option: str = "") -> bytes:
    if content.startswith(_OTHER_ARCHIVES):
        raise refusal(path, "an archive that is not of gzip", "unpack it, or pack it with gzip", option)
    if not content.startswith(_GZIP):
        return content
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
        found = stream.read(_MOST_UNPACKED + 1)
    if len(found) > _MOST_UNPACKED:
        problem = f"holds more than {_MOST_UNPACKED:,} bytes when it is unpacked"
        raise refusal(path, problem, "give it in parts", option)
    return found

"""A file that a user names to be read, or standard input; what is packed with gzip is read as what it holds."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sidecar.record.errors import ConfigError

_STDIN = "standard input"
_GZIP = b"\x1f\x8b"
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"BZh91AY&SY": "an archive of bzip2",
    b"\xfd7zXZ\x00": "an archive of xz",
    b"\x28\xb5\x2f\xfd": "an archive of zstd",
    b"7z\xbc\xaf\x27\x1c": "an archive of 7-Zip",
}
# The byte order marks, the longer first, and how JSON begins without one: no text in UTF-8 begins so.
_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"{\x00": "UTF-16",
    b"[\x00": "UTF-16",
    b"\x00{": "UTF-16",
    b"\x00[": "UTF-16",
}
_HEAD = max(map(len, (*_ARCHIVES, *_ENCODINGS)))
# A file of zeros packs a thousand to one: more than this of an archive is not taken into memory.
_MOST_UNPACKED = 2_000_000_000
_PIECE = 1 << 16


Stream: TypeAlias = BinaryIO | gzip.GzipFile


class ForeignError(Exception):
    """A file is something else than what is read here; says what, and what to do."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.mend = mend


# What reading may raise; EOFError and zlib.error of an archive that is cut short or damaged.
FAULTS = (OSError, EOFError, zlib.error, ForeignError)


def refusal(path: Path, problem: str, mend: str, option: str = "", *, line: int | None = None) -> ConfigError:
    """What is wrong with a file: named by its path, behind the option that gave it, for nobody typed the name of an argument."""
    name = (_STDIN if str(path) == "-" else str(path)) + ("" if line is None else f", line {line}")
    return ConfigError(option, f"{name}: {problem}", mend) if option else ConfigError(name, problem, mend)


def ending(path: Path) -> str:
    """How its name ends, in small letters: that of what is packed, where it is."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def fault(path: Path, error: Exception, mend: str, option: str = "") -> ConfigError:
    """What to say of one of FAULTS."""
    if isinstance(error, ForeignError):
        return refusal(path, error.problem, error.mend, option)
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


def unpacked(stream: BinaryIO) -> Stream:
    """The same, or what is packed in it. Waits for the first bytes, and raises one of FAULTS, as reading on does."""
    if not isinstance(stream, io.BufferedReader):
        return stream
    head = stream.peek(_HEAD)
    if not head.startswith(_GZIP):
        _refuse_foreign(head)
        return stream
    found = gzip.GzipFile(fileobj=stream)
    _refuse_foreign(found.peek(_HEAD))
    return found


def starts(stream: Stream) -> bytes:
    """How a stream that `unpacked` made goes on, without taking it; waits for the first bytes."""
    return stream.peek(_HEAD) if isinstance(stream, io.BufferedReader | gzip.GzipFile) else b""


def lines(stream: Stream, most: int, see: Callable[[bytes], object] = len) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a stream, each behind the number of its bytes; None stands for one that is longer than `most` bytes, its end among them: it is passed over in pieces, and
    never held. `see` is shown all there is. Raises FAULTS."""
    while line := stream.readline(most + 1):
        see(line)
        size = len(line)
        if size <= most:
            yield size, line
            continue
        while not line.endswith(b"\n") and (line := stream.readline(_PIECE)):
            see(line)
            size += len(line)
        yield size, None


def rest(path: Path, stream: Stream, option: str = "") -> bytes:
    """All that is left of a stream that `unpacked` made. Raises ConfigError and FAULTS."""
    if not isinstance(stream, gzip.GzipFile):
        return stream.read()
    found = stream.read(_MOST_UNPACKED + 1)
    if len(found) > _MOST_UNPACKED:
        problem = f"holds more than {_MOST_UNPACKED:,} bytes when it is unpacked"
        raise refusal(path, problem, "give it in parts", option)
    return found


def read_input(path: Path, mend: str, option: str = "") -> bytes:
    """All of a file, or of standard input where it is called "-". Raises ConfigError."""
    if str(path) != "-":
        return read_file(path, mend, option)
    try:
        return _whole(path, bytes(_stdin().buffer.read()), option)
    except FAULTS as error:
        raise fault(path, error, mend, option) from error


def read_file(path: Path, mend: str, option: str = "", *, any_encoding: bool = False) -> bytes:
    """All of a file; with `any_encoding` also a text that is no UTF-8. Raises ConfigError."""
    if str(path) == "-":
        raise ConfigError(option or "-", "standard input is not read here", "give a file")
    try:
        return _whole(path, path.read_bytes(), option, any_encoding=any_encoding)
    except FAULTS as error:
        raise fault(path, error, mend, option) from error


def _stdin() -> io.TextIOWrapper:
    if sys.stdin is None:
        raise ConfigError(_STDIN, "is closed", "give a file, or send something in")
    return sys.stdin  # type: ignore[return-value]  # What tests put there has a buffer too.


def _refuse_foreign(head: bytes, *, any_encoding: bool = False) -> None:
    """Raises ForeignError for what begins as no text in UTF-8 does. What is neither an archive nor of another encoding is for its reader to tell."""
    for begin, kind in _ARCHIVES.items():
        if head.startswith(begin):
            mend = "unpack it, or pack it with gzip"
            raise ForeignError(kind, f"{mend}; save a spreadsheet as CSV in UTF-8" if begin.startswith(b"PK") else mend)
    encoding = next((name for begin, name in _ENCODINGS.items() if head.startswith(begin)), None)
    if encoding is not None and not any_encoding:
        mend = f"save it as UTF-8: `iconv -f {encoding} -t UTF-8`, or `Set-Content -Encoding utf8` in PowerShell"
        raise ForeignError(f"a text in {encoding}, and UTF-8 is read", mend)


def _whole(path: Path, content: bytes, option: str = "", *, any_encoding: bool = False) -> bytes:
    if not content.startswith(_GZIP):
        _refuse_foreign(content[:_HEAD], any_encoding=any_encoding)
        return content
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
        found = rest(path, stream, option)
    _refuse_foreign(found[:_HEAD], any_encoding=any_encoding)
    return found

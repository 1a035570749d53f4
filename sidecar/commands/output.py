"""Where a command writes lines: standard output as they come, a file only when all of them are there."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TypeVar

from rich.console import Console

from sidecar.commands.common import errors, forget_stdout, tables
from sidecar.record.errors import ConfigError, OutputError
from sidecar.settings.input_file import refusal

Write = Callable[[bytes], None]
Told = TypeVar("Told")
_STDOUT = "standard output"


def refuse_same_file(source: Path, target: Path | None, *, read_as: str = "the input") -> None:
    """Raise ConfigError where the output is what is read, by whatever names and links."""
    try:
        read = os.fstat(sys.stdin.fileno()) if str(source) == "-" else source.stat()
        written = os.fstat(sys.stdout.fileno()) if target is None or str(target) == "-" else target.stat()
    except (OSError, ValueError, AttributeError):
        return  # One of them is not there, closed, or no file: nothing can be overwritten.
    if stat.S_ISREG(read.st_mode) and os.path.samestat(read, written):
        what = _STDOUT if target is None or str(target) == "-" else str(target)
        raise ConfigError(what, f"is {read_as} itself, which it would replace", "name another file")


def refuse_overwriting(sources: Iterable[Path | None], *targets: Path | None) -> None:
    """Raise ConfigError where an output is a file that is read. None among the sources is one that was not given, among the targets standard output."""
    for source in filter(None, sources):
        for target in targets:
            refuse_same_file(source, target)


def refuse_unwritable(*targets: Path | None, option: str = "") -> None:
    """Raise ConfigError where a file cannot be written, before anything is done for it. Nothing is made or changed."""
    for target in targets:
        if target is not None and str(target) != "-" and (code := _fault(target)):
            raise refusal(target, os.strerror(code), "give a writable path", option)


def _fault(target: Path) -> int:
    try:
        place = target.resolve()
        if not place.exists():
            place.parent.stat()
    except OSError as error:
        return error.errno or errno.EIO
    if place.is_dir():
        return errno.EISDIR
    if not place.exists() and not place.parent.is_dir():
        return errno.ENOTDIR
    return 0 if os.access(place if place.exists() else place.parent, os.W_OK) else errno.EACCES


@contextlib.contextmanager
def lines_to(target: Path | None) -> Iterator[Write]:
    """A function that writes one line. None and "-" are standard output, which is flushed after each.

    A file is written beside its place and moved there at the end: where anything is raised inside, what was there before stays and
    nothing is left. Devices and pipes are written as they are. Raises ConfigError where nothing can be opened, OutputError where
    writing fails.
    """
    if target is None or str(target) == "-":
        yield _writer(sys.stdout.buffer, _STDOUT, at_once=True)
        return
    place = target.resolve()
    direct = place.exists() and (not place.is_file() or not os.access(place.parent, os.W_OK))
    if direct or not _may_write(place):
        with _opened(place, "wb", target) as stream:
            yield _writer(stream, str(target), at_once=True)
        return
    beside = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with _opened(beside, "xb", target) as stream:
            yield _writer(stream, str(target), at_once=False)
            with _told(str(target)):
                stream.flush()
                os.fsync(stream.fileno())
        with _told(str(target)):
            _move(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def write_and_show(
    told: Told,
    targets: Mapping[Path, Callable[[Told], str]],
    show: Callable[[Told, Console], None],
    stands: Callable[[], None] = lambda: None,
) -> bool:
    """Write it in every form, call `stands` where all of them are there, and show it on what is left for people. False where standard output was
    closed before its end: who closes it has seen enough, and the exit code is to say what it says of the report."""
    to_stdout = any(str(target) == "-" for target in targets)
    try:
        if written := _taken(lambda: write_forms(told, targets)):
            stands()
    finally:
        shown = _taken(lambda: show(told, errors if to_stdout else tables()))
    return written and shown


def write_forms(told: Told, targets: Mapping[Path, Callable[[Told], str]]) -> None:
    """Write it in every form, the files first: they stand whatever becomes of standard output."""
    for target in sorted(targets, key=lambda one: str(one) == "-"):
        with lines_to(target) as write:
            write(targets[target](told).rstrip("\n").encode())


def _taken(work: Callable[[], None]) -> bool:
    try:
        work()
    except (BrokenPipeError, SystemExit):  # rich makes the second of the first.
        forget_stdout()
        return False
    return True


def _may_write(place: Path) -> bool:
    return not place.exists() or os.access(place, os.W_OK)


def _opened(path: Path, mode: str, target: Path) -> contextlib.AbstractContextManager[BinaryIO]:
    try:
        stream = os.fdopen(os.open(path, _FLAGS[mode], 0o666), "wb")
    except OSError as error:
        raise ConfigError(str(target), error.strerror or "cannot be written", "give a writable path") from error
    return _closing(stream)


_FLAGS = {"wb": os.O_WRONLY | os.O_CREAT | os.O_TRUNC, "xb": os.O_WRONLY | os.O_CREAT | os.O_EXCL}


@contextlib.contextmanager
def _closing(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Close at the end; what cannot be flushed any more was told of already."""
    try:
        yield stream
    finally:
        with contextlib.suppress(OSError):
            stream.close()


def _move(beside: Path, place: Path) -> None:
    if place.exists():
        beside.chmod(stat.S_IMODE(place.stat().st_mode))
    try:
        beside.replace(place)
    except OSError as error:
        if error.errno not in (errno.EBUSY, errno.EXDEV):  # A file that is mounted by itself cannot be replaced.
            raise
        shutil.copyfile(beside, place)


def _writer(stream: BinaryIO, name: str, *, at_once: bool) -> Write:
    def write(line: bytes) -> None:
        with _told(name):
            stream.write(line + b"\n")
            if at_once:
                stream.flush()

    return write


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if name == _STDOUT:
            forget_stdout()
        raise OutputError(f"{name}: {error.strerror}: the results could not be written") from error

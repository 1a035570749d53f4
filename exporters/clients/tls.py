"""Certificates that are replaced while we run: one context for long, whose files are read again for the next handshake."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_Stamp = tuple[int, int, int] | None


class RereadContext(ssl.SSLContext):
    """A context as asyncio takes it; `protocol` is ssl.PROTOCOL_TLS_CLIENT or ssl.PROTOCOL_TLS_SERVER. Each handshake is made by the context that `build` makes, anew once
    one of `files` has changed.

    `build` raises OSError where a file cannot be read: in the constructor that goes to the caller, later to the one handshake. With
    `on_failure` a later one goes there instead, once for each state of the files, and handshakes go on with what was read last.
    """

    def __init__(
        self,
        protocol: int,
        build: Callable[[], ssl.SSLContext],
        files: Sequence[Path],
        *,
        on_failure: Callable[[OSError], None] | None = None,
    ) -> None:
        self._build = build
        self._files = tuple(files)
        self._on_failure = on_failure
        self._stamps = self._stamped()
        self._present = build()

    def wrap_bio(self, *words: Any, **named: Any) -> ssl.SSLObject:
        """The one thing that asyncio asks of a context."""
        stamps = self._stamped()
        if stamps != self._stamps:
            self._renew(stamps)
        return self._present.wrap_bio(*words, **named)

    def _renew(self, stamps: tuple[_Stamp, ...]) -> None:
        try:
            self._present = self._build()
        except OSError as error:
            if self._on_failure is None:
                raise
            self._on_failure(error)
        self._stamps = stamps

    def _stamped(self) -> tuple[_Stamp, ...]:
        return tuple(_stamp(file) for file in self._files)


def _stamp(file: Path) -> _Stamp:
    """What differs once a file was replaced; None while it is away."""
    try:
        said = file.stat()
    except OSError:
        return None
    return said.st_mtime_ns, said.st_ino, said.st_size

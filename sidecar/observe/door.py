"""TLS for the admin endpoint: handshakes are counted and timed like connections, and use the certificate as it is now.

asyncio counts no handshakes and gives each a minute, so that whoever connects and says nothing could hold all the sockets that there are.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from asyncio.sslproto import SSLProtocol
from pathlib import Path
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from exporters.clients.tls import RereadContext

logger = logging.getLogger(__name__)


class TlsDoor:
    """Makes the protocol of a connection, as uvicorn asks for one. `inner` speaks once both sides have shaken hands.

    A handshake that is not done within `seconds` is cut off, and so is the oldest where there are more than `most`.
    """

    def __init__(self, inner: type[H11Protocol], context: ssl.SSLContext, *, seconds: float, most: int) -> None:
        self._inner = _inside(inner, self)
        self._context = context
        self._seconds = seconds
        self._most = most
        self._waiting: dict[asyncio.BaseProtocol, asyncio.BaseTransport] = {}

    def __call__(self, **given: Any) -> SSLProtocol:
        """The protocol of one connection."""
        return _Handshake(self, self._inner(**given), self._context, self._seconds)

    def enter(self, inner: asyncio.BaseProtocol, transport: asyncio.BaseTransport) -> None:
        """Someone has connected and begins a handshake."""
        self._waiting[inner] = transport
        if len(self._waiting) > self._most:
            self._cut_off(next(iter(self._waiting)))

    def leave(self, inner: asyncio.BaseProtocol) -> None:
        """The handshake is done, or the connection has gone. Safe twice."""
        self._waiting.pop(inner, None)

    def close(self) -> None:
        """Cut off every handshake."""
        for inner in list(self._waiting):
            self._cut_off(inner)

    def _cut_off(self, inner: asyncio.BaseProtocol) -> None:
        transport = self._waiting.pop(inner)
        if isinstance(transport, asyncio.WriteTransport):
            transport.abort()


class _Handshake(SSLProtocol):
    def __init__(self, door: TlsDoor, inner: H11Protocol, context: ssl.SSLContext, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        # asyncio takes a fraction of a second, and nobody who waits; its stubs know of neither.
        options: dict[str, Any] = {"ssl_handshake_timeout": seconds, "ssl_shutdown_timeout": seconds}
        super().__init__(loop, inner, context, None, True, **options)  # type: ignore[arg-type]
        self._door, self._speaks = door, inner

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._door.enter(self._speaks, transport)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._door.leave(self._speaks)
        super().connection_lost(exc)


def _inside(inner: type[H11Protocol], door: TlsDoor) -> type[H11Protocol]:
    class Inside(inner):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            door.leave(self)
            super().connection_made(transport)

    return Inside


def reread_context(cert_file: Path, key_file: Path) -> ssl.SSLContext:
    """A server's context that uses the files as they are at each handshake; while they make no pair, what they were.

    Raises OSError where they make none now.
    """

    def build() -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        # An empty password, or openssl would ask for one at the terminal.
        context.load_cert_chain(cert_file, key_file, password="")
        return context

    def failed(error: OSError) -> None:
        logger.warning("the new certificate of the admin endpoint cannot be read: %s", type(error).__name__)

    return RereadContext(ssl.PROTOCOL_TLS_SERVER, build, [cert_file, key_file], on_failure=failed)

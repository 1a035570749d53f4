"""A broker that wants a login, in front of the mock cluster, which knows none. It takes every password, and remembers what it was shown."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from types import TracebackType

_SASL_HANDSHAKE, _API_VERSIONS, _SASL_AUTHENTICATE = 17, 18, 36


class LoginProxy:
    """Used as `async with LoginProxy(broker.bootstrap_servers) as front`. Speaks SASL PLAIN and OAUTHBEARER, unencrypted.

    servers   where it listens
    logins    what each connection that logged in sent for it
    """

    def __init__(self, upstream: str) -> None:
        host, _, port = upstream.partition(":")
        self._upstream = (host, int(port))
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._port = 0
        self.logins: list[bytes] = []

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self._port}"

    async def __aenter__(self) -> LoginProxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.hang_up()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def hang_up(self) -> None:
        """Close every connection: clients must come again, and log in again."""
        for task in self._serving:
            task.cancel()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(task := asyncio.create_task(self._serve(reader, writer), name="login-proxy"))
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection(*self._upstream)
        except OSError:
            writer.close()
            return
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, OSError):
                await self._log_in(reader, writer, up_reader, up_writer)
                async with asyncio.TaskGroup() as group:
                    group.create_task(_copy(reader, up_writer))
                    group.create_task(self._answer(up_reader, writer))
        except* (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()
            up_writer.close()

    async def _log_in(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        while True:
            request = await _frame(reader)
            key, version, number = struct.unpack_from(">hhi", request)
            if key == _API_VERSIONS:
                _send(up_writer, request)
                _send(writer, _with_login(await _frame(up_reader)))
            elif key == _SASL_HANDSHAKE:
                names = b"".join(struct.pack(">h", len(name)) + name for name in (b"PLAIN", b"OAUTHBEARER"))
                _send(writer, struct.pack(">ihi", number, 0, 2) + names)
                if not version:
                    self.logins.append(await _frame(reader))
                    _send(writer, b"")
                    return
            elif key == _SASL_AUTHENTICATE:
                self.logins.append(request)
                # No error, no message, no bytes, and from version 1 on no end of the session.
                _send(writer, struct.pack(">ihhi", number, 0, -1, 0) + (struct.pack(">q", 0) if version else b""))
                return
            else:
                raise ConnectionError("nobody may ask before the login")

    async def _answer(self, up_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass answers on, with our address wherever the mock's own stands."""
        host, port = self._upstream
        theirs = host.encode() + struct.pack(">i", port)
        ours = host.encode() + struct.pack(">i", self._port)
        while True:
            _send(writer, (await _frame(up_reader)).replace(theirs, ours))


def _with_login(answer: bytes) -> bytes:
    """The list of requests a broker knows, with those of a login in it."""
    (count,) = struct.unpack_from(">i", answer, 6)
    end = 10 + 6 * count
    more = struct.pack(">hhh", _SASL_HANDSHAKE, 0, 1) + struct.pack(">hhh", _SASL_AUTHENTICATE, 0, 1)
    return answer[:6] + struct.pack(">i", count + 2) + answer[10:end] + more + answer[end:]


async def _frame(reader: asyncio.StreamReader) -> bytes:
    (size,) = struct.unpack(">i", await reader.readexactly(4))
    return await reader.readexactly(size)


def _send(writer: asyncio.StreamWriter, payload: bytes) -> None:
    writer.write(struct.pack(">i", len(payload)) + payload)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    raise ConnectionError("the client has gone")

"""A token endpoint of an OAuth server: hands out tokens by client credentials on 127.0.0.1, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its headers with names in lower case, and its form."""

    headers: dict[str, str]
    form: dict[str, str]


@dataclass(slots=True)
class TokenEndpoint:
    """Used as `async with TokenEndpoint() as endpoint`.

    answer    makes status and body of an answer, out of what is asked; by default tokens token-1, token-2 ... that last an hour
    headers   go with every answer
    asked     what it was asked, in order
    """

    answer: Callable[[Asked], tuple[int, object]] | None = None
    tls: ssl.SSLContext | None = None
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        scheme = "https" if self.tls else "http"
        return f"{scheme}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/token"

    async def __aenter__(self) -> TokenEndpoint:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")[1:-2]
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head)}
            body = await reader.readexactly(int(headers["content-length"]))
            asked = Asked(headers, dict(parse_qsl(body.decode("ascii"))))
            self.asked.append(asked)
            status, said = self.answer(asked) if self.answer else self._hand_out()
            writer.write(self._whole(status, said))
            await writer.drain()
        writer.close()

    def _hand_out(self) -> tuple[int, dict[str, Any]]:
        return 200, {"access_token": f"token-{len(self.asked)}", "token_type": "Bearer", "expires_in": 3600}

    def _whole(self, status: int, said: object) -> bytes:
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        lines = [f"HTTP/1.1 {status} Said", f"content-length: {len(body)}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body

"""The HTTP client that whatever posts to a service shares: time-outs, limits, TLS files, and what is known of a failure.

It follows no redirect (a redirected POST would become a GET, whose answer looks like success) and reads an answer up to a limit only.
Proxies are taken from the environment (HTTP_PROXY and the like), certificates from the system unless a file is given.
"""

from __future__ import annotations

import asyncio
import email.utils
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx


class UnansweredError(Exception):
    """There was no answer: out of reach, too slow, or cut off. The same request may be answered later."""


class TooSlowError(UnansweredError):
    """There was no answer in time."""


class WrongRequestError(Exception):
    """The request could not be sent as it is: its address or a header makes no sense. It never will be."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files: authorities to trust in place of the system's, and a certificate of our own with its key."""

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None

    def context(self) -> ssl.SSLContext:
        """Raises OSError or ssl.SSLError where a file cannot be read."""
        context = ssl.create_default_context(cafile=self.ca_file)
        if self.cert_file:
            context.load_cert_chain(self.cert_file, self.key_file)
        return context


@dataclass(frozen=True, slots=True)
class Limits:
    """`timeout_seconds` is for a request and its whole answer; an answer beyond `most_answer_bytes` is cut there."""

    timeout_seconds: float = 10.0
    most_connections: int = 8
    most_answer_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `retry_after_seconds` is what the service asks for (RFC 9110, 10.2.3), None where it asks for nothing."""

    status: int
    body: bytes = field(repr=False)
    retry_after_seconds: float | None = None


class HttpClient:
    """Belongs to the event loop of its first request. `headers` go along with every one; values may be any text."""

    def __init__(
        self, limits: Limits = Limits(), *, headers: Mapping[str, str] | None = None, tls: TlsFiles = TlsFiles()
    ) -> None:
        """Raises OSError or ssl.SSLError where a TLS file cannot be read. Connects to nothing."""
        self._limits = limits
        self._headers = {"user-agent": "rag-sidecar", "accept-encoding": "identity", **_lower(headers or {})}
        self._client = httpx.AsyncClient(
            verify=tls.context(),
            timeout=limits.timeout_seconds,
            limits=httpx.Limits(max_connections=limits.most_connections),
            follow_redirects=False,
        )

    async def post(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        begins: Callable[[], None] = lambda: None,
    ) -> Answer:
        """The answer, whatever its status. `begins` is called when there is a connection and the request begins to go out on it: from then on
        the service may know of it, a proxy that is asked for a tunnel to it tells nothing of it. Raises UnansweredError or WrongRequestError."""
        return await self._ask("POST", url, body, headers or {}, begins)

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """As `post`, of a GET."""
        return await self._ask("GET", url, None, headers or {}, lambda: None)

    async def _ask(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], begins: Callable[[], None]
    ) -> Answer:
        async def trace(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(".send_request_headers.started") and info["request"].method != b"CONNECT":
                begins()

        pairs = [(name.encode(), value.encode()) for name, value in {**self._headers, **_lower(headers)}.items()]
        try:
            if (httpx.URL(url).port or 0) > 65535:
                raise httpx.InvalidURL("the port is beyond 65535")
            async with (
                asyncio.timeout(self._limits.timeout_seconds),
                self._client.stream(method, url, content=body, headers=pairs, extensions={"trace": trace}) as response,
            ):
                said = await self._read(response)
                return Answer(response.status_code, said, retry_after(response.headers.get("retry-after")))
        except (
            httpx.InvalidURL,
            httpx.UnsupportedProtocol,
            httpx.LocalProtocolError,
            UnicodeError,
            OverflowError,
        ) as error:
            raise WrongRequestError(type(error).__name__) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise TooSlowError(type(error).__name__) from error
        except (httpx.HTTPError, OSError) as error:
            raise UnansweredError(type(error).__name__) from error

    async def close(self) -> None:
        """Close what is open. Safe to call twice."""
        await self._client.aclose()

    async def _read(self, response: httpx.Response) -> bytes:
        said = bytearray()
        async for part in response.aiter_bytes():
            said += part
            if len(said) >= self._limits.most_answer_bytes:
                break
        return bytes(said[: self._limits.most_answer_bytes])


def retry_after(said: str | None, *, now: float | None = None) -> float | None:
    """Seconds to wait, of a Retry-After header: a number of seconds or a date. None where it says neither; never below 0."""
    if not said:
        return None
    if said.strip().isascii() and said.strip().isdigit():
        return float(said.strip()[:9])
    try:
        at = email.utils.parsedate_to_datetime(said).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, at - (time.time() if now is None else now))


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}

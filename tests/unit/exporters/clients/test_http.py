"""The shared HTTP client, against servers on 127.0.0.1 that answer as they are told."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from exporters.clients.http import (
    Answer,
    HttpClient,
    Limits,
    TlsFiles,
    TooSlowError,
    UnansweredError,
    WrongRequestError,
    retry_after,
)

NOW = 1_700_000_000.0


@asynccontextmanager
async def server(answer: bytes, *, silent: bool = False) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Its address, and the heads of the requests that came. It answers once a connection, with these bytes or not at all."""
    heads: list[bytes] = []
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                heads.append(await reader.readuntil(b"\r\n\r\n"))
                if silent:
                    await reader.read()
                writer.write(answer)
                await writer.drain()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.create_task(serve(reader, writer)))

    made = await asyncio.start_server(begin, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}/v1", heads
    finally:
        made.close()
        await asyncio.gather(*serving)


async def post(url: str, limits: Limits | None = None, *, headers: Mapping[str, str] | None = None) -> Answer:
    client = HttpClient(limits or Limits(), headers=headers)
    try:
        return await client.post(url, b"body")
    finally:
        await client.close()
        await client.close()


@pytest.mark.parametrize("status", [200, 302, 404, 429, 503])
async def test_whatever_is_answered_comes_back_and_no_redirect_is_followed(status: int) -> None:
    said = f"HTTP/1.1 {status} Any\r\nLocation: /other\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nhi".encode()
    async with server(said) as (url, heads):
        assert await post(url) == Answer(status, b"hi", 7.0)
    assert len(heads) == 1
    assert heads[0].startswith(b"POST /v1 HTTP/1.1\r\n")


async def test_headers_go_along_in_any_letters() -> None:
    async with server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (url, heads):
        await post(url, headers={"API-Key": "schlüssel"})
    assert "api-key: schlüssel".encode() in heads[0]
    assert b"accept-encoding: identity" in heads[0]


async def test_an_answer_without_an_end_is_cut_at_the_limit() -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n" + b"x" * 999_999
    async with server(endless) as (url, _):
        answer = await post(url, Limits(most_answer_bytes=1000))
    assert answer.body == b"x" * 1000


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi", b"nonsense\r\n\r\n"],
    ids=["closed", "cut off", "no HTTP"],
)
async def test_what_is_no_whole_answer_is_none(answer: bytes) -> None:
    async with server(answer) as (url, _):
        with pytest.raises(UnansweredError):
            await post(url)


async def test_silence_ends_with_the_time_for_the_request() -> None:
    async with server(b"", silent=True) as (url, _):
        with pytest.raises(TooSlowError):
            await post(url, Limits(timeout_seconds=0.2))


async def test_nobody_there_is_no_answer() -> None:
    with pytest.raises(UnansweredError, match="ConnectError"):
        await post("http://127.0.0.1:1/")


async def test_it_is_told_when_a_request_begins_to_go_out_and_not_where_nobody_is_there() -> None:
    told: list[str] = []
    client = HttpClient()
    try:
        async with server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (url, _):
            await client.post(url, b"body", begins=lambda: told.append("there"))
        with pytest.raises(UnansweredError):
            await client.post("http://127.0.0.1:1/", b"body", begins=lambda: told.append("nowhere"))
    finally:
        await client.close()
    assert told == ["there"]


async def test_a_proxy_that_lets_nothing_through_is_not_told_as_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with server(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n") as (url, heads):
        monkeypatch.setenv("HTTPS_PROXY", url.removesuffix("/v1"))
        client = HttpClient()
        try:
            with pytest.raises(UnansweredError, match="ProxyError"):
                await client.post("https://judge.example/v1", b"body", begins=lambda: told.append("the proxy"))
        finally:
            await client.close()
    assert heads[0].startswith(b"CONNECT judge.example:443 ")
    assert told == []


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://", "nonsense", "http://127.0.0.1:99999/"])
async def test_an_address_that_makes_no_sense_is_said_to_be_wrong(url: str) -> None:
    with pytest.raises(WrongRequestError):
        await post(url)


async def test_a_header_that_would_end_the_head_is_refused() -> None:
    async with server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (url, heads):
        with pytest.raises(WrongRequestError):
            await post(url, headers={"key": "a\r\nother: b"})
    assert not any(b"other" in head for head in heads)


@pytest.mark.parametrize(
    "files", [TlsFiles(ca_file="/no/such.pem"), TlsFiles(cert_file="/no/such.pem", key_file="/no/such.key")]
)
def test_tls_files_that_cannot_be_read_are_found_when_it_is_made(files: TlsFiles) -> None:
    with pytest.raises((OSError, ssl.SSLError)):
        HttpClient(tls=files)


def test_an_answer_does_not_show_its_body() -> None:
    assert "secret" not in repr(Answer(200, b"secret"))


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 500, 999_999_999.0),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0.0),
        ("Tue, 99 Nov 2023 22:14:20 GMT", None),
        ("٣", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(said: str | None, seconds: float | None) -> None:
    assert retry_after(said, now=NOW) == seconds

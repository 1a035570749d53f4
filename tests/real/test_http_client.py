"""The shared HTTP client over TLS, with certificates that openssl made."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from exporters.clients.http import HttpClient, Limits, TlsFiles, UnansweredError
from tests.parts.certificates import Certificates, make_certificates

pytestmark = pytest.mark.real
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def server(made: Certificates) -> AsyncIterator[str]:
    """Answers those who show a certificate of the authority."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(made.authority))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(made.broker)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            await reader.readuntil(b"body")
            writer.write(ANSWER)
            await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with listening:
        yield f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"


async def post(url: str, ca_file: Path, *, certificate: Path | None, key: Path) -> bytes:
    files = TlsFiles(str(ca_file), str(certificate) if certificate else None, str(key))
    client = HttpClient(Limits(timeout_seconds=20), tls=files)
    try:
        return (await client.post(url, b"body")).body
    finally:
        await client.close()


async def test_who_is_trusted_and_known_is_answered(made: Certificates) -> None:
    async with server(made) as url:
        assert await post(url, made.authority, certificate=made.client_certificate, key=made.client_key) == b"hi"


async def test_a_service_of_another_authority_is_not_spoken_to(made: Certificates) -> None:
    async with server(made) as url:
        with pytest.raises(UnansweredError):
            await post(url, made.other_authority, certificate=made.client_certificate, key=made.client_key)


async def test_who_shows_no_certificate_gets_no_answer(made: Certificates) -> None:
    async with server(made) as url:
        with pytest.raises(UnansweredError):
            await post(url, made.authority, certificate=None, key=made.client_key)

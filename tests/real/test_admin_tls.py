"""The admin endpoint over TLS: certificates that are replaced, and clients that say nothing or too little."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sidecar.observe.admin import Admin, AdminConfig, serving
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from tests.parts.certificates import Certificates, make_certificates

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def pair(made: Certificates, tmp_path: Path) -> Path:
    """A folder with the first certificate and its key."""
    shutil.copyfile(made.client_certificate, tmp_path / "tls.crt")
    shutil.copyfile(made.client_key, tmp_path / "tls.key")
    return tmp_path


def admin_of(pair: Path, **values: Any) -> Admin:
    files = {"tls_cert_file": pair / "tls.crt", "tls_key_file": pair / "tls.key"}
    config = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, **files, **values})
    return Admin(config, Telemetry().registry, alive=lambda: None, ready=lambda: None)


async def get(admin: Admin, authority: Path, path: str = "/metrics", **headers: str) -> int:
    trusting = ssl.create_default_context(cafile=authority)
    async with httpx.AsyncClient(base_url=f"https://localhost:{admin.port}", verify=trusting) as client:
        return (await client.get(path, headers=headers)).status_code


async def test_metrics_are_served_over_tls_to_whom_they_should_and_probes_without(
    made: Certificates, pair: Path
) -> None:
    async with serving(admin_of(pair, bearer_token="t")) as admin:
        assert await get(admin, made.authority) == 401
        assert await get(admin, made.authority, authorization="Bearer t") == 200
        with pytest.raises(httpx.ConnectError):
            await get(admin, made.other_authority)
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://127.0.0.1:{admin.probe_port}/livez")).status_code == 200
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get(f"http://127.0.0.1:{admin.port}/metrics")


async def test_new_connections_use_the_new_pair_and_old_ones_go_on(
    made: Certificates, pair: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Between the two files there is no pair: the old one is used, and that is said once."""
    async with serving(admin_of(pair)) as admin:
        trusting = ssl.create_default_context(cafile=made.authority)
        async with httpx.AsyncClient(base_url=f"https://localhost:{admin.port}", verify=trusting) as old:
            assert (await old.get("/metrics")).status_code == 200
            shutil.copyfile(made.stranger_certificate, pair / "tls.crt")
            for _ in range(2):
                assert await get(admin, made.authority) == 200
            assert [one.message for one in caplog.records if "certificate" in one.message] == [
                "the new certificate of the admin endpoint cannot be read: SSLError"
            ]
            shutil.copyfile(made.stranger_key, pair / "tls.key")
            assert await get(admin, made.other_authority) == 200
            with pytest.raises(httpx.ConnectError):
                await get(admin, made.authority)
            assert (await old.get("/metrics")).status_code == 200


@pytest.mark.parametrize("spoilt", ["missing", "no pair"])
async def test_files_that_make_no_pair_are_refused_at_the_start(made: Certificates, pair: Path, spoilt: str) -> None:
    if spoilt == "missing":
        (pair / "tls.crt").unlink()
    else:
        shutil.copyfile(made.stranger_key, pair / "tls.key")
    with pytest.raises(ConfigError, match=r"^admin\.tls_cert_file: "):
        await admin_of(pair).start()


def connect(stack: contextlib.ExitStack, port: int) -> socket.socket:
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))


def hello(authority: Path) -> bytes:
    """The first message of a handshake."""
    said = ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=authority).wrap_bio(ssl.MemoryBIO(), said, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return said.read()


def closed(sock: socket.socket, seconds: float) -> bool:
    """Whether the other side closes within so many seconds, whatever it says before."""
    sock.settimeout(seconds)
    try:
        while sock.recv(10_000):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.fixture
def stack() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as opened:
        yield opened


@pytest.mark.parametrize("half", [0, 20, None], ids=["nothing", "half a hello", "a hello"])
async def test_a_handshake_that_is_not_finished_in_time_is_cut_off(
    made: Certificates, pair: Path, stack: contextlib.ExitStack, half: int | None
) -> None:
    async with serving(admin_of(pair, header_seconds=0.5)) as admin:
        sock = connect(stack, admin.port)
        sock.sendall(hello(made.authority)[:half])
        assert await asyncio.to_thread(closed, sock, 20)


@pytest.mark.parametrize("said", [b"", b"GET /met"], ids=["nothing", "half a header"])
async def test_who_shakes_hands_and_sends_no_whole_header_is_cut_off(
    made: Certificates, pair: Path, stack: contextlib.ExitStack, said: bytes
) -> None:
    def trickle() -> bool:
        raw = connect(stack, admin.port)
        sock = stack.enter_context(
            ssl.create_default_context(cafile=made.authority).wrap_socket(raw, server_hostname="localhost")
        )
        for byte in said:
            sock.sendall(bytes([byte]))
        return closed(sock, 20)

    async with serving(admin_of(pair, header_seconds=1.0)) as admin:
        assert await asyncio.to_thread(trickle)


async def test_handshakes_that_say_nothing_take_nothing_from_those_who_ask(
    made: Certificates, pair: Path, stack: contextlib.ExitStack
) -> None:
    async with serving(admin_of(pair, most_connections=8, header_seconds=60.0)) as admin:
        silent = [await asyncio.to_thread(connect, stack, admin.port) for _ in range(100)]
        assert await get(admin, made.authority) == 200
        gone = await asyncio.to_thread(lambda: [closed(sock, 0.05) for sock in silent])
        assert gone == [True] * 93 + [False] * 7


async def test_a_stop_waits_for_no_handshake(pair: Path, stack: contextlib.ExitStack) -> None:
    async with serving(admin_of(pair, header_seconds=60.0)) as admin:
        sock = await asyncio.to_thread(connect, stack, admin.port)
        await asyncio.sleep(0.2)
    assert await asyncio.to_thread(closed, sock, 5)

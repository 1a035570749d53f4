"""Who asks for /metrics and does not read the answer blocks nobody, and is cut off: on real sockets, with an answer that no buffer holds."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections.abc import Iterable

import httpx
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from sidecar.observe.admin import Admin, AdminConfig, serving

SAMPLES = 3_000
_KEPT = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
_CLOSED = b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
_OLD = b"GET /metrics HTTP/1.0\r\n\r\n"


class Many(Collector):
    """Several megabytes of samples."""

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        family = CounterMetricFamily("many", "Many.", labels=["number"])
        for number in range(SAMPLES):
            family.add_metric([f"{number:02500d}"], number)
        return [family]


def _admin(**given: object) -> Admin:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Many())
    config = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, **given})
    return Admin(config, registry, alive=lambda: None, ready=lambda: None)


def _deaf(stack: contextlib.ExitStack, port: int, said: bytes) -> socket.socket:
    """Asks, and reads nothing: its window is small, so that the answer stays with us."""
    sock = stack.enter_context(socket.socket())
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", port))
    sock.sendall(said)
    return sock


def _ended(sock: socket.socket, seconds: float) -> bool:
    """Whether the other side has broken the connection off, without a byte being read of it."""
    poll = select.poll()
    poll.register(sock, select.POLLHUP | select.POLLERR)
    return bool(poll.poll(seconds * 1000))


async def _scraped(admin: Admin) -> int:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{admin.port}", timeout=60) as client:
        return sum(line.startswith("many_total{") for line in (await client.get("/metrics")).text.splitlines())


@pytest.mark.parametrize("said", [_KEPT, _CLOSED, _OLD], ids=["kept alive", "to be closed", "HTTP/1.0"])
async def test_who_never_reads_the_answer_is_cut_off_in_bounded_time(said: bytes) -> None:
    async with serving(_admin(answer_seconds=1.0)) as admin:
        with contextlib.ExitStack() as stack:
            sock = _deaf(stack, admin.port, said)
            assert await asyncio.to_thread(_ended, sock, 30)


async def test_who_trickles_through_the_answer_is_cut_off_all_the_same() -> None:
    async with serving(_admin(answer_seconds=1.0)) as admin:
        with contextlib.ExitStack() as stack:
            sock = _deaf(stack, admin.port, _KEPT)
            async with asyncio.timeout(30):
                while not await asyncio.to_thread(_ended, sock, 0.05):
                    with contextlib.suppress(ConnectionResetError):
                        await asyncio.to_thread(sock.recv, 10)


async def test_while_scrapers_do_not_read_others_are_answered_and_the_loop_goes_on() -> None:
    turns = 0

    async def work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with serving(_admin()) as admin:
        working = asyncio.create_task(work())
        with contextlib.ExitStack() as stack:
            deaf = [_deaf(stack, admin.port, said) for said in (_KEPT, _CLOSED, _OLD)]
            for _ in range(2):
                before = turns
                assert await _scraped(admin) == SAMPLES
                assert turns > before + 5
            assert not any([await asyncio.to_thread(_ended, sock, 0.0) for sock in deaf])
        working.cancel()


async def test_scrapers_that_do_not_read_make_room_for_one_that_does() -> None:
    """As many as are allowed, of those that are to be closed when the answer is read."""
    async with serving(_admin(most_connections=4)) as admin:
        with contextlib.ExitStack() as stack:
            for said in (_KEPT, _CLOSED, _OLD, _CLOSED, _KEPT, _CLOSED):
                _deaf(stack, admin.port, said)
                await asyncio.sleep(0.3)
            assert await _scraped(admin) == SAMPLES


async def test_who_reads_late_but_in_time_gets_it_all() -> None:
    async with serving(_admin(answer_seconds=60.0)) as admin:
        with socket.create_connection(("127.0.0.1", admin.port), timeout=30) as sock:
            sock.sendall(_CLOSED)
            await asyncio.sleep(0.5)
            said = await asyncio.to_thread(_all, sock)
    assert said.count(b"many_total{") == SAMPLES


def _all(sock: socket.socket) -> bytes:
    return b"".join(iter(lambda: sock.recv(1 << 20), b""))

"""What tests on real parts share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.kafka.harness import eventually

# A socket that nobody closed is told of, but fails no test with real parts: the collector finds it at any time later and blames whatever runs then.
# That descriptors stay flat is what tests/soak counts.
_LATE_SOCKET = pytest.mark.filterwarnings(
    "default:Exception ignored in. .socket.socket:pytest.PytestUnraisableExceptionWarning"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for one in items:
        if one.get_closest_marker("real"):
            one.add_marker(_LATE_SOCKET)


@pytest.fixture
async def closed_connections() -> AsyncIterator[None]:
    """Let the test's connections close before its loop does. A broker answers the goodbye of TLS 100 ms after it refused a login, and aiokafka
    does not wait for it."""
    yield
    transports = asyncio.get_running_loop()._transports  # type: ignore[attr-defined]

    async def closed() -> bool:
        return all(one._sock is None for one in list(transports.values()))

    await eventually(closed)

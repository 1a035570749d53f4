"""What tests on real parts share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest


@pytest.fixture
async def closed_connections() -> AsyncIterator[None]:
    """Let the test's connections close before its loop does. A broker answers the goodbye of TLS 100 ms after it refused a login, and aiokafka
    does not wait for it."""
    yield
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(10):
        while any(one._sock is not None for one in list(loop._transports.values())):  # type: ignore[attr-defined]
            await asyncio.sleep(0.02)

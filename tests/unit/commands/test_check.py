"""`rag-sidecar check` reaches the OTLP endpoint without sending anything to it."""

from __future__ import annotations

import asyncio

import pytest

from exporters.otlp import OtlpConfig
from sidecar.commands.check import reach_otlp
from sidecar.record.errors import ConfigError


@pytest.mark.parametrize("url", ["http://127.0.0.1:{}", "http://127.0.0.1:{}/"])
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
async def test_an_endpoint_that_takes_connections_is_named(url: str, protocol: str) -> None:
    got: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.put_nowait(await reader.read())
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        config = OtlpConfig.model_validate({"endpoint": url.format(port), "protocol": protocol})
        assert await reach_otlp(config) == [f"127.0.0.1:{port} takes connections ({protocol}); nothing was sent"]
        assert await asyncio.wait_for(got.get(), 10) == b""


async def test_an_endpoint_where_nothing_listens_is_named_with_the_mend() -> None:
    with pytest.raises(ConfigError, match=r"otlp\.endpoint: 127\.0\.0\.1:1 cannot be reached.*correct the address"):
        await reach_otlp(OtlpConfig(endpoint="http://127.0.0.1:1"))

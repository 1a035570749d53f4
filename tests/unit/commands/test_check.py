"""`rag-sidecar check` reaches the OTLP endpoint without sending anything to it."""

from __future__ import annotations

import asyncio

import pytest

from exporters.otlp import OtlpConfig
from sidecar import config
from sidecar.commands.check import check_models, reach_otlp
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


async def test_models_are_told_with_what_they_run_on() -> None:
    lines = await check_models(config.build({}, receive={"bootstrap_servers": "k:9092", "topics": ["t"]}))
    assert any(line.startswith("grounding: embedded ") for line in lines)
    assert "own models run on CPUExecutionProvider; onnxruntime here has " in "\n".join(lines)


async def test_a_model_whose_server_does_not_answer_is_named_with_the_mend() -> None:
    models = {"grounding": {"far": {"remote": "http://127.0.0.1:1", "retries": 0}}}
    settings = config.build({"inference": {"models": models}}, receive={"bootstrap_servers": "k:9092", "topics": ["t"]})
    with pytest.raises(
        ConfigError, match=r"grounding: far does not answer: ConnectError .start the server, or correct"
    ):
        await check_models(settings)

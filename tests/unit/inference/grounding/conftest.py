"""The packaged grounding model, started."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from sidecar.inference.embedding.minilm import Encoded
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry


@pytest.fixture
async def grounder() -> AsyncIterator[EmbeddedGrounder]:
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    await runtime.start()
    found = runtime.models.grounder
    assert isinstance(found, EmbeddedGrounder)
    yield found
    await runtime.stop()


@pytest.fixture
def asked(grounder: EmbeddedGrounder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that its encoder is asked for, as they come."""
    texts: list[str] = []
    encode = grounder._encoder.encode

    async def seen(given: Sequence[str]) -> list[Encoded]:
        texts.extend(given)
        return await encode(given)

    monkeypatch.setattr(grounder._encoder, "encode", seen)
    return texts

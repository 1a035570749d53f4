"""The packaged grounding model, started."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

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

"""A document of 200,000 characters, through every call of the models: the event loop computes none of it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sidecar.inference.base import Claim, Models
from sidecar.inference.export.hhem import export
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from training.made_hhem import TINY, make_snapshot

MOST_SECONDS = 0.2  # of the loop's own CPU time in one turn; what other threads or programs take is not in it
SENTENCE = "The Harbour of Elsewhere lies in the north, and 24 ships leave it twice a day for the mainland in 1998. "
DOCUMENT = SENTENCE * (200_000 // len(SENTENCE))
ANSWER = SENTENCE * 50
QUESTION = "How many ships leave?"
CLAIMS = [Claim(SENTENCE.strip(), "It is so."), *[Claim(f"Ship {n} leaves.") for n in range(40)]]


class Turns:
    """The longest turn of the event loop, in seconds of its thread's CPU time."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.001)
            self.longest = max(self.longest, time.thread_time() - before)


@asynccontextmanager
async def turns() -> AsyncIterator[Turns]:
    """Without the collector of garbage, which runs in whatever thread it wakes up in, over what all tests left."""
    found = Turns()
    gc.disable()
    task = asyncio.create_task(found.watch())
    yield found
    gc.enable()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(scope="module")
def hhem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    snapshot, out = tmp_path_factory.mktemp("snapshot"), tmp_path_factory.mktemp("hhem")
    make_snapshot(snapshot, TINY, [SENTENCE], 7)
    export(str(snapshot), out, say=lambda _: None)
    return out


async def grounding(models: Models) -> None:
    supports = await models.grounder.support(CLAIMS, [DOCUMENT])
    await models.grounder.consistency(ANSWER, CLAIMS, supports, [DOCUMENT])


@pytest.mark.slow
async def test_the_loop_is_never_held_by_the_models(hhem: Path) -> None:
    settings = {"grounding": "embedded", "hhem_dir": hhem, "rules": [{"service": "hhem", "grounding": "hhem"}]}
    runtime = ModelRuntime(InferenceConfig.model_validate(settings), Telemetry())
    await runtime.start()
    try:
        async with turns() as found:
            async with runtime.router.route(service="kb", languages=frozenset) as models:
                await grounding(models)
                await models.relevance.documents(QUESTION, [DOCUMENT])
                await models.relevance.answer(QUESTION, DOCUMENT)
                await models.embedder.embed([ANSWER])
            async with runtime.router.route(service="hhem", languages=frozenset) as models:
                await grounding(models)
    finally:
        await runtime.stop()
    assert 0 < found.longest < MOST_SECONDS

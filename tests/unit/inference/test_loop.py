"""A document of 200,000 characters, through every call of the models: the event loop computes none of it."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from sidecar.inference.base import Claim, Models
from sidecar.inference.embedding.minilm import FOLDER, MODEL
from sidecar.inference.export.hhem import export
from sidecar.inference.runtime import PACKAGED, InferenceConfig, ModelRuntime
from sidecar.inference.words import NAME
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


def lookup() -> bytes:
    """A graph with the inputs and outputs of the encoder that looks its states up."""
    random = np.random.default_rng(7)
    tables: dict[str, NDArray[Any]] = {
        "rows": np.array(64, np.int64),
        "states": random.normal(size=(64, 768)).astype(np.float32),
        "vectors": random.normal(size=(64, 384)).astype(np.float32),
        "axes": np.array([1], np.int64),
    }
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    node = onnx.helper.make_node
    nodes = [
        node("Mod", ["input_ids", "rows"], ["row"]),
        node("Gather", ["states", "row"], ["tokens"]),
        node("Gather", ["vectors", "row"], ["each"]),
        node("ReduceMean", ["each", "axes"], ["mean"], keepdims=0),
        node("LpNormalization", ["mean"], ["sentence"], axis=1),
        *(node("Identity", [name], [f"{name}_unused"]) for name in inputs[1:]),
        node("Gather", [NAME, "input_ids"], ["words_unused"]),
    ]
    value, real = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "lookup",
        [value(name, onnx.TensorProto.INT64, ("batch", "length")) for name in inputs],
        [value("sentence", real, ("batch", 384)), value("tokens", real, ("batch", "length", 768))],
        [onnx.numpy_helper.from_array(table, name) for name, table in tables.items()],
    )
    packaged = onnx.load(PACKAGED / FOLDER / MODEL, load_external_data=False)
    graph.initializer.extend(one for one in packaged.graph.initializer if one.name == NAME)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    return bytes(model.SerializeToString())


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged models with an encoder that costs nothing: what is measured is what is done around it."""
    folder = tmp_path_factory.mktemp("packaged") / "models"
    shutil.copytree(PACKAGED, folder)
    data = lookup()
    (folder / FOLDER / MODEL).write_bytes(data)
    card = json.loads((folder / FOLDER / "card.json").read_text(encoding="utf-8"))
    card["files"][MODEL] = hashlib.sha256(data).hexdigest()
    (folder / FOLDER / "card.json").write_text(json.dumps(card), encoding="utf-8")
    return folder


async def grounding(models: Models) -> None:
    supports = await models.grounder.support(CLAIMS, [DOCUMENT])
    await models.grounder.consistency(ANSWER, CLAIMS, supports, [DOCUMENT])


async def test_the_loop_is_never_held_by_the_models(hhem: Path, packaged: Path) -> None:
    rules = [{"service": "hhem", "grounding": "hhem"}]
    settings = {"grounding": "embedded", "model_dir": packaged, "hhem_dir": hhem, "rules": rules}
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

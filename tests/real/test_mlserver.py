"""A model of one's own on a real MLServer: the same scores as in this process, and another model while it is away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from tests.parts.mlserver import MlServer
from tests.unit.evaluate.fakes import request
from tests.unit.inference.own.made import MADE

pytestmark = pytest.mark.real

NLI = str(MADE / "bert-nli")
CLAIMS = [Claim("The warranty covers three years."), Claim("Paris is the capital of France.")]
DOCUMENTS = ["The warranty covers two years. The capital of France is Paris."]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MlServer]:
    one = MlServer(tmp_path_factory.mktemp("mlserver"), MADE / "bert-nli", MADE / "bert-embedding")
    try:
        yield one
    finally:
        one.stop()


def runtime(settings: dict[str, Any], telemetry: Telemetry | None = None, *, role: str = "grounding") -> ModelRuntime:
    config = InferenceConfig.model_validate({"models": {role: {"mine": settings}}})
    return ModelRuntime(config, telemetry or Telemetry())


async def test_mlserver_takes_texts_and_names_a_model_that_it_does_not_have(server: MlServer) -> None:
    one = runtime({"remote": server.url, "model": "words"})
    other = runtime({"remote": server.url, "model": "none"})
    await one.start()
    await other.start()
    try:
        supports = await one.models.grounder.support([Claim("It is blue."), Claim("It is red.")], ["It is blue."])
        assert [said.probability for said in supports] == pytest.approx([0.9, 0.1])
        assert "404" in other.away()[0]
    finally:
        await one.stop()
        await other.stop()


async def test_mlserver_gives_the_vectors_that_the_same_model_gives_here(server: MlServer) -> None:
    folder = str(MADE / "bert-embedding")
    texts = ["The warranty covers two years.", "It is blue.", "Paris is the capital of France. " * 30]
    far = runtime({"remote": server.url, "model": "states", "tokenizer": folder, "max_tokens": 64}, role="embedding")
    near = runtime({"onnx": folder, "max_tokens": 64}, role="embedding")
    said = runtime({"remote": server.url, "model": "vectors"}, role="embedding")
    for one in (far, near, said):
        await one.start()
    try:
        assert far.away() == said.away() == []
        ours, theirs = [await one.models.embedder.embed(texts) for one in (near, far)]
        assert theirs == pytest.approx(ours, abs=1e-5)
        assert (await said.models.embedder.embed(texts)).tolist() == [[0, 1], [1, 0], [0, 1]]
    finally:
        for one in (far, near, said):
            await one.stop()


async def test_mlserver_says_what_the_same_model_says_here_and_the_fallback_judges_when_it_ends(
    server: MlServer,
) -> None:
    telemetry = Telemetry()
    far = runtime(
        {"remote": server.url, "model": "tokens", "version": "7", "tokenizer": NLI, "output": "logits", "retries": 0},
        telemetry,
    )
    near = runtime({"onnx": NLI})
    for one in (far, near):
        await one.start()
    try:
        assert far.away() == []
        said, expected = [await one.models.grounder.support(CLAIMS, DOCUMENTS) for one in (far, near)]
        assert [one.probability for one in said] == pytest.approx([one.probability for one in expected], abs=1e-5)
        engine = Engine(EvaluateConfig.model_validate({"evaluators": ["groundedness"]}), far.router)
        [before] = (await engine.evaluate(request())).evaluations
        assert before.model is not None
        assert (before.model.name, before.model.version) == ("mine", "7")
        await asyncio.to_thread(server.stop)
        [after] = (await engine.evaluate(request())).evaluations
        assert after.model is not None
        assert (after.outcome, after.model.name) == ("scored", "embedded")
        assert telemetry.value("rag_sidecar_model_away", role="grounding", name="mine") == 1
    finally:
        for one in (far, near):
            await one.stop()

"""Embedding models on a server: what is sent, what comes back, and what stands in while it is away."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest

from sidecar.config import build
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, InferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from tests.unit.inference.own.made import MADE
from tests.unit.inference.remote.servers import Server, graph, serving
from tests.unit.inference.remote.test_remote import running, settle

TEXTS = ["The warranty covers two years.", "Paris is the capital of France, and has been for long.", "Ünïcode 42 €"]
FOLDER = MADE / "bert-embedding"
ROLE = "embedding"


async def embedding(one: ModelRuntime) -> str:
    """The name of the model that a request gets now."""
    async with one.router.route(service="kb", languages=frozenset) as models:
        return models.embedder.identity.name


async def test_tokens_over_v2_give_the_vectors_that_the_same_model_gives_here() -> None:
    with serving(Server(graph=graph(FOLDER))) as server:
        settings = {"remote": server.url, "model": "e", "version": "2", "tokenizer": str(FOLDER), "max_tokens": 16}
        async with running(settings, role=ROLE) as one:
            said = await one.models.embedder.embed([*TEXTS, " ".join(TEXTS) * 4])
            assert (one.models.embedder.identity.name, one.models.embedder.identity.version) == ("far", "2")
            assert (await one.models.embedder.embed([])).shape[0] == 0
    near = {"models": {ROLE: {"near": {"onnx": str(FOLDER), "max_tokens": 16}}}}
    local = ModelRuntime(InferenceConfig.model_validate(near), Telemetry())
    await local.start()
    expected = await local.models.embedder.embed([*TEXTS, " ".join(TEXTS) * 4])
    await local.stop()
    assert said == pytest.approx(expected, abs=1e-5)
    assert set(server.paths) == {"/v2/models/e/versions/2/infer"}
    assert [given["name"] for given in server.bodies[-1]["inputs"]][:2] == ["input_ids", "attention_mask"]


async def test_texts_over_v2_are_sent_as_one_column() -> None:
    with serving(Server(scores={"Paris": 0.8})) as server:
        async with running({"remote": server.url, "inputs": ["sentence"], "prefix": "query: "}, role=ROLE) as one:
            said = await one.models.embedder.embed(TEXTS[:2])
    assert said == pytest.approx(np.array([[0.5, 0.75**0.5, 0], [0.8, 0.6, 0]]), abs=1e-6)
    [told] = server.bodies[-1]["inputs"]
    assert (told["name"], told["datatype"], told["shape"]) == ("sentence", "BYTES", [2, 1])
    assert told["data"] == [f"query: {text}" for text in TEXTS[:2]]
    assert server.paths[-1] == "/v2/models/far/infer"


async def test_embed_of_text_embeddings_inference_and_long_texts_are_windowed() -> None:
    with serving(Server(scores={"Paris": 0.8})) as server:
        settings = {"remote": server.url, "protocol": "tei", "most_words": 40}
        async with running(settings, role=ROLE) as one:
            [short, long] = await one.models.embedder.embed(["Paris", "ships leave at noon " * 40 + "Paris"])
    assert server.paths[-1] == "/embed"
    assert (server.bodies[-1]["normalize"], server.bodies[-1]["truncate"]) == (True, False)
    assert short == pytest.approx([0.8, 0.6, 0])
    assert float(np.linalg.norm(long)) == pytest.approx(1)
    assert 0.5 < long[0] < 0.65
    sent = [text for body in server.bodies for text in body["inputs"]]
    assert len(sent) > 4
    assert all(len(text.split()) <= 40 for text in sent)


async def test_what_goes_to_a_server_is_redacted_with_the_same_pseudonyms_in_all_texts_of_a_call() -> None:
    texts = ["Call +49 30 1234567 today.", "Who has +49 30 1234567?", "Write to +49 30 7654321."]
    with serving(Server()) as server:
        for settings, told in (
            ({}, ["Call <phone-1> today.", "Who has <phone-1>?", "Write to <phone-2>."]),
            ({"redact": False}, texts),
        ):
            config = {"remote": server.url, "protocol": "tei", **settings}
            async with running(config, role=ROLE, redactor=Redactor(RedactConfig())) as one:
                await one.models.embedder.embed(texts)
            assert server.bodies[-1]["inputs"] == told


async def test_the_packaged_model_stands_in_while_the_server_is_away() -> None:
    telemetry = Telemetry()
    with serving(Server()) as server:
        settings = {"remote": server.url, "protocol": "tei", "retries": 0, "timeout_seconds": 2}
        async with running(settings, role=ROLE, telemetry=telemetry) as one:
            assert await embedding(one) == "far"
            server.status = 503
            with pytest.raises(InferenceError, match="unreachable"):
                await one.models.embedder.embed(TEXTS)
            assert await embedding(one) == "all-MiniLM-L6-v2"
            assert telemetry.value("rag_sidecar_model_away", role=ROLE, name="far") == 1
            await settle(lambda: telemetry.value("rag_sidecar_model_info", role=ROLE, name="all-MiniLM-L6-v2") == 1)
            server.status = 200
            await settle(lambda: one.away() == [])
            assert await embedding(one) == "far"


async def test_vectors_of_zeros_over_v2_fail_the_call() -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url}, role=ROLE) as one:
            server.raw = b'{"outputs": [{"name": "vector", "shape": [2, 2], "data": [0, 0, 0.1, 0.2]}]}'
            with pytest.raises(InferenceError, match="remote_answer"):
                await one.models.embedder.embed(TEXTS[:2])


@pytest.mark.parametrize(
    "said",
    [[[0.1, 0.2]], [[0.1], [0.2, 0.3]], [[0.1, None], [0.2, 0.3]], [0.1, 0.2], {"error": "no"}, ["a", "b"]],
    ids=["too few", "ragged", "not a number", "flat", "an error", "words"],
)
async def test_vectors_that_make_no_sense_fail_the_call_and_the_model_stays(said: Any) -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "protocol": "tei"}, role=ROLE) as one:
            server.raw = json.dumps(said).encode()
            with pytest.raises(InferenceError, match="remote_answer"):
                await one.models.embedder.embed(TEXTS[:2])
            server.raw = None
            assert len(await one.models.embedder.embed(TEXTS)) == 3
            assert one.away() == []


async def test_texts_of_all_requests_share_calls() -> None:
    server = Server(slow_seconds=0.05)
    with serving(server):
        settings = {"remote": server.url, "protocol": "tei", "in_flight": 2, "batch_size": 6}
        async with running(settings, role=ROLE) as one:
            server.bodies.clear()
            await asyncio.gather(*(one.models.embedder.embed(TEXTS) for _ in range(10)))
    assert server.most_at_once <= 2
    assert sum(sizes := [len(body["inputs"]) for body in server.bodies]) == 30
    assert max(sizes) == 6


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"fallback": "embedded"}, r"embedding\.far\.fallback: no embedding model 'embedded' that could stand in"),
        ({"tokenizer": "/none"}, r"far\.tokenizer: /none/config\.json: no such file"),
        ({"tokenizer": str(FOLDER), "protocol": "tei"}, r"far\.tokenizer: text-embeddings-inference takes texts"),
        ({"tokenizer": str(FOLDER), "inputs": ["ids"]}, r"far\.inputs: no such input of tokens: ids"),
        ({"model": "e5", "protocol": "tei"}, r"far\.model: .* has one model"),
        ({"output": "vectors", "protocol": "tei"}, r"far\.output: "),
        ({"inputs": ["a", "b"]}, r"far\.inputs: one text is sent \(name one, as text\)"),
    ],
)
def test_what_does_not_fit_is_named_at_the_start(settings: dict[str, Any], said: str) -> None:
    config = {"models": {ROLE: {"far": {"remote": "http://127.0.0.1:1", **settings}}}}
    with pytest.raises(ConfigError, match=said):
        ModelRuntime(InferenceConfig.model_validate(config), Telemetry())


def test_a_column_is_no_setting_of_an_embedding_model() -> None:
    kafka = {"bootstrap_servers": "localhost:9092", "topics": ["t"]}
    far = {"remote": "http://t", "column": 1}
    with pytest.raises(ConfigError, match=r"inference\.models\.embedding\.far\.column: no such setting"):
        build({"receive": kafka, "inference": {"models": {ROLE: {"far": far}}}})

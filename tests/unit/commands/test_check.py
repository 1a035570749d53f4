"""`rag-sidecar check` reaches the OTLP endpoint without sending anything to it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporters.otlp import OtlpConfig
from sidecar import config
from sidecar.commands.check import (
    ask_judge,
    backends,
    check_all,
    check_anchors,
    check_labels,
    check_models,
    reach_backend,
    reach_otlp,
)
from sidecar.inference.embedding.onnx import PooledEmbedder
from sidecar.judging import judge_of
from sidecar.kafka.settings import ReceiveConfig
from sidecar.labels.store import Topic
from sidecar.observe.telemetry import Telemetry
from sidecar.price import PriceConfig
from sidecar.record.errors import BrokerError, ConfigError
from tests.parts.judge_server import JudgeServer, Said
from tests.parts.mock_kafka import MockKafka
from tests.unit.exporters.otlp_sinks import grpc_sink, http_sink
from tests.unit.exporters.score_sinks import langfuse_sink, phoenix_sink
from tests.unit.inference.own.made import MADE, copied
from tests.unit.inference.remote.servers import Server, serving

RECEIVE = {"bootstrap_servers": "k:9092", "topics": ["t"]}
SINKS = {"grpc": grpc_sink, "http/protobuf": http_sink}


def _unheard(name: str, line: str) -> None:
    """What is noted, where a test is about something else."""


@pytest.mark.parametrize("ending", ["", "/"])
@pytest.mark.parametrize("protocol", SINKS)
async def test_an_otlp_receiver_that_takes_our_requests_is_named_and_given_nothing(ending: str, protocol: str) -> None:
    with SINKS[protocol]() as sink:
        settings = OtlpConfig.model_validate({"endpoint": sink.url + ending, "protocol": protocol})
        where = sink.url.removeprefix("http://")
        assert await reach_otlp(settings) == [f"{where} ({protocol}) takes requests from us; there was nothing in them"]
        assert (len(sink.logs), sink.records) == (1, [])


@pytest.mark.parametrize("protocol", SINKS)
async def test_an_otlp_receiver_of_the_other_protocol_is_no_receiver(protocol: str) -> None:
    [other] = SINKS.keys() - {protocol}
    with SINKS[other]() as sink:
        settings = OtlpConfig.model_validate({"endpoint": sink.url, "protocol": protocol})
        with pytest.raises(ConfigError, match=r"otlp\.endpoint: 127\.0\.0\.1:.*usual on port 4318, grpc on 4317"):
            await reach_otlp(settings)


async def test_an_otlp_receiver_that_refuses_us_or_is_not_there_is_told_with_the_mend() -> None:
    with http_sink() as sink:
        sink.answers = [401]
        with pytest.raises(ConfigError, match=r"the receiver answers 401 \(http_401\).*otlp\.headers"):
            await reach_otlp(OtlpConfig(endpoint=sink.url))
    with pytest.raises(ConfigError, match=r"otlp\.endpoint: 127\.0\.0\.1:1 .*out of reach.*correct the address"):
        await reach_otlp(OtlpConfig(endpoint="http://127.0.0.1:1"))


async def test_what_only_takes_connections_is_no_otlp_receiver() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConfigError, match=rf"otlp\.endpoint: 127\.0\.0\.1:{port} "):
            await reach_otlp(OtlpConfig(endpoint=f"http://127.0.0.1:{port}"))


def to_backends(phoenix: str, langfuse: str) -> config.Config:
    keys = {"public_key": "pk", "secret_key": "sk"}
    sections = {"phoenix": {"url": phoenix}, "langfuse": {"url": langfuse, **keys}}
    return config.build(sections, receive=RECEIVE)


async def test_trace_backends_are_asked_with_their_login_and_sent_no_score() -> None:
    with phoenix_sink() as one, langfuse_sink() as other:
        for section, exporter in backends(to_backends(one.url, other.url)):
            assert await reach_backend(section, exporter) == ["takes scores from us; none was sent"]
        assert one.kept == other.kept == {}
        for section, exporter in backends(to_backends(one.url, other.url)):
            one.answers, other.answers = [401], [401]
            with pytest.raises(ConfigError, match=rf"{section}\.url: the receiver answers 401 \(http_401\).*its key"):
                await reach_backend(section, exporter)
    for section, exporter in backends(to_backends("http://127.0.0.1:1", "http://127.0.0.1:1")):
        with pytest.raises(ConfigError, match=rf"{section}\.url: the receiver is out of reach .*start it"):
            await reach_backend(section, exporter)


async def test_models_are_told_with_what_they_run_on() -> None:
    lines = await check_models(config.build({}, receive=RECEIVE), _unheard)
    assert any(line.startswith("grounding: embedded ") for line in lines)
    assert "own models run on CPUExecutionProvider; onnxruntime here has " in "\n".join(lines)


async def test_a_model_whose_server_does_not_answer_is_named_with_the_mend() -> None:
    models = {"grounding": {"far": {"remote": "http://127.0.0.1:1", "retries": 0}}}
    settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
    with pytest.raises(
        ConfigError, match=r"grounding: far does not answer: ConnectError .start the server, or correct"
    ):
        await check_models(settings, _unheard)


@pytest.mark.parametrize(
    "more", [{}, {"languages": ["de"]}, {"services": ["kb"]}], ids=["all", "a language", "a service"]
)
async def test_a_model_that_cannot_score_an_example_is_named_whomever_it_is_for(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    folder = copied("bert-nli", tmp_path, id2label={"0": "entailment", "1": "neutral"}, label2id=None)
    models = {"grounding": {"mine": {"onnx": str(folder), **more}}}
    settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
    with pytest.raises(
        ConfigError,
        match=r"inference\.models\.grounding\.mine: \S+ gives 3 logits, config\.json has 2 names for them in id2label",
    ):
        await check_models(settings, _unheard)


@pytest.mark.parametrize(
    ("role", "made"), [("grounding", "bert-nli"), ("relevance", "bert-nli"), ("embedding", "bert-embedding")]
)
async def test_a_graph_of_fewer_positions_than_its_config_says_is_named(tmp_path: Path, role: str, made: str) -> None:
    folder = copied(made, tmp_path, max_position_embeddings=512)
    models = {role: {"mine": {"onnx": str(folder), **({"label": "entailment"} if role == "relevance" else {})}}}
    settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
    with pytest.raises(ConfigError, match=rf"inference\.models\.{role}\.mine: does not answer an example: "):
        await check_models(settings, _unheard)


async def test_what_answers_no_numbers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def embed(_: object, texts: Sequence[str]) -> np.ndarray:
        return np.full((len(texts), 4), np.nan, np.float32)

    monkeypatch.setattr(PooledEmbedder, "embed", embed)
    settings = config.build(
        {"inference": {"models": {"embedding": {"mine": {"onnx": str(MADE / "bert-embedding")}}}}},
        receive=RECEIVE,
    )
    with pytest.raises(ConfigError, match=r"embedding\.mine: does not answer an example: bad_score"):
        await check_models(settings, _unheard)


@pytest.mark.parametrize("more", [{}, {"services": ["kb"]}], ids=["all", "a service"])
async def test_a_model_whose_label_is_another_is_doubted(more: dict[str, Any]) -> None:
    heard: list[str] = []
    for label in ("entailment", "contradiction"):  # of one text at most one of them is likely
        models = {"grounding": {label: {"onnx": str(MADE / "bert-nli"), "label": label, **more}}}
        settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
        await check_models(settings, lambda name, line: heard.append(f"{name}: {line}"))
    assert heard
    said = r"models: grounding \w+ says 0\.\d\d of a true claim, and 0\.\d\d of its contrary: is it a reranker, or another label"
    assert all(re.match(said, line) for line in heard)


async def test_settings_of_models_alone_are_checked_as_far_as_they_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "models.yaml"
    path.write_text("inference: {models: {grounding: {mine: {onnx: /nowhere}}}}")
    assert await check_all(path) == 1
    told = capsys.readouterr().out
    assert "mend  settings: receive.bootstrap_servers: is required" in told
    assert "mend  models: inference.models.grounding.mine: /nowhere: no such folder" in told
    path.write_text("inference: {model: {}}")
    with pytest.raises(
        ConfigError, match=r"receive\.bootstrap_servers: is required[^$]*inference\.model: no such setting"
    ):
        await check_all(path)


@pytest.mark.parametrize(
    "receive", ["{bootstrap_server: 'k:9092', topics: [a]}", "{bootstrap_servers: 'k:9092', topics: []}"]
)
async def test_a_mistake_in_what_is_said_of_kafka_is_a_wrong_setting(tmp_path: Path, receive: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"receive: {receive}")
    with pytest.raises(ConfigError, match=r"receive\.(bootstrap_server: no such|topics: name either)"):
        await check_all(path)


async def test_a_server_of_one_language_that_does_not_answer_is_named_too() -> None:
    models = {"grounding": {"far": {"remote": "http://127.0.0.1:1", "retries": 0, "languages": ["de"]}}}
    settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
    with pytest.raises(ConfigError, match=r"grounding\.far: does not answer an example: .*start the server"):
        await check_models(settings, _unheard)


@pytest.mark.parametrize("more", [{}, {"services": ["kb"]}, {"batch_size": 3}], ids=["all", "a service", "many calls"])
@pytest.mark.parametrize("role", ["grounding", "relevance", "embedding"])
async def test_a_server_that_takes_fewer_texts_is_named_with_what_it_says_and_the_mend(
    role: str, more: dict[str, Any]
) -> None:
    with serving(Server(most=2)) as server:
        models = {role: {"far": {"remote": server.url, "protocol": "tei", "most_words": 30, **more}}}
        settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
        with pytest.raises(ConfigError) as raised:
            await check_models(settings, _unheard)
    said = str(raised.value)
    assert "remote_refused: 422: " in said
    assert "maximum allowed batch size 2" in said
    assert "batch_size" in raised.value.mend


@pytest.mark.parametrize("more", [{}, {"services": ["kb"]}], ids=["all", "a service"])
async def test_a_server_that_refuses_any_call_is_named_with_what_it_says_and_the_mend(more: dict[str, Any]) -> None:
    with serving(Server(status=400)) as server:
        models = {"grounding": {"far": {"remote": server.url, **more}}}
        settings = config.build({"inference": {"models": models}}, receive=RECEIVE)
        with pytest.raises(ConfigError, match=r'remote_refused: 400: {"error":"no"}.*set batch_size.*or the inputs'):
            await check_models(settings, _unheard)


async def test_labels_are_told_with_their_end_and_those_that_are_too_old_with_the_mend() -> None:
    one = {"sensitivity": 0.8, "hallucinated": 8, "specificity": 0.9, "grounded": 90, "identity": "0a1b2c3d"}
    anchors = {"dated": {**one, "labelled": "2020-01-11"}, "undated": one}
    settings = config.build({"evaluate": {"anchors": anchors}}, receive=RECEIVE)
    end = datetime(2020, 4, 10, tzinfo=UTC).timestamp()
    assert await check_anchors(settings, now=end - 1) == [
        "dated: labels anchor until 2020-04-10",
        "undated: labels anchor for ever",
    ]
    with pytest.raises(ConfigError, match=r"evaluate\.anchors: labelled more than 90 days ago.*: dated .*label anew"):
        await check_anchors(settings, now=end)


async def test_the_labels_topic_has_to_be_there() -> None:
    with MockKafka() as broker:
        receive = ReceiveConfig(bootstrap_servers=broker.bootstrap_servers, topics="t")
        broker.create_topic("labels")
        (told,) = await check_labels(Topic("labels", receive))
        assert told.startswith("topic labels: 4 partitions, PLAINTEXT, ")
        assert told.endswith(", readable")
        with pytest.raises(
            BrokerError, match=r"the labels topic nowhere does not exist .*create it, or correct labels\.topic"
        ):
            await check_labels(Topic("nowhere", receive))


RATED = {"reason": "It is.", "rating": 2}


def judged(url: str, **price: object) -> config.Config:
    settings = {
        "receive": {"bootstrap_servers": "unused:9092", "topics": ["unused"]},
        "judge": {
            "url": url,
            "model": "judge-1",
            "attempts": 1,
            "budget_usd_per_hour": None,
            "budget_usd_per_day": None,
        },
        "evaluate": {"faithfulness": {"by": "both"}},
        "price": {"models": price},
    }
    return config.build(settings)


async def test_the_judge_is_asked_one_question_and_its_cost_is_said() -> None:
    async with JudgeServer(lambda _: RATED) as server:
        said = await ask_judge(judged(server.url, **{"judge-1": {"input": 10.0, "output": 50.0}}))
        assert len(server.asked) == 1
        unpriced = await ask_judge(judged(server.url))
    assert said[0].startswith("judge-1 rated an example 2 of 2 in ")
    # 100 tokens in and 20 out.
    assert said[1] == "one question of 120 tokens cost 0.002000 USD; longer texts cost more"
    assert said[2] == "asked by faithfulness_judge at 0.1"
    assert "has no known price" in unpriced[1]


async def test_a_judge_that_counts_no_tokens_is_said_to_have_an_estimated_cost() -> None:
    async with JudgeServer(lambda _: Said(RATED, usage={})) as server:
        said = await ask_judge(judged(server.url, **{"judge-1": {"input": 10.0, "output": 50.0}}))
    assert " 0 tokens" not in said[1]
    assert "cost 0.000000" not in said[1]
    assert said[2] == "its replies do not count their tokens: tokens, cost and budget go by the length of the texts"


async def test_a_judge_that_refuses_is_named_with_the_mend() -> None:
    async with JudgeServer(lambda _: Said({}, status=401)) as server:
        with pytest.raises(
            ConfigError, match=r"judge: http://.*judge_refused: unauthorized.*RagSidecarEvaluationsFailing"
        ):
            await ask_judge(judged(server.url))


def test_a_budget_of_a_model_without_a_price_is_refused_at_the_start() -> None:
    settings = judged("http://127.0.0.1:1").judge.model_copy(update={"budget_usd_per_hour": 1.0})
    with pytest.raises(ConfigError, match=r"judge\.budget_usd_per_hour.*no known price.*price\.models\.judge-1"):
        judge_of(settings, PriceConfig(), Telemetry(), redactor=lambda: None)


def test_an_evaluator_that_would_ask_a_judge_needs_one() -> None:
    with pytest.raises(ConfigError, match=r"judge\.url is not set, and groundedness_judge would ask"):
        config.build(
            {
                "receive": {"bootstrap_servers": "unused:9092", "topics": ["unused"]},
                "evaluate": {"groundedness": {"by": "judge"}},
            }
        )

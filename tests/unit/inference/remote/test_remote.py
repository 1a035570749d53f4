"""Models on a server: what is sent, what comes back, and what happens where the server is away, slow or wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Outcome
from sidecar.config import build
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.heads import SUPPORTS
from sidecar.inference.remote import tei
from sidecar.inference.remote.batches import Batches, Bounds
from sidecar.inference.remote.judges import Place, send_texts, send_tokens
from sidecar.inference.remote.line import UNREADABLE
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, InferenceError, PermanentInferenceError, RetryableInferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from tests.unit.evaluate.fakes import request
from tests.unit.inference.own.made import MADE
from tests.unit.inference.remote.servers import Server, graph, serving

_KAFKA = {"bootstrap_servers": "localhost:9092", "topics": ["t"]}
CLAIMS = [Claim("The warranty covers three years."), Claim("Paris is the capital of France.")]
DOCUMENTS = ["The warranty covers two years. The capital of France is Paris."]
JUDGED = EvaluateConfig.model_validate({"evaluators": ["faithfulness", "groundedness"]})


@asynccontextmanager
async def running(
    settings: dict[str, Any],
    *,
    role: str = "grounding",
    telemetry: Telemetry | None = None,
    redactor: Redactor | None = None,
) -> AsyncIterator[ModelRuntime]:
    """A runtime whose one model of its own is on a server."""
    config = InferenceConfig.model_validate({"models": {role: {"far": settings}}})
    one = ModelRuntime(config, telemetry or Telemetry(), redactor=lambda: redactor)
    await one.start()
    try:
        yield one
    finally:
        await one.stop()


async def names(one: ModelRuntime) -> str:
    async with one.router.route(service="kb", languages=frozenset) as models:
        return models.grounder.identity.name


@pytest.mark.parametrize("name", ["bert-nli", "deberta-nli", "modernbert-tokens"])
async def test_tokens_over_v2_say_what_the_same_model_says_here(name: str) -> None:
    label = {"label": "LABEL_1"} if "tokens" in name else {}
    with serving(Server(graph=graph(MADE / name))) as server:
        settings = {
            "remote": server.url,
            "model": "nli",
            "version": "3",
            "tokenizer": str(MADE / name),
            "output": "logits",
            **label,
        }
        async with running(settings) as one:
            supports = await one.models.grounder.support(CLAIMS, DOCUMENTS)
            assert one.models.grounder.identity.version == "3"
    near = InferenceConfig.model_validate({"models": {"grounding": {"far": {"onnx": str(MADE / name), **label}}}})
    local = ModelRuntime(near, Telemetry())
    await local.start()
    expected = await local.models.grounder.support(CLAIMS, DOCUMENTS)
    await local.stop()
    for said, wanted in zip(supports, expected, strict=True):
        assert said.probability == pytest.approx(wanted.probability, abs=1e-5)
        assert (said.evidence, said.unsupported) == (wanted.evidence, wanted.unsupported)
        assert (said.contradicted is None) is ("nli" not in name)
        assert said.contradicted == pytest.approx(wanted.contradicted, abs=1e-5)
    assert set(server.paths) == {"/v2/models/nli/versions/3/infer"}
    assert [one["name"] for one in server.bodies[-1]["inputs"]][:2] == ["input_ids", "attention_mask"]
    assert server.bodies[-1]["outputs"] == [{"name": "logits"}]


async def test_texts_over_v2_are_sent_as_they_are_asked_for() -> None:
    with serving(Server(scores={"three": 0.1, "Paris": 0.9})) as server:
        async with running({"remote": server.url, "inputs": ["evidence", "claim"]}) as one:
            supports = await one.models.grounder.support(CLAIMS, DOCUMENTS)
    assert [said.probability for said in supports] == pytest.approx([0.1, 0.9])
    told = server.bodies[-1]["inputs"]
    assert [(each["name"], each["datatype"], each["shape"]) for each in told] == [
        ("evidence", "BYTES", [2, 1]),
        ("claim", "BYTES", [2, 1]),
    ]
    assert told[1]["data"] == [claim.text for claim in CLAIMS]
    assert server.paths[-1] == "/v2/models/far/infer"


@pytest.mark.parametrize(("column", "said"), [(None, "3 columns: say which as column"), (3, "3 columns"), (1, None)])
async def test_of_several_columns_one_is_named(column: int | None, said: str | None) -> None:
    async def ask(_: str, __: bytes) -> bytes:
        return json.dumps({"outputs": [{"name": "p", "shape": [1, 3], "data": [0.97, 0.02, 0.01]}]}).encode()

    place = Place("/v2/models/far/infer", ("premise", "hypothesis"), None)
    if said is None:
        assert await send_texts(ask, place, [("a", "b")], column=column) == pytest.approx([0.02])
        return
    with pytest.raises(PermanentInferenceError, match=said):
        await send_texts(ask, place, [("a", "b")], column=column)


async def test_logits_that_are_not_one_a_label_cannot_be_read() -> None:
    async def ask(_: str, __: bytes) -> bytes:
        return json.dumps({"outputs": [{"name": "logits", "shape": [1, 1], "data": [0.3]}]}).encode()

    place, batch = Place("/x", ("input_ids",), None), [open_folder(MADE / "bert-nli", "x").tokenizer().encode("a", "b")]
    with pytest.raises(PermanentInferenceError, match="id2label has 3") as raised:
        await send_tokens(ask, place, batch, pad=0, by_token=False, labels=3)
    assert raised.value.reason == UNREADABLE


@pytest.mark.parametrize(
    ("labels", "label", "expected"),
    [
        ({"entailment": 0.2, "contradiction": 0.8}, None, 0.2),
        ({"LABEL_0": 0.3}, None, 0.3),
        ({"yes": 0.3, "no": 0.7}, "yes", 0.3),
        ({"contradiction": 0.97}, None, "no label entailment among contradiction: set label"),
        ({"A": 0.3, "B": 0.7}, "C", "no label C among A, B: set label"),
    ],
)
def test_a_label_that_does_not_say_what_is_asked_is_no_score(
    labels: dict[str, float], label: str | None, expected: float | str
) -> None:
    body = json.dumps([[{"label": name, "score": score} for name, score in labels.items()]]).encode()
    if isinstance(expected, float):
        assert tei.predicted(body, rows=1, label=label, called=SUPPORTS) == [expected]
        return
    with pytest.raises(PermanentInferenceError, match=expected):
        tei.predicted(body, rows=1, label=label, called=SUPPORTS)


async def test_predict_and_rerank_of_text_embeddings_inference() -> None:
    with serving(Server(scores={"three": 0.2, "Paris": 0.8, "Berlin": 0.3})) as server:
        async with running({"remote": server.url, "protocol": "tei"}) as one:
            supports = await one.models.grounder.support(CLAIMS, DOCUMENTS)
        assert [said.probability for said in supports] == pytest.approx([0.2, 0.8])
        assert server.paths[-1] == "/predict"
        assert server.bodies[-1]["inputs"][1][1] == "Paris is the capital of France."
        assert (server.bodies[-1]["truncate"], server.bodies[-1]["raw_scores"]) == (False, False)
        async with running({"remote": server.url, "protocol": "tei"}, role="relevance") as one:
            found = await one.models.relevance.documents("Which city?", ["Berlin", "nothing", "Paris"])
            assert found == pytest.approx([0.3, 0.5, 0.8])
            assert server.paths[-1] == "/rerank"
            assert server.bodies[-1]["query"] == "Which city?"
            assert await one.models.relevance.answer("Which city?", "Paris") == pytest.approx(0.8)


async def test_long_texts_are_windowed_where_texts_are_sent() -> None:
    with serving(Server(scores={"Paris": 0.9})) as server:
        async with running({"remote": server.url, "protocol": "tei", "most_words": 40}, role="relevance") as one:
            [score] = await one.models.relevance.documents("Which city is it?", ["ships leave at noon " * 40 + "Paris"])
    assert score == pytest.approx(0.9)
    sent = [text for body in server.bodies for text in body.get("texts", ())]
    assert len(sent) > 4
    assert all(len(text.split()) <= 40 for text in sent)


async def test_what_goes_to_a_server_is_redacted_with_the_same_pseudonyms_and_marks_come_back(tmp_path: Path) -> None:
    documents = ["Call +49 30 1234567 or write to jane.roe@example.com. The end."]
    claims = [Claim("Call +49 30 1234567 today."), Claim("Call +49 30 7654321 today.")]
    redactor = Redactor(RedactConfig())
    with serving(Server()) as server:
        async with running({"remote": server.url}, redactor=redactor) as one:
            await one.models.grounder.support(claims, documents)
        told = json.dumps(server.bodies)
        assert "1234567" not in told
        assert "jane.roe" not in told
        assert server.bodies[-1]["inputs"][1]["data"] == ["Call <phone-1> today.", "Call <phone-2> today."]
        assert "<phone-1>" in server.bodies[-1]["inputs"][0]["data"][0]
        async with running({"remote": server.url, "redact": False}, redactor=redactor) as one:
            await one.models.grounder.support(claims, documents)
        assert "1234567" in json.dumps(server.bodies[-1])
    with serving(Server(graph=graph(MADE / "modernbert-tokens"))) as server:
        settings = {"remote": server.url, "tokenizer": str(MADE / "modernbert-tokens"), "label": "LABEL_1"}
        async with running(settings, redactor=redactor) as one:
            supports = await one.models.grounder.support(claims, documents)
    marks = [
        claim.text[start:end]
        for claim, said in zip(claims, supports, strict=True)
        for start, end in said.unsupported or ()
    ]
    assert marks
    assert all(mark == mark.strip() and "<" not in mark for mark in marks)


async def test_requests_are_judged_by_the_fallback_from_the_moment_the_server_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    telemetry = Telemetry()
    server = Server(scores={"blue": 0.9})
    with serving(server):
        settings = {"remote": server.url, "retries": 0, "timeout_seconds": 2}
        async with running(settings, telemetry=telemetry) as one:
            engine = Engine(JUDGED, one.router)
            here = await engine.evaluate(request())
            assert {each.model.name for each in here.evaluations if each.model} == {"far"}
            assert telemetry.value("rag_sidecar_model_away", role="grounding", name="far") == 0
            server.status = 503
            away = await asyncio.gather(*(engine.evaluate(request()) for _ in range(5)))
            for each in away:
                assert each.outcome is Outcome.SCORED
                assert {found.model.name for found in each.evaluations if found.model} == {"embedded"}
            assert telemetry.value("rag_sidecar_model_away", role="grounding", name="far") == 1
            assert "does not answer" in one.away()[0]
            await settle(lambda: telemetry.value("rag_sidecar_model_info", role="grounding", name="embedded") == 1)
            assert telemetry.value("rag_sidecar_model_info", role="grounding", name="far") == 0
            asked = len(server.bodies)
            await engine.evaluate(request())
            assert len(server.bodies) - asked <= 1
            server.status = 200
            await settle(lambda: one.away() == [])
            back = await engine.evaluate(request())
            assert {each.model.name for each in back.evaluations if each.model} == {"far"}
            await settle(lambda: telemetry.value("rag_sidecar_model_info", role="grounding", name="far") == 1)
            assert telemetry.value("rag_sidecar_model_info", role="grounding", name="embedded") == 0
            assert telemetry.value("rag_sidecar_model_away", name="far") == 0
    assert "blue" not in caplog.text


async def settle(holds: Any, seconds: float = 15) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - a series, not an event
            await asyncio.sleep(0.02)


async def test_a_server_that_is_not_there_at_the_start_is_away_and_nothing_fails() -> None:
    telemetry = Telemetry()
    async with running({"remote": "http://127.0.0.1:1", "retries": 0}, telemetry=telemetry) as one:
        assert await names(one) == "embedded"
        await settle(lambda: telemetry.value("rag_sidecar_model_info", role="grounding", name="embedded") == 1)
        assert telemetry.value("rag_sidecar_model_info", role="grounding", name="far") == 0
    async with running({"remote": "http://127.0.0.1:1", "retries": 0, "fallback": None}) as one:
        found = await Engine(JUDGED, one.router).evaluate(request())
        assert (found.outcome, found.reason) == ("failed", "unreachable")


async def test_a_request_in_a_language_that_the_fallback_does_not_read_is_unscorable_not_scored() -> None:
    german = request(
        question="Wie lange gilt die Garantie für dieses Gerät?",
        answer="Die Garantie gilt für dieses Gerät zwei Jahre lang.",
        documents=("Die Garantie gilt für dieses Gerät zwei Jahre lang, wenn es hier gekauft wurde.",),
    )
    server = Server()
    with serving(server):
        config = {"models": {"grounding": {"far": {"remote": server.url, "retries": 0, "languages": ["de"]}}}}
        one = ModelRuntime(InferenceConfig.model_validate({**config, "grounding": "far"}), Telemetry())
        await one.start()
        engine = Engine(JUDGED, one.router)
        assert (await engine.evaluate(german)).outcome == "scored"
        server.status = 503
        found = await engine.evaluate(german)
        assert (found.outcome, found.reason) == ("unscorable", "language")
        await one.stop()


async def test_a_chinese_request_is_judged_by_what_reads_it_where_the_fallback_does_not() -> None:
    chinese = request(
        question="这台设备的保修期是多久？",
        answer="这台设备的保修期是三年。",
        documents=("这台设备在本店购买的，保修期是两年，凭发票维修。",),
    )
    server = Server(scores={"保修": 0.9})
    with serving(server):
        async with running({"remote": server.url, "retries": 0, "languages": ["en", "zh"]}) as one:
            engine = Engine(JUDGED, one.router)
            here = await engine.evaluate(chinese)
            assert {found.model.name for found in here.evaluations if found.model} == {"far"}
            server.status = 503
            away = await engine.evaluate(chinese)
            assert {found.model.name for found in away.evaluations if found.model} == {"embedded-zh"}
            english = await engine.evaluate(request())
            assert {found.model.name for found in english.evaluations if found.model} == {"embedded"}


@pytest.mark.parametrize(
    "raw", [b"<html>Bad gateway</html>", b'{"outputs": [{"name": "score", "shape": [1, 1], "data": [7.5]}]}']
)
async def test_a_server_that_begins_to_answer_what_cannot_be_read_is_away_from_the_third_on(raw: bytes) -> None:
    server = Server(scores={"blue": 0.9})
    with serving(server):
        async with running({"remote": server.url, "retries": 0}) as one:
            server.raw = raw
            for reason in ("remote_answer", "remote_answer", "unreachable"):
                with pytest.raises(InferenceError) as raised:
                    await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
                assert raised.value.reason == reason
            assert "remote_answer" in one.away()[0]
            found = await Engine(JUDGED, one.router).evaluate(request())
            assert {each.model.name for each in found.evaluations if each.model} == {"embedded"}
            server.raw = None
            await settle(lambda: one.away() == [])


async def test_what_cannot_be_read_now_and_then_takes_no_server_away() -> None:
    server = Server(scores={"blue": 0.9})
    with serving(server):
        async with running({"remote": server.url, "retries": 0}) as one:
            for raw in (b"{}", b"{}", None) * 2:
                server.raw = raw
                with contextlib.suppress(InferenceError):
                    await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
            assert one.away() == []


async def test_what_passes_is_tried_again() -> None:
    server = Server(scores={"blue": 0.9})
    with serving(server):
        async with running({"remote": server.url, "retries": 2}) as one:
            for status in (429, 503, 500):
                server.status, server.refusals, asked = status, 2, len(server.bodies)
                [said] = await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
                assert said.probability == pytest.approx(0.9)
                assert len(server.bodies) - asked == 3
                assert one.away() == []


@pytest.mark.parametrize(("status", "away"), [(400, False), (413, False), (422, False), (401, True), (404, True)])
async def test_what_a_server_refuses_is_not_tried_again(status: int, away: bool) -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "retries": 3}) as one:
            server.status, asked = status, len(server.bodies)
            with pytest.raises(InferenceError) as raised:
                await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
            assert raised.value.reason == ("unreachable" if away else "remote_refused")
            assert bool(one.away()) is away
            assert len(server.bodies) - asked == 1


async def test_what_is_contradicted_is_told_through_redaction() -> None:
    redactor = Redactor(RedactConfig())
    with serving(Server(graph=graph(MADE / "bert-nli"))) as server:
        settings = {"remote": server.url, "tokenizer": str(MADE / "bert-nli")}
        async with running(settings, redactor=redactor) as one:
            supports = await one.models.grounder.support(CLAIMS, DOCUMENTS)
    assert all(said.contradicted is not None for said in supports)


@pytest.mark.parametrize("role", ["grounding", "relevance", "embedding"])
async def test_a_server_that_refuses_every_call_is_away_until_it_takes_as_many(
    role: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "protocol": "tei"}, role=role) as one:

            async def ask() -> object:
                if role == "grounding":
                    return await one.models.grounder.support(CLAIMS, DOCUMENTS)
                if role == "relevance":
                    return await one.models.relevance.documents("Which city?", ["Paris", "Berlin"])
                return await one.models.embedder.embed(["Paris", "Berlin"])

            server.most = 1
            for reason in ["remote_refused"] * 4 + ["unreachable"]:
                with pytest.raises(InferenceError) as raised:
                    await ask()
                assert raised.value.reason == reason
            assert "remote_refused: 422" in one.away()[0]
            assert "batch size" not in caplog.text
            asked = len(server.bodies)
            await settle(lambda: len(server.bodies) > asked)
            assert one.away()
            server.most = 2
            await settle(lambda: one.away() == [])
            server.most = 1
            with pytest.raises(InferenceError, match="unreachable"):
                await ask()
            server.most = None
            await settle(lambda: one.away() == [])
            await ask()
            server.most = 1
            with pytest.raises(InferenceError, match="remote_refused"):
                await ask()


async def test_what_is_refused_now_and_then_takes_no_server_away() -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "protocol": "tei"}) as one:
            for most in [1, 1, 1, 1, None] * 2:
                server.most = most
                with contextlib.suppress(InferenceError):
                    await one.models.grounder.support(CLAIMS, DOCUMENTS)
            assert one.away() == []


async def test_a_server_that_breaks_on_one_request_breaks_on_that_alone_and_on_all_is_away() -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "retries": 0}) as one:
            server.status = 500
            for reason in ("remote_broke", "remote_broke", "unreachable"):
                with pytest.raises(InferenceError) as raised:
                    await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
                assert raised.value.reason == reason
            assert one.away()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b"[]",
        b'{"outputs": []}',
        b'{"outputs": [{"name": "p", "shape": [2], "data": [0.5, 0.5]}]}',
        b'{"outputs": [{"name": "p", "shape": [9], "data": [0.5]}]}',
        b'{"outputs": [{"name": "p", "shape": [1], "data": ["x"]}]}',
        b'{"outputs": [{"name": "p", "shape": [1], "data": [1.5]}]}',
        b'{"outputs": [{"name": "p", "shape": [1], "data": [1e999]}]}',
        b'{"outputs": [{"name": "p", "shape": [1], "data": [null]}]}',
    ],
)
async def test_an_answer_that_makes_no_sense_is_a_failure_and_no_score(raw: bytes) -> None:
    server = Server()
    with serving(server):
        async with running({"remote": server.url}) as one:
            server.raw = raw
            with pytest.raises(PermanentInferenceError) as raised:
                await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
            assert raised.value.reason == "remote_answer"


async def test_a_slow_server_holds_a_bounded_number_of_items_and_never_the_loop() -> None:
    gate = asyncio.Event()
    sent: list[int] = []

    async def send(items: Any) -> list[int]:
        sent.append(len(items))
        await gate.wait()
        return list(items)

    batches: Batches[int, int] = Batches("b", send, bounds=Bounds(8, 2, 40), telemetry=Telemetry())
    await batches.start()
    tasks = [asyncio.create_task(batches.predict(list(range(5)))) for _ in range(200)]
    await asyncio.sleep(0.05)
    refused = [task for task in tasks if task.done()]
    assert batches.waiting <= 40
    assert all(isinstance(task.exception(), RetryableInferenceError) for task in refused)
    assert len(refused) > 180
    assert max(sent) <= 8
    assert len(sent) == 2
    left = [task for task in tasks if not task.done()]
    left[-1].cancel()
    await asyncio.gather(left[-1], return_exceptions=True)
    assert batches.waiting <= 35
    gate.set()
    assert await asyncio.gather(*left[:-1]) == [list(range(5))] * (len(left) - 1)
    await batches.stop()
    with pytest.raises(RetryableInferenceError):
        await batches.predict([1])


async def test_requests_share_calls_and_no_more_run_at_once_than_may() -> None:
    server = Server(slow_seconds=0.05)
    with serving(server):
        async with running({"remote": server.url, "in_flight": 2, "batch_size": 8}) as one:
            server.bodies.clear()
            await asyncio.gather(*(one.models.grounder.support(CLAIMS, DOCUMENTS) for _ in range(20)))
    assert server.most_at_once <= 2
    sizes = [body["inputs"][0]["shape"][0] for body in server.bodies]
    assert sum(sizes) == 40
    assert max(sizes) == 8


async def test_a_server_that_hangs_is_waited_for_once() -> None:
    server = Server(slow_seconds=1.0)
    with serving(server):
        async with running({"remote": server.url, "timeout_seconds": 0.3, "retries": 0}) as one:
            assert "Timeout" in one.away()[0]
            assert server.bodies == []


async def test_a_token_is_read_again_for_each_call(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one\n")
    server = Server()
    with serving(server):
        async with running({"remote": server.url, "token_file": str(path)}) as one:
            path.write_text("two")
            await one.models.grounder.support(CLAIMS, DOCUMENTS)
    assert server.tokens == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"remote": "triton:8000"},
            r"inference\.models\.grounding\.far\.remote: .*must be an address that begins with http",
        ),
        (
            {"remote": "http://user:secret@triton"},
            r"\.remote: .*must hold no login: name a file with a token as token_file",
        ),
        ({"remote": "http://t", "protocol": "v3"}, r"\.protocol: "),
        ({"remote": "http://t", "key_file": "/k"}, r"grounding\.far: key_file is given without cert_file"),
        ({"remote": "http://t", "languages": []}, r"far\.languages: must have at least 1 entries"),
        ({"remote": "http://t", "languages": ["zh-TW"]}, r"far\.languages\.0: must be a code of two letters"),
        ({"remot": "http://t"}, r"grounding\.far\.remot: no such setting; did you mean remote\?"),
        ({"url": "http://t"}, r"grounding\.far: say where it is, `onnx: FOLDER` or `remote: ADDRESS`, or its `kind`"),
        ({"remote": "http://t", "timeout": 3}, r"\.timeout: no such setting; did you mean timeout_seconds\?"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        build({"receive": _KAFKA, "inference": {"models": {"grounding": {"far": settings}}}})
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"fallback": "other"}, r"far\.fallback: no grounding model 'other' that could stand in"),
        ({"fallback": "far"}, r"far\.fallback: no grounding model 'far' that could stand in"),
        ({"tokenizer": "/none"}, r"far\.tokenizer: /none/config\.json: no such file"),
        ({"tokenizer": str(MADE / "bert-nli"), "protocol": "tei"}, r"far\.tokenizer: text-embeddings-inference takes texts"),
        ({"model": "nli", "protocol": "tei"}, r"far\.model: .* has one model, which is not asked for by name \(leave it out\)"),
        ({"inputs": ["a", "b"], "protocol": "tei"}, r"far\.inputs: text-embeddings-inference names what goes in by itself"),
        ({"output": "scores", "protocol": "tei"}, r"far\.output: text-embeddings-inference names what comes out by itself"),
        ({"column": 0, "protocol": "tei"}, r"far\.column: .* answers with labels or one score, not with columns \(leave it out\)"),
        ({"tokenizer": str(MADE / "t5-minicheck")}, "a model that generates text is not asked over v2"),
        ({"tokenizer": str(MADE / "bert-nli"), "inputs": ["ids"]}, r"far\.inputs: no such input of tokens: ids \(known are input_ids"),
        ({"inputs": ["a", "b", "c"]}, r"far\.inputs: two texts are sent"),
        ({"label": "entailment"}, r"far\.label: a server that is sent texts answers with a probability, not with labels \(say which column"),
        ({"ca_file": "/none"}, r"far: TLS files: FileNotFoundError"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_at_the_start(settings: dict[str, Any], said: str) -> None:
    config = {"models": {"grounding": {"far": {"remote": "http://127.0.0.1:1", **settings}}}}
    with pytest.raises(ConfigError, match=said):
        ModelRuntime(InferenceConfig.model_validate(config), Telemetry())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"label": "relevant"}, r"relevance\.far\.label: /rerank answers with a score, not with labels"),
        ({"column": 1}, r"relevance\.far\.column: "),
    ],
)
def test_what_a_reranker_has_no_use_for_is_named_at_the_start(settings: dict[str, Any], said: str) -> None:
    far = {"remote": "http://127.0.0.1:1", "protocol": "tei", **settings}
    for more in ({}, {"languages": ["fr"]}):
        config = {"models": {"relevance": {"far": {**far, **more}}}}
        with pytest.raises(ConfigError, match=said):
            ModelRuntime(InferenceConfig.model_validate(config), Telemetry())

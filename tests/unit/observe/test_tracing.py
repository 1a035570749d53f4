"""Our own spans."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

import pytest

from exporters.otlp import OtlpConfig
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.judged.base import Rated
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.errors import InferenceError
from sidecar.record.record import Record
from tests.parts.judge_server import JudgeServer, Said
from tests.unit.evaluate.fakes import models, request
from tests.unit.exporters.otlp_sinks import attributes, http_sink

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def record_of(offset: int, headers: Sequence[tuple[str, bytes]] = ()) -> Record:
    return Record("spans", 3, offset, 1.0, None, b"", tuple(headers))


@pytest.fixture(autouse=True)
def _no_variables_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EXPORTER_OTLP_ENDPOINT", "EXPORTER_OTLP_TRACES_ENDPOINT", "SDK_DISABLED", "TRACES_EXPORTER"):
        monkeypatch.delenv(f"OTEL_{name}", raising=False)


def test_an_evaluation_links_to_the_users_trace_and_never_joins_it() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.evaluation(TRACE, SPAN), tracing.span("decode"):
            pass
        tracing.stop()
    child, parent = sink.spans
    assert (parent.name, parent.kind, child.name) == ("evaluate", parent.SPAN_KIND_INTERNAL, "decode")
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in parent.links] == [(TRACE, SPAN)]
    assert attributes(parent.attributes) == {"rag_sidecar.trace_id": TRACE}
    assert parent.trace_id.hex() != TRACE
    assert parent.parent_span_id == b""
    assert child.parent_span_id == parent.span_id
    assert sink.paths == ["/v1/traces"]
    (resource,) = sink.traces[0].resource_spans
    assert attributes(resource.resource.attributes)["service.name"] == "rag-sidecar"
    assert resource.scope_spans[0].scope.name == "rag_sidecar"


@pytest.mark.parametrize(("trace_id", "span_id"), [("order 4711", None), ("abc", "def"), (TRACE, None), ("-1", "1")])
def test_what_is_no_span_is_named_and_not_linked(trace_id: str, span_id: str | None) -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.evaluation(trace_id, span_id):
            pass
        tracing.stop()
    (span,) = sink.spans
    assert len(span.links) == 0
    assert attributes(span.attributes) == {"rag_sidecar.trace_id": trace_id}


def test_an_exception_goes_on_and_its_text_stays_out_of_the_span() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with pytest.raises(KeyError), tracing.span("decode"):
            raise KeyError("user text")
        tracing.stop()
    assert b"user text" not in sink.traces[0].SerializeToString()
    assert sink.spans[0].status.code == sink.spans[0].status.STATUS_CODE_ERROR
    assert attributes(sink.spans[0].attributes) == {"error.type": "KeyError"}


def test_a_record_is_a_consumer_span_that_links_to_the_span_it_was_sent_in() -> None:
    headers = [("other", b"\xff"), ("Traceparent", f"00-{TRACE}-{SPAN}-01".encode())]
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.process(record_of(7, headers)), tracing.span("decode"), tracing.span("assemble"):
            pass
        for hostile in (b"", b"\xff\xfe", b"00-0-0-01", b"00-" + b"g" * 32 + b"-" + SPAN.encode() + b"-01"):
            with tracing.process(record_of(8, [("traceparent", hostile)])):
                pass
        tracing.stop()
    record = next(span for span in sink.spans if span.links)
    assert (record.name, record.kind) == ("process spans", record.SPAN_KIND_CONSUMER)
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in record.links] == [(TRACE, SPAN)]
    assert record.trace_id.hex() != TRACE
    assert attributes(record.attributes) == {
        "messaging.system": "kafka", "messaging.operation.name": "process", "messaging.operation.type": "process",
        "messaging.destination.name": "spans", "messaging.destination.partition.id": "3", "messaging.kafka.offset": 7,
    }  # fmt: skip
    decode = next(span for span in sink.spans if span.name == "decode")
    assert (decode.parent_span_id, decode.trace_id) == (record.span_id, record.trace_id)


async def test_the_judge_is_called_by_the_genai_conventions_below_the_evaluator_that_asks() -> None:
    answer = {"ok": Said({"reason": "So.", "rating": 2}), "broken": Said({}, status=400)}
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        for said in answer.values():
            async with JudgeServer(lambda _, said=said: said) as server:  # type: ignore[misc]
                settings = JudgeConfig.model_validate({"url": server.url, "model": "judge-1", "attempts": 1})
                judge = Judge(settings, Telemetry(), price=lambda *_: 0.0, tracing=tracing)
                question = Question(
                    "groundedness_judge", load("grounded_whole"), {"documents": [], "answer": "A."}, Rated
                )
                with contextlib.suppress(InferenceError), tracing.span("evaluate groundedness_judge"):
                    await judge.ask(question)
                await judge.stop()
        tracing.stop()
    chats = [span for span in sink.spans if span.name == "chat judge-1"]
    parents = {span.span_id for span in sink.spans if span.name.startswith("evaluate")}
    assert {span.kind for span in chats} == {chats[0].SPAN_KIND_CLIENT}
    assert {span.parent_span_id for span in chats} == parents
    told = attributes(chats[0].attributes)
    assert told.pop("server.port")
    assert told == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "judge-1", "gen_ai.output.type": "json",
        "server.address": "127.0.0.1", "gen_ai.response.model": "judge-1", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20,
    }  # fmt: skip
    assert attributes(chats[-1].attributes)["error.type"] == "400"
    assert chats[-1].status.code == chats[-1].status.STATUS_CODE_ERROR


async def test_each_evaluator_is_a_span_with_its_score_or_why_there_is_none() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        engine = Engine(EvaluateConfig(), models(), tracing=tracing)
        with tracing.evaluation(TRACE, SPAN):
            await engine.evaluate(request(answer="It is blue.", documents=("It is blue.",)))
        tracing.stop()
    [parent] = [span for span in sink.spans if span.name == "evaluate"]
    told = {span.name: attributes(span.attributes) for span in sink.spans if span.parent_span_id == parent.span_id}
    own = ("faithfulness", "groundedness", "context_relevance", "context_precision", "answer_relevancy")
    assert set(told) == {f"evaluate {name}" for name in own}
    assert told["evaluate faithfulness"]["rag_sidecar.outcome"] == "scored"
    assert told["evaluate faithfulness"]["gen_ai.evaluation.score.value"] == pytest.approx(0.917, abs=0.001)
    assert "It is blue." not in str(sink.traces)


def test_sampling_is_that_of_the_standard_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.process(record_of(0)), tracing.span("decode"):
            pass
        tracing.stop()
    assert sink.spans == []


def test_off_costs_one_shared_object() -> None:
    off = Tracing()
    assert off.span("a") is off.process(record_of(0)) is off.evaluation(TRACE, SPAN) is off.chat("m", "http://j", None)


def test_our_own_spans_are_never_scored() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.process(record_of(0)), tracing.evaluation(TRACE, SPAN), tracing.chat("m", "http://j", None):
            pass
        tracing.stop()
    decoder = Decoder(DecodeConfig(), Telemetry())
    for sent in sink.traces:
        assert decoder.decode(Record("spans", 0, 0, 1.0, None, sent.SerializeToString())).spans == []


def test_it_is_off_unless_an_endpoint_is_named() -> None:
    tracing = Tracing(OtlpConfig())
    with tracing.evaluation(TRACE, SPAN), tracing.span("decode"):
        pass
    tracing.stop()
    Tracing(None).stop()


def test_own_spans_can_be_left_out() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url, traces=False))
        with tracing.span("decode"):
            pass
        tracing.stop()
    assert sink.paths == []


def test_stopping_twice_is_safe_and_spans_after_it_are_nothing() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        tracing.stop()
        tracing.stop()
        with tracing.span("late"):
            pass
    assert sink.paths == []


def test_a_receiver_that_is_away_does_not_keep_the_process() -> None:
    tracing = Tracing(OtlpConfig(endpoint="http://127.0.0.1:1", timeout_seconds=2))
    with tracing.span("decode"):
        pass
    started = time.monotonic()
    tracing.stop()
    assert time.monotonic() - started < 10

"""A request full of personal data and secrets goes through the pipeline, texts switched on: none of it leaves by any door.

Dead letters hold the untouched record: they are no part of this (docs/security.md).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from aiokafka import AIOKafkaConsumer
from google.protobuf import json_format
from prometheus_client import generate_latest

from exporters.base import Exporter
from exporters.clients.security import Brokers, SecurityConfig
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from exporters.otlp import OtlpConfig, OtlpExporter
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import ClaimResult, Evaluation, Evidence, Outcome, Subject, ValueConflict
from sidecar import config
from sidecar.app import App
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.evaluate.base import Lane
from sidecar.evaluate.case import Case
from sidecar.evaluate.engine import Engine, summarise
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.evaluate.settings import build as evaluators
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import SystemClock
from sidecar.record.request import Document, RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from sidecar.results import redact
from tests.parts.mock_kafka import MockKafka
from tests.unit.evaluate.fakes import models
from tests.unit.exporters.otlp_sinks import Sink, http_sink
from tests.unit.redact.test_builtin import CANARIES, SAID
from tests.unit.test_pipeline import build, native

TOPIC = "results"
REDACT = RedactConfig.model_validate(
    {"patterns": [{"name": "employee", "pattern": r"E-\d{6}"}], "terms": ["Magrathea"]}
)
SENTENCES = [f"The {name} on file is {value}." for name, several in CANARIES.items() for value in several]
SENTENCES += [f"They wrote {text} there." for several in SAID.values() for text, _ in several]
SENTENCES += ["The employee is E-123456 of Magrathea."]
SECRETS = [value for several in CANARIES.values() for value in several]
SECRETS += [value for several in SAID.values() for _, value in several] + ["E-123456", "Magrathea"]
# One by itself would be seen by chance.
TELLING = [
    line
    for value in SECRETS
    for line in value.replace("\\n", "\n").split("\n")
    if len(line) > 5 and not line.startswith("---") and line not in "answer_correctness"  # the name of an evaluator
]


class Explains:
    """An evaluator that quotes all that it read, as a judge may."""

    name = "faithfulness"
    version = "1"
    method = "explains"
    subject = Subject.ANSWER
    needs = ()
    decides = False
    lane = Lane.LOCAL

    def languages(self, case: Case) -> frozenset[str] | None:
        return None

    async def evaluate(self, case: Case) -> Evaluation:
        said = f"{case.question} {case.answer} {' '.join(case.texts)}"
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=0.5, explanation=said)


@dataclass
class Doors:
    """What came out of each."""

    results: list[bytes]
    otlp: Sink
    exposition: str
    logs: str

    def by_name(self) -> dict[str, str]:
        return {
            "results": b"\n".join(self.results).decode(),
            "events": "\n".join(json_format.MessageToJson(one, ensure_ascii=False) for one in self.otlp.logs),
            "spans": "\n".join(json_format.MessageToJson(one, ensure_ascii=False) for one in self.otlp.traces),
            "exposition": self.exposition,
            "logs": self.logs,
        }


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        mock.create_topic(TOPIC, partitions=1)
        yield mock


def record() -> bytes:
    """Every canary in question, documents and answer, each sentence of the answer in a document; an address in a document's id."""
    documents = [
        {"id": f"inbox/jane.roe{n}@example.com", "content": f"First. {line} Last."} for n, line in enumerate(SENTENCES)
    ]
    question = "Is this right? " + " ".join(SENTENCES)
    return native(1, question=question, answer="\n\n".join(SENTENCES), contexts=documents)


async def through(
    broker: MockKafka, caplog: pytest.LogCaptureFixture, redactor: Redactor | None, *values: bytes, results: int = 1
) -> Doors:
    """Send records through the pipeline to every exporter, with texts."""
    # What libraries say below that is withheld by the formatter (tests/unit/observe/test_canary.py); caplog has none.
    caplog.set_level(logging.INFO)
    telemetry, clock = Telemetry(), SystemClock()
    with http_sink() as sink:
        otlp = OtlpConfig(endpoint=sink.url, include_text=True)
        tracing = Tracing(otlp)
        kafka = KafkaResultsConfig(topic=TOPIC, include_text=True)
        exporters: list[Exporter] = [
            PrometheusExporter(
                PrometheusConfig(), telemetry.registry, evaluators=["faithfulness"], grounding_models=["fake"]
            ),
            KafkaResultsExporter(kafka, Brokers(broker.bootstrap_servers, SecurityConfig(), "receive")),
            OtlpExporter(otlp),
        ]
        deliverer = Deliverer(DeliverConfig(), exporters, telemetry=telemetry, clock=clock)
        engine = Engine(EvaluateConfig(), models(), evaluators=[*evaluators(EvaluateConfig()), Explains()])
        parts = {
            "deliverer": deliverer,
            "telemetry": telemetry,
            "tracing": tracing,
            "engine": engine,
            "redactor": redactor,
        }
        setting = build(list(values), parts=parts)
        await deliverer.start()
        await setting.run()
        await deliverer.stop(5.0)
        tracing.stop()
        return Doors(await read(broker, results), sink, generate_latest(telemetry.registry).decode(), caplog.text)


async def read(broker: MockKafka, count: int) -> list[bytes]:
    consumer = AIOKafkaConsumer(TOPIC, bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
    await consumer.start()
    try:
        async with asyncio.timeout(20):
            return [(await consumer.getone()).value for _ in range(count)]
    finally:
        await consumer.stop()


async def test_nothing_personal_and_no_secret_leaves_by_any_door(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    junk = " ".join(SECRETS).encode()
    doors = await through(broker, caplog, Redactor(REDACT), record(), junk, junk[:100] + b"\xff")
    for name, text in doors.by_name().items():
        shown = [value for value in (*TELLING, "jane.roe") if value in text or json.dumps(value)[1:-1] in text]
        assert shown == [], name
    (result,) = (orjson.loads(one) for one in doors.results)
    assert result["outcome"] == "scored"
    assert result["redacted"].keys() == {"email", "phone", "card", "iban", "id", "ip", "secret", "employee", "term"}
    assert 'rag_sidecar_redactions_total{kind="secret"}' in doors.exposition
    assert len(doors.otlp.spans) > 0
    assert "cannot be read" in doors.logs
    claims = [claim["text"] for one in result["evaluations"] for claim in one["claims"]]
    assert len(claims) > len(CANARIES)
    assert any("<employee-1> of <term-1>" in claim for claim in claims)


async def test_without_redaction_the_same_request_shows_what_it_holds(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    """Else the test above would say nothing. Series, spans and logs never hold text."""
    doors = (await through(broker, caplog, None, record())).by_name()
    shown = {
        name: sum(value in text or json.dumps(value)[1:-1] in text for value in TELLING) for name, text in doors.items()
    }
    assert shown["results"] > len(TELLING) / 2
    assert shown["events"] > len(TELLING) / 2
    assert (shown["exposition"], shown["spans"], shown["logs"]) == (0, 0, 0)


async def test_evidence_points_into_the_document_as_it_is_after_redaction(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    document = "Ask a.dent@example.com first. Then dial +49 30 1234567 at once. The end."
    told, other = "Then dial +49 30 1234567 at once.", "Then dial +49 30 1234568 at once."
    values = native(1, question="How?", answer=f"{told} {other}", contexts=[document])
    doors = await through(broker, caplog, Redactor(REDACT), values)
    (result,) = (orjson.loads(one) for one in doors.results)
    first, second = next(one["claims"] for one in result["evaluations"] if one["claims"])
    redacted = "Ask <email-1> first. Then dial <phone-1> at once. The end."
    assert (
        redacted[first["evidence"]["start"] : first["evidence"]["end"]]
        == first["text"]
        == "Then dial <phone-1> at once."
    )
    assert (second["text"], second["supported"]) == ("Then dial <phone-2> at once.", False)
    assert result["redacted"] == {"email": 1, "phone": 2}


async def test_marked_words_stand_where_they_are_after_redaction() -> None:
    told = "Dial +49 30 1234567 on Mondays at nine."
    marks = ((told.index("Mondays"), told.index(" at nine")), (5, 12))
    claim = ClaimResult(told, 0.1, supported=False, unsupported=marks)
    evaluated = summarise([Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=0.0, claims=(claim,))])
    trace = RagTrace(trace_id="1", service="s", convention="native", timestamp=0.0, answer=told)
    said = (await redact(evaluated, trace, Redactor(REDACT))).evaluated
    assert said is not None
    [redacted] = said.evaluations[0].claims
    assert redacted.text == "Dial <phone-1> on Mondays at nine."
    assert [redacted.text[start:end] for start, end in redacted.unsupported or ()] == ["Mondays", "<phone-1>"]


async def test_a_value_that_disagrees_is_found_in_claim_and_document_after_redaction() -> None:
    told, document = "Dial +49 30 1234567 within 30 days.", "Ask a.dent@example.com within 14 days."
    there = Evidence(0, document.index("14"), document.index(" days") + 5)
    conflict = ValueConflict(told.index("30 days"), told.index("30 days") + 7, there)
    claim = ClaimResult(told, 0.1, supported=False, conflicts=(conflict,))
    evaluated = summarise([Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=0.0, claims=(claim,))])
    trace = RagTrace(
        trace_id="1", service="s", convention="native", timestamp=0.0, answer=told, documents=(Document(1, document),)
    )
    said = (await redact(evaluated, trace, Redactor(REDACT))).evaluated
    assert said is not None
    [redacted] = said.evaluations[0].claims
    [one] = redacted.conflicts
    assert redacted.text[one.start : one.end] == "30 days"
    assert "Ask <email-1> within 14 days."[one.evidence.start : one.evidence.end] == "14 days"


class Breaks(Redactor):
    """Breaks on every request."""

    def session(self, texts: object) -> Any:
        raise RuntimeError("a bug")


async def test_a_result_whose_redaction_breaks_does_not_leave(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    doors = await through(broker, caplog, Breaks(REDACT), record(), results=0)
    assert doors.otlp.logs == []
    assert "result broke: RuntimeError" in doors.logs


def test_the_app_redacts_by_default_and_not_where_it_is_switched_off() -> None:
    given: dict[str, Any] = {"receive": {"bootstrap_servers": "b:1", "topics": ["t"]}}
    assert config.build(given).redact.enabled
    assert App(config.build(given)).redactor is not None
    assert App(config.build({**given, "redact": {"enabled": False}})).redactor is None

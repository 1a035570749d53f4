"""The RAG service to try the sidecar on: what it answers, how each knob makes it fail, and that its spans are read as requests."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rag_service import answers
from rag_service.knobs import Knobs
from rag_service.retrieval import Knowledge
from rag_service.service import MODEL, Service
from rag_service.tracing import Tracing
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.probes import TRACE_STATE_KEY
from sidecar.observe.telemetry import Telemetry
from sidecar.probe.send import marks
from sidecar.record.clock import ManualClock
from sidecar.record.record import Record
from sidecar.record.request import RagTrace

QUESTION = "How much is the deposit for a bicycle?"
FAITHFUL = "A deposit of 150 euros is blocked on the customer's card when a bicycle is picked up."


class Asked:
    """A service, and the requests that the sidecar makes of its spans."""

    def __init__(self, **knobs: float) -> None:
        self._spans = InMemorySpanExporter()
        self._tracing = Tracing(self._spans)
        self._service = Service(Knobs.model_validate(knobs), self._tracing, seed=7)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        app = self._service.app()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://rag") as client:
            yield client

    async def ask(self, question: str = QUESTION, headers: Mapping[str, str] | None = None) -> httpx.Response:
        async with self.client() as client:
            return await client.post("/ask", json={"question": question}, headers=headers)

    def traces(self) -> list[RagTrace]:
        self._tracing.stop()
        value = encode_spans(self._spans.get_finished_spans()).SerializeToString()
        decoded = Decoder(DecodeConfig(), Telemetry()).decode(Record("spans", 0, 0, 1.76e9, None, value))
        assembler = Assembler(AssembleConfig(), ManualClock(), Telemetry())
        return [one for ended in [*assembler.add(decoded.spans), *assembler.flush()] for one in ended.requests]


async def test_it_answers_out_of_its_documents_and_the_sidecar_reads_all_of_it() -> None:
    asked = Asked()
    said = (await asked.ask()).json()
    assert (said["answer"], said["documents"][0]) == (FAITHFUL, "rental-deposit")
    (trace,) = asked.traces()
    assert (trace.trace_id, trace.question, trace.answer) == (said["trace_id"], QUESTION, FAITHFUL)
    assert [one.id for one in trace.documents] == said["documents"]
    assert all(one.text for one in trace.documents)
    assert [(one.id, one.text) for one in trace.documents] == [(one["id"], one["text"]) for one in said["contexts"]]
    assert not trace.probe
    assert trace.model == MODEL
    assert (trace.tokens.input or 0) > 100
    assert trace.tokens.output == len(FAITHFUL) // 4 + 1


async def test_what_a_probe_asks_is_no_traffic() -> None:
    asked, sent = Asked(), marks(TRACE_STATE_KEY)
    said = (await asked.ask(headers=sent)).json()
    assert said["trace_id"] == sent["traceparent"].split("-")[1]
    assert [one.probe for one in asked.traces()] == [True]


@pytest.mark.parametrize("question", Knowledge.read().questions)
def test_every_question_has_an_answer_in_its_documents(question: str) -> None:
    found = Knowledge.read().search(question)
    answer = answers.faithful(question, found)
    assert answer in found[0].document.text


async def test_made_up_answers_change_numbers_and_add_what_no_document_says() -> None:
    said = (await Asked(hallucinate=1).ask()).json()
    assert said["answer"].startswith(FAITHFUL.replace("150", "452"))
    assert any(said["answer"].endswith(one) for one in Knowledge.read().inventions)


def test_times_stay_times_when_they_are_made_up() -> None:
    said = answers.made_up("It is open from 8:00 to 19:30.", ("No.",), random.Random(7))
    assert said == "It is open from 11:00 to 22:30. No."


async def test_it_refuses() -> None:
    assert (await Asked(refuse=1).ask()).json()["answer"] == answers.REFUSAL


async def test_a_search_that_finds_nothing_is_an_answer_without_documents() -> None:
    asked = Asked(retrieve_nothing=1)
    said = (await asked.ask()).json()
    assert (said["answer"], said["documents"]) == (answers.UNKNOWN, [])
    (trace,) = asked.traces()
    assert trace.documents == ()


async def test_a_search_that_fails_is_a_502_and_an_error_in_the_trace() -> None:
    asked = Asked(retrieval_fails=1)
    answer = await asked.ask()
    assert (answer.status_code, answer.json()) == (502, {"error": "the index does not answer"})
    (trace,) = asked.traces()
    assert (trace.error_class, trace.answer) == ("other", None)


async def test_slow_answers_take_longer_in_their_spans() -> None:
    asked = Asked(slow=1, slow_seconds=0.5)
    await asked.ask()
    (trace,) = asked.traces()
    assert trace.durations.generation is not None
    assert trace.durations.generation >= 0.5


async def test_knobs_are_turned_one_by_one_and_a_wrong_one_is_named() -> None:
    async with Asked(refuse=0.25).client() as client:
        turned = (await client.post("/knobs", json={"hallucinate": 0.5})).json()
        assert (turned["hallucinate"], turned["refuse"]) == (0.5, 0.25)
        for body, error in (
            ({"hallucinate": 2}, "hallucinate: Input should be less than or equal to 1"),
            ({"halucinate": 1}, "halucinate: Extra inputs are not permitted"),
        ):
            answer = await client.post("/knobs", json=body)
            assert (answer.status_code, answer.json()) == (400, {"error": error})
        assert (await client.get("/knobs")).json() == turned


@pytest.mark.parametrize("body", [b"", b"[]", b'{"question": ""}', b'{"question": 7}'])
async def test_no_question_is_told(body: bytes) -> None:
    async with Asked().client() as client:
        answer = await client.post("/ask", content=body)
    said: dict[str, Any] = answer.json()
    assert answer.status_code == 400
    assert said["error"].startswith("question: a text is needed")

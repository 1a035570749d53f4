"""Scores where the traces are: a trace goes into a real Arize Phoenix over OTLP, its scores over REST, and both are read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from exporters.base import PermanentExportError
from exporters.phoenix import PhoenixConfig, PhoenixExporter
from exporters.result import DocumentResult, Evaluation, Outcome, Result, Subject, Verdict
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.evaluate.engine import Evaluated
from sidecar.observe.telemetry import Telemetry
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import ManualClock
from sidecar.record.record import Record
from sidecar.results import make_result
from tests.parts.phoenix import Phoenix
from tests.real.own_spans import EVALUATORS, JUDGED, ROOTS, SPANS, TREE, score_one
from tests.unit.decode.recordings import FOLDER

pytestmark = pytest.mark.real

RECORDED, LATER = "oi_langchain_ok.pb", "oi_llamaindex_ok.pb"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phoenix]:
    one = Phoenix(tmp_path_factory.mktemp("phoenix"))
    try:
        yield one
    finally:
        one.stop()


def result_of(name: str, score: float) -> Result:
    """A result of a recorded trace, as the product makes it, with these evaluations."""
    value = (FOLDER / name).read_bytes()
    decoded = Decoder(DecodeConfig(), Telemetry()).decode(Record("spans", 0, 0, 1.76e9, None, value))
    assembler = Assembler(AssembleConfig(), ManualClock(), Telemetry())
    [trace] = [one for ended in [*assembler.add(decoded.spans), *assembler.flush()] for one in ended.requests]
    documents = tuple(
        DocumentResult(one.rank, one.id, score=0.75 if one.rank == 1 else 0.25, relevant=one.rank == 1)
        for one in trace.documents
    )
    made = (
        Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=score),
        Evaluation(evaluator="groundedness", outcome=Outcome.SCORED, score=score, label="hallucinated", decides_verdict=True),
        Evaluation(evaluator="context_relevance", outcome=Outcome.SCORED, score=0.5, subject=Subject.RETRIEVAL, documents=documents),
        Evaluation(evaluator="groundedness_judge", outcome=Outcome.SCORED, score=score, explanation="Why.", judged=True),
        Evaluation(evaluator="answer_relevancy", outcome=Outcome.FAILED, reason="timeout"),
    )  # fmt: skip
    evaluated = Evaluated(made, Verdict.HALLUCINATED, Outcome.SCORED, None)
    pricer = Pricer(PriceConfig())
    return make_result(trace, pricer=pricer, completed_at=1.76e9, outcome=Outcome.SCORED, evaluated=evaluated)


async def export(there: Phoenix, *results: Result, **more: Any) -> None:
    exporter = PhoenixExporter(PhoenixConfig.model_validate({"url": there.url, **more}))
    await exporter.start()
    try:
        await exporter.check()
        await exporter.export(results)
    finally:
        await exporter.stop()


def told(row: dict[str, Any]) -> tuple[Any, ...]:
    said = row["result"]
    return row["span_id"], row["annotator_kind"], said["score"], said["label"], said["explanation"]


async def test_scores_stand_at_the_spans_and_documents_of_a_trace_and_sent_twice_they_are_there_once(
    there: Phoenix,
) -> None:
    there.take((FOLDER / RECORDED).read_bytes())
    there.spans(least=3)
    result = result_of(RECORDED, 0.5)
    answer, retrieval = str(result.span_id), str(result.retrieval_span_id)
    await export(there, result)
    await export(there, result_of(RECORDED, 0.25), include_text=True)
    rows = there.annotations([answer, retrieval], least=4)
    assert {row["name"]: told(row) for row in rows} == {
        "faithfulness": (answer, "CODE", 0.25, None, None),
        "groundedness": (answer, "CODE", 0.25, "hallucinated", None),
        "groundedness_judge": (answer, "LLM", 0.25, None, "Why."),
        "context_relevance": (retrieval, "CODE", 0.5, None, None),
    }
    assert len(rows) == 4
    assert {row["identifier"] for row in rows} == {result.id}
    assert rows[0]["metadata"]["result_id"] == result.id
    count = len(result.evaluations[2].documents)
    documents = there.documents(retrieval, least=count)
    assert [(row["documentPosition"], row["score"], row["label"]) for row in sorted(documents, key=_position)] == [
        (place, 0.25 if place else 0.75, "not relevant" if place else "relevant") for place in range(count)
    ]
    assert count > 1


async def test_scores_that_come_before_their_trace_wait_for_it(there: Phoenix) -> None:
    result = result_of(LATER, 0.5)
    await export(there, result)
    there.take((FOLDER / LATER).read_bytes())
    rows = there.annotations([str(result.span_id), str(result.retrieval_span_id)], least=4)
    assert sorted(row["name"] for row in rows) == [
        "context_relevance",
        "faithfulness",
        "groundedness",
        "groundedness_judge",
    ]


async def test_the_sidecars_own_spans_and_evaluator_spans_are_there_in_a_project_of_their_own(
    there: Phoenix, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{there.url}/v1/traces",
        "OTEL_RESOURCE_ATTRIBUTES": "openinference.project.name=sidecar",
    }
    scored = await score_one(monkeypatch, variables, phoenix={"url": there.url})
    rows = there.spans(least=SPANS + 1, project="sidecar")
    own = {row["name"]: row for row in rows if row["span_kind"] != "EVALUATOR"}
    names = {row["context"]["span_id"]: row["name"] for row in rows if row["span_kind"] != "EVALUATOR"}
    tree = {name: parent.format(topic=scored.topic) for name, parent in TREE.items()}
    assert {name: names[own[name]["parent_id"]] for name in tree} == tree
    assert {name.format(topic=scored.topic) for name in (*ROOTS, "export phoenix")} <= own.keys()
    assert own["chat judge-1"]["attributes"]["gen_ai.usage.input_tokens"] == 100
    evaluators = {row["name"]: row for row in rows if row["span_kind"] == "EVALUATOR"}
    assert evaluators.keys() == {"evaluate", *EVALUATORS, JUDGED}
    [trace_id] = {row["context"]["trace_id"] for row in evaluators.values()}
    assert trace_id != scored.trace_id
    assert evaluators["groundedness"]["attributes"]["gen_ai.evaluation.name"] == "groundedness"
    # Phoenix keeps no links (they are read back from a Collector, test_collector_files.py): the evaluated trace is found by its id.
    assert not any(row.get("links") for row in rows)
    for span in (own["evaluate"], evaluators["evaluate"]):
        assert span["attributes"]["rag_sidecar.trace_id"] == scored.trace_id


async def test_what_phoenix_refuses_is_told(there: Phoenix) -> None:
    exporter = PhoenixExporter(PhoenixConfig.model_validate({"url": f"{there.url}/nowhere"}))
    await exporter.start()
    with pytest.raises(PermanentExportError) as caught:
        await exporter.check()
    await exporter.stop()
    assert caught.value.closed


def _position(row: dict[str, Any]) -> int:
    return int(row["documentPosition"])

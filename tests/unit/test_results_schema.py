"""docs/results.schema.json holds every result that the product writes, names each of its fields, and refuses what is none."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from exporters.record import parse
from exporters.result import Completeness, Result
from exporters.serialize import result_to_json
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.scorer import _unread
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import ManualClock
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.results import make_result
from tests.fuzz.mutate import mutate, seeds
from tests.unit.decode.recordings import FOLDER
from tests.unit.exporters.samples import EVERY_OUTCOME, SCORED

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs/results.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
FUZZED = 60
NATIVE: tuple[dict[str, Any], ...] = (
    {"answer": "The warranty is two years. It covers batteries.", "contexts": ["The warranty is two years."]},
    {"answer": "It is 30 metres tall.", "contexts": ["The tower is 14 metres tall.", ""], "usage": {"prompt_tokens": 3}},
    {"answer": "I do not know.", "contexts": ["Our office is in Kiel."]},
    {"answer": "Die Garantie beträgt zwei Jahre und gilt in ganz Europa.", "contexts": ["Die Garantie beträgt zwei Jahre."]},
    {"answer": "It is blue. " * 20},
    {"contexts": ["The sky is blue."]},
    {},
)  # fmt: skip


def written(result: Result, *, with_text: bool) -> dict[str, Any]:
    """A result as a reader of the topic has it."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(result_to_json(result, with_text=with_text)))
    return found


def requests_of(values: list[bytes]) -> list[tuple[RagTrace, Completeness]]:
    """What the decoder and the assembler make of records, each a trace of its own."""
    decoder, found = Decoder(DecodeConfig(), Telemetry()), []
    for value in values:
        assembler = Assembler(AssembleConfig(remember_seconds=0), ManualClock(), Telemetry())
        try:
            decoded = decoder.decode(Record("topic", 0, 0, 1.76e9, None, value))
        except DecodeError:
            continue
        ended = [*assembler.take(decoded.requests), *assembler.add(decoded.spans), *assembler.flush()]
        found += [(request, one.completeness) for one in ended for request in one.requests]
    return found


def fuzzed() -> Iterator[bytes]:
    dice, known = random.Random(15), seeds()
    for _ in range(FUZZED):
        yield mutate(dice.choice(known), dice.choice(known), dice)


@cache
def results() -> list[tuple[RagTrace, Result]]:
    """Of every recording, of native records and of fuzzed ones, by the models in the package; and one of a broken evaluator."""
    native = [json.dumps({"request_id": str(n), "question": "How?", **row}).encode() for n, row in enumerate(NATIVE)]
    recorded = [path.read_bytes() for path in sorted(FOLDER.glob("*.pb"))]
    requests = requests_of([*native, *recorded, *fuzzed()])

    async def score() -> list[tuple[RagTrace, Result]]:
        runtime = ModelRuntime(InferenceConfig(), Telemetry())
        await runtime.start()
        try:
            engine = Engine(EvaluateConfig(), runtime.router)
            hasty = Engine(EvaluateConfig(timeout_seconds=1e-6), runtime.router)
            pricer = Pricer(PriceConfig())
            found = []
            for number, (trace, whole) in enumerate(requests):
                said = await (hasty if number == 0 else engine).evaluate_all(trace)
                result = make_result(
                    trace, pricer=pricer, completed_at=1.76e9, outcome=said.outcome, reason=said.reason, evaluated=said,
                    completeness=whole, redacted={"email": 1} if number % 2 else None,
                )  # fmt: skip
                found.append((trace, result))
            return found
        finally:
            await runtime.stop()

    return asyncio.run(score())


def test_it_is_a_schema_and_says_its_version() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "rag-sidecar.result.v1"


def test_real_results_of_every_outcome_hold_to_it() -> None:
    made = [result for _, result in results()]
    assert {str(one.outcome) for one in made} == {"scored", "unscorable", "failed"}
    assert {str(one.verdict) for one in made} == {"grounded", "hallucinated", "abstained", "None"}
    assert len(made) > 50
    for one in made:
        for with_text in (True, False):
            row = written(one, with_text=with_text)
            VALIDATOR.validate(row)
            record = parse(orjson.dumps(row))
            assert record is not None
            assert record.id == one.id


def test_texts_are_there_only_on_request() -> None:
    for _, one in results():
        for evaluation in written(one, with_text=False)["evaluations"]:
            assert evaluation["explanation"] is None
            assert all(claim["text"] is None for claim in evaluation["claims"])
    said = [
        claim["text"]
        for _, one in results()
        for e in written(one, with_text=True)["evaluations"]
        for claim in e["claims"]
    ]
    assert "It is 30 metres tall." in said


def test_places_lie_within_the_texts_that_they_point_into() -> None:
    seen = 0
    for trace, one in results():
        for claim in [claim for evaluation in one.evaluations for claim in evaluation.claims]:
            if claim.evidence is not None:
                text = trace.documents[claim.evidence.document].text or ""
                assert 0 <= claim.evidence.start < claim.evidence.end <= len(text)
                seen += 1
            if claim.start is not None and claim.end is not None:
                assert 0 <= claim.start < claim.end <= len(trace.answer or "")
    assert seen > 10


def shape(value: Any, schema: dict[str, Any], path: str = "result") -> Iterator[tuple[str, set[str], set[str]]]:
    """Of every object in a value: where it is, its fields, and those that the schema names."""
    schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        yield from shape(value, schema, path)
    elif isinstance(value, dict) and "properties" in schema:
        yield path, set(value), set(schema["properties"])
        for name, one in value.items():
            if one is not None and name in schema["properties"]:
                yield from shape(one, schema["properties"][name], f"{path}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from shape(one, schema["items"], path)


def test_it_names_every_field_that_is_written_and_no_other() -> None:
    seen = set()
    for one in (SCORED, *(result for _, result in results())):
        for path, there, named in shape(written(one, with_text=True), {"$ref": "#/$defs/ResultRecord"}):
            assert there == named - {"request_id", "request_digest"}, path
            seen.add(path)
    assert {
        "result.evaluations.claims.evidence",
        "result.evaluations.claims.conflicts.evidence",
        "result.trace",
    } <= seen


@pytest.mark.parametrize("result", [one for one in EVERY_OUTCOME if one.outcome.evaluated], ids=lambda one: one.outcome)
def test_results_with_everything_in_them_hold_to_it(result: Result) -> None:
    VALIDATOR.validate(written(result, with_text=True))
    VALIDATOR.validate(written(replace(result, trace=None, redacted={}), with_text=False))


def test_a_line_of_score_that_could_not_be_read_holds_to_it() -> None:
    row = {**_unread(3, DecodeError("json", "line 1, column 2")), "request_id": None}
    VALIDATOR.validate(row)
    assert parse(orjson.dumps(row)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"schema": "rag-sidecar.result.v2"}, {"outcome": "sampled_out"}, {"inclusion_probability": 0}, {"verdict": "good"},
        {"evaluations": [{"evaluator": "faithfulness"}]}, {"cost_usd": -1}, {"tokens": {"input": "many"}}, {"id": None},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_result_is_refused(wrong: dict[str, Any]) -> None:
    row = {**written(SCORED, with_text=True), **wrong}
    assert not VALIDATOR.is_valid(row)


def test_a_result_of_yesterday_without_the_fields_of_today_is_still_read() -> None:
    row = written(SCORED, with_text=True)
    for name in ("abstention", "redacted", "trace", "retrieved_documents", "cost_usd_by_type", "provider"):
        del row[name]
    for claim in row["evaluations"][0]["claims"]:
        for name in ("label", "conflicts", "unsupported", "start", "end"):
            del claim[name]
    record = parse(orjson.dumps(row))
    assert record is not None
    assert record.completeness == (False, 0, 3)

"""Records that share an id or have none, from `score` to `results`, `label`, `testset` and `calibrate`: no answer beside what was said of another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.commands.requests import Made, Requests, read_request_file
from sidecar.config import build
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native
from sidecar.offline.ids import digest_of
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from sidecar.results import result_id
from tests.unit.commands.called import Called
from tests.unit.commands.called import called as cli

DOCUMENT = "The warranty of the machine is two years."
YEARS = ("two", "nine", "two", "ten")


def record(years: str, **more: Any) -> dict[str, Any]:
    said = f"The warranty is {years} years."
    return {"question": "How long is the warranty?", "answer": said, "contexts": [DOCUMENT], **more}


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(source: Path) -> tuple[Path, Called]:
    target = source.with_suffix(".out")
    return target, cli("score", source, target)


def objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def shown(results: Path, requests: Path, *more: str | Path) -> list[tuple[str, str | None]]:
    """The claim and the answer of each result, as `results show` pairs them."""
    run = cli("results", "tail", results, "--requests", requests, *more)
    assert run.returncode == 0, run.stderr
    found = []
    for row in objects(results):
        told = json.loads(cli("results", "show", row["id"], results, "--requests", requests, "--json").stdout)
        faithful = next(one for one in told["evaluations"] if one["evaluator"] == "faithfulness")
        found.append((faithful["claims"][0]["text"], told["texts"] and told["texts"]["answer"]))
    return found


def test_a_result_of_an_id_that_comes_again_stands_beside_its_own_answer_and_the_others_are_told(
    tmp_path: Path,
) -> None:
    source = written(tmp_path / "dup.jsonl", [record(years, id="r1", service="s") for years in YEARS])
    results, run = scored(source)
    assert "3 records have the id of another one of the service, 2 of them other texts: their results" in run.stderr
    assert "ids must be unique: leave the id out of the records, or say by decode.mapping" in run.stderr
    assert run.returncode == 0
    last = "The warranty is ten years."
    assert set(shown(results, source)) == {(last, last)}
    for words in (
        ("results", "worst", results, "--requests", source),
        ("testset", "--from-results", results, "--requests", source),
        ("label", results, "--requests", source, "--labels", tmp_path / "labels", "--export", tmp_path / "queue"),
    ):
        assert "3 results have the id of another one and are not shown" in cli(*words).stderr
    [row] = objects(tmp_path / "queue")
    assert (row["answer"], [one["text"] for one in row["claims"]]) == (last, [last])
    assert json.loads(cli("testset", "--from-results", results, "--requests", source).stdout)["answer"] == last


def test_a_request_of_the_id_that_says_something_else_is_not_taken_for_that_of_the_result(tmp_path: Path) -> None:
    results, _ = scored(written(tmp_path / "dup.jsonl", [record(years, id="r1") for years in YEARS]))
    others = written(tmp_path / "others.jsonl", [record("two", id="r1"), record("nine", id="r1")])
    said = "1 result without a request: what has the id says something else than was scored"
    run = cli("results", "worst", results, "--requests", others)
    assert (run.returncode, said in run.stderr, "answer  " in run.stdout) == (0, True, False)
    run = cli("label", results, "--requests", others, "--labels", tmp_path / "labels")
    assert (run.returncode, said in run.stderr, "0 to ask about" in run.stderr) == (0, True, True)
    run = cli("testset", "--from-results", results, "--requests", others)
    assert (run.returncode, run.stdout) == (2, "")
    assert "--requests: the requests of these results are not surely theirs (give what was scored" in run.stderr


def test_records_without_id_and_time_are_found_again_and_those_that_say_the_same_stay_two(tmp_path: Path) -> None:
    source = written(tmp_path / "noid.jsonl", [record(years) for years in YEARS])
    results, run = scored(source)
    assert "the id of another one" not in run.stderr
    said = [f"The warranty is {years} years." for years in YEARS]
    assert shown(results, source) == [(one, one) for one in said]
    again = [row["id"] for row in map(json.loads, cli("score", source).stdout.splitlines())]
    assert again == [row["id"] for row in objects(results)]
    assert len(set(again)) == 4
    assert all(row["timestamp"] > "2026" for row in objects(results))
    label = ("label", results, "--requests", source, "--labels", tmp_path / "labels", "--export", tmp_path / "queue")
    assert "4 taken, 0 labelled already, 4 to ask about" in cli(*label).stderr
    assert all(row["answer"] == row["claims"][0]["text"] for row in objects(tmp_path / "queue"))
    run = cli("testset", "--from-results", results, "--requests", source, "--cases", "3")
    assert "no_request" not in run.stderr


def test_copies_are_told_as_such(tmp_path: Path) -> None:
    _, run = scored(written(tmp_path / "copies.jsonl", [record("two", id="a"), record("two", id="a")]))
    assert "1 record has the id of another one of the service and its texts: their results share an id" in run.stderr


def native(years: str, **more: Any) -> RagTrace:
    return read_native(record(years, id="r1", **more), DecodeConfig(), fallback_timestamp=1.0)


def test_without_a_hash_only_one_text_of_an_id_is_taken() -> None:
    two, nine = native("two"), native("nine")
    made = Made(result_id(two), "r1")
    redactor = Redactor(RedactConfig())
    alone = Requests([two, native("two", model="m")], lambda: redactor)
    assert alone.of(made) == native("two", model="m")
    assert alone.told() is None
    both = Requests([two, nine], lambda: redactor)
    assert both.of(made) is None
    assert both.of(Made("of another service", "r1")) is None
    assert both.others == {made.result}


@pytest.mark.parametrize("reference", [None, "Ask mary@example.org or jo@example.org."])
def test_of_a_redacted_result_the_hash_is_that_of_redacted_texts(tmp_path: Path, reference: str | None) -> None:
    answers = ("two years, says jo@example.org and not", "nine")
    rows = [record(years, id="r1", reference=reference) for years in answers]
    source = written(tmp_path / "mail.jsonl", rows)
    settings = {"redact": {"enabled": True, "score_files": True}}
    (config := tmp_path / "config.json").write_text(json.dumps(settings))
    [first, _] = [json.loads(line) for line in cli("score", source, "--config", config).stdout.splitlines()]
    texts = (f"The warranty is {answers[0]} years.".replace("jo@example.org", "<email-1>"), DOCUMENT)
    assert first["request_digest"] == digest_of(rows[0]["question"], texts[0], texts[1:])
    redactor = Redactor(RedactConfig())
    requests = Requests(read_request_file(source, build(settings, kafka=False)), lambda: redactor)
    found = requests.of(Made(first["id"], "r1", first["request_digest"], redacted=True))
    assert found is not None
    assert found.answer == rows[0]["answer"]

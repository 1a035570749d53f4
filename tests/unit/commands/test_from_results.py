"""`rag-sidecar testset --from-results` as a user types it: from what `score` wrote to what `evaluate` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Verdict
from tests.kafka.harness import fresh
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.called import called as cli
from tests.unit.commands.label.answers import request, result

ASKED = {
    "How long is the warranty?": ("The warranty is two years.", "The warranty is two years."),
    "how long is the warranty": ("The warranty is two years.", "The warranty is two years."),
    "Whom do I write to about refunds?": ("Write to jo.doe@example.org.", "Write to jo.doe@example.org about refunds."),
    "Who built the bridge?": ("Seven dogs built it in Paris.", "The bridge was built by Jens Olsen."),
    "When does the shop close?": ("I don't know.", "The shop sells books."),
}


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    rows = [
        {
            "request_id": f"r{n}",
            "service": ("kb", "shop")[n == 4],
            "question": q,
            "answer": a,
            "contexts": [{"id": f"d{n}", "text": c}],
        }
        for n, (q, (a, c)) in enumerate(ASKED.items())
    ]
    return written(tmp_path / "requests.jsonl", rows)


@pytest.fixture
def results(tmp_path: Path, requests: Path) -> Path:
    target = tmp_path / "results.jsonl"
    assert cli("score", requests, target).returncode == 0
    return target


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_results_and_their_requests_become_cases_that_evaluate_reads(
    results: Path, requests: Path, tmp_path: Path
) -> None:
    target = tmp_path / "cases.jsonl"
    run = cli("testset", "--from-results", results, "--requests", requests, "-o", target, "--cases", "4")
    assert run.returncode == 0, run.stderr
    made = rows(target)
    assert {one["origin"] for one in made} == {"production"}
    assert {one["generation_params"]["verdict"] for one in made} == {"grounded", "hallucinated", "abstained"}
    assert sum("warranty" in one["question"] for one in made) == 1
    [mail] = [one for one in made if "refunds" in one["question"]]
    assert mail["answer"] == "Write to <email-1>."
    assert mail["contexts"] == [{"id": "d2", "text": "Write to <email-1> about refunds."}]
    assert "jo.doe" not in target.read_text()
    evaluated = cli("evaluate", target, "-o", "-")
    assert evaluated.returncode == 0, evaluated.stderr
    report = json.loads(evaluated.stdout)
    assert [one["name"] for one in report["by_origin"]] == ["production"]
    assert report["cases"] == 4


def test_only_those_are_drawn_that_were_asked_for(results: Path, requests: Path) -> None:
    asked: list[str | Path] = ["testset", "--from-results", results, "--requests", requests, "--cases", "1"]
    run = cli(*asked, "--verdict", "hallucinated")
    assert [json.loads(line)["question"] for line in run.stdout.splitlines()] == ["Who built the bridge?"]
    run = cli(*asked, "--service", "shop")
    assert [json.loads(line)["service"] for line in run.stdout.splitlines()] == ["shop"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "holds no result (give what `rag-sidecar score` wrote)"),
        ("\n \n", "holds no result (give what `rag-sidecar score` wrote)"),
        ('{"a": 1}\n5\n', "holds no result, but 2 other lines (give what `rag-sidecar score` wrote)"),
    ],
    ids=["empty", "blank", "something else"],
)
def test_a_file_without_any_result_is_told_as_such(requests: Path, tmp_path: Path, content: str, said: str) -> None:
    (path := tmp_path / "results.jsonl").write_text(content, encoding="utf-8")
    run = cli("testset", "--from-results", path, "--requests", requests)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1] == f"error --from-results: {path}: {said}"


def test_without_texts_the_error_names_what_would_give_them(results: Path, requests: Path, tmp_path: Path) -> None:
    run = cli("testset", "--from-results", results)
    assert run.returncode == 2
    assert (
        "results hold no question, answer and documents (give a file of the requests with --requests, or --received"
        in run.stderr
    )
    others = written(
        tmp_path / "others.jsonl", [{"request_id": "other", "service": "kb", "question": "Q?", "answer": "A."}]
    )
    run = cli("testset", "--from-results", results, "--requests", others)
    assert run.returncode == 2
    assert "none of the requests of these results is there" in run.stderr
    bare = [{**row, "question": None, "answer": None} for row in rows(requests)]
    run = cli("testset", "--from-results", results, "--requests", written(tmp_path / "bare.jsonl", bare))
    assert run.returncode == 2
    assert "switch the capture of texts on" in run.stderr


def test_fewer_than_asked_for_have_an_exit_code(results: Path, requests: Path) -> None:
    run = cli("testset", "--from-results", results, "--requests", requests, "--cases", "50")
    assert run.returncode == 1
    assert len(run.stdout.splitlines()) == 4
    assert "left out: duplicate 1" in run.stderr


def test_documents_and_results_are_not_given_together(results: Path, tmp_path: Path) -> None:
    both: list[list[str | Path]] = [
        [],
        [tmp_path, "--from-results", results],
        ["--topic", "t", "--from-results", results],
    ]
    for words in both:
        run = cli("testset", *words)
        assert run.returncode == 2
        assert "one of them" in run.stderr


@pytest.mark.parametrize(
    "option",
    [("--share", "simple=1"), ("--window", "300"), ("--concurrency", "2"), ("--most-usd", "1"), ("--no-resume",)],
)
def test_what_makes_cases_of_documents_is_refused_beside_results(
    results: Path, requests: Path, option: tuple[str, ...]
) -> None:
    run = cli("testset", "--from-results", results, "--requests", requests, *option)
    name = option[0].replace("--no-resume", "--resume")
    assert (run.returncode, run.stderr) == (
        2,
        f"error {name}: cases are drawn from results, and nothing is made from documents (leave it out)\n",
    )


def test_results_and_requests_come_from_their_topics(tmp_path: Path) -> None:
    with MockKafka() as broker:
        received, scored = fresh("requests"), fresh("results")
        for topic, rows_of in ((received, request), (scored, lambda n: result(n, Verdict.GROUNDED))):
            broker.create_topic(topic, partitions=2)
            produce(broker, topic, [Message(json.dumps(rows_of(n)).encode()) for n in range(3)])
        receive = {"bootstrap_servers": broker.bootstrap_servers, "topics": [received]}
        (path := tmp_path / "config.yaml").write_text(json.dumps({"receive": receive}), encoding="utf-8")
        run = cli("testset", "--topic", scored, "--received", "--cases", "3", "--config", path)
    assert run.returncode == 0, run.stderr
    asked = {json.loads(line)["question"] for line in run.stdout.splitlines()}
    assert asked == {f"How long is the warranty of part {n}?" for n in range(3)}


def test_names_in_brackets_are_names_and_no_markup(requests: Path, tmp_path: Path) -> None:
    named = [{**row, "service": "[/kb]", "kind": ("[/a]", "[b")[n % 2]} for n, row in enumerate(rows(requests))]
    source, target = written(tmp_path / "[b]named.jsonl", named), tmp_path / "cases.jsonl"
    assert cli("score", source, tmp_path / "results.jsonl").returncode == 0
    run = cli("testset", "--from-results", tmp_path / "results.jsonl", "--requests", source, "-o", target)
    assert "Traceback" not in run.stderr
    assert "[/kb]" in run.stderr
    assert {one["service"] for one in rows(target)} == {"[/kb]"}
    run = cli("evaluate", source)
    assert run.returncode == 0, run.stderr
    assert "[b]named.jsonl" in run.stdout
    assert "[/a] (3)" in run.stdout

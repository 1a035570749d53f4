"""`rag-sidecar results` as people use it: the worst, the latest, one answer; out of a file and out of a topic."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exporters.result import Verdict
from sidecar.commands.results.read import Collected, since
from sidecar.commands.results.run import cli
from sidecar.commands.score import cli as score_cli
from sidecar.record.errors import ConfigError
from tests.kafka.harness import fresh
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.label.answers import DOCUMENT, request, result, write


def scored(number: int, groundedness: float, verdict: Verdict = Verdict.GROUNDED, **more: Any) -> dict[str, Any]:
    """A result with this score."""
    row = result(number, verdict, **more)
    row["evaluations"][1]["score"] = groundedness
    return row


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)


def listed(said: Result) -> list[str]:
    return [json.loads(line)["request_id"] for line in said.stdout.splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Four results of as many requests, a minute apart."""
    rows = [
        scored(0, 0.3, service="support-bot", model="gpt-4o", variant="a"),
        scored(1, 0.9, Verdict.HALLUCINATED, service="shop", model="gpt-4o", variant="b"),
        scored(2, 0.1, Verdict.HALLUCINATED, service="shop", model="mini", variant="a"),
        scored(3, 0.2, service="shop", model="mini", variant="b"),
    ]
    for minute, row in enumerate(rows):
        row["timestamp"] = f"2026-01-01T00:0{minute}:00.000Z"
    return write(tmp_path / "results.jsonl", rows)


def test_the_worst_are_hallucinated_ones_first_and_then_the_lowest_scores(file: Path) -> None:
    assert listed(run("worst", file, "--json")) == ["r2", "r1", "r3", "r0"]
    assert listed(run("worst", file, "--json", "-n", "1")) == ["r2"]
    assert listed(run("worst", file, "--json", "--by", "groundedness")) == ["r2", "r3", "r0", "r1"]


def test_an_evaluator_that_no_result_is_of_is_named_with_what_may_have_been_meant(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"--by: no result is of such an evaluator \(did you mean groundedness\?\)"):
        run("worst", file, "--by", "groundednes")


def test_the_latest_are_shown_oldest_first(file: Path) -> None:
    assert listed(run("tail", file, "--json", "-n", "2")) == ["r2", "r3"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--service", "support-bot"], ["r0"]),
        (["--model", "mini"], ["r2", "r3"]),
        (["--variant", "b"], ["r1", "r3"]),
        (["--verdict", "hallucinated"], ["r1", "r2"]),
        (["--since", "2026-01-01T00:02:00Z"], ["r2", "r3"]),
        (["--service", "shop", "--variant", "b", "--verdict", "grounded"], ["r3"]),
        (["--since", "1h"], []),
    ],
    ids=" ".join,
)
def test_filters_leave_those_alone_that_all_of_them_take(file: Path, words: list[str], expected: list[str]) -> None:
    said = run("tail", file, "--json", *words)
    assert listed(said) == expected
    assert ("no result is one of those" in said.stderr) == (not expected)


def test_how_long_ago_is_counted_from_now_and_what_is_no_time_is_named() -> None:
    assert since("2h") == pytest.approx(time.time() - 7200, abs=60)
    assert since(None) is None
    with pytest.raises(ConfigError, match="--since: 'yesterday' is no time"):
        since("yesterday")


def test_json_gives_the_results_as_they_were_with_fields_that_nobody_knows(tmp_path: Path) -> None:
    row = scored(0, 0.5, of_tomorrow={"a": 1})
    said = run("worst", write(tmp_path / "r.jsonl", [row]), "--json")
    assert json.loads(said.stdout) == row


def test_the_table_has_a_line_each_and_the_claims_below_have_their_words(file: Path, tmp_path: Path) -> None:
    requests = write(tmp_path / "requests.jsonl", [request(n) for n in range(4)])
    said = run("worst", file, "-n", "1", "--requests", requests).stdout
    for text in (
        "hallucinated",
        "0.10",
        "1 supported, 1 not supported",
        "[1] supported 0.90  two years.",
        "[2] not supported 0.10  Batteries too.",
        "nearest, document 1: “It does not cover batteries.”",
        "question  How long is the warranty of part 2?",
    ):
        assert text in said
    assert "nearest" not in run("worst", file, "--no-claims").stdout


def test_without_texts_the_places_are_said(tmp_path: Path) -> None:
    row = scored(0, 0.1)
    for claim in row["evaluations"][0]["claims"]:
        claim.update(text=None, start=8, end=18)
    said = run("show", "r0", write(tmp_path / "r.jsonl", [row])).stdout
    assert "(answer, characters 8 to 18)" in said
    assert "document 1: characters 27 to 55" in said.replace("(", "").replace(")", "")
    requests = write(tmp_path / "requests.jsonl", [request(0)])
    assert "supported 0.90  two years." in run("show", "r0", tmp_path / "r.jsonl", "--requests", requests).stdout


@pytest.mark.parametrize(
    ("label", "word"), [("contradicted", "contradicted"), ("not_said", "not said"), ("supported", "supported")]
)
def test_a_claim_is_told_by_its_word_in_its_colour(tmp_path: Path, label: str, word: str) -> None:
    row = scored(0, 0.1)
    row["evaluations"][0]["threshold"] = 0.147
    claims = row["evaluations"][0]["claims"]
    claims[1].update(
        label=label, unsupported=[{"start": 0, "end": 9}],
        conflicts=[{"start": 0, "end": 9, "evidence": {"document": 0, "start": 16, "end": 25}}],
    )  # fmt: skip
    results = write(tmp_path / "r.jsonl", [row])
    requests = write(tmp_path / "requests.jsonl", [request(0)])
    said = run("show", row["id"], results, "--requests", requests).stdout
    assert f"[2] {word} 0.10  Batteries too." in said
    assert "no document says: Batteries" in said
    assert "differs: Batteries against two years" in said
    assert "claims  (supported from 0.15 on)" in said
    assert (
        f"document 1  {json.loads(run('show', 'r0', results, '--requests', requests, '--json').stdout)['texts']['documents'][0]['id']}"
        in said
    )
    assert DOCUMENT in said


def test_a_word_that_is_negated_on_one_side_alone_is_said_to_be(tmp_path: Path) -> None:
    row = scored(0, 0.1)
    row["evaluations"][0]["claims"][1].update(
        label="contradicted",
        conflicts=[{"start": 0, "end": 9, "evidence": {"document": 0, "start": 0, "end": 9}}],
    )
    asked = {**request(0), "contexts": ["BATTERIES are not covered."]}
    said = run(
        "show", "r0", write(tmp_path / "r.jsonl", [row]), "--requests", write(tmp_path / "q.jsonl", [asked])
    ).stdout
    assert "negated on one side alone: Batteries" in said
    assert "differs" not in said


def test_on_a_terminal_claims_are_coloured(tmp_path: Path) -> None:
    results = write(tmp_path / "r.jsonl", [scored(0, 0.1, Verdict.HALLUCINATED)])
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "sidecar", "results", "worst", str(results)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        said = _all_of(ours)
    assert child.returncode == 0
    assert "\x1b[32msupported 0.90" in said
    assert "\x1b[1;31mhallucinated" in said


def _all_of(terminal: int) -> str:
    """What is written to a terminal until nobody has it open any more."""
    said = b""
    with contextlib.suppress(OSError), os.fdopen(terminal, "rb", buffering=0) as stream:
        while part := stream.read(4096):
            said += part
    return said.decode()


def test_text_cannot_move_the_cursor_of_the_terminal(tmp_path: Path) -> None:
    row = scored(0, 0.1, service="shop\x1b[2J", model="\x07")
    row["evaluations"][0]["claims"][0]["text"] = "two \x1b]0;owned\x07years"
    row["evaluations"][0]["explanation"] = "\x1b[31m"
    results = write(tmp_path / "r.jsonl", [row])
    for words in (("worst", results), ("show", "r0", results)):
        said = run(*words).stdout
        assert "\x1b" not in said
        assert "\x07" not in said


def test_show_takes_a_beginning_a_trace_and_a_request_and_json_has_the_texts(file: Path, tmp_path: Path) -> None:
    requests = write(tmp_path / "requests.jsonl", [request(n) for n in range(4)])
    own = result(2)["id"]
    for name in (own, own[:8], "r2"):
        said = json.loads(run("show", name, file, "--requests", requests, "--json").stdout)
        assert said["id"] == own
    assert said["texts"]["claims"][1] == {
        "said": "not supported", "support": 0.1, "text": "Batteries too.", "evidence": "It does not cover batteries.",
        "unsupported": [], "conflicts": [],
    }  # fmt: skip
    assert said["texts"]["answer"] == "Part 2: two years. Batteries too."
    assert json.loads(run("show", own, file, "--json").stdout)["texts"] is None


def test_a_name_that_is_nobodys_or_of_several_is_refused_with_the_mend(file: Path) -> None:
    with pytest.raises(ConfigError, match="nothing: none of 4 results has it"):
        run("show", "nothing", file)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for number, row in enumerate(rows[:2]):
        row["id"] = f"abcdef{number}"
    with pytest.raises(ConfigError, match=r"2 results begin so .*abcdef0, abcdef1"):
        run("show", "abcd", write(file, rows))


SEEN = {"records": 1, "spans": 3, "root_seen": True, "ended": "complete", "cut": False}


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"trace": {**SEEN, "root_seen": False, "spans": 9}}, "first"),
        ({"trace": {**SEEN, "spans": 2}}, "first"),
        ({"trace": {**SEEN, "spans": 4}}, "second"),
        ({"evaluations": []}, "first"),
        ({}, "second"),
    ],
    ids=["without its root", "of fewer spans", "of more spans", "with fewer scores", "the later of equals"],
)
def test_of_two_results_of_one_request_the_more_complete_is_kept(change: dict[str, Any], kept: str) -> None:
    first = scored(0, 0.5, trace=SEEN, variant="first")
    second = {**first, "variant": "second", **change}
    [row] = Collected().read([json.dumps(one).encode() for one in (first, second)])
    assert row.record.variant == kept


def test_what_is_no_result_is_passed_over_and_told(file: Path) -> None:
    unread = {
        "schema": "rag-sidecar.result.v1",
        "id": None,
        "trace_id": None,
        "line": 3,
        "outcome": "failed",
        "reason": "bad_json",
    }
    with file.open("a") as stream:
        stream.write("\n".join(["no json", "[1]", '{"schema": "another"}', json.dumps(unread)]) + "\n")
    said = run("tail", file, "--json")
    assert len(listed(said)) == 4
    assert said.stderr.splitlines() == [
        "1 request could not be read (bad_json 1)", "3 lines are no results and were passed over"
    ]  # fmt: skip
    assert said.exit_code == 1


def test_requests_that_score_could_not_read_are_told_as_such(file: Path, tmp_path: Path) -> None:
    requests = tmp_path / "requests.jsonl"
    requests.write_text("no json\n[1]\n{\n")
    assert CliRunner().invoke(score_cli, [str(requests), str(tmp_path / "scored.jsonl")]).exit_code == 1
    with file.open("a") as stream:
        stream.write((tmp_path / "scored.jsonl").read_text())
        stream.write(json.dumps({"schema": "rag-sidecar.result.v1", "id": None, "line": 1, "reason": "\x1b[2J"}) + "\n")
    said = run("worst", file, "--json")
    assert said.stderr == "4 requests could not be read (bad_json 2, not_an_object 1, unknown 1)\n"
    assert said.exit_code == 1


def test_one_line_that_is_no_result_is_told_in_the_singular(file: Path) -> None:
    with file.open("a") as stream:
        stream.write("no json\n")
    assert run("worst", file, "--json").stderr == "1 line is no result and was passed over\n"


@pytest.mark.parametrize("words", [["worst"], ["tail"], ["show", "r2"]])
def test_requests_of_other_results_are_told(file: Path, tmp_path: Path, words: list[str]) -> None:
    wrong = write(tmp_path / "wrong.jsonl", [request(7)])
    with pytest.raises(ConfigError, match=r"--requests: .*wrong\.jsonl has no request of these results"):
        run(*words, file, "--requests", wrong)
    some = write(tmp_path / "some.jsonl", [request(7), request(0)])
    assert run(*words, file, "--requests", some).exit_code == 0


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__TOPICS", "spans")
    with pytest.raises(ConfigError, match="results: none are named"):
        run("worst")
    with pytest.raises(ConfigError, match=r"^/.*: No such file"):
        run("worst", tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="--follow: a file does not go on"):
        run("tail", write(tmp_path / "r.jsonl", []), "--follow")


def test_results_and_requests_come_from_their_topics_and_those_that_come_are_followed(tmp_path: Path) -> None:
    with MockKafka() as broker:
        requests, results = fresh("requests"), fresh("results")
        for topic in (requests, results):
            broker.create_topic(topic, partitions=2)
        produce(broker, requests, [Message(json.dumps(request(n)).encode()) for n in range(3)])
        produce(broker, results, [Message(json.dumps(scored(n, 0.1 * n)).encode()) for n in range(3)])
        path = tmp_path / "config.yaml"
        receive = {"bootstrap_servers": broker.bootstrap_servers, "topics": [requests]}
        path.write_text(json.dumps({"receive": receive, "results": {"topic": results}}))
        said = run("worst", "-n", "1", "--received", "--config", path)
        assert "question  How long is the warranty of part 0?" in said.stdout
        assert listed(run("worst", "--json", "--config", path)) == ["r0", "r1", "r2"]
        command = [sys.executable, "-m", "sidecar", "results", "tail", "-f", "-n", "1", "--json", "--config", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            try:
                assert json.loads(child.stdout.readline())["id"] in {result(n)["id"] for n in range(3)}
                produce(broker, results, [Message(json.dumps(scored(7, 0.7)).encode())])
                assert json.loads(child.stdout.readline())["request_id"] == "r7"
            finally:
                child.kill()


def test_what_was_erased_in_the_topic_is_shown_no_more(tmp_path: Path) -> None:
    with MockKafka() as broker:
        results = fresh("results")
        broker.create_topic(results, partitions=2)
        rows = [Message(json.dumps(scored(n, 0.1 * n)).encode(), key=f"trace-{n}".encode()) for n in range(3)]
        produce(broker, results, [*rows, Message(None, key=b"trace-1")])
        path = tmp_path / "config.yaml"
        receive = {"bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"]}
        path.write_text(json.dumps({"receive": receive, "results": {"topic": results}}))
        for words in (("worst",), ("tail",)):
            assert sorted(listed(run(*words, "--json", "--config", path))) == ["r0", "r2"]
        with pytest.raises(ConfigError, match="none of 2 results has it"):
            run("show", result(1)["id"], "--config", path)
        produce(broker, results, [rows[1]])
        assert sorted(listed(run("tail", "--json", "--config", path))) == ["r0", "r1", "r2"]

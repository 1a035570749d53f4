"""`rag-sidecar evaluate` as a user types it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sidecar.offline.report import load
from tests.parts.judge_server import Asked, Said, in_a_thread
from tests.unit.commands.called import called as cli
from tests.unit.commands.test_cli import GOOD


def cases(path: Path, count: int, **more: Any) -> Path:
    rows = [
        {
            **GOOD, "request_id": f"c{n}", "kind": ("simple", "negative")[n % 2], "origin": "human", "latency_ms": 100 * n,
            "answer": ("Two years.", "I don't know.")[n % 2], **more,
        }
        for n in range(count)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_report_has_every_case_and_what_they_come_to(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 8), tmp_path / "report.json"
    run = cli("evaluate", source, "-o", target)
    assert run.returncode == 0, run.stderr
    report = load(target, "-o")
    assert [one.id for one in report.results] == [f"c{n}" for n in range(8)]
    assert report.cases == 8
    by_name = {one.metric: one for one in report.metrics}
    assert (by_name["faithfulness"].scored, by_name["faithfulness"].mean) == (4, 1.0)
    assert report.negatives is not None
    assert (report.negatives.cases, report.negatives.abstained) == (4, 4)
    assert report.durations["total"].mean == pytest.approx(0.35)
    assert report.results[0].evaluations[0].claims[0].text == "Two years."
    assert "8 cases of cases.jsonl" in run.stdout
    assert re.search(
        r"faithfulness +4 +1\.000 +0\.(39|40)\d to 1\.000", run.stdout
    )  # 0.398 by Clopper and Pearson, but for the draws
    assert set(tmp_path.iterdir()) == {source, target}


def test_scores_are_those_of_score(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 3), tmp_path / "report.json"
    assert cli("evaluate", source, "-o", target).returncode == 0
    scored = [json.loads(line) for line in cli("score", source).stdout.splitlines()]
    own = [{e.evaluator: e.score for e in one.evaluations} for one in load(target, "-o").results]
    assert own == [{e["evaluator"]: e["score"] for e in one["evaluations"]} for one in scored]


def test_names_out_of_cases_reach_a_terminal_without_what_it_obeys(tmp_path: Path) -> None:
    hostile = "a\x1b[2J"
    rows = [{**GOOD, "request_id": hostile, "session_id": hostile, "kind": f"{hostile}{n // 2}"} for n in range(4)]
    (source := tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = cli("evaluate", source)
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout
    for said in ("repeating an id (a\ufffd[2J)", "worst: a\ufffd[2J, turn", "a\ufffd[2j1"):
        assert said in run.stdout


def test_a_row_that_cannot_be_read_is_told_and_makes_the_exit_code(tmp_path: Path) -> None:
    source = cases(tmp_path / "cases.jsonl", 1)
    source.write_text(source.read_text() + "\n{broken\n", encoding="utf-8")
    run = cli("evaluate", source, "-o", "-")
    assert run.returncode == 1
    [row] = json.loads(run.stdout)["unread"]
    assert (row["row"], row["line"], row["reason"]) == (2, 3, "bad_json")
    assert "1 case of cases.jsonl, 1 row unread (line 3: bad_json)" in run.stderr
    assert "line 3 is no case: bad_json: column 2" in run.stderr


def test_cells_that_were_taken_as_empty_are_told(tmp_path: Path) -> None:
    (source := tmp_path / "cases.csv").write_text(
        "question,answer,contexts\nHow long?,NaN,nan\nHow long?,None,It is long.\n"
    )
    run = cli("evaluate", source)
    assert run.returncode == 0, run.stderr
    assert "3 cells saying NaN, None or null taken as empty: answer 2, contexts 1\n" in run.stderr


def test_a_build_server_is_told_of_rows_that_cannot_be_read(tmp_path: Path) -> None:
    source = cases(tmp_path / "cases.jsonl", 1)
    source.write_text(source.read_text() + "{broken\n" * 5, encoding="utf-8")
    cli("evaluate", source, "-o", tmp_path / "junit.xml")
    [failure] = ElementTree.parse(tmp_path / "junit.xml").iterfind(".//testcase/failure")
    assert failure.get("message") == ("5 rows unread (line 2: bad_json; line 3: bad_json; line 4: bad_json, ...)")


def test_the_turns_of_a_conversation_are_held_against_what_was_known_by_then(tmp_path: Path) -> None:
    turns = [
        ("How long is the warranty?", "It is two years."),
        ("And when does shipping end?", "Shipping ends on Friday, 14 March, at noon."),
    ]
    rows = [
        {
            "id": f"t{n}", "session_id": "s", "timestamp": 1_700_000_000 + n, "question": asked, "answer": said,
            "contexts": ["The warranty is two years."],
        }
        for n, (asked, said) in enumerate(turns)
    ]  # fmt: skip
    (source := tmp_path / "cases.jsonl").write_text("".join(map(json.dumps, rows)).replace("}{", "}\n{"))
    run = cli("evaluate", source, "--sessions", "-o", "-")
    [record] = json.loads(run.stdout)["results"]
    [found] = [one for one in record["evaluations"] if one["evaluator"] == "turn_faithfulness"]
    assert [one["supported"] for one in found["claims"]] == [True, False]
    assert found["score"] == pytest.approx(0.5, abs=0.1)
    off = cli("evaluate", source, "--sessions", "-o", "-", RAG_SIDECAR_EVALUATE__REFERENCES="off")
    assert "turn_faithfulness" not in off.stdout


def test_cases_without_what_tools_said_say_nothing_of_turns(tmp_path: Path) -> None:
    talk = [
        {"role": "user", "content": "How long is the warranty?"},
        {"role": "tool", "content": "The warranty is two years."},
        {"role": "assistant", "content": "It is two years."},
    ]
    source = cases(tmp_path / "cases.jsonl", 1)
    talked = {**GOOD, "request_id": "talked", "messages": talk}
    source.write_text(source.read_text() + json.dumps(talked) + "\n", encoding="utf-8")
    run = cli("evaluate", source, "-o", "-")
    turns = {
        record["id"]: [one["score"] for one in record["evaluations"] if one["evaluator"] == "turn_faithfulness"]
        for record in json.loads(run.stdout)["results"]
    }
    assert turns == {"c0": [], "talked": [1.0]}


def test_cases_that_only_one_of_two_runs_has_are_told(tmp_path: Path) -> None:
    stored = tmp_path / "stored.json"
    assert cli("evaluate", cases(tmp_path / "all.jsonl", 4), "-o", stored).returncode == 0
    run = cli("evaluate", cases(tmp_path / "some.jsonl", 3), "--against", stored)
    assert run.returncode == 0
    assert "1 case of the stored run alone and 0 of this one alone are not compared" in run.stderr


def test_a_file_without_any_case_is_refused_with_its_first_fault(tmp_path: Path) -> None:
    (source := tmp_path / "cases.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    run = cli("evaluate", source)
    assert run.returncode == 2
    assert "holds no case: line 1: missing_field" in run.stderr
    assert "(give native records: docs/offline.md)" in run.stderr


def test_native_records_that_are_said_to_be_an_export_are_told(tmp_path: Path) -> None:
    run = cli("evaluate", cases(tmp_path / "cases.jsonl", 1), "--format", "langfuse")
    assert run.returncode == 2
    assert "(give one of langfuse, or leave --format out: docs/offline.md)" in run.stderr


def test_texts_may_stay_out_of_the_report(tmp_path: Path) -> None:
    run = cli("evaluate", cases(tmp_path / "cases.jsonl", 1), "--no-texts", "-o", "-")
    assert run.returncode == 0
    assert "warranty" not in run.stdout
    assert "Two years" not in run.stdout


def test_texts_are_redacted_with_their_claims_where_the_settings_say_so(tmp_path: Path) -> None:
    mail = {"answer": "Write to jo@example.org.", "contexts": ["Write to jo@example.org."], "kind": "simple"}
    source = cases(tmp_path / "cases.jsonl", 1, **mail)
    plain = cli("evaluate", source, "-o", "-")
    assert "jo@example.org" in plain.stdout
    run = cli("evaluate", source, "-o", "-", RAG_SIDECAR_REDACT__SCORE_FILES="true")
    [record] = json.loads(run.stdout)["results"]
    assert "jo@example.org" not in run.stdout
    assert record["answer"] == "Write to <email-1>." == record["documents"][0]["text"]
    assert record["evaluations"][0]["claims"][0]["text"] == "Write to <email-1>."


def judge(asked: Asked) -> object:
    return {"reason": "as told", "rating": 2}


def judged(url: str, **more: str) -> dict[str, str]:
    return {
        "RAG_SIDECAR_JUDGE__URL": url, "RAG_SIDECAR_EVALUATE__EVALUATORS": "groundedness,context_relevance",
        "RAG_SIDECAR_EVALUATE__GROUNDEDNESS__BY": "both", "RAG_SIDECAR_JUDGE__MODEL": "gpt-4o-mini", **more,
    }  # fmt: skip


def test_the_judge_sees_every_case_and_its_price_is_told_before_and_after(tmp_path: Path) -> None:
    with in_a_thread(judge) as server:
        run = cli("evaluate", cases(tmp_path / "cases.jsonl", 4, answer="Two years."), "-o", "-", **judged(server.url))
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    by_name = {one["metric"]: one for one in report["metrics"]}
    # Two are negative, and in no mean; `judge_rate` is for the stream.
    assert by_name["groundedness_judge"]["scored"] == 2
    assert sum(one["evaluations"][-1]["evaluator"] == "groundedness_judge" for one in report["results"]) == 4
    [spent] = report["effort"]["judge"]
    assert (spent["evaluator"], spent["questions"]) == ("groundedness_judge", 8)
    assert spent["cost_usd"] > 0
    assert re.search(
        r"gpt-4o-mini will be asked about 8 times: about [\d,]+ tokens, 0\.00\d+ USD \(limit 10\.00 USD\)", run.stderr
    )


def test_a_judge_that_costs_more_than_is_allowed_is_not_asked(tmp_path: Path) -> None:
    with in_a_thread(judge) as server:
        source = cases(tmp_path / "cases.jsonl", 4)
        run = cli("evaluate", source, "--most-usd", "0.0001", **judged(server.url))
        assert server.asked == []
    assert run.returncode == 2
    assert "--most-usd" in run.stderr
    assert "take fewer cases" in run.stderr


def test_a_failed_question_fails_its_metric_and_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 3, kind="simple", answer="Two years."), tmp_path / "report.json"
    broken = True

    def says(asked: Asked) -> object:
        return Said("no", status=400) if broken else judge(asked)

    with in_a_thread(says) as server:
        first = cli("evaluate", source, "-o", target, **judged(server.url))
        assert first.returncode == 1
        assert {one.metric: sum(one.failed.values()) for one in load(target, "-o").metrics}["groundedness_judge"] == 3
        broken = False
        second = cli("evaluate", source, "-o", target, **judged(server.url))
    assert second.returncode == 0, second.stderr
    report = load(target, "-o")
    assert {one.metric: one.scored for one in report.metrics}["groundedness_judge"] == 3
    assert set(tmp_path.iterdir()) == {source, target}


def wait_for(true: Callable[[], bool], *, seconds: float = 300) -> None:
    """A busy machine takes its time; nothing here is about how long."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 6, kind="simple", answer="Two years."), tmp_path / "report.json"
    # Each case is another question to the judge, or its cache would answer.
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    source.write_text(
        "".join(json.dumps({**row, "answer": f"Two years. Item {n} too."}) + "\n" for n, row in enumerate(rows))
    )
    held = "Item 4"

    def says(asked: Asked) -> object:
        return Said(judge(asked), after=600.0 if held and held in asked.user else 0.0)

    with in_a_thread(says) as server:
        command = [sys.executable, "-m", "sidecar", "evaluate", str(source), "-o", str(target)]
        environment = {**os.environ, **judged(server.url)}
        journal = tmp_path / ".report.json.partial.jsonl"
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as run:
            try:
                wait_for(lambda: journal.exists() and journal.read_text().count("\n") >= 6)
                run.send_signal(signal.SIGINT)
                _, said = run.communicate(timeout=300)
            finally:
                run.kill()
        assert run.returncode == 130
        assert "goes on from" in said
        assert not target.exists()
        held, asked = "", len(server.asked)
        again = cli("evaluate", source, "-o", target, **judged(server.url))
        assert again.returncode == 0, again.stderr
        assert len(server.asked) - asked == 2  # two ratings of one answer
    report = load(target, "-o")
    assert (report.cases, report.reused) == (6, 5)
    assert [one.id for one in report.results] == [f"c{n}" for n in range(6)]
    assert {one.metric: one.scored for one in report.metrics}["groundedness_judge"] == 6
    assert not journal.exists()


def test_a_gate_that_fails_has_an_exit_code_of_its_own_and_the_report_is_written(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 4), tmp_path / "junit.xml"
    (gate := tmp_path / "gate.yaml").write_text("metrics: {faithfulness: 1.0, context_recall: 0.1}\ndefaults: false\n")
    run = cli("evaluate", source, "--gate", gate, "-o", target)
    assert run.returncode == 5
    assert re.search(r"faithfulness +1 +1\.000 +passed", run.stdout)
    assert re.search(r"context_recall +0\.1 +- +failed", run.stdout)
    assert "gate failed" in run.stdout
    assert target.read_text().count("<failure ") == 1
    gate.write_text("metrics: {faithfulness: 1.0}\ndefaults: false\n")
    assert cli("evaluate", source, "--gate", gate).returncode == 0


def test_a_stored_run_that_is_better_has_the_same_exit_code(tmp_path: Path) -> None:
    stored, good = tmp_path / "stored.json", cases(tmp_path / "good.jsonl", 20, kind="simple", answer="Two years.")
    assert cli("evaluate", good, "-o", stored).returncode == 0
    worse = cases(tmp_path / "worse.jsonl", 20, kind="simple", answer="The parrots cost 9,000 dollars.")
    run = cli("evaluate", worse, "--against", stored)
    assert run.returncode == 5
    assert re.search(r"faithfulness +20 +1\.000 +0\.0\d\d +-0\.9\d\d .*A is better", run.stdout)
    assert cli("evaluate", good, "--against", stored).returncode == 0


def test_the_metric_that_is_named_decides_and_one_that_cannot_be_compared_is_no_pass(tmp_path: Path) -> None:
    stored, source = tmp_path / "stored.json", cases(tmp_path / "good.jsonl", 12, kind="simple", answer="Two years.")
    assert cli("evaluate", source, "-o", stored).returncode == 0
    rows = source.read_text().splitlines()
    half = [row.replace("Two years.", "Nine dollars.") if n % 2 else row for n, row in enumerate(rows)]
    (worse := tmp_path / "worse.jsonl").write_text("\n".join(half))
    run = cli("evaluate", worse, "--against", stored)  # three metrics fall in the same six cases
    assert run.returncode == 5
    assert len(re.findall(r" 0\.031 +A is better", run.stdout)) == 3
    assert cli("evaluate", worse, "--against", stored, "--decide", "context_relevance").returncode == 0
    run = cli("evaluate", worse, "--against", stored, "--decide", "faithfulness")
    assert run.returncode == 5, run.stderr
    assert "decided by faithfulness; p is corrected for 1 metric" in run.stdout
    absent = cli("evaluate", source, "--against", stored, "--decide", "context_recall")
    assert absent.returncode == 5
    assert re.search(r"context_recall .*no case has a score in both", absent.stdout)
    for words, said in (
        (("--against", stored, "--decide", "faithful"), "--decide: no metric is called 'faithful'"),
        (("--decide", "faithfulness"), "--decide: there is no stored run to hold this one against"),
    ):
        wrong = cli("evaluate", source, *words)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert said in wrong.stderr


def test_a_collapse_is_no_pass_where_the_cases_are_too_few_to_show_anything(tmp_path: Path) -> None:
    stored, good = tmp_path / "stored.json", cases(tmp_path / "good.jsonl", 4, kind="simple", answer="Two years.")
    assert cli("evaluate", good, "-o", stored).returncode == 0
    worse = cases(tmp_path / "worse.jsonl", 4, kind="simple", answer="The parrots cost 9,000 dollars.")
    run = cli("evaluate", worse, "--against", stored, "-o", tmp_path / "junit.xml")
    assert run.returncode == 5
    assert "too few cases to show any difference, however large" in run.stderr
    assert '<failure message="-0.9' in (tmp_path / "junit.xml").read_text()
    same = cli("evaluate", good, "--against", stored)
    assert same.returncode == 0
    assert "what is lower by more than 0.02 is no pass" in same.stderr


def test_a_system_that_stops_to_answer_or_to_retrieve_is_no_pass(tmp_path: Path) -> None:
    stored, good = tmp_path / "stored.json", cases(tmp_path / "good.jsonl", 6, kind="simple", answer="Two years.")
    assert cli("evaluate", good, "-o", stored).returncode == 0
    kept = stored.read_bytes()
    blind = cases(tmp_path / "blind.jsonl", 6, kind="simple", answer="Two years.", contexts=[])
    run = cli("evaluate", blind, "--against", stored, "-o", tmp_path / "junit.xml")
    assert run.returncode == 5, run.stderr
    failures = re.findall(r'<failure message="([^"]+)"', (tmp_path / "junit.xml").read_text())
    assert len(failures) >= 3
    assert all("B lost the score of 6 of the 6 cases of A (no_context 6)" in one for one in failures)
    over = cli("evaluate", blind, "--against", stored, "-o", stored)
    assert over.returncode == 2
    assert "stored.json: is the stored run of --against itself, which it would replace" in over.stderr
    assert stored.read_bytes() == kept


def test_a_stored_run_of_other_cases_is_no_pass(tmp_path: Path) -> None:
    stored = tmp_path / "stored.json"
    assert cli("evaluate", cases(tmp_path / "one.jsonl", 1), "-o", stored).returncode == 0
    rows = cases(tmp_path / "two.jsonl", 2).read_text().replace('"c', '"d')
    (other := tmp_path / "other.jsonl").write_text(rows)
    run = cli("evaluate", other, "--against", stored)
    assert run.returncode == 5
    assert "nothing of the stored run can be compared" in run.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "metrics: {groundednes: 0.6}",
            "--gate: metrics: no metric is called 'groundednes' (did you mean groundedness?)",
        ),
        ("defaults: no", "--gate: nothing is asked, so that nothing could pass (name a metric with its limit"),
    ],
)
def test_a_gate_that_makes_no_sense_is_told_before_anything_is_scored(tmp_path: Path, text: str, said: str) -> None:
    (gate := tmp_path / "gate.yaml").write_text(text)
    run = cli("evaluate", cases(tmp_path / "cases.jsonl", 2), "--gate", gate)
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stdout == ""


def test_a_gate_that_cannot_be_read_is_told_before_anything_is_scored(tmp_path: Path) -> None:
    (gate := tmp_path / "gate.yaml").write_text("metrics: {faithfulness: 85}\n")
    run = cli("evaluate", cases(tmp_path / "cases.jsonl", 2), "--gate", gate)
    assert run.returncode == 2
    assert "metrics.faithfulness.limit" in run.stderr

"""`rag-sidecar label` as people use it: typed verdicts, going on, picked answers, export and import."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import zlib
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Verdict
from exporters.text import safe
from sidecar.commands.label.terminal import parse
from sidecar.labels.record import Draw
from sidecar.record.errors import ConfigError
from tests.unit.commands.label.answers import DOCUMENT, Desk, request, result, write


def test_a_typed_verdict_becomes_a_label_with_all_that_it_stands_for(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [result(0, Verdict.HALLUCINATED, p=0.25, upstream_adjusted_count=2.0)])
    said = desk.run("--rate", "1", "--who", "r1", typed="nonsense\nh 2\n")
    [kept] = desk.kept()
    assert kept.pop("at").endswith("Z")
    assert kept == {
        "schema": "rag-sidecar.label.v1", "verdict": "hallucinated", "wrong_claims": [2], "probability": 0.25, "who": "r1",
        "about": {
            "result": result(0)["id"], "trace_id": "r0", "request_id": "r0", "service": "support-bot",
            "inclusion_probability": 0.25, "upstream_adjusted_count": 2.0, "draw": {"seed": "1", "rate": 1.0}, "verdict": "hallucinated",
            "beside": [{
                "evaluator": "groundedness", "version": "1", "method": "local", "threshold": 0.3, "label": "hallucinated", "judged": False,
                "inclusion_probability": None, "model": {"name": "embedded", "version": "2", "sha256": "ab" * 32},
            }],
        },
    }  # fmt: skip
    assert "type g, h, a, s or q" in said.stdout
    assert "1 labelled, 0 left" in said.stderr


def test_question_answer_claims_and_evidence_are_shown_and_what_evaluators_think_is_not(tmp_path: Path) -> None:
    said = Desk(tmp_path, [result(0, Verdict.HALLUCINATED)]).run("--rate", "1").stdout
    for text in ("part 0?", "Part 0: two years. Batteries too.", "nearest: It does not cover batteries.", DOCUMENT):
        assert text in said
    assert "0.9" not in said
    assert "hallucinated" not in said.replace("good, hallucinated [numbers", "")


def test_it_goes_on_where_it_was_left_and_asks_nothing_twice(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=40)
    assert "3 labelled, 37 left" in desk.run("--rate", "1", typed="g\nskip\na\nq\n").stderr
    said = desk.run(typed="g\n" * 50)
    assert "40 taken, 3 labelled already, 37 to ask about" in said.stderr
    assert len({one["about"]["result"] for one in desk.kept()}) == len(desk.kept()) == 40
    assert "0 to ask about" in desk.run().stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--rate", "1", "--count", "100"),
            r"--count: the probability of each answer is given by --rate \(give one of",
        ),
        (("--pick", "r0", "--count", "5"), r"--count: answers that --pick names are not drawn \(leave it out\)"),
        (("--pick", "r0", "--rate", "1"), "--rate: answers that --pick names are not drawn"),
        (("--pick", "r0", "--seed", "2"), "--seed: answers that --pick names are not drawn"),
    ],
)
def test_an_option_that_would_say_nothing_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Desk(tmp_path, count=2).run(*words)


def test_the_draw_goes_on_at_its_rate_when_more_was_answered(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=200)
    desk.run("--count", "50", typed="g\n" * 100)
    first = {one["about"]["result"] for one in desk.kept()}
    assert 30 <= len(first) <= 70
    write(desk.results, [result(n) for n in range(600)])
    write(desk.requests, [request(n) for n in range(600)])
    desk.run("--count", "50", typed="g\n" * 300)
    every = {one["about"]["result"] for one in desk.kept()}
    assert {one["probability"] for one in desk.kept()} == {0.25}
    draw = Draw(seed="1", rate=0.25)
    assert every == {name for n in range(600) if draw.takes(name := result(n)["id"])} > first
    with pytest.raises(ConfigError, match=r"--rate: the labels there were drawn by seed 1 with rate 0\.25"):
        desk.run("--rate", "0.5")
    assert "probability 0.5, seed 2" in " ".join(desk.run("--rate", "0.5", "--seed", "2").stderr.split())


def test_a_picked_answer_stands_for_nothing_and_is_asked_about_again_when_it_is_drawn(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=3)
    desk.run("--pick", "r1", typed="h\n")
    [picked] = desk.kept()
    assert (picked["about"]["trace_id"], picked["probability"], picked["about"]["draw"]) == ("r1", None, None)
    assert "1 labelled already" in desk.run("--pick", "r1").stderr
    assert "3 taken, 0 labelled already, 3 to ask about" in desk.run("--rate", "1", typed="g\ng\ng\n").stderr
    assert sorted(one["probability"] for one in desk.kept()[1:]) == [1.0] * 3


def test_a_picked_trace_that_no_answer_is_of_is_told_and_nothing_is_asked(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=3)
    with pytest.raises(ConfigError, match="--pick: none of 3 answers is of trace r7, r8 "):
        desk.run("--pick", "r1", "--pick", "r7", "--pick", "r8", typed="h\n")
    assert not desk.labels.exists()


def test_only_answers_that_a_verdict_was_sought_for_are_drawn(tmp_path: Path) -> None:
    without = result(3)
    without["evaluations"] = [{**one, "outcome": "unscorable", "reason": "no_answer"} for one in without["evaluations"]]
    unread: dict[str, Any] = {
        "schema": "rag-sidecar.result.v1",
        "id": None,
        "trace_id": None,
        "outcome": "failed",
        "evaluations": [],
    }
    rows = [result(0), result(1, Verdict.ABSTAINED), result(2, None), without, unread]
    said = Desk(tmp_path, rows).run("--rate", "1")
    assert "3 answers, each drawn" in said.stderr


def test_of_two_results_of_one_request_the_more_complete_one_counts(tmp_path: Path) -> None:
    whole = {"root_seen": True, "spans": 5}
    rows = [
        result(0, Verdict.HALLUCINATED, trace=whole),
        result(0, Verdict.GROUNDED, trace={**whole, "spans": 2}),
    ]
    desk = Desk(tmp_path, rows)
    desk.run("--rate", "1", typed="g\n")
    assert [one["about"]["verdict"] for one in desk.kept()] == ["hallucinated"]


def test_answers_of_another_service_are_left_out_before_the_draw(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=4)
    assert "0 answers" in desk.run("--service", "other").stderr
    assert "4 answers" in desk.run("--service", "support-bot").stderr


def test_requests_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=4)
    write(desk.requests, [request(0), request(1, answer="")])
    said = " ".join(desk.run("--rate", "1").stderr.split())
    assert "4 taken, 0 labelled already, 1 to ask about" in said
    assert "3 have no request with texts among those read" in said


def test_texts_are_redacted_where_those_of_the_result_were(tmp_path: Path) -> None:
    mail = "Write to jane.doe@example.org. It does not cover batteries."
    claims = result(0)
    claims["evaluations"][0]["claims"][1]["evidence"] = {"document": 0, "start": len("Write to <email-1>. "), "end": 56}
    desk = Desk(tmp_path, [claims])
    write(desk.requests, [request(0, contexts=[mail])])
    assert "jane.doe@example.org" in desk.run("--rate", "1").stdout
    write(desk.results, [{**claims, "redacted": {"email": 1}}])
    said = desk.run("--rate", "1").stdout
    assert "jane.doe" not in said
    assert "nearest: It does not cover batteries." in said


def test_an_export_comes_back_as_labels_once(tmp_path: Path) -> None:
    desk, file = Desk(tmp_path, count=5), tmp_path / "queue.jsonl"
    desk.run("--rate", "1", "--export", file)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == 5
    assert rows[0]["claims"][1]["nearest"] == "It does not cover batteries."
    rows[0] |= {"verdict": "Good"}
    rows[1] |= {"verdict": "hallucinated", "wrong_claims": [2], "who": "own"}
    rows[2] |= {"verdict": "skip"}
    write(file, rows)
    assert "3 labels taken over" in desk.run("--import", file, "--who", "r2").stderr
    kept = {one["about"]["result"]: one for one in desk.kept()}
    found = [kept[row["about"]["result"]] for row in rows[:3]]
    assert [(one["verdict"], one["wrong_claims"], one["who"], one["probability"]) for one in found] == [
        ("grounded", [], "r2", 1.0), ("hallucinated", [2], "own", 1.0), ("skipped", [], "r2", 1.0),
    ]  # fmt: skip
    assert "0 labels taken over" in desk.run("--import", file, "--who", "r2").stderr
    assert "5 taken, 3 labelled already, 2 to ask about" in desk.run().stderr


def test_an_export_does_not_tell_the_reviewer_what_the_evaluators_said_and_the_label_has_it(tmp_path: Path) -> None:
    desk, file = Desk(tmp_path, [result(0, Verdict.HALLUCINATED), result(1)]), tmp_path / "queue.jsonl"
    desk.run("--rate", "1", "--export", file)
    for word in ("hallucinated", "grounded", "beside", "0.3", "embedded"):
        assert word not in file.read_text()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {name for row in rows for name in row["about"]} == {"result", "trace_id", "request_id", "service", "sealed"}
    write(file, [{**row, "verdict": "good"} for row in rows])
    desk.run("--import", file)
    exported = {one["about"]["result"]: one["about"] for one in desk.kept()}
    desk.labels.unlink()
    desk.run("--rate", "1", typed="g\ng\n")
    assert exported == {one["about"]["result"]: one["about"] for one in desk.kept()}
    assert {one["verdict"] for one in exported.values()} == {"hallucinated", "grounded"}


# As version 0.1.0 wrote it, with all facts in the open.
EARLIER: dict[str, Any] = {
    "schema": "rag-sidecar.review.v1", "verdict": "good", "wrong_claims": [], "question": "How long is the warranty?", "answer": "Two years.",
    "claims": [{"number": 1, "text": "Two years.", "nearest": "The warranty is two years."}],
    "documents": [{"number": 1, "id": "d", "text": "The warranty is two years."}],
    "about": {
        "result": "6ced5408-1fb8-58ac-986b-f864ca09b6ca", "trace_id": "44", "request_id": "44", "service": "s", "inclusion_probability": 1.0,
        "upstream_adjusted_count": None, "draw": {"seed": "1", "rate": 1.0}, "verdict": "grounded",
        "beside": [{
            "evaluator": "groundedness", "version": "4", "method": "consistency", "threshold": 0.22, "label": "grounded", "judged": False,
            "inclusion_probability": None, "model": {"name": "embedded", "version": "6", "sha256": "14d2"},
        }],
    },
}  # fmt: skip


def test_what_an_earlier_version_exported_is_taken_over(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=1)
    assert "1 label taken over" in desk.run("--import", write(tmp_path / "queue.jsonl", [EARLIER])).stderr
    [kept] = desk.kept()
    assert (kept["verdict"], kept["about"]) == ("grounded", EARLIER["about"])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"service": "other"}, r"line 1: about\.service is not as it was exported"),
        ({"sealed": None}, r"line 1: about\.sealed is not as it was exported"),
        ({"sealed": "eJyrrgUAAXUA"}, r"line 1: about\.sealed is not as it was exported"),
        (
            {"sealed": b64encode(zlib.compress(b"{" + b" " * 9_000_000)).decode()},
            r"line 1: about\.sealed is not as it was exported",
        ),
        ({"sealed": b64encode(zlib.compress(b"{}")).decode()}, "line 1: result: is required"),
    ],
    ids=["another service", "emptied", "another checksum", "swollen", "without facts"],
)
def test_what_an_answer_is_known_by_cannot_be_changed(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    desk, file = Desk(tmp_path, count=1), tmp_path / "queue.jsonl"
    desk.run("--rate", "1", "--export", file)
    row = json.loads(file.read_text())
    write(file, [{**row, "verdict": "good", "about": {**row["about"], **changes}}])
    with pytest.raises(ConfigError, match=told):
        desk.run("--import", file)
    assert desk.kept() == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"verdict": "fine"}, "line 1: verdict is not one that is known"),
        ({"verdict": "hallucinated", "wrong_claims": [3]}, "line 1: the claims are numbered 1 to 2"),
        ({"verdict": "good", "wrong_claims": [1]}, "line 1: wrong_claims go with hallucinated only"),
        ({"verdict": "good", "schema": "x"}, "line 1: no line of an export"),
        ({"verdict": "good", "about": {"result": "x"}}, "line 1: trace_id: is required"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_line_that_is_wrong_is_named_and_nothing_is_taken(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    desk, file = Desk(tmp_path, count=1), tmp_path / "queue.jsonl"
    desk.run("--rate", "1", "--export", file)
    write(file, [{**json.loads(file.read_text()), **changes}])
    with pytest.raises(ConfigError, match=told):
        desk.run("--import", file)
    assert desk.kept() == []


def test_an_answer_that_was_not_drawn_cannot_be_made_one_that_was(tmp_path: Path) -> None:
    desk, file = Desk(tmp_path, count=50), tmp_path / "queue.jsonl"
    desk.run("--rate", "0.2", "--export", file)
    row = json.loads(file.read_text().splitlines()[0])
    draw = Draw(seed="1", rate=0.2)
    other = next(name for n in range(50) if not draw.takes(name := result(n)["id"]))
    write(file, [{**row, "verdict": "good", "about": {**row["about"], "result": other}}])
    with pytest.raises(ConfigError, match=r"about\.result is not as it was exported"):
        desk.run("--import", file)
    about = {**EARLIER["about"], "result": other, "draw": {"seed": "1", "rate": 0.2}}
    write(file, [{**EARLIER, "about": about}])
    with pytest.raises(ConfigError, match="not one that the draw takes"):
        desk.run("--import", file)


@pytest.mark.parametrize(
    ("line", "told"),
    [("", "type g"), ("yes", "type g"), ("g 1", "hallucinated only"), ("h 3", "1 to 2"), ("h x", "1 to 2")],
)
def test_what_was_not_meant_is_asked_again(line: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse(line, 2)


def test_numbers_of_claims_are_kept_once_and_in_order() -> None:
    assert parse(" H 2, 1;2 ", 2).wrong == (1, 2)
    with pytest.raises(ValueError, match="no claims"):
        parse("h 1", 0)


def test_a_text_cannot_order_the_terminal() -> None:
    assert safe("a\x1b[2Jb\x07\x9b\nc\ud800") == "a\N{REPLACEMENT CHARACTER}[2Jb" + "\N{REPLACEMENT CHARACTER}" * 2 + (
        "\nc\N{REPLACEMENT CHARACTER}"
    )


@pytest.mark.parametrize(
    ("left_out", "told"),
    [("--labels", "labels have nowhere to go"), ("--requests", "results hold no questions and documents")],
)
def test_what_is_missing_is_named(tmp_path: Path, left_out: str, told: str) -> None:
    desk = Desk(tmp_path, count=1)
    options = {"--labels": desk.labels, "--requests": desk.requests}
    del options[left_out]
    words = [str(word) for pair in options.items() for word in pair]
    run = subprocess.run(
        [sys.executable, "-m", "sidecar", "label", str(desk.results), *words],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert told in run.stderr


def test_a_file_with_a_line_that_is_no_label_is_refused_and_one_cut_short_is_ended(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=2)
    desk.run("--rate", "1", typed="g\nq\n")
    desk.labels.write_text(desk.labels.read_text().rstrip("\n"))
    desk.run(typed="g\n")
    assert len(desk.kept()) == 2
    desk.labels.write_text('{"schema": "x"}\n')
    with pytest.raises(ConfigError, match=r"--labels: .*line 1.*docs/labels\.md"):
        desk.run()
    desk.labels.write_text('{"schema": "x"')
    with pytest.raises(ConfigError, match=r"--labels: .*line 1.*it was cut short: delete it"):
        desk.run()


def test_it_works_on_a_terminal_and_an_interrupt_keeps_what_was_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path, count=3)
    command = [
        sys.executable,
        "-m",
        "sidecar",
        "label",
        desk.results,
        "--requests",
        desk.requests,
        "--labels",
        desk.labels,
    ]
    parent, child = pty.openpty()
    # Where the tests run in the background of a shell, interrupts are ignored, and a child would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen([*map(str, command), "--rate", "1"], stdin=child, stdout=child, stderr=child)
    signal.signal(signal.SIGINT, before)
    os.close(child)
    try:
        shown = until(parent, b"(g/h/a/s/q) > ")
        assert b"1 of 3" in shown
        os.write(parent, b"h 1\n")
        assert b"2 of 3" in until(parent, b"(g/h/a/s/q) > ")
        assert interrupted(process) == 130
    finally:
        process.kill()
        process.wait()
        os.close(parent)
    [kept] = desk.kept()
    assert (kept["verdict"], kept["wrong_claims"]) == ("hallucinated", [1])


def interrupted(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process after Ctrl-C. Python notices a signal that falls between the prompt and the system call that reads only when
    that call returns, so it is sent again to one that goes on waiting, as a person would."""
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(10)
    raise AssertionError("an interrupt did not end it")


def until(terminal: int, end: bytes) -> bytes:
    """What a terminal shows until it ends in some bytes."""
    shown = b""
    while not shown.endswith(end):
        shown += os.read(terminal, 4096)
    return shown

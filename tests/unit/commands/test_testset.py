"""`rag-sidecar testset` as a user types it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.parts.judge_server import Asked, Said, in_a_thread
from tests.unit.commands.called import called as cli
from tests.unit.commands.test_evaluate import wait_for

TEXTS = {
    "backups.txt": "Backups are kept for 14 days and stored in a second data centre in Rotterdam.",
    "library.md": "# Library\n\nThe library lends books for four weeks. A library card costs 20 euros a year.",
    "museum.txt": "The museum is closed on Mondays. A day ticket to the museum costs 14 euros.",
    "tours.txt": "Guided tours in English start at 11:30 and last 75 minutes. They are led by two art students.",
}
SUBJECTS = {"Backups": "How long are backups kept?", "library": "What does a library card cost?", "museum": "What does a museum ticket cost?",
            "tours": "When do guided tours start?"}  # fmt: skip


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (folder := tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def judge(asked: Asked) -> object:
    """Writes what is supported: the last sentence of each text, under a question about it."""
    data = asked.data
    if asked.schema == "Answered":
        return {"reason": "nothing about it", "answered": False}
    texts = [data[name] for name in ("text", "first", "second") if name in data]
    if asked.schema == "Asked":
        subject = next(word for word in SUBJECTS if word.lower() in texts[0].lower())
        return {"question": f"Who painted the ceiling above the {subject.lower()} in 1720?"}
    subjects = [next(q for word, q in SUBJECTS.items() if word.lower() in text.lower()) for text in texts]
    said = [text.rstrip(".").rpartition(". ")[2].replace("# Library\n\n", "") + "." for text in texts]
    return {"question": " And ".join(subjects) + f" ({len(asked.system)})", "answer": " ".join(said)}


def judged(url: str, **more: str) -> dict[str, str]:
    return {"RAG_SIDECAR_JUDGE__URL": url, "RAG_SIDECAR_JUDGE__MODEL": "gpt-4o-mini", **more}


def test_without_a_judge_cases_are_made_by_rule_and_say_so(documents: Path, tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"
    run = cli("testset", documents, "-o", target, "--cases", "6")
    assert run.returncode == 0, run.stderr
    made = cases(target)
    assert [one["kind"] for one in made] == ["simple"] * 4 + ["negative"] * 2
    assert {one["origin"] for one in made} == {"synthetic_by_rule"}
    assert {one["generation_params"]["by"] for one in made} == {"rule"}
    assert "no judge is set" in run.stderr
    assert re.search(r"simple +4 +4 ", run.stderr)
    again = tmp_path / "again.jsonl"
    assert cli("testset", documents, "-o", again, "--cases", "6").returncode == 0
    assert again.read_bytes() == target.read_bytes()


def test_what_it_makes_is_what_evaluate_reads(documents: Path, tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"
    assert cli("testset", documents, "-o", target, "--cases", "6").returncode == 0
    # As a system under test would fill them in.
    filled = [
        {**one, "answer": one["reference"], "contexts": one.get("reference_contexts", ["Nothing of it."])}
        for one in cases(target)
    ]
    target.write_text("".join(json.dumps(one) + "\n" for one in filled), encoding="utf-8")
    report = tmp_path / "report.json"
    run = cli("evaluate", target, "-o", report)
    assert run.returncode == 0, run.stderr
    said = json.loads(report.read_text())
    means = {one["metric"]: one["mean"] for one in said["metrics"]}
    assert means["context_recall"] == means["context_recall_contexts"] == means["exact_match"] == 1.0
    assert said["negatives"]["abstained"] == 2
    assert {one["name"] for one in said["by_kind"]} == {"simple", "negative"}
    assert [one["name"] for one in said["by_origin"]] == ["synthetic_by_rule"]


def test_the_judge_writes_all_kinds_and_its_price_is_told_before(documents: Path, tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"
    with in_a_thread(judge) as server:
        run = cli("testset", documents, "-o", target, "--cases", "10", **judged(server.url))
        first = server.asked[0]
    assert run.returncode == 0, run.stderr
    made = cases(target)
    assert [one["kind"] for one in made] == ["simple"] * 3 + ["reasoning"] * 3 + ["multi_hop"] * 2 + ["negative"] * 2
    assert {one["origin"] for one in made} == {"synthetic"}
    assert all(len(one["reference_context_ids"]) == 2 for one in made if one["kind"] == "multi_hop")
    assert made[0]["generation_params"]["prompt"] == "testset_simple-1"
    assert made[0]["generation_params"]["model"] == "gpt-4o-mini"
    # Ten drafts, and of two of them whether what is found answers them.
    assert re.search(r"gpt-4o-mini will be asked about 12 times: about [\d,]+ tokens, 0\.00\d+ USD", run.stderr)
    assert set(first.data) == {"text", "asked"}


def test_a_judge_that_costs_more_than_is_allowed_is_not_asked(documents: Path, tmp_path: Path) -> None:
    with in_a_thread(judge) as server:
        run = cli("testset", documents, "-o", tmp_path / "x", "--most-usd", "0.0001", **judged(server.url))
        assert server.asked == []
    assert run.returncode == 2
    assert "--most-usd" in run.stderr
    assert not (tmp_path / "x").exists()


def test_what_the_judge_says_of_nothing_is_rejected_by_reason_and_made_again(documents: Path, tmp_path: Path) -> None:
    wrong = {
        "question": "What does a library card, a museum ticket or a backup cost on tours?",
        "answer": "Dogs built it.",
    }

    def says(asked: Asked) -> object:
        if len(server.asked) <= 2:
            return wrong if len(server.asked) == 1 else Said("not json")
        return judge(asked)

    target = tmp_path / "cases.jsonl"
    with in_a_thread(says) as server:
        run = cli("testset", documents, "-o", target, "--cases", "2", "--share", "simple=1", **judged(server.url))
    assert run.returncode == 0, run.stderr
    assert "not_supported 1" in run.stderr
    assert "judge_invalid 1" in run.stderr
    assert len(cases(target)) == 2


def test_fewer_than_asked_for_have_an_exit_code_and_are_written(documents: Path, tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"
    run = cli("testset", documents / "backups.txt", "-o", target, "--cases", "9", "--share", "simple=1")
    assert run.returncode == 1
    assert len(cases(target)) == 1
    assert "nothing_to_ask" in run.stderr


def test_personal_data_does_not_reach_the_judge_nor_come_back(tmp_path: Path) -> None:
    (source := tmp_path / "mail.txt").write_text("Write to jo.doe@example.org about refunds.", encoding="utf-8")

    def says(asked: Asked) -> object:
        assert "example.org" not in asked.user
        return {"question": "Whom to write to about refunds?", "answer": asked.data["text"]}

    (target := tmp_path / "cases.jsonl").write_text("what was there before\n", encoding="utf-8")
    with in_a_thread(says) as server:
        run = cli("testset", source, "-o", target, "--cases", "1", "--share", "simple=1", **judged(server.url))
        assert server.asked
    assert run.returncode == 1
    assert target.read_text() == "what was there before\n"
    assert "pseudonym 6" in run.stderr


def test_a_stopped_set_goes_on_and_the_judge_is_not_asked_twice(documents: Path, tmp_path: Path) -> None:
    words = ("testset", documents, "--cases", "10", "-o")
    target, journal = tmp_path / "cases.jsonl", tmp_path / ".cases.jsonl.partial.jsonl"
    with in_a_thread(judge) as server:
        assert cli(*words, tmp_path / "whole.jsonl", **judged(server.url)).returncode == 0
        wanted = len(server.asked)
    held = True

    def says(asked: Asked) -> object:
        return Said(judge(asked), after=600.0 if held and len(server.asked) > 7 else 0.0)

    with in_a_thread(says) as server:
        command = [sys.executable, "-m", "sidecar", *map(str, words), str(target), "--concurrency", "1"]
        own = {**os.environ, **judged(server.url)}
        with subprocess.Popen(command, env=own, stderr=subprocess.PIPE, text=True) as run:
            try:
                wait_for(lambda: len(server.asked) > 7 and journal.read_text().count("\n") >= 8)
                run.send_signal(signal.SIGINT)
                _, said = run.communicate(timeout=300)
            finally:
                run.kill()
        assert run.returncode == 130
        assert f"goes on from {journal}" in said
        assert not target.exists()
        held, asked = False, len(server.asked) - 1  # the last one had no answer
        again = cli(*words, target, **judged(server.url))
        assert len(server.asked) - 1 == wanted
    assert again.returncode == 0, again.stderr
    assert f"{asked} questions to the judge answered by the run before" in again.stderr
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not journal.exists()


def test_a_judge_that_fails_costs_the_next_run_its_failures_alone(documents: Path, tmp_path: Path) -> None:
    target, journal, well = tmp_path / "cases.jsonl", tmp_path / ".cases.jsonl.partial.jsonl", False
    words = ("testset", documents, "--cases", "4", "--share", "simple=1", "-o", target)

    def says(asked: Asked) -> object:
        return judge(asked) if well or len(server.asked) <= 2 else Said("no", status=400)

    with in_a_thread(says) as server:
        first = cli(*words, "--concurrency", "1", **judged(server.url))
        assert (first.returncode, len(cases(target))) == (1, 2)
        assert f"the same command goes on from {journal}" in first.stderr
        kept, well, asked = journal.read_bytes(), True, len(server.asked)
        assert cli(*words).returncode == 0, "without a judge"
        assert journal.read_bytes() == kept, "what was paid for stays for a run with that judge"
        again = cli(*words, **judged(server.url))
        assert (again.returncode, len(cases(target)), len(server.asked) - asked) == (0, 4, 2), again.stderr
        assert not journal.exists()
        # What one judge said is nothing to another.
        journal.write_bytes(kept)
        assert cli(*words, **judged(server.url, RAG_SIDECAR_JUDGE__MODEL="gpt-4o")).returncode == 0
    assert len(server.asked) - asked == 2 + 4
    assert {one["generation_params"]["model"] for one in cases(target)} == {"gpt-4o"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there is no such file"),
        (["docs", "--share", "easy=1"], "is no share"),
        *(
            (
                ["docs", *option],
                f"error {option[0]}: cases are made from documents, and no results are read (leave it out)",
            )
            for option in (
                ["--records", "5"],
                ["--requests", "r"],
                ["--received"],
                ["--service", "s"],
                ["--since", "2h"],
            )
        ),
        (["docs", "--share", "reasoning=1"], "none of these kinds can be made"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(
    documents: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(documents.parent)
    run = cli("testset", *words)
    assert run.returncode == 2
    assert said in run.stderr

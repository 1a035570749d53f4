"""What stands where standard output is closed early or full, and where a file cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from sidecar.commands.output import refuse_unwritable
from sidecar.offline.record import Compared
from sidecar.offline.report import load
from sidecar.record.errors import ConfigError
from tests.unit.commands.called import called as cli
from tests.unit.commands.test_compare import reports
from tests.unit.commands.test_evaluate import cases
from tests.unit.commands.test_probe import probe


@contextmanager
def closed() -> Iterator[int]:
    """A standard output that nobody reads any more."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        yield writes
    finally:
        os.close(writes)


@contextmanager
def full() -> Iterator[int]:
    with Path("/dev/full").open("wb") as stream:
        yield stream.fileno()


def run(*words: str | Path, stdout: int) -> tuple[int, str]:
    """How a process with such a standard output ends, and what it says."""
    command = [sys.executable, "-m", "sidecar", *map(str, words)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_SIDECAR_", "OTEL_"))}
    done = subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120, env=clean, check=False
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stderr


def strict(path: Path) -> Path:
    """A gate that nothing passes."""
    path.write_text("metrics: {context_recall: 0.1}\ndefaults: false\n")
    return path


@pytest.mark.parametrize(
    ("more", "code"), [((), 1), (("-o", "-"), 1), (("--gate",), 5), (("--gate", "-o", "-"), 5)], ids=str
)
def test_a_report_stands_and_a_gate_counts_where_nobody_reads_the_table(
    tmp_path: Path, more: tuple[str, ...], code: int
) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 2), tmp_path / "report.json"
    gate = strict(tmp_path / "gate.yaml")
    words = [part for one in more for part in ((one, gate) if one == "--gate" else (one,))]
    with closed() as stdout:
        ended, _ = run("evaluate", source, *words, "-o", target, stdout=stdout)
    assert ended == code
    assert load(target, "-o").cases == 2
    # Of JSON for a reader who left the run is kept: not all reports stand.
    assert (tmp_path / ".report.json.partial.jsonl").exists() == ("-" in more)


def test_a_report_stands_where_standard_output_is_full(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 2), tmp_path / "report.json"
    with full() as stdout:
        ended, said = run("evaluate", source, "-o", target, stdout=stdout)
    assert ended == 4
    assert "the output could not be written: No space left on device" in said
    assert load(target, "-o").cases == 2
    assert set(tmp_path.iterdir()) == {source, target}


def test_what_was_scored_is_kept_until_every_report_stands(tmp_path: Path) -> None:
    source, target, page = cases(tmp_path / "cases.jsonl", 2), tmp_path / "report.json", tmp_path / "page.html"
    page.symlink_to("/dev/full")
    first = cli("evaluate", source, "-o", target, "-o", page)
    assert first.returncode == 4
    assert "page.html: No space left on device" in first.stderr
    assert "2 cases of cases.jsonl" in first.stdout
    page.unlink()
    again = cli("evaluate", source, "-o", target, "-o", page)
    assert again.returncode == 0
    assert load(target, "-o").reused == 2
    assert set(tmp_path.iterdir()) == {source, target, page}


def test_fewer_cases_leave_what_a_stopped_run_of_more_had_scored(tmp_path: Path) -> None:
    source, target = cases(tmp_path / "cases.jsonl", 4), tmp_path / "report.json"
    kept = tmp_path / ".report.json.partial.jsonl"
    with mock.patch("sidecar.offline.journal.Journal.forget"):
        assert cli("evaluate", source, "-o", target, "--most", "3").returncode == 0
    lines = kept.read_bytes()
    fewer = cli("evaluate", source, "-o", target, "--most", "1")
    assert fewer.returncode == 0
    assert "1 case taken from the run before" in fewer.stderr
    assert "2 other cases of the run before kept for it" in fewer.stderr
    assert kept.read_bytes().startswith(lines)
    assert cli("evaluate", source, "-o", target).returncode == 0
    assert (load(target, "-o").cases, load(target, "-o").reused) == (4, 3)
    assert not kept.exists()


def test_a_comparison_stands_where_nobody_reads_the_table(tmp_path: Path) -> None:
    a, b = reports(tmp_path)
    with closed() as stdout:
        ended, _ = run("compare", a, b, "-o", tmp_path / "out.json", stdout=stdout)
    assert ended == 1
    assert Compared.model_validate_json((tmp_path / "out.json").read_bytes()).paired


def test_cases_stand_before_anything_is_told_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Backups are kept for 14 days and stored in a second data centre in Rotterdam.")
    target = tmp_path / "cases.jsonl"
    with mock.patch("sidecar.commands.testset.show", side_effect=SystemExit(1)):
        assert cli("testset", tmp_path / "a.txt", "-o", target, "--cases", "1").returncode == 1
    assert len(target.read_text().splitlines()) == 1


@pytest.mark.parametrize("place", ["none/out.json", "file/out.json", "folder.json"])
def test_a_path_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path, place: str) -> None:
    source = cases(tmp_path / "cases.jsonl", 1)
    (tmp_path / "file").touch()
    (tmp_path / "folder.json").mkdir()
    (old := tmp_path / "old.json").write_text("old")
    asked = probe(tmp_path, "http://127.0.0.1:1")
    before = set(tmp_path.iterdir())
    wrong = tmp_path / place
    a, b = reports(tmp_path)
    with (
        mock.patch("sidecar.commands.evaluate._run", side_effect=AssertionError),
        mock.patch("sidecar.commands.testset._made", side_effect=AssertionError),
        mock.patch("sidecar.commands.compare._reports", side_effect=AssertionError),
        mock.patch("sidecar.commands.probe.load_questions", side_effect=AssertionError),
    ):
        for words in (
            ("evaluate", source, "-o", wrong),
            ("evaluate", source, "-o", old, "-o", wrong, "--no-resume"),
            ("testset", source, "-o", wrong),
            ("compare", a, b, "-o", wrong),
            ("probe", asked, "-o", wrong),
            ("label", source, "--requests", source, "--labels", wrong),
            ("label", source, "--requests", source, "--labels", tmp_path / "labels", "--export", wrong),
            ("backfill", "--from", "2026-01-01", "--to", "2026-01-02", "-o", wrong),
        ):
            refused = cli(*words, KB_TOKEN="k")
            assert (refused.returncode, refused.stdout) == (2, ""), words
            assert f"{wrong}: " in refused.stderr
            assert "give a writable path" in refused.stderr
    assert set(tmp_path.iterdir()) == {*before, a, b}
    assert old.read_text() == "old"


def test_what_can_be_written_is_left_as_it_is_by_the_check(tmp_path: Path) -> None:
    (link := tmp_path / "link.json").symlink_to(tmp_path / "to.json")
    refuse_unwritable(None, Path("-"), Path("/dev/null"), link, tmp_path / "new.json")
    assert set(tmp_path.iterdir()) == {link}
    with (
        mock.patch("os.access", return_value=False),
        pytest.raises(ConfigError, match=r"--labels: .*: Permission denied \(give a writable path\)"),
    ):
        refuse_unwritable(tmp_path / "new", option="--labels")


def test_an_output_that_would_replace_what_is_read_is_refused_before_any_work(tmp_path: Path) -> None:
    source = cases(tmp_path / "cases.jsonl", 1)
    names = ("results.jsonl", "labels.jsonl", "settings.json", "gate.json", "token.json", "documents/a.md")
    (tmp_path / "documents").mkdir()
    for name in names:
        (tmp_path / name).write_text("{}" if name.endswith("json") else "")
    results, labels, settings, gate, token, document = (tmp_path / name for name in names)
    gate.write_text('{"most_unanswered": 0.5}')
    asked = probe(tmp_path, "http://127.0.0.1:1").rename(tmp_path / "probe.json")
    (link := tmp_path / "link.jsonl").symlink_to(labels)
    a, b = reports(tmp_path)
    from_results = ("testset", "--from-results", results, "--requests", source)
    label = ("label", results, "--requests", source, "--labels", labels)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with (
        mock.patch("sidecar.commands.evaluate._run", side_effect=AssertionError),
        mock.patch("sidecar.commands.testset._made", side_effect=AssertionError),
        mock.patch("sidecar.commands.testset.draw_cases", side_effect=AssertionError),
        mock.patch("sidecar.commands.label.run._read", side_effect=AssertionError),
        mock.patch("sidecar.commands.label.run.import_reviews", side_effect=AssertionError),
        mock.patch("sidecar.commands.compare._reports", side_effect=AssertionError),
        mock.patch("sidecar.commands.probe.load_questions", side_effect=AssertionError),
    ):
        for target, words in (
            (labels, (*label, "--export", labels)),
            (link, (*label, "--export", link)),
            (source, (*label, "--export", source)),
            (results, (*label, "--export", results)),
            (results, ("label", "--labels", labels, "--import", results, "--export", results)),
            (source, (*label, "--save", source)),
            (source, (*from_results, "-o", source)),
            (results, (*from_results, "-o", results)),
            (document, ("testset", tmp_path / "documents", "-o", document)),
            (gate, ("evaluate", source, "--gate", gate, "-o", gate)),
            (settings, ("evaluate", source, "-o", settings, "--config", settings)),
            (settings, ("score", source, settings, "--config", settings)),
            (settings, ("compare", a, b, "-o", settings, "--config", settings)),
            (token, ("compare", a, b, "-o", token, "--token-file", token)),
            (settings, ("probe", asked, "-o", settings, "--config", settings)),
            (asked, ("probe", asked, "-o", asked)),
            (settings, ("backfill", "--from", "2026-01-01", "--to", "2026-01-02", "-o", settings, "-c", settings)),
        ):
            refused = cli(*words, KB_TOKEN="k")
            assert (refused.returncode, refused.stdout) == (2, ""), words
            assert f"error {target}: is the input itself, which it would replace" in refused.stderr, words
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "words",
    [("inspect",), ("results", "tail", "--json"), ("results", "worst", "--requests"), ("calibrate",)],
    ids=" ".join,
)
def test_what_is_read_is_not_appended_to_by_standard_output(tmp_path: Path, words: tuple[str, ...]) -> None:
    source = cases(tmp_path / "cases.jsonl", 1)
    before = source.read_bytes()
    with source.open("ab") as stream:
        ended, said = run(*words, source, stdout=stream.fileno())
    assert (ended, source.read_bytes()) == (2, before)
    assert "error standard output: is the input itself, which it would replace" in said

"""What a stopped run leaves behind, and who may take it."""

from __future__ import annotations

from pathlib import Path

from sidecar.offline.journal import Journal
from sidecar.offline.record import CaseRecord
from tests.unit.offline.records import record, said


def kept(path: Path, settings: str = "me") -> set[str]:
    return set(Journal(path, settings, CaseRecord).done)


def test_what_was_added_is_there_for_the_next_run_with_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, "me", CaseRecord).open() as journal:
        journal.add(record("a", said("f", 1.0)))
        journal.add(record("b", said("f", None, "judge_timeout")))
        assert kept(path) == {"a"}  # also of a run that was killed
    with Journal(path, "me", CaseRecord).open() as journal:
        journal.add(record("c", said("f", 0.5)))
    assert kept(path) == {"a", "c"}
    assert kept(path, "another judge") == set()
    assert path.stat().st_mode & 0o077 == 0
    journal.remove()
    assert kept(path) == set()


def test_a_line_that_was_cut_off_costs_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, "me", CaseRecord).open() as journal:
        journal.add(record("a", said("f", 1.0)))
        journal.add(record("b", said("f", 1.0)))
    path.write_bytes(path.read_bytes()[:-9])
    assert kept(path) == {"a"}
    with Journal(path, "me", CaseRecord).open() as journal:
        journal.add(record("b", said("f", 1.0)))
    assert kept(path) == {"a", "b"}


def test_a_file_that_is_no_journal_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    path = tmp_path / "j"
    for content in (b"", b"[1]", b"\xff\n", b'{"schema": "other"}\n'):
        path.write_bytes(content)
        assert kept(path) == set()


def test_what_is_of_other_cases_stays_for_the_run_that_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, "me", CaseRecord).open() as journal:
        for name in "abc":
            journal.add(record(name, said("f", 1.0)))
    with Journal(path, "me", CaseRecord).open() as fewer:
        fewer.add(record("d", said("f", 1.0)))
    fewer.forget({"a", "d"})
    assert kept(path) == {"a", "b", "c", "d"}
    Journal(path, "me", CaseRecord).forget({"a", "b", "c", "d", "e"})
    assert not path.exists()

"""Which cases of a run repeat the id of another."""

from __future__ import annotations

from typing import Any

from sidecar.decode.config import DecodeConfig
from sidecar.offline.case import read_cases
from sidecar.offline.compare import unmatched
from sidecar.offline.copies import copies, once
from sidecar.offline.record import CaseRecord
from sidecar.offline.render.words import title
from tests.unit.offline.records import record
from tests.unit.offline.test_gate import report


def records(*rows: dict[str, Any]) -> list[CaseRecord]:
    cases, unread = read_cases(({"answer": "A.", **row} for row in rows), DecodeConfig())
    assert unread == []
    return [record(one.id, key=one.key, digest=one.digest) for one in cases]


def test_an_id_counts_once_whatever_else_it_looks_like() -> None:
    found = records(*({"id": own, "question": f"Q{n}?"} for n, own in enumerate(("e1", "e1#2", "e1", "e1#2", "e2"))))
    assert once(found) == [found[0], found[1], found[4]]
    assert copies(found) == [found[2], found[3]]
    assert unmatched(found, found[:2]) == (1, 0)


def test_without_an_id_question_and_reference_are_one() -> None:
    found = records(*({"question": q, "contexts": [str(n)]} for n, q in enumerate(("Who?", "Who?", "Why?"))))
    assert once(found) == [found[0], found[2]]


def test_what_has_neither_is_known_by_its_place() -> None:
    found = records(*({"answer": f"Answer {n}.", "contexts": ["C."]} for n in range(3)))
    assert once(found) == found


def test_a_session_is_no_copy_of_a_case_of_its_name() -> None:
    found = [record("s", key="s"), record("s", key="session:s")]
    assert once(found) == found


def test_a_report_tells_how_many_cases_repeat_an_id() -> None:
    assert title(report(*records({"id": "a"}, {"id": "b"}))) == "2 cases of cases.jsonl"
    several = records(*({"id": one} for one in "aaabbccddd"))
    assert title(report(*several)) == "10 cases of cases.jsonl, 6 of them repeating an id (a, b, c, ...)"

"""Cases: what names them, what pairs them, and what makes them another case."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.offline.case import Case, read_cases
from sidecar.record.errors import DecodeError

ROW: dict[str, Any] = {
    "question": "How long?",
    "answer": "Two years.",
    "contexts": ["It is two years."],
    "reference": "2 years",
}


def cases(*rows: object) -> list[Case]:
    found, unread = read_cases(rows, DecodeConfig())
    assert unread == []
    return found


def test_a_case_without_an_id_is_named_by_its_question_and_the_same_in_every_run() -> None:
    [one], [again] = cases(ROW), cases(ROW)
    assert one == again
    [other] = cases({**ROW, "answer": "Three years.", "contexts": []})
    assert (other.key, other.id) == (one.key, one.id)
    assert other.digest != one.digest


def test_a_question_that_comes_twice_is_two_cases() -> None:
    first, second = cases(ROW, ROW)
    assert second.key == f"{first.key}#2"
    assert first.digest != second.digest


@pytest.mark.parametrize(
    "change",
    [
        {"contexts": ["It is 3."]},
        {"reference": "3"},
        {"kind": "simple"},
        {"origin": "human"},
        {"service": "kb"},
        {"id": "7"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_changes_a_case_changes_its_digest(change: dict[str, Any]) -> None:
    assert cases(ROW)[0].digest != cases({**ROW, **change})[0].digest


@pytest.mark.parametrize("name", ["kind", "case_kind", "synthesizer_name"])
def test_a_kind_is_one_word(name: str) -> None:
    [one] = cases({**ROW, name: "Multi-Hop"})
    assert one.kind == "multi_hop"
    assert cases({**ROW, name: "negative"})[0].negative


def test_rows_that_are_no_case_are_told_with_their_place() -> None:
    found, unread = read_cases([ROW, [1], DecodeError("bad_json", "line 1"), {"id": "x"}], DecodeConfig())
    assert len(found) == 1
    assert [(one.row, one.reason) for one in unread] == [(2, "not_an_object"), (3, "bad_json"), (4, "missing_field")]


def test_a_row_with_a_value_of_an_odd_kind_is_a_row_that_is_no_case() -> None:
    cases, unread = read_cases(
        [{"question": "Q?", "answer": "A.", "generation_params": {"t": {1, 2}}}, {"question": "Q?", "answer": "A."}],
        DecodeConfig(),
    )
    assert (len(cases), [(one.row, one.reason) for one in unread]) == (1, [(1, "bad_row")])


def test_ids_that_repeat_get_names_that_nobody_has() -> None:
    rows = [
        {"request_id": own, "question": f"Q{n}?", "answer": "A."} for n, own in enumerate(("e1", "e1#2", "e1", "e1#2"))
    ]
    cases, _ = read_cases(rows, DecodeConfig())
    assert len({one.key for one in cases}) == 4

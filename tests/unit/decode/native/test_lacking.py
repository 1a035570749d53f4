"""Fields that nobody reads are told where nearly all records lack what is scored."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.misspelt import Misspelt

OWN: dict[str, Any] = {"q": "Secret?", "a": "Secret.", "contexts": ["Secret."]}
WHOLE: dict[str, Any] = {"question": "Secret?", "answer": "Secret.", "contexts": ["Secret."], "team": "Secret"}
_TOLD = "fields that are not read (docs/native.md has those that are, decode.mapping takes names of your own)"
SPAN = {"name": "q", "context": {"trace_id": "0x1"}, "attributes": {}}


def told(records: list[dict[str, Any]], **settings: Any) -> list[str]:
    found = Misspelt(DecodeConfig(**settings), values=True)
    for record in records:
        found.add(record)
    return found.told()


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([OWN], f"no answer in 1 of 1 record; {_TOLD}: a"),
        ([OWN] * 19 + [WHOLE], f"no answer in 19 of 20 records; {_TOLD}: a"),
        ([{"text": "Secret"}] * 2, f"no question in 2, no answer in 2, no contexts in 2 of 2 records; {_TOLD}: text"),
        ([{**OWN, "b": 1}, OWN], f"no answer in 2 of 2 records; {_TOLD}: a, b"),
        ([{"question": "Secret?", "answer": "Secret.", "docs": []}], f"no contexts in 1 of 1 record; {_TOLD}: docs"),
        ([{**OWN, "a\x1b": 1}], f"no answer in 1 of 1 record; {_TOLD}: a, a\ufffd"),
    ],
    ids=["an answer", "nearly all", "everything", "the usual first", "contexts", "a terminal"],
)
def test_what_nearly_all_records_lack_is_told_once(records: list[dict[str, Any]], said: str) -> None:
    assert told(records) == [said]


@pytest.mark.parametrize(
    "records",
    [
        [],
        [WHOLE],
        [OWN, WHOLE],
        [{"q": "Secret?", "contexts": ["Secret."]}],
        [{"q": "Secret?", "a": "Secret.", "messages": [{"role": "user", "content": "Secret?"}]}],
        [{"user_input": [{"role": "user", "content": "Secret?"}], "a": 1}],
        [{**WHOLE, "answer": ""}],
    ],
    ids=["nothing", "whole", "some", "all are read", "a conversation", "one of Ragas", "an empty answer"],
)
def test_nothing_is_told_of_others(records: list[dict[str, Any]]) -> None:
    assert told(records) == []


def test_what_a_mapping_finds_lacks_nowhere_and_what_other_tools_write_is_told_as_that() -> None:
    assert told([OWN], mapping={"answer": "a"}) == []
    assert len(told([SPAN])) == 1

"""Fields that are spelt almost as one that is read."""

from __future__ import annotations

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.misspelt import Misspelt


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("quesion", "question"),
        ("qeustion", "question"),
        ("Questions", "question"),
        ("anwser", "answer"),
        ("awnser", "answer"),
        ("reponse", "response"),
        ("conntexts", "contexts"),
        ("retreived-contexts", "retrieved_contexts"),
        ("ground_thruth", "ground_truth"),
        ("sesion_id", "session_id"),
        # Known by themselves, or words of their own.
        ("context", None),
        ("latency_ms", None),
        ("answer_id", None),
        ("question_type", None),
        ("device", None),
        ("batches", None),
        ("ranking", None),
        ("version", None),
        ("user", None),
        ("ids", None),
        ("metadata", None),
        ("", None),
    ],
)
def test_close_misspellings_alone_are_told(name: str, meant: str | None) -> None:
    found = Misspelt(DecodeConfig())
    found.add({name: "My secret", "question": "What?"})
    expected = [] if meant is None else [f"field {name!r} is not read (1 record): did you mean {meant}?"]
    assert found.told() == expected


def test_what_the_settings_read_is_no_mistake_and_records_are_counted() -> None:
    found = Misspelt(DecodeConfig(keep_attributes=("anwser",)))
    for record in ({"anwser": "a", "quesion": "q"}, {"quesion": "q"}, ["quesion"], None):
        found.add(record)
    assert found.told() == ["field 'quesion' is not read (2 records): did you mean question?"]

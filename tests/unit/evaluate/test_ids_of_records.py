"""Ids of documents, as native records give them, against those of the reference contexts."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native
from sidecar.evaluate.metrics.chunks import own_id


@pytest.mark.parametrize(
    ("contexts", "found"),
    [
        ([{"id": "c1", "text": "A"}, {"id": "c2", "text": "B"}], ["c1", "c2"]),
        ([{"id": "c1", "text": "A"}, {"id": "c2", "text": "B"}, {"id": "c1", "text": "C"}], ["c1", "c2", "c1"]),
        (["A", "B"], [None, None]),
    ],
    ids=["each its own", "two chunks of one document", "none"],
)
def test_an_id_is_the_one_that_the_record_gave(contexts: list[Any], found: list[str | None]) -> None:
    trace = read_native(
        {"question": "Q?", "answer": "A.", "contexts": contexts}, DecodeConfig(), fallback_timestamp=0.0
    )
    assert [own_id(document, {"c1"}) for document in trace.documents] == found

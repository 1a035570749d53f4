"""What a claim says of one section and another one of its kind says."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.reading import read
from sidecar.inference.contrasts.sections import Line, misattributed
from sidecar.inference.embedding.text import content_stem, read_words

NEWEST, BEFORE = frozenset({"2.4"}), frozenset({"2.3"})
SAID = {NEWEST: "New: webhooks for comments.", BEFORE: "New: dashboards can be shared by link."}
LINES = [Line(row, frozenset(read_words(text).stems), (0, n)) for n, (row, text) in enumerate(SAID.items())]


@pytest.mark.parametrize(
    ("claim", "question", "section"),
    [
        ("Webhooks for comments came in 2.3.", "", NEWEST),
        ("Webhooks for comments came in 2.3.", "2.4", NEWEST),  # the claim's own name counts before the question's
        ("Dashboards can be shared by link.", "2.4", BEFORE),
        ("Webhooks for comments came in 2.4.", "2.3", None),
        ("Webhooks for comments came in 2.4, not in 2.3.", "", None),
        ("Webhooks came in 2.3.", "", None),  # one word alone
        ("Something else came in 2.3.", "", None),
    ],
)
def test_a_line_of_another_section_is_found(claim: str, question: str, section: frozenset[str] | None) -> None:
    line = misattributed(read(claim, content_stem), frozenset({question}), LINES, [], lambda _: 5.0)
    assert (line and line.row) == section

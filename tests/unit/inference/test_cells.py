"""What a claim says of a row of a table that another row has, in words."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.cells import Cell, Row, misplaced
from sidecar.inference.contrasts.reading import Reading, read
from sidecar.inference.embedding.text import content_stem, read_words

HEAD = "| Plan | Support | Region |"
TABLE = (("Basic", "email", "Europe"), ("Team", "email and chat", "Europe"), ("Business", "phone", "worldwide"))


def words(text: str) -> frozenset[str]:
    return frozenset(read_words(text).stems)


def row(number: int, cells: tuple[str, ...]) -> Row:
    return Row(
        number,
        HEAD,
        words("Plan Support Region"),
        [Cell(words(text), 10 * n, 10 * n + len(text)) for n, text in enumerate(cells)],
    )


def reading(text: str) -> Reading:
    return read(text, content_stem)


@pytest.mark.parametrize(
    ("claim", "other", "found"),
    [
        ("Team has phone support.", "", "phone"),
        ("Team has chat support.", "", ""),
        ("Team has email support and is offered in Europe.", "", ""),
        ("Team has no phone support.", "", ""),
        ("Team has phone support.", "Since May the Team plan has phone support too.", ""),
        ("Team and Business have phone support.", "", ""),
        ("Team is for Europe, the worldwide one has phone support.", "", ""),
        ("Phone support is available.", "", ""),
    ],
)
def test_what_another_row_has_is_told(claim: str, other: str, found: str) -> None:
    rows = [row(number, cells) for number, cells in enumerate(TABLE)]
    one = misplaced(reading(claim), rows, [reading(other)] if other else [])
    assert (one is None) == (not found)
    if one is not None:
        assert claim[one.start : one.end] == "Team"
        assert (one.piece, TABLE[one.piece][one.other_start // 10]) == (2, found)

"""How many times in a while something is, said in two ways."""

from __future__ import annotations

import pytest

from sidecar.inference.values.often import as_often
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values


@pytest.mark.parametrize(
    ("piece", "claim", "right", "wrong"),
    [
        ("Issues appear quarterly.", "There are four issues a year.", 1, 0),
        ("Issues appear quarterly.", "There are six issues a year.", 0, 1),
        ("The magazine appears quarterly.", "There are four issues a year.", 1, 0),
        ("Rent is due monthly in advance.", "There are twelve payments a year.", 1, 0),
        ("Trains run every 20 minutes.", "There are three trains an hour.", 1, 0),
        ("Trains run every 20 minutes.", "There are two trains an hour.", 0, 1),
        ("Three trains an hour go there.", "A train goes every 20 minutes.", 1, 0),
        ("Issues appear quarterly. Four pages a year are blank.", "Four pages a year are blank.", 0, 0),
        ("Coffee is served every hour.", "There are two sessions a day.", 0, 0),
        ("Take 2 tablets every six hours.", "Take six tablets a day.", 0, 0),
        ("It makes 200 parts an hour.", "It makes 1,600 parts a day.", 0, 0),
        ("It lasts three months.", "There are four issues a year.", 0, 0),
    ],
)
def test_so_many_times_a_while_is_so_long_from_one_to_the_next(piece: str, claim: str, right: int, wrong: int) -> None:
    found = as_often(stated(claim, stem_beside_values), [stated(piece, stem_beside_values)])
    assert tuple(map(len, found)) == (right, wrong)

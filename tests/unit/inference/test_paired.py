"""Tables and lists of an answer whose cells have changed places."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.paired import exchanged_with, pairs_of
from sidecar.inference.embedding.text import content_stem

CLUB = "Ines Falk takes over the women's squad. Tobias Renn coaches the men's squad, and Oduya Bright continues with the juniors."
PLANS = (
    "The Starter plan costs €9 a month and includes 5 GB of storage and e-mail support. The Growth plan costs €19 a month and includes 50 GB of storage, "
    "telephone support and an audit log."
)
DATES = (
    "The draft must be ready by 3 March; Nadia Brook writes it. The review ends on 17 March and is led by Tom Ellery."
)


@pytest.mark.parametrize(
    ("parts", "text", "wrong"),
    [
        (["Women: Tobias Renn; men: Ines Falk; juniors: Oduya Bright."], CLUB, True),
        (["Women: Ines Falk; men: Tobias Renn; juniors: Oduya Bright."], CLUB, False),
        (["Squad: Women; Coach: Tobias Renn", "Squad: Men; Coach: Ines Falk"], CLUB, True),
        (["Squad: Women; Coach: Ines Falk", "Squad: Men; Coach: Tobias Renn"], CLUB, False),
        (["Storage; Starter: 50 GB", "Storage; Growth: 5 GB"], PLANS, True),
        (["Storage; Starter: 5 GB", "Storage; Growth: 50 GB"], PLANS, False),
        (["Support; Starter: telephone", "Support; Growth: e-mail"], PLANS, True),
        (["Audit log; Starter: yes", "Audit log; Growth: no"], PLANS, True),
        (["Audit log; Starter: no", "Audit log; Growth: yes"], PLANS, False),
        (["Starter; Audit log: yes", "Growth; Audit log: no"], PLANS, True),
        (["Step: Draft; Date: 17 March", "Step: Review; Date: 3 March"], DATES, True),
        (["Step: Draft; By: Tom Ellery", "Step: Review; By: Nadia Brook"], DATES, True),
        (["Storage; Starter: 50 GB"], PLANS, False),  # one alone has changed places with nothing
        (["Starter is cheaper."], PLANS, False),
    ],
)
def test_cells_that_have_changed_places_are_found(parts: list[str], text: str, *, wrong: bool) -> None:
    found = exchanged_with(pairs_of(parts, content_stem), ["Welcome.", text], content_stem)
    assert (found is not None) is wrong
    assert found is None or (found.text == 1 and text[found.start : found.end])

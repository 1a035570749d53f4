"""Values that stand against one that is no contrary of theirs, and whole answers that are a table."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.copied import mean_of_cells
from sidecar.inference.grounding.embedded import EmbeddedGrounder

BONUS = "Employees who joined after 1 July get half of the bonus."
GARDEN = "The garden closes at 8 pm from April to October, otherwise at 4 pm."
CUTOFF = (
    "Transfers submitted before 16:00 on a business day arrive the same day; later ones arrive the next business day."
)
NIGHT = "Line 87 is the night bus: it runs hourly from 0:15 to 4:15 and takes 40 minutes."
PHONES = "The Nova 5 costs €649 and the Nova 5 Max costs €799."
PERMIT = "The permit costs CAD 40 a year."


@pytest.mark.parametrize(
    ("claim", "text", "stands"),
    [
        ("If you joined in September, you get half of the bonus.", BONUS, True),
        ("If you joined in May, you get half of the bonus.", BONUS, False),
        ("In November the garden closes at 4 pm.", GARDEN, True),
        ("In July the garden closes at 8 pm.", GARDEN, True),
        ("In July the garden closes at 4 pm.", GARDEN, False),
        ("In November the garden closes at 8 pm.", GARDEN, False),
        ("A transfer sent at 5 pm on Friday arrives on Monday.", CUTOFF, True),
        ("A transfer sent at 5 pm on Friday arrives the same day.", CUTOFF, False),
        ("At 2 am you need the night bus, line 87.", NIGHT, True),
        ("The first night bus leaves at 2 am.", NIGHT, False),
        ("The Nova 5 Max costs €150 more.", PHONES, True),
        ("The Nova 5 Max costs €120 more.", PHONES, False),
        ("It costs $40 a year.", PERMIT, True),
        ("It costs 40 US dollars a year.", PERMIT, False),
    ],
)
async def test_a_value_stands_by_what_is_said_of_it(
    grounder: EmbeddedGrounder, claim: str, text: str, *, stands: bool
) -> None:
    [found] = await grounder.support([Claim(claim)], [text])
    assert found.probability > 0.3 if stands else found.probability < 0.25


def test_cells_of_a_table_are_a_whole_by_their_mean() -> None:
    supports = [Support(0.9, None), Support(0.5, None)]
    cells = [Claim("Starter; Price: €9"), Claim("Growth; Price: €19")]
    assert mean_of_cells(cells, supports) == pytest.approx(0.7)
    assert mean_of_cells([Claim("10–15 kg: 2.5 ml"), Claim("16–20 kg: 5 ml")], supports) == pytest.approx(0.7)
    assert mean_of_cells([Claim("Starter costs €9."), Claim("Growth costs €19.")], supports) is None
    assert mean_of_cells(cells[:1], supports[:1]) is None

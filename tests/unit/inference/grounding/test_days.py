"""Days beside ranges of days."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import EmbeddedGrounder

DOCUMENTS = [
    "The outdoor pool is open from May to September, daily from 9 to 20.",
    "The museum is open Tuesday to Sunday, 10 a.m. to 6 p.m.",
    "Support is available Monday to Friday, 9:00-17:00 CET.",
]


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("The museum is open on Wednesdays.", True),
        ("The museum is closed on Mondays.", True),
        ("The pool is open in July.", True),
        ("The pool is closed in November.", True),
        ("The pool isn't open in March.", True),
        ("Support is not available on Sundays.", True),
        ("The museum is open on Mondays.", False),
        ("The museum is closed on Wednesdays.", False),
        ("The pool is open in November.", False),
        ("The pool is closed in July.", False),
        ("Support is available on Sundays.", False),
        ("Support is not available on Tuesdays.", False),
        ("Don't worry, the museum is open on Mondays.", False),
        ("The museum is open on Mondays with no booking needed.", False),
        ("The museum is never closed on Mondays.", False),
        ("The pool is closed from October to April.", True),
    ],
)
async def test_a_day_is_within_a_range_or_outside(grounder: EmbeddedGrounder, claim: str, supported: bool) -> None:
    [found] = await grounder.support([Claim(claim)], DOCUMENTS)
    assert found.probability > 0.4 if supported else found.probability < 0.15

"""What every judged form of the registry promises, whatever the judge says."""

from __future__ import annotations

import pytest

from exporters.result import Outcome
from sidecar.evaluate.registry import EVALUATORS, Entry, judged_name
from tests.unit.evaluate.fakes import request
from tests.unit.evaluate.judged.scripted import engine, judged, only
from tests.unit.evaluate.test_contracts import WRITTEN

JUDGED = [entry for entry in EVALUATORS if entry.judged is not None]
JUNK = [
    "I would rather not say.",
    "{}",
    '{"reason": "r", "rating": 7}',
    '{"claims": "a"}',
    '{"verdicts": [], "claims": []}',
]


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("entry", JUDGED, ids=lambda entry: entry.name)
async def test_a_judge_that_says_something_else_gives_no_score(entry: Entry, junk: str) -> None:
    async with engine(lambda _: junk, only(entry.name)) as (made, _):
        found = await judged(made, request(**WRITTEN))
    assert (found.evaluator, found.score) == (judged_name(entry), None)
    assert found.outcome is Outcome.FAILED


@pytest.mark.parametrize("entry", JUDGED, ids=lambda entry: entry.name)
async def test_a_request_without_anything_is_not_sent(entry: Entry) -> None:
    async with engine(lambda _: "", only(entry.name)) as (made, server):
        found = await judged(made, request(question=None, answer=None, documents=()))
    assert found.outcome is Outcome.UNSCORABLE
    assert (found.reason or "").startswith("no_")
    assert server.asked == []

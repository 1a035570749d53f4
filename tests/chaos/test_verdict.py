"""The judge of chaos tells what is lost, poorer, partial, differing and merely doubled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chaos.verdict import judge


def result(*, documents: int = 3, verdict: str | None = "grounded", score: float = 0.962549) -> dict[str, Any]:
    """A result of a request with as many documents, three of which make it whole."""
    scored = [{"rank": n, "score": score} for n in range(documents)]
    evaluations = [{"evaluator": "context_relevance", "documents": scored}]
    return {"verdict": verdict, "completed_at": score, "trace": {}, "evaluations": evaluations}


PART = result(documents=0, verdict=None)


@pytest.mark.parametrize(
    ("found", "name"),
    [
        ([], "lost"),
        ([PART], "partial"),
        ([result(), PART], "poorer"),
        ([result(), result(score=0.97)], "differing"),
        ([result(), result(verdict="hallucinated")], "differing"),
    ],
    ids=["nothing", "a part alone", "a part over the whole", "another score", "another verdict"],
)
def test_what_is_wrong_with_a_request_has_its_name(found: list[dict[str, Any]], name: str) -> None:
    report = judge(["t"], {"t": found} if found else {})
    wrong = {kind for kind in ("lost", "poorer", "partial", "differing") if getattr(report, kind)}
    assert wrong == {name}


def starved(*, spans: int, root: bool, reason: str = "timeout") -> dict[str, Any]:
    failed = {"evaluator": "groundedness", "outcome": "failed", "reason": reason}
    return {**PART, "evaluations": [failed], "trace": {"root_seen": root, "spans": spans}}


@pytest.mark.parametrize("spans", [1, 3], ids=["a native request", "a trace"])
def test_what_was_seen_whole_and_could_not_be_scored_in_time_is_no_part(spans: int) -> None:
    report = judge(["t"], {"t": [starved(spans=spans, root=True)]})
    assert (report.starved, report.partial) == (("t",), ())


@pytest.mark.parametrize(
    "found",
    [starved(spans=2, root=True), starved(spans=1, root=False), starved(spans=3, root=True, reason="internal")],
    ids=["without its documents", "its documents alone", "failed otherwise"],
)
def test_a_part_is_partial_whether_it_could_be_scored_in_time_or_not(found: dict[str, Any]) -> None:
    report = judge(["t"], {"t": [found]})
    assert (report.starved, len(report.partial)) == ((), 1)


@pytest.mark.parametrize("score", [0.962549, 0.962548], ids=["equal", "equal but for the last digit"])
def test_equal_results_are_doubled_and_nothing_else(score: float) -> None:
    report = judge(["t"], {"t": [PART, result(), result(score=score)]})
    assert (report.lost, report.poorer, report.partial, report.differing, report.doubled) == ((), (), (), (), 2)

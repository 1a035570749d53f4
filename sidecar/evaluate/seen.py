"""What a result says of its answer: the local model's verdict, and a judge's where one was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from exporters.result import Evaluation, Result, Verdict
from sidecar.evaluate.verdict import UNDECIDED

_DECIDED = (Verdict.GROUNDED, Verdict.HALLUCINATED)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was said of one answer at a time (seconds): `flagged` by the local model, whose answer has `weight`, and `judged`
    hallucinated by the judge, to whom it was shown with 1 / `judge_weight`. None is: no verdict, or not shown."""

    at: float
    flagged: bool | None
    weight: float
    judged: bool | None = None
    judge_weight: float = 0.0

    @classmethod
    def of(cls, result: Result, at: float) -> Self | None:
        """Of a result; None where it says nothing of an answer."""
        judge = next((e for e in result.evaluations if e.judged and e.label in _DECIDED), None)
        local = next((e for e in result.evaluations if e.decides_verdict and not e.judged), None)
        flagged = None
        if result.verdict in _DECIDED:
            flagged = result.verdict is Verdict.HALLUCINATED and (local is None or local.label == Verdict.HALLUCINATED)
        if judge is None or (local is not None and local.label == UNDECIDED):
            return None if flagged is None else cls(at, flagged, result.weight)
        return cls(at, flagged, result.weight, judge.label == Verdict.HALLUCINATED, _weight(result, judge))


def _weight(result: Result, judge: Evaluation) -> float:
    return (result.upstream_adjusted_count or 1.0) / result.probability_of(judge)

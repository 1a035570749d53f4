"""The verdict on an answer: the one place where it is decided. See docs/adr/0013."""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import Evaluation, Verdict

UNDECIDED = "undecided"


def label_of(score: float, threshold: float, supported: Sequence[bool]) -> str:
    """The label of an evaluation that decides the verdict.

    `score` is that of the whole answer, `supported` says of each of its claims whether the documents support it. Grounded takes a
    score at or above the threshold and a supported claim, hallucinated a score below it and a claim that is not supported. Where
    the score says one thing and every claim the other, nothing is decided.
    """
    if score >= threshold:
        return Verdict.GROUNDED if any(supported) else UNDECIDED
    return UNDECIDED if supported and all(supported) else Verdict.HALLUCINATED


def verdict_of(evaluations: Sequence[Evaluation]) -> Verdict | None:
    """The verdict on a request: abstained where an evaluator said so, else the label of the first evaluation that decides it;
    None where nothing was decided."""
    if any(one.reason == Verdict.ABSTAINED for one in evaluations):
        return Verdict.ABSTAINED
    label = next((one.label for one in evaluations if one.decides_verdict and one.label), None)
    return Verdict(label) if label in frozenset(Verdict) else None

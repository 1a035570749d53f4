"""Answers of one claim whose plain question and one sentence tell whether they are right (inference/answers)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.answers.reading import Told
from sidecar.inference.answers.told import told
from sidecar.inference.base import Claim, Support

_HOLDS, _CONTRADICTED = 0.5, 0.05  # the probability, at least and at most

Tell = Callable[[str, str, Sequence[str]], Told | None]


def answered(
    supports: list[Support], claims: Sequence[Claim], documents: Sequence[str], tell: Tell = told
) -> list[Support]:
    """What was found of the claims, the first of `supports`, with what a sentence tells of the only one; `tell` is of their language."""
    if len(claims) != 1:
        return supports
    answer = f"{claims[0].reply}, {claims[0].text}" if claims[0].reply else claims[0].text
    found = tell(claims[0].question, answer, documents)
    if found is None:
        return supports
    one, there = supports[0], Evidence(found.document, found.start, found.end)
    if found.holds:
        return [replace(one, probability=max(one.probability, _HOLDS), conflicts=()), *supports[1:]]
    conflicts = one.conflicts or (ValueConflict(0, len(claims[0].text), there),)
    least = min(one.probability, _CONTRADICTED)
    return [replace(one, probability=least, contrary=1.0, contradicted=1 - least, conflicts=conflicts), *supports[1:]]

"""Answers whose plain question and one sentence tell whether they are right (inference/answers), and claims that passages about other things make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.answers.reading import Told
from sidecar.inference.answers.told import told
from sidecar.inference.base import Claim, Support
from sidecar.inference.contrasts.causes import of_another_reason
from sidecar.inference.contrasts.doers import done_by_another
from sidecar.inference.contrasts.subjects import of_another
from sidecar.inference.contrasts.timetable import on_other_days

_HOLDS, _CONTRADICTED = 0.5, 0.05  # the probability, at least and at most

Tell = Callable[[str, str, Sequence[str]], Told | None]


def answered(
    supports: list[Support], claims: Sequence[Claim], documents: Sequence[str], tell: Tell = told
) -> list[Support]:
    """What was found of the claims, the first of `supports`, with what a sentence tells of the one that the answer begins with; `tell` is of their language."""
    if not claims:
        return supports
    answer = f"{claims[0].reply}, {claims[0].text}" if claims[0].reply else claims[0].text
    found = tell(claims[0].question, answer, documents)
    if found is None:
        return supports
    one, there = supports[0], Evidence(found.document, found.start, found.end)
    if found.holds:
        return [replace(one, probability=max(one.probability, _HOLDS), conflicts=()), *supports[1:]]
    return [_contradicted(one, claims[0], there), *supports[1:]]


def as_told(
    supports: list[Support], claims: Sequence[Claim], documents: Sequence[str], weight: Callable[[str], float]
) -> list[Support]:
    """What was found of the claims, with what sentences tell of the first, and passages about other things of each."""
    return about_another(answered(supports, claims, documents), claims, documents, weight)


def about_another(
    supports: Sequence[Support], claims: Sequence[Claim], documents: Sequence[str], weight: Callable[[str], float]
) -> list[Support]:
    """What was found of the claims, the first of `supports`, where one says of its thing what a passage about another one does, of somebody
    what another does, of a matter what is the reason of another, or of days what a timetable has on others."""
    texts = [claim.text for claim in claims]
    question = claims[0].question if claims else ""
    found = of_another(texts, question, documents, weight) | done_by_another(texts, documents, weight)
    found = of_another_reason(texts, question, documents, weight) | found
    there = [found.get(n) or on_other_days(text, documents) for n, text in enumerate(texts)]
    return [
        _contradicted(one, claim, other) if other else one
        for one, claim, other in zip(supports[: len(claims)], claims, there, strict=True)
    ]


def _contradicted(one: Support, claim: Claim, there: Evidence) -> Support:
    conflicts = one.conflicts or (ValueConflict(0, len(claim.text), there),)
    least = min(one.probability, _CONTRADICTED)
    return replace(one, probability=least, contrary=1.0, contradicted=1 - least, conflicts=conflicts)

"""Where a claim says of one phase what a text says of the other: "after probation the department head approves leave" of "during the probation period the department
head has to approve it; afterwards the team lead does"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.before import alike
from sidecar.inference.contrasts.reading import Stem, denies
from sidecar.inference.values.stems import stems_of

_LONGEST, _MOST = 20_000, 40
_THE = r"(?:(?:the|your|their|its|an?|his|her) )?"
_PHASE = r"(?P<phase>[^\W\d_][\w-]{2,20}(?: [^\W\d_][\w-]{2,20})?)"
_TURNS = re.compile(
    rf"(?:\A|(?<=[.!?\n])\s?)(?P<first>[^.!?\n;]{{0,120}}\b(?:during|in|within|until the end of|before the end of) {_THE}{_PHASE}[^.!?\n;]{{0,200}})"
    r"(?:[;,.] (?:and |but )?(?:afterwards|after that|thereafter|from then on)\b,?)(?P<then>[^.!?\n;]{5,200})",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\b(?:after|following|once) {_THE}{_PHASE}|\bonce {_THE}(?P<past>[^\W\d_][\w -]{{2,30}}) (?:is|has|are|have) (?:over|ended|passed|finished|been completed)\b",
    re.IGNORECASE,
)
_DURING = re.compile(rf"\b(?:during|in|within|until the end of|before the end of) {_THE}{_PHASE}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w{1,2})?")


@dataclass(frozen=True, slots=True)
class Phases:
    """What is so during a phase and what after it, each by the stems that the other has not; text[start:end] says so."""

    phase: frozenset[str]
    during: frozenset[str]
    after: frozenset[str]
    start: int
    end: int


def phases_of(text: str, stem: Stem) -> tuple[Phases, ...]:
    """The phases that a text tells of, with what comes after each."""
    return tuple(_phases(text[:_LONGEST], stem))[:_MOST]


def of_another_phase(claim: str, phases: Sequence[Phases], stem: Stem) -> Phases | None:
    """The phases of which a claim exchanges what is so during and after. Claims that deny are not looked at."""
    said = stems_of(claim, stem)
    if any(denies(word.lower()) for word in _WORD.findall(claim)):
        return None
    for one in phases:
        if not one.phase & said:
            continue
        after = any(_names(found, one, stem) for found in _AFTER.finditer(claim))
        during = any(_names(found, one, stem) for found in _DURING.finditer(claim))
        own, other = (one.after, one.during) if after else (one.during, one.after)
        if after != during and other & said and not own & said:
            return one
    return None


def _names(found: re.Match[str], one: Phases, stem: Stem) -> bool:
    groups = found.groupdict()
    return bool(stems_of(groups["phase"] or groups.get("past") or "", stem) & one.phase)


def _phases(text: str, stem: Stem) -> Iterator[Phases]:
    for found in _TURNS.finditer(text):
        first, then = stems_of(found["first"], stem), stems_of(found["then"], stem)
        # What stands before a phase is of both: "leave during probation ...; afterwards the team lead approves it".
        phase = stems_of(text[found.start() : found.end("phase")], stem)
        during, after = (
            frozenset(one for one in mine - phase if not any(alike(one, other) for other in theirs))
            for mine, theirs in ((first, then), (then, first))
        )
        if during and after:
            yield Phases(stems_of(found["phase"], stem), during, after, *found.span())

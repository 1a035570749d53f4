"""Why it is so: "uploads failed because the session database was overloaded" where that is what slowed sign-in down on another day, by another report, and uploads failed for a
reason of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from exporters.result import Evidence
from sidecar.inference.embedding.text import read_words, sentences

_BECAUSE = re.compile(
    r"\b(?:because(?: of)?|since(?= [a-z])|due to|owing to|on account of|as a result of|thanks to|caused by|given that|the (?:cause|reason) (?:is|was))\s"
    r"|(?<=[a-z],) as (?=the\b|it\b|there\b)",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\A\W{0,3}(?:(?:and|but|so),? )?(?:why|how come|for what reason|what (?:is|was|are|were) the (?:reason|cause)s?|what (?:caused|led to|explains))\b",
    re.IGNORECASE,
)
_SAYS_WHY = re.compile(
    r"\b(?:because|since|due to|owing to|caus(?:e|es|ed|ing)|reasons?|after|following|as a result|result(?:s|ed|ing)? (?:of|from|in)|le(?:d|ads?) to"
    r"|so that|therefore|in order to|so|as the|thanks to)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|neither|nor|without|cannot|rather|instead|unlike|also|both|too|other|another)\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!?]\s")
_LEAST, _FOREIGN, _IN_ONE = 2, 0.6, 0.6  # stems, shares of the reason, by weight
_OF_IT, _NEARER = 0.4, 0.15  # shares of what it is a reason for
_MOST_TEXTS, _MOST_SENTENCES = 40, 200

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class _Part:
    """A text: its stems, whether it says why anything is so, and its sentences."""

    stems: frozenset[str]
    says_why: bool
    sentences: tuple[tuple[frozenset[str], Evidence], ...]


def of_another_reason(
    claims: Sequence[str], question: str, texts: Sequence[str], weight: Weight
) -> dict[int, Evidence]:
    """The claims, by number, that have the reason that one text gives for something else than they give it for, and its sentence."""
    asks_why = _WHY.match(question) is not None
    giving = {n: claim for n, claim in enumerate(claims) if _BECAUSE.search(claim) or (asks_why and n == 0)}
    if not giving or len(texts) < _LEAST:
        return {}
    parts = [_part(text, number) for number, text in enumerate(texts[:_MOST_TEXTS])]
    found = {n: _of_another(claim, question if n == 0 else "", parts, weight) for n, claim in giving.items()}
    return {n: there for n, there in found.items() if there is not None}


def _part(text: str, number: int) -> _Part:
    spans = sentences(text)[:_MOST_SENTENCES]
    told = tuple((_said(text[one.start : one.end]), Evidence(number, one.start, one.end)) for one in spans)
    every = frozenset[str]().union(*(stems for stems, _ in told))
    return _Part(every, _SAYS_WHY.search(text) is not None, told)


def _of_another(claim: str, question: str, parts: Sequence[_Part], weight: Weight) -> Evidence | None:
    if _DENIES.search(claim):
        return None
    for effect, reason in _reasons(claim, question):
        total, of = sum(map(weight, effect)), sum(map(weight, reason))
        if not total or not of:
            continue
        held = sorted(
            ((sum(map(weight, effect & part.stems)) / total, n) for n, part in enumerate(parts)), reverse=True
        )
        share, best = held[0]
        if share < max(_OF_IT, held[1][0] + _NEARER) or not parts[best].says_why:
            continue
        foreign = reason - parts[best].stems
        much = sum(map(weight, foreign))
        if len(foreign) >= _LEAST and much >= _FOREIGN * of:
            others = (one for n, part in enumerate(parts) if n != best for one in part.sentences)
            return next((there for stems, there in others if sum(map(weight, foreign & stems)) >= _IN_ONE * much), None)
    return None


def _reasons(claim: str, question: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What a claim gives a reason for and the reason; what its question asks why of, and the claim."""
    why = _said(question) if _WHY.match(question) else frozenset[str]()
    found = _BECAUSE.search(claim)
    if found is not None:
        before, behind = claim[: found.start()], claim[found.end() :]
        if not _said(before):
            ends = _CLAUSE.search(behind)
            behind, before = (behind[: ends.start()], behind[ends.end() :]) if ends else (behind, "")
        effect = _said(before) | why
        yield effect, _said(behind) - effect
    elif why:
        yield why, _said(claim) - why


def _said(text: str) -> frozenset[str]:
    return frozenset(read_words(text).stems)

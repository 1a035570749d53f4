"""Who does it: "Lin Zhao chairs the committee" where the text says that it is chaired by Marta Olsen, and of Lin Zhao something else.

Names, and words for whoever has a part in a matter ("the landlord"), are compared where a claim begins with them, or has them behind "by". A sentence that has all of what the
claim says of one, and another one in that place, contradicts it, unless what the texts say of the claim's own one has half of it too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from exporters.result import Evidence
from sidecar.inference.embedding.text import content_stem, read_words, sentences

_ROLES = (
    "tenants? landlords? employers? employees? managers? directors? secretary treasurer chair chairperson president nurses? doctors? pharmacists? buyers? sellers? customers? "
    "suppliers? contractors? clients? hosts? guests? drivers? operators? teachers? parents? students? applicants? sponsors? board committee council bank insurer broker courier "
    "owners? administrators? admins? supervisors? technicians? captain coach editors? reviewers? authors? lender borrower lessor lessee carrier shipper consignee retailer "
    "manufacturer distributor wholesaler patients? surgeon dentist solicitor notary accountant auditors? caretaker janitor receptionist librarian principal headteacher"
).replace(" ", "|")
_NAME = r"[A-Z][\w’'-]{1,30}(?: (?:(?:&|of|de|van|von|der|da) )?[A-Z][\w’'-]{1,30}){0,3}"
_WHO = re.compile(
    rf"(?<![\w’'-])(?:(?i:the|a|an|your|our) (?P<role>(?:[a-z-]{{3,20}} )?(?i:{_ROLES}))\b|(?P<name>{_NAME}))"
)
_OPENING = re.compile(r"\A\W{0,3}(?:(?:Yes|No|And|But|Also|Then|So|Actually)\b,? ){0,2}")
_BY = re.compile(r"\b(?:by|with|from) \Z")
_ENDS_NAME = re.compile(r"['’]s?\Z")
# A thing of theirs, or several.
_OF_MORE = re.compile(r"['’]|,? (?:and|or|&) (?:the )?[A-Z]|,? (?:and|or) (?:the|your|our|a) ")
_GOES_ON = re.compile(r",? (?:and|but|while|whereas|who|which)\b")
_BEGINS_WITH_PRONOUN = re.compile(r"\W{0,3}(?:he|she|they|it|this|that|these|both|his|her|their)\b", re.IGNORECASE)
_NOT_ALONE = re.compile(
    r"\b(?:too|also|likewise|as well|both|each|all|either|every(?:one|body)?|any(?:one|body)?|other|others|instead|together|jointly|and/or|alternatively|or)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|neither|nor|without|cannot|unless|except|only|rather|formerly|until)\b|n['’]t\b", re.IGNORECASE
)
_LEAST, _ALL_OF_IT, _HALF = 2, 0.9, 0.5  # words; shares of what is said
_MOST_SENTENCES, _MOST_NAMES, _BEHIND_BY = 120, 12, 8
_ROOT = 6  # letters that "deliveries" and "delivers" have in common

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class _Doer:
    """Whoever text[start:end] names; `words` are its own, small. `sure` says that it is a name that does not only begin a sentence, or has several words, or a role."""

    words: frozenset[str]
    start: int
    end: int
    sure: bool


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    there: Evidence
    roots: frozenset[str]
    named: tuple[_Doer, ...]

    def names(self, doer: _Doer) -> bool:
        """Whether it names one with a word of that name."""
        return any(doer.words & one.words for one in self.named)


def done_by_another(claims: Sequence[str], texts: Sequence[str], weight: Weight) -> dict[int, Evidence]:
    """The claims, by number, that say of one what a sentence says of another, and that sentence."""
    every_text = "\n".join(texts).lower()
    acting = {
        n: doers
        for n, claim in enumerate(claims)
        if not (_DENIES.search(claim) or _NOT_ALONE.search(claim))
        and (doers := [one for one in _acting(claim) if all(word in every_text for word in one.words)])
    }
    if not acting:  # as for nearly all: then no text is read
        return {}
    read = [_sentences(text, number) for number, text in enumerate(texts)]
    known = frozenset[str]().union(*(doer.words for own in read for one in own for doer in one.named if doer.sure))
    every = [one for own in read for one in _with_before(own)]
    found = {n: _by_another(claims[n], doers, every, known, weight) for n, doers in acting.items()}
    return {n: there for n, there in found.items() if there is not None}


def _by_another(
    claim: str, doers: Sequence[_Doer], every: Sequence[_Sentence], known: frozenset[str], weight: Weight
) -> Evidence | None:
    for doer in doers:
        mine = frozenset[str]().union(*(one.roots for one in every if one.names(doer)))
        others = [one for one in every if not one.names(doer) and _tells_of_another(one, doer, known)]
        behind = claim[doer.end :]
        for part in (behind, _GOES_ON.split(behind, maxsplit=1)[0]):
            rest = _said(f"{claim[: doer.start]} {part}")
            if any(one[0].isdecimal() for one in rest):
                continue  # values are compared as such
            total = sum(map(weight, rest))
            if not doer.words <= known or len(rest) < _LEAST or _share(rest, mine, weight) >= _HALF * total:
                continue
            there = next((one.there for one in others if _share(rest, one.roots, weight) >= _ALL_OF_IT * total), None)
            if there is not None:
                return there
    return None


def _tells_of_another(one: _Sentence, doer: _Doer, known: frozenset[str]) -> bool:
    if _DENIES.search(one.text) or _NOT_ALONE.search(one.text):
        return False
    return any(other.words <= known and not other.words & doer.words for other in _acting(one.text))


def _share(rest: frozenset[str], roots: frozenset[str], weight: Weight) -> float:
    return sum(weight(one) for one in rest if one[:_ROOT] in roots)


def _sentences(text: str, number: int) -> list[_Sentence]:
    """The sentences of the text with that number, but for rows of tables, and whom they name."""
    found = []
    for span in sentences(text)[:_MOST_SENTENCES]:
        own = text[span.start : span.end]
        if "|" not in own and ":" not in own:
            roots = frozenset(one[:_ROOT] for one in _said(own))
            found.append(_Sentence(own, Evidence(number, span.start, span.end), roots, tuple(_doers(own))))
    return found


def _with_before(own: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """The sentences, each that goes on with a pronoun with the words of the one before it, and whom that names."""
    for before, one in zip((None, *own), own, strict=False):
        goes_on = before is not None and _BEGINS_WITH_PRONOUN.match(one.text)
        yield (
            replace(one, roots=one.roots | before.roots, named=(*one.named, *before.named))
            if before and goes_on
            else one
        )


def _acting(text: str) -> list[_Doer]:
    """Whom a sentence begins with, and whom it names behind "by"."""
    opening = _OPENING.match(text)
    first = opening.end() if opening else 0
    return [
        one
        for one in _doers(text)
        if (one.start == first or _BY.search(text, max(0, one.start - _BEHIND_BY), one.start))
        and not _OF_MORE.match(text, one.end)
    ]


def _doers(text: str) -> list[_Doer]:
    found = []
    for match in itertools.islice(_WHO.finditer(text), _MOST_NAMES):
        own = match["role"] or match["name"]
        if _ENDS_NAME.search(own) or content_stem(own.lower()) is None:  # "The", "You"
            continue
        words = frozenset(one.removesuffix("s") for one in own.lower().split())
        sure = (
            match["role"] is not None
            or len(words) > 1
            or own.isupper()
            or bool(text[: match.start()].strip(" \"'([*-•"))
        )
        found.append(_Doer(words, match.start(), match.end(), sure))
    return found


def _said(text: str) -> frozenset[str]:
    words = read_words(text)
    return frozenset(words.stems) | words.numbers

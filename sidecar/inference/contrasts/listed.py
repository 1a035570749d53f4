"""Where a claim says of a thing what a list denies of it: "car tyres are accepted" of "Not accepted:" with car tyres below, or denies what a list says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Stem, denies, read
from sidecar.inference.contrasts.words import EXCEPTIONS, PARTLY
from sidecar.inference.embedding.text import content_stem, sentences

_LONGEST, _MOST_ITEMS, _MOST_STEMS = 20_000, 200, 4
_LINE = re.compile(
    r"(?P<title>#{1,6}[ \t])?"
    r"(?P<mark>[-*•·–✗✓✔❌✅][ \t]{1,3}|\d{1,2}[.)][ \t])?(?:\*\*)?(?P<head>[^\W\d_][^:.!?\n|*]{1,60})(?P<colon>(?:\*\*)?:(?:\*\*)?)?(?P<rest>[^\n|]{0,300})"
)
_NUMBER = re.compile(r"\d{1,2}[.)]")
_ITEM = re.compile(r"[^,;]{2,80}")
_JOINED = re.compile(r"^(?:and|or|any|the|a|an)\s{1,3}", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|or|&)\s")
_FOR_A_FEE = re.compile(
    r"\b(?:for a (?:small )?fee|at (?:extra|additional) cost|chargeable|subject to (?:a )?charges?)\b", re.IGNORECASE
)
_FREE = frozenset(stem for word in ("free", "complimentary") if (stem := content_stem(word)) is not None)
_EXCLUDES = frozenset("excluded excludes exclude exclusions prohibited prohibits forbidden forbids banned".split())
_DENIES = _EXCLUDES | {"outside", "beyond", "exclusion"}
_MOST_WORDS, _MOST_OF_A_TITLE = 6, 10  # words of a heading
_TITLE = re.compile(r"(?:#{1,6} {1,3}|\*\*)?(?P<said>[^\W\d_][^.:;!?|*]{2,100}?)(?:\*\*)?:?(?:\*\*)?")
_INLINE = re.compile(r"\A\s{0,8}(?:[-*•·–] {1,3})?(?:\*\*)?(?P<said>[^\W\d_][^.:;!?|*\n]{2,60}):(?:\*\*)?\s")
_ALIKE = tuple(
    frozenset(stem for word in words.split() if (stem := content_stem(word)) is not None)
    for words in (
        "included includes include covered covers cover inclusions excluded excludes exclude exclusions",
        "allowed allow allows permitted permit permits accepted accept accepts bring brought prohibited forbidden banned",
    )
)


@dataclass(frozen=True, slots=True)
class Listed:
    """text[start:end] is an item, by its stems, of a list whose heading says, or denies, `says`."""

    stems: frozenset[str]
    says: frozenset[str]
    denied: bool
    start: int
    end: int


def lists_of(text: str, stem: Stem) -> tuple[Listed, ...]:
    """The items of a text's lists, of which one at least is of what is denied, as lines below a line that ends in a colon or behind it."""
    found = list(_items(text[:_LONGEST], stem))
    return tuple(found[:_MOST_ITEMS]) if any(one.denied for one in found) else ()


def listed_otherwise(claim: Reading, listed: Sequence[Listed], others: Sequence[frozenset[str]]) -> Listed | None:
    """The one list's item that a claim speaks of and says the contrary of. `others` are the stems of sentences; one that is of no list and has
    the item may say more of it. Claims of a part or with an exception are not looked at."""
    if claim.partly or not EXCEPTIONS.isdisjoint(claim.words):
        return None
    said = frozenset(one for one in claim.stems if one is not None)
    named = [one for one in listed if one.stems <= said and one.says & (said - one.stems)]
    named = [one for one in named if not any(one.stems < other.stems for other in named)]
    clauses = {
        clause for one in named for clause, stem in zip(claim.clauses, claim.stems, strict=True) if stem in one.stems
    }
    if len(clauses) != 1:
        return None
    words = {word for word, clause in zip(claim.words, claim.clauses, strict=True) if clause in clauses}
    denied = not clauses.isdisjoint(claim.denied | claim.denying) or not words.isdisjoint(_DENIES)
    item = named[0]
    told = sum(item.stems <= one for one in others)
    if any(one.denied == denied for one in named) or told > sum(one.stems == item.stems for one in listed):
        return None
    return item


def denied_below(text: str) -> tuple[tuple[int, int], ...]:
    """Where the lines stand that a heading denies, "What is not insured" above them or "Not accepted:" before them in one: what is negated of their words is
    negated of what they say."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    at = 0
    for line in text[:_LONGEST].splitlines(keepends=True):
        title = _TITLE.fullmatch(line.strip())
        inline = _INLINE.match(line)
        if start is not None and (title or not line.strip()):
            found.append((start, at))
            start = None
        if title and _is_denying(title["said"]):
            start = at + len(line)
        elif inline and _is_denying(inline["said"]):
            found.append((at + inline.end(), at + len(line)))
        at += len(line)
    return (*found, (start, at)) if start is not None else tuple(found)


def _is_denying(title: str) -> bool:
    words = title.lower().split()
    return len(words) <= _MOST_OF_A_TITLE and any(denies(word) or word in _EXCLUDES for word in words)


def _items(text: str, stem: Stem) -> Iterator[Listed]:
    above: tuple[frozenset[str], bool] | None = None
    numbered = False
    for span in sentences(text):
        if _NUMBER.fullmatch(text, span.start, span.end):
            numbered = True
            continue
        line = _LINE.fullmatch(text, span.start, span.end)
        rest = line["rest"].strip(" *.") if line else ""
        if line and (line["colon"] or line["title"]):
            head = _heading(line["head"], stem)
            if not rest:
                above = head
            elif head is not None:
                for item in _ITEM.finditer(text, line.start("rest"), line.end("rest")):
                    yield from _item(item.group(), item.start(), head, stem)
        elif line and above is not None and (line["mark"] or numbered):
            start = line.start("head")
            yield from _item(text[start : line.end()], start, above, stem)
        else:
            above = None
        numbered = False


def _heading(text: str, stem: Stem) -> tuple[frozenset[str], bool] | None:
    """What a heading says of the things below it, and whether it denies it; None where that is not clear."""
    own = read(text, stem)
    says = frozenset(one for one in own.stems if one is not None)
    if (
        not says
        or len(text.split()) > _MOST_WORDS
        or not PARTLY.isdisjoint(own.words)
        or not EXCEPTIONS.isdisjoint(own.words)
    ):
        return None
    if _FOR_A_FEE.search(text):
        return _FREE, True
    says = says.union(*(alike for alike in _ALIKE if alike & says))
    return says, any(denies(word) or word in _EXCLUDES for word in own.words)


def _item(text: str, start: int, head: tuple[frozenset[str], bool], stem: Stem) -> Iterator[Listed]:
    for part in dict.fromkeys((text, *_AND.split(text))):
        bare = _JOINED.sub("", part.strip(" \t*."))
        stems = frozenset(one for one in read(bare.partition("(")[0], stem).stems if one is not None)
        if len(stems) > _MOST_STEMS:
            return  # a sentence
        if stems:
            at = start + text.index(bare)
            yield Listed(stems, *head, at, at + len(bare))

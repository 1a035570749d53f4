"""A person's name of which the texts have the first word with another one behind it ("Marta Lindgren" where they name "Marta Lindqvist" alone), and an
acronym that stands where a text has another ("approved by the CFO" of "approved by the CISO")."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidecar.inference.embedding.text import content_stem, read_words

_NAME = re.compile(r"(?<![\w’'-])([A-Z][\w'’]{1,30})\s(?:[A-Z]\.\s)?([A-Z][\w'’]{1,30})\b(?![ -][A-Z]|-\w)")
_CAPITAL = re.compile(r"[A-Z][\w'’.-]{0,30} $")
_LONGEST_WORD = 32
_WORD = re.compile(r"\w{2,40}")
_LONGEST_ENDING = 2  # "Agreements" and "Agreement" are of one name
_LEAST_LETTERS = 4
_MOST_NAMES = 40  # of a text
_ACRONYM = re.compile(r"(?<![\w.-])[A-Z](?=[A-Z0-9]{0,5}[A-Z])[A-Z0-9]{1,6}(?![\w-])")
_NO_ACRONYM = frozenset("AM PM OK NO YES NOT II III IV VI VII VIII IX XI XII".split())
_FIRST = re.compile(r"(?<!\w)[^\W\d_]")
_NEAR = 40  # characters
_HELD = 0.8  # of the claim's words, by weight
_RARE = 7.8  # of idf: words like "Button" and "Barbara", which many things are called by, are less
# What stands before names and is none.
_BEFORE_NAMES = frozenset(
    """
    mr mrs ms miss dr prof professor doctor president king queen prince princess sir lady lord saint st pope bishop captain general colonel judge justice
    minister chancellor senator governor mayor director chief chair chairman coach uncle aunt brother sister councillor inspector sergeant nurse attorney
    detective frau herr madam tsar emperor ceo cfo cto vp new north south east west northern southern eastern western upper lower great united national
    international royal central ancient modern old mount lake river port fort san santa los las la le el de van von der den del di da al
    """.split()
)


@dataclass(frozen=True, slots=True)
class Misnamed:
    """claim[start:end] is a name of which the text number `piece` has another form at other_start:other_end."""

    start: int
    end: int
    piece: int
    other_start: int
    other_end: int


def misnamed(
    claim: str, pieces: Sequence[str], texts: Sequence[str], weight: Callable[[str], float]
) -> Misnamed | None:
    """The first such name. `pieces` are sentences of the `texts`, in none of which the claim's word may stand; `weight` is how telling a stem is."""
    names = _names(claim, weight)
    if not names:
        return None
    there = [(number, match) for number, piece in enumerate(pieces) for match in _names(piece, weight)]
    for own in names:
        alike = [(number, match) for number, match in there if match[1] == own[1] and match[2] != own[2]]
        if len({match[2] for _, match in alike}) == 1 and not _stands_in(own[2], texts):
            number, match = alike[0]
            return Misnamed(own.start(), own.end(), number, match.start(), match.end())
    return None


def other_acronym(
    claim: str, pieces: Sequence[str], texts: Sequence[str], weight: Callable[[str], float]
) -> Misnamed | None:
    """The first acronym of a claim that no text has or spells out, where one of the `pieces` says the claim with another one beside the same word."""
    unsaid = [own for own in itertools.islice(_ACRONYM.finditer(claim), _MOST_NAMES) if own[0] not in _NO_ACRONYM]
    if unsaid:
        lower = [text.lower() for text in texts]
        unsaid = [own for own in unsaid if not any(own[0].lower() in text for text in lower)]
    if not unsaid:
        return None
    words = Counter(read_words(claim).stems)
    held = [(number, piece, set(read_words(piece).stems)) for number, piece in enumerate(pieces)]
    for own in unsaid:
        stems = set(words - Counter(read_words(own[0]).stems))
        total = sum(map(weight, stems))
        near = [one for one in held if total and sum(map(weight, stems & one[2])) >= _HELD * total]
        found = _another_there(claim, own, near)
        if found is not None and not any(_spelt_out(own[0], text) for text in texts):
            return found
    return None


def _another_there(claim: str, own: re.Match[str], pieces: Sequence[tuple[int, str, set[str]]]) -> Misnamed | None:
    for number, piece, _ in pieces:
        for other in itertools.islice(_ACRONYM.finditer(piece), _MOST_NAMES):
            if _another(own[0], other[0]) and _beside(claim, own) & _beside(piece, other):
                return Misnamed(own.start(), own.end(), number, other.start(), other.end())
    return None


def _another(own: str, other: str) -> bool:
    """Whether two acronyms are of two things: US and USA are not."""
    return not (own.startswith(other) or other.startswith(own) or other in _NO_ACRONYM)


def _spelt_out(acronym: str, text: str) -> bool:
    """Whether a text has words that begin with the letters of an acronym."""
    return acronym.lower() in "".join(_FIRST.findall(text)).lower()


def _beside(text: str, found: re.Match[str]) -> set[tuple[bool, str]]:
    """The words before and behind a place, each with whether it is the former."""
    before, behind = text[: found.start()][-_NEAR:].split(), text[found.end() :][:_NEAR].split()
    return {(True, one.lower()) for one in before[-1:]} | {(False, one.lower().strip(".,;:!?")) for one in behind[:1]}


def _names(text: str, weight: Callable[[str], float]) -> list[re.Match[str]]:
    """The first names of just two words, the first of which does not say who is named, and the second is rare."""
    if not unicodedata.is_normalized("NFC", text):
        return []
    return [
        match
        for match in itertools.islice(_NAME.finditer(text), _MOST_NAMES)
        if not _CAPITAL.search(text[max(0, match.start() - _LONGEST_WORD) : match.start()])
        and match[1].lower() not in _BEFORE_NAMES
        and content_stem(match[1].lower()) is not None
        and (stem := content_stem(match[2].lower())) is not None
        and weight(stem) >= _RARE
    ]


def _stands_in(name: str, texts: Sequence[str]) -> bool:
    """Whether any text has the word, in whatever form: ending otherwise, with or without accents, or with one letter more, less or other."""
    own = _plain(name.removesuffix("'s").removesuffix("’s"))
    shorter = _without_a_letter(own)
    return any(
        own == word or _ends_otherwise(own, word) or not shorter.isdisjoint(_without_a_letter(word))
        for text in texts
        for word in {*_WORD.findall(_plain(text))}
        if word[0] == own[0] and abs(len(word) - len(own)) <= _LONGEST_ENDING + 1
    )


def _plain(text: str) -> str:
    """In small letters, without accents; "ue" as "u", which some write for "ü"."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return bare.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _ends_otherwise(one: str, other: str) -> bool:
    stem = min(len(one), len(other)) - _LONGEST_ENDING
    return stem >= _LEAST_LETTERS and one[:stem] == other[:stem]


def _without_a_letter(word: str) -> set[str]:
    return {word, *(word[:n] + word[n + 1 :] for n in range(len(word)))} if len(word) >= _LEAST_LETTERS else {word}

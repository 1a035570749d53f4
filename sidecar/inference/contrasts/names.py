"""A name of two words of which the texts have one with another beside it: "Marta Lindgren" where they name "Marta Lindqvist" alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.inference.embedding.text import content_stem

_NAME = re.compile(r"\b([A-Z][\w'’-]{1,30})\s(?:[A-Z]\.\s)?([A-Z][\w'’-]{1,30})\b(?![ -][A-Z])")
_CAPITAL = re.compile(r"[A-Z][\w'’.-]{0,30} $")
_LONGEST_WORD = 32
_WORD = re.compile(r"[\w'’-]{1,40}")
_ENDS_SENTENCE = frozenset('.!?:;\n"“(*-•')
_LONGEST_ENDING = 2  # "Agreements" and "Agreement" are of one name
_LEAST_LETTERS = 4
_MOST_NAMES = 40  # of a text
# Words that stand before many names.
_BEFORE_NAMES = frozenset(
    """
    mr mrs ms miss dr prof professor doctor president king queen prince princess sir lady lord saint st pope bishop captain general colonel judge justice
    minister chancellor senator governor mayor director chief chair chairman coach uncle aunt brother sister councillor inspector sergeant new north south east west northern southern
    eastern western upper lower great united national international royal central ancient modern old plan section chapter article mount lake river port fort san los las la
    le el de van von der den del di da al university college school hotel museum street avenue road lane ln junction city county state republic team group department office
    ministry bank company project version model type class grade january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
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


def misnamed(claim: str, pieces: Sequence[str], texts: Sequence[str]) -> Misnamed | None:
    """The first such name. `pieces` are sentences of the `texts`, in none of which what the claim has instead may stand, in whatever form."""
    names = _names(claim)
    if not names:
        return None
    there = [(number, match) for number, piece in enumerate(pieces) for match in _names(piece)]
    known: frozenset[str] | None = None
    for own in names:
        begins = claim[: own.start()].rstrip(" ")[-1:] in {"", *_ENDS_SENTENCE}
        for same, other in ((1, 2), (2, 1)):
            if same == 2 and begins:
                continue
            alike = [
                (number, match) for number, match in there if match[same] == own[same] and match[other] != own[other]
            ]
            if len({match[other] for _, match in alike}) != 1:
                continue
            known = known or frozenset(word.lower() for text in texts for word in _WORD.findall(text))
            if not any(_of_one_name(own[other].lower(), word) for word in known):
                number, match = alike[0]
                return Misnamed(own.start(), own.end(), number, match.start(), match.end())
    return None


def _names(text: str) -> list[re.Match[str]]:
    """The first names of just two words, none of which says what is named."""
    return [
        match
        for match in itertools.islice(_NAME.finditer(text), _MOST_NAMES)
        if not _CAPITAL.search(text[max(0, match.start() - _LONGEST_WORD) : match.start()])
        and not any(one.lower() in _BEFORE_NAMES or content_stem(one.lower()) is None for one in match.groups())
    ]


def _of_one_name(one: str, other: str) -> bool:
    """Whether they are the same but for how they end, or one letter."""
    one, other = (word.removesuffix("'s").removesuffix("’s").strip("'’") for word in (one, other))
    stem = min(len(one), len(other)) - _LONGEST_ENDING
    if stem >= _LEAST_LETTERS and one[:stem] == other[:stem] and abs(len(one) - len(other)) <= _LONGEST_ENDING + 1:
        return True
    return one == other or not _without_a_letter(one).isdisjoint(_without_a_letter(other))


def _without_a_letter(word: str) -> set[str]:
    return {word, *(word[:n] + word[n + 1 :] for n in range(len(word)))} if len(word) >= _LEAST_LETTERS else {word}

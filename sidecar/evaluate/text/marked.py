"""A text that remembers where each of its characters stood in the text that it was made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Marked:
    """`places` holds, for each character of `text`, where it stood; what was put in has the place of what stood there."""

    text: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str, start: int = 0) -> Marked:
        """A text as it stands, its first character at `start`."""
        return cls(text, range(start, start + len(text)))

    @property
    def span(self) -> tuple[int, int]:
        """(start, end) in the text that it was made of; (0, 0) where it is empty."""
        return (self.places[0], self.places[-1] + 1) if self.text else (0, 0)

    def cut(self, start: int, end: int | None = None) -> Marked:
        """Characters `start` to `end`, without white space around them."""
        part = self.text[start:end]
        if len(part) == len(self.text) and not (part[:1].isspace() or part[-1:].isspace()):
            return self
        first = start + len(part) - len(part.lstrip())
        size = len(part.strip())
        return Marked(self.text[first : first + size], self.places[first : first + size])

    def replaced(self, pattern: re.Pattern[str], *, group: int | None = None, put: str = "") -> Marked:
        """Each match of `pattern` replaced by its `group`, else by `put`, which is one character at most."""
        kept: list[tuple[int, int] | None] = []
        at = 0
        for match in pattern.finditer(self.text):
            if match.end() > match.start():
                kept += [(at, match.start()), match.span(group) if group else None]
                at = match.end()
        if not at:
            return self
        pieces: list[str] = []
        places: list[int] = []
        for one in [*kept, (at, len(self.text))]:
            if one is None:
                last = places[-1] if places else self.places[0]
                pieces.append(put)
                places += [last] * len(put)
            else:
                pieces.append(self.text[slice(*one)])
                places += self.places[slice(*one)]
        return Marked("".join(pieces), places)

    def folded(self) -> Marked:
        """Runs of white space as one blank, none around it."""
        if self.text == " ".join(self.text.split()):
            return self
        return joined(Marked(match[0], self.places[slice(*match.span())]) for match in _WORD.finditer(self.text))


def joined(parts: Iterable[Marked]) -> Marked:
    """Parts with a blank between them."""
    pieces: list[str] = []
    places: list[int] = []
    for part in parts:
        if part.text:
            if pieces:
                places.append(places[-1])
            pieces.append(part.text)
            places += part.places
    return Marked(" ".join(pieces), places)

"""What a detector is, the built-in kind of it, and how finds that overlap become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Found:
    """Something to be replaced: characters `start` to `end` of a text.

    kind   what the pseudonym calls it
    value  the same for two ways to write the same thing
    loose  it was told by the words before it: elsewhere, without them, only its own letters can tell it again
    """

    start: int
    end: int
    kind: str
    value: str
    loose: bool = False


class Detector(Protocol):
    """Finds one kind of thing. `find` never raises for what is in a text, and its time is linear in the text.

    name    what settings call it
    in_ids  whether it looks at the ids of documents too: not where chance digits of an id would be taken for a number
    """

    @property
    def name(self) -> str: ...

    @property
    def in_ids(self) -> bool: ...

    def find(self, text: str) -> Iterator[Found]: ...


# Start, end and value of what a match is; None where it is not what it looks like.
Read: TypeAlias = Callable[[re.Match[str]], tuple[int, int, str] | None]


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern, and a look at each match.

    needs  the text is not searched where none of these is in it; cheap, for most texts have none. In small letters where `folded`
    """

    name: str
    kind: str
    pattern: re.Pattern[str]
    read: Read
    needs: tuple[str, ...] = ()
    folded: bool = False
    loose: bool = False
    in_ids: bool = False

    def find(self, text: str) -> Iterator[Found]:
        """What it is in the text, from left to right. A match that is refused may hide another: the next begins within it."""
        if self.needs:
            looked = text.lower() if self.folded else text
            if not any(need in looked for need in self.needs):
                return
        place = 0
        while (match := self.pattern.search(text, place)) is not None:
            taken = self.read(match)
            if taken is None:
                place = match.start() + 1
            else:
                start, end, value = taken
                yield Found(start, end, self.kind, value, self.loose)
                place = max(end, match.start() + 1)


def settle(text: str, found: Sequence[Found]) -> list[Found]:
    """From left to right without overlap. Those that overlap become one, of the kind of the longest (the first of equals)."""
    settled: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        last = settled[-1] if settled else None
        if last is None or one.start >= last.end:
            settled.append(one)
        elif one.end > last.end:
            longer = one if one.end - one.start > last.end - last.start else last
            settled[-1] = Found(last.start, one.end, longer.kind, text[last.start : one.end], last.loose or one.loose)
    return settled

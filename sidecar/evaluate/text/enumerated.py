"""Lists that were written in one line ("1. Open the lid. 2. Insert the paper."), as when line breaks are lost on the way: a line for each item."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.evaluate.text.marked import Marked

_MARK = re.compile(
    r"(?:(?<=\s)|\A|(?<=[。；：，;]))(?:[Ss]tep )?(?:(?P<number>\d{1,2})|(?P<letter>[a-h](?=\))))(?P<kind>[.．)）、])(?=\s+[^\s\d]|[\u3400-\u9fff])"
)
_BULLET = re.compile(r"(?:(?<=\s)|\A)[•▪●◦➢](?=\s+\S)")
# A list begins with the line, or behind what ends or introduces.
_BEFORE_FIRST = re.compile(r"(?:\A|[.:;!?。：；！？)\]—–*-]\s{0,9})\Z")
_LEAST = 2
_SHORTEST = 8  # characters of a line with two items


def lines_of(line: Marked) -> Iterator[Marked]:
    """A line of a text, cut before each item where two or more stand in it that count on from the first, or that have bullets."""
    read = len(line.text) >= _SHORTEST and "|" not in line.text
    starts = (_counted(line.text) or _bullets(line.text)) if read else []
    if not starts:
        yield line
        return
    # One blank stays before items, by which they stand below the one that the line began with.
    below = bool(line.text[: starts[0]].strip())
    for start, end in zip([0, *starts], [*starts, len(line.text)], strict=True):
        at = start - 1 if below and start and line.text[start - 1].isspace() else start
        if line.text[at:end].strip():
            yield Marked(line.text[at:end], line.places[at:end])


def _bullets(text: str) -> list[int]:
    starts = [match.start() for match in _BULLET.finditer(text)]
    return starts if len(starts) >= _LEAST else []


def _counted(text: str) -> list[int]:
    """Where the items of a list begin that counts 1, 2 or a, b in one way."""
    starts: list[int] = []
    kind = ""
    for match in _MARK.finditer(text):
        number = int(match["number"]) if match["number"] else ord(match["letter"]) - ord("a") + 1
        own = f"{match['kind']}{match['letter'] is None}"
        if (
            number == 1
            and len(starts) < _LEAST
            and _BEFORE_FIRST.search(text, max(0, match.start() - 11), match.start())
        ):
            starts, kind = [match.start()], own
        elif starts and number == len(starts) + 1 and own == kind:
            starts.append(match.start())
    return starts if len(starts) >= _LEAST else []

"""Yes or no to a version under the oldest one that is good: "Yes." to "Does it work with Python 3.11?" of "It requires Python 3.9 or newer."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.inference.answers.reading import NEGATED, Asked
from sidecar.inference.answers.yes_or_no import BEYOND, CONTRARY, GOES_ON, REPLY, asks_yes_or_no
from sidecar.inference.values.rules import SETS_ASIDE

_VERSION = re.compile(
    r"\b(?P<name>[A-Z][\w.+#-]{1,30}) (?:version )?v?(?P<least>\d{1,4}(?:\.\d{1,4}){0,3})(?:\+| (?:or|and) (?:newer|later|higher|above|up|greater)\b)",
    re.IGNORECASE,
)
_VERSIONED = re.compile(
    r"\b(?P<name>[A-Z][\w.+#-]{1,30}) (?:version )?v?(?P<own>\d{1,4}(?:\.\d{1,4}){0,3})\b", re.IGNORECASE
)
_NEEDS = re.compile(r"\b(?:requires?|needs?|supports?|supported|runs?|works?|compatible)\b", re.IGNORECASE)
_OF_ANOTHER_MATTER = re.compile(
    r"\b(?:too|need|have to|must|should|affected|safe|updates?|upgrade|vulnerable|old)\b", re.IGNORECASE
)
_MOST_PARTS = 4


def asks_versions(asked: Asked) -> bool:
    """Whether a question about one version is answered by yes or no."""
    return REPLY.match(asked.answer) is not None and _own(asked.question) is not None


def versions(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """The sentence by whose oldest version yes or no is plainly right, or wrong, and whether it is right; none where others speak of versions, too."""
    own, reply = _own(asked.question), REPLY.match(asked.answer)
    if own is None or reply is None:
        return
    alike = [n for n, one in enumerate(sentences) for each in _VERSIONED.finditer(one) if _same(each, own)]
    for n in alike if len(alike) == 1 else ():
        found, behind = _VERSION.search(sentences[n]), " ".join(sentences[n + 1 : n + 2])
        plain = (
            not NEGATED.search(sentences[n])
            and not SETS_ASIDE.search(sentences[n])
            and not GOES_ON.match(behind)
            and not BEYOND.match(behind)
        )
        if found and plain and _NEEDS.search(sentences[n]):
            yield n, (_number(own["own"]) >= _number(found["least"])) == (reply["yes"] is not None)


def _own(question: str) -> re.Match[str] | None:
    """The one version that a question asks whether it is good."""
    found = list(_VERSIONED.finditer(question))
    plain = asks_yes_or_no(question) and not CONTRARY.search(question) and not _OF_ANOTHER_MATTER.search(question)
    return found[0] if len(found) == 1 and plain else None


def _same(one: re.Match[str], other: re.Match[str]) -> bool:
    return one["name"].lower() == other["name"].lower()


def _number(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.split(".")]
    return (*parts, *[0] * (_MOST_PARTS - len(parts)))

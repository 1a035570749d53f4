"""Fields that nobody reads and that look like one that is read, or where what is scored lacks, values that are passed over, and records of other tools: told at the
end, for what can be read is scored without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from exporters.text import many
from sidecar.decode.native.elsewhere import elsewhere_of
from sidecar.decode.native.lacking import Lacking
from sidecar.decode.native.reader import Limits, misshapen_in, unread
from sidecar.decode.native.table import FIELDS, squeeze

_LEAST = 5
_MOST_SWAPPED = 3
_MOST_TOLD = 20


class Misspelt:
    """Counts records by the field that each of them misspells, and by what else they are; where nobody tells that by record (`values`), also by the field whose
    value is passed over, and by what they lack."""

    def __init__(self, limits: Limits, *, values: bool = False) -> None:
        self._limits = limits
        self._values = values
        self._misshapen: Counter[str] = Counter()
        self._records: Counter[tuple[str, str]] = Counter()
        self._elsewhere: Counter[str] = Counter()
        self._lacking = Lacking()

    def add(self, record: object) -> None:
        """A record, or what is none."""
        said = elsewhere_of(record)
        if said is not None:
            self._elsewhere[said] += 1
        if not isinstance(record, Mapping):
            return
        others = []
        for name in unread(record, self._limits):
            if (meant := _meant(squeeze(name))) is None:
                others.append(name)
            else:
                self._records[name[:80], meant] += 1
        if self._values:
            self._misshapen.update(misshapen_in(record, self._limits))
            if said is None:
                self._lacking.add(record, self._limits.mapping, others)

    def told(self) -> list[str]:
        """A line for each kind of record and each name, those of most records first, and one for what nearly all lack."""
        foreign = [f"{many(count, 'record')}: {said}" for said, count in self._elsewhere.most_common()]
        passed = [
            f"{said} ({many(count, 'record')}): passed over" for said, count in self._misshapen.most_common(_MOST_TOLD)
        ]
        return (
            [*foreign, *passed]
            + [
                f"field {name!r} is not read ({many(count, 'record')}): did you mean {meant}?"
                for (name, meant), count in self._records.most_common(_MOST_TOLD)
            ]
            + self._lacking.told()
        )


@lru_cache(maxsize=4096)
def _meant(word: str) -> str | None:
    """The field that a word is, but for one letter that is wrong, missing or too many, or for two or three that stand in another order. What begins
    otherwise is another word."""
    return next((name for name in _names() if _like(word, squeeze(name))), None)


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    every = (name for one in FIELDS for name in (one.name, *one.spellings))
    return tuple(dict.fromkeys(name for name in every if len(squeeze(name)) >= _LEAST))


def _like(word: str, known: str) -> bool:
    if abs(len(word) - len(known)) > 1:
        return False
    begin = _alike(word, known)
    end = _alike(word[begin:][::-1], known[begin:][::-1])
    here, there = word[begin : len(word) - end], known[begin : len(known) - end]
    swapped = len(here) <= _MOST_SWAPPED and sorted(here) == sorted(there)
    return begin > 0 and (swapped or max(len(here), len(there)) == 1)


def _alike(one: str, other: str) -> int:
    """With how many characters both begin."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (here, there) in enumerate(pairs) if here != there), min(len(one), len(other)))

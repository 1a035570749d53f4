"""Which record of a file a result is of: ids that are the same in every reading, hashes of what was said, and a count of ids that come again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from exporters.text import clean, many
from sidecar.decode.native.reader import id_of_texts
from sidecar.record.request import RagTrace

# A record of a file that tells no time has this one: the time of the reading would make another id of it in every run.
NO_TIME = 1.0
MEND = "ids must be unique: leave the id out of the records, or say by decode.mapping which field is unique (docs/native.md)"
_REMEMBERED = 1_000_000
_DIGEST_BYTES = 8


class Nameless:
    """Numbers the records of a file that have neither an id nor a time and say the same, in their order: they are several requests. Of the first million such."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def named(self, trace: RagTrace) -> RagTrace:
        """A record that was read with NO_TIME, with an id of its own; one that has an id or a time stays as it is."""
        texts = (trace.question, trace.answer, *(one.text for one in trace.documents))
        if trace.trace_id != id_of_texts(texts, NO_TIME):
            return trace
        key = (trace.service, trace.trace_id)
        if key in self._seen or len(self._seen) < _REMEMBERED:
            self._seen[key] += 1
        number = self._seen[key] or 1
        return trace if number == 1 else replace(trace, trace_id=f"{trace.trace_id}#{number}")


def digest_of(question: str | None, answer: str | None, documents: Iterable[str | None]) -> str:
    """A hash of what a request says, as hex."""
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for text in (question, answer, *documents):
        found.update(clean(text or "").encode() + b"\0")
    return found.hexdigest()


class Repeated:
    """Counts results whose id another one had before, among the first million ids, and those of them that are of other texts."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count = 0
        self._others = 0

    def add(self, result: str, digest: str) -> None:
        """A result, and the hash of the texts that it is of."""
        first = self._first.get(result)
        if first is not None:
            self._count += 1
            self._others += first != digest
        elif len(self._first) < _REMEMBERED:
            self._first[result] = digest

    def told(self) -> list[str]:
        """What is to be known of them."""
        if not self._count:
            return []
        have = "has" if self._count == 1 else "have"
        said = f"{many(self._count, 'record')} {have} the id of another one of the service"
        if not self._others:
            return [f"{said} and its texts: their results share an id"]
        return [
            f"{said}, {self._others:,} of them other texts: their results share an id, and `results`, `label` and `testset` "
            f"show one of each; {MEND}"
        ]

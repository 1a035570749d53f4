"""Records of which nearly all lack a question, an answer or contexts: where such a set has fields that nobody reads, they are told, for one of them may be it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from exporters.text import many, safe
from sidecar.decode.native.printed import record_of
from sidecar.decode.native.table import names
from sidecar.decode.values.scalars import parsed

_PARTS = {name: names(name) for name in ("question", "answer", "contexts")}
_CONVERSATION = names("messages")
# Where more than one record of so many has it, it lacks by chance.
_NEARLY_ALL = 20
_MOST_NAMES = 20
_MOST_KEPT = 1000
_MOST_CHARS = 80


class Lacking:
    """Counts records by what they lack, and the names in these that nobody reads."""

    def __init__(self) -> None:
        self._records = 0
        self._lacking: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()

    def add(self, data: Mapping[str, Any], mapping: Mapping[str, str], unread: Iterable[str]) -> None:
        """A record, and the names in it that are not read. One of a conversation has all in that."""
        self._records += 1
        record = record_of(data, mapping)
        if any(isinstance(parsed(one), list) for one in record.values(*_CONVERSATION, "user_input")):
            return
        lacking = [part for part, known in _PARTS.items() if next(record.values(*known), None) is None]
        self._lacking.update(lacking)
        if lacking:
            short = (name[:_MOST_CHARS] for name in unread)
            self._unread.update(name for name in short if name in self._unread or len(self._unread) < _MOST_KEPT)

    def told(self) -> list[str]:
        """One line, or none. It holds names of fields and nothing else of the records."""
        least = self._records - self._records // _NEARLY_ALL
        lacking = [f"no {part} in {self._lacking[part]}" for part in _PARTS if self._lacking[part] >= max(least, 1)]
        if not lacking or not self._unread:
            return []
        shown = ", ".join(safe(name) for name, _ in self._unread.most_common(_MOST_NAMES))
        return [
            f"{', '.join(lacking)} of {many(self._records, 'record')}; fields that are not read (docs/native.md has those that are, decode.mapping takes "
            f"names of your own): {shown}"
        ]


__all__ = ["Lacking"]

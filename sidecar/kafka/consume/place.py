"""Where reading goes on in a partition, as a commit says it: the offset, and where to begin again so that traces are seen whole."""

from __future__ import annotations

import re
from typing import NamedTuple

_AGAIN = re.compile(r"again=(\d{1,18})")


class Place(NamedTuple):
    """`offset`: everything below it is done. `again` <= offset: what lies between is read again, to make later records whole."""

    offset: int
    again: int

    @property
    def metadata(self) -> str:
        """What a commit says beside the offset."""
        return f"again={self.again}" if self.again < self.offset else ""

    @classmethod
    def read(cls, offset: int, metadata: str | None) -> Place:
        """Of a commit; metadata that is not ours says nothing."""
        found = _AGAIN.fullmatch(metadata or "")
        return cls(offset, min(offset, int(found.group(1))) if found else offset)

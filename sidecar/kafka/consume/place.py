"""Where reading goes on in a partition, as a commit says it: the offset, and where to begin again so that traces are seen whole."""

from __future__ import annotations

import re
from typing import NamedTuple

_AGAIN = re.compile(r"again=(\d{1,18})(?: until=(\d{1,18}))?")


class Place(NamedTuple):
    """`offset`: everything below it is done. `again` <= offset: what lies between is read again, to make later records whole, of which the
    last known one is at `until`: whoever has not read so far may not say that less is needed."""

    offset: int
    again: int
    until: int = 0

    @property
    def metadata(self) -> str:
        """What a commit says beside the offset."""
        return f"again={self.again} until={self.until}" if self.again < self.offset else ""

    @classmethod
    def read(cls, offset: int, metadata: str | None) -> Place:
        """Of a commit; metadata that is not ours says nothing."""
        found = _AGAIN.fullmatch(metadata or "")
        return cls(offset, min(offset, int(found[1])), int(found[2] or 0)) if found else cls(offset, offset)

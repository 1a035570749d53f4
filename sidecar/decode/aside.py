"""Records that are so big that the event loop would feel them are read in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sidecar.record.record import Record

_BIG_BYTES = 128 * 1024
_Read = TypeVar("_Read")


async def aside(read: Callable[[Record], _Read], record: Record) -> _Read:
    """What `read` makes of a record; raises what it raises. Parsers of one call keep the interpreter to themselves all the same, as long as
    `decode.most_record_bytes` allows."""
    if record.value is None or len(record.value) <= _BIG_BYTES:
        return read(record)
    return await asyncio.to_thread(read, record)

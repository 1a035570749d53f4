"""Open traces in the order in which each partition's time will end them."""

from __future__ import annotations

import enum
from collections import OrderedDict
from typing import TypeAlias

from sidecar.assemble.progress import Partition

Queue: TypeAlias = "OrderedDict[str, None]"


class Wait(enum.StrEnum):
    """What a trace waits for: silence after its root has ended, silence without a root, or its greatest age."""

    QUIET = "complete"
    QUIET_WITHOUT_ROOT = "no_root"
    AGE = "max_age"


class Waits:
    """A queue for each partition and wait; a trace stands in at most one queue of a wait. Every call is O(1)."""

    def __init__(self) -> None:
        self._queues: dict[Wait, dict[Partition | None, Queue]] = {wait: {} for wait in Wait}
        self._places: dict[tuple[Wait, str], Partition | None] = {}

    def put(self, wait: Wait, partition: Partition | None, trace_id: str) -> None:
        """To the end of a queue, out of the one where it stood for the same wait."""
        place = (wait, trace_id)
        if place in self._places:
            if self._places[place] == partition:
                self._queues[wait][partition].move_to_end(trace_id)
                return
            self.take(wait, trace_id)
        self._places[place] = partition
        queue = self._queues[wait].get(partition)
        if queue is None:
            queue = self._queues[wait][partition] = OrderedDict()
        queue[trace_id] = None

    def take(self, wait: Wait, trace_id: str) -> None:
        """Out of the queue where it stands; nothing where it stands in none."""
        if (wait, trace_id) in self._places:
            queues, partition = self._queues[wait], self._places.pop((wait, trace_id))
            del queues[partition][trace_id]
            if not queues[partition]:
                del queues[partition]

    def remove(self, trace_id: str) -> None:
        """Out of every queue."""
        for wait in Wait:
            self.take(wait, trace_id)

    def heads(self, wait: Wait) -> list[tuple[Partition | None, Queue]]:
        """Each partition with its queue; a queue may be changed while one goes through it from its front."""
        return list(self._queues[wait].items())

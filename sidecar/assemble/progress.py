"""How much of a partition's time has been read: what a trace that waits for its next record waits by.

A wall clock runs on while intake is paused, lags or has lost its broker, and would end a trace whose next record lies unread in Kafka. A
partition's time stands still then. While everything written has been read it goes with the wall clock; while a backlog is read it
goes as the records' own timestamps do, by their median over the latest few, so that one producer whose clock is wrong moves nothing. What that
median has passed once it does not pass again: sources that lag behind each other would else make time go at a multiple.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

Partition: TypeAlias = tuple[str, int]

_LATEST = 31
# Who comes to look later than this (a host that slept, a process without CPU) does not know that nothing was written meanwhile.
_LONGEST_STEP = 2.0


@dataclass(slots=True)
class _State:
    """`at`: the partition's time. `stream`: the highest median timestamp of this backlog, or the one when it last moved."""

    ticked: float
    at: float = 0.0
    caught_up: bool = False
    stream: float | None = None
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=_LATEST))


class Progress:
    """The time of each partition in seconds, from an origin of its own. `now` is always the same monotonic clock."""

    def __init__(self) -> None:
        self._states: dict[Partition, _State] = {}

    def at(self, partition: Partition | None, now: float) -> float:
        """The time of a partition; of what came from none it is `now`."""
        if partition is None:
            return now
        return self._state(partition, now).at

    def read(self, partition: Partition, timestamp: float, now: float) -> None:
        """A record was read; its own timestamp in seconds."""
        self._state(partition, now).latest.append(timestamp)

    def tick(self, caught_up: Collection[Partition] | None, now: float) -> None:
        """Move on. `caught_up`: partitions of which all that is written has been read, as a broker has just said; None: all."""
        for partition, state in self._states.items():
            current = caught_up is None or partition in caught_up
            stream = statistics.median(state.latest) if state.latest else None
            if caught_up is None:
                state.at += now - state.ticked
            elif current and state.caught_up:
                state.at += min(now - state.ticked, _LONGEST_STEP)
            elif stream is not None and state.stream is not None:
                state.at += max(0.0, stream - state.stream)
                stream = max(stream, state.stream)
            state.caught_up, state.ticked, state.stream = current, now, stream

    def forget(self, partitions: Iterable[Partition]) -> None:
        """Partitions were taken away."""
        for partition in partitions:
            self._states.pop(partition, None)

    def _state(self, partition: Partition, now: float) -> _State:
        state = self._states.get(partition)
        if state is None:
            state = self._states[partition] = _State(now)
        return state

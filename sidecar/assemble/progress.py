"""How much of a partition's time has been read: what a trace that waits for its next record waits by.

A wall clock runs on while intake is paused, lags or has lost its broker, and would end a trace whose next record lies unread in Kafka. A
partition's time stands still then. While everything written has been read it goes with the wall clock; while a backlog is read it
goes as the records' own timestamps do, by their median over the latest few, so that one producer whose clock is wrong moves nothing. What that
median has passed once it does not pass again: sources that lag behind each other would else make time go at a multiple.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Partition: TypeAlias = tuple[str, int]

_LATEST = 31
# Who comes to look later than this (a host that slept, a process without CPU) does not know that nothing was written meanwhile.
_LONGEST_STEP = 2.0


@dataclass(slots=True)
class _State:
    """`at`: the partition's time. `stream`: the median timestamp, in a backlog the highest one; `passed`: how far it has gone since
    the last look, while all had been read. `through`: the time up to which all has come that was written to the sources of a topic that is
    behind them; None where it has none."""

    ticked: float
    at: float = 0.0
    caught_up: bool = False
    stream: float | None = None
    passed: float = 0.0
    through: float | None = None
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=_LATEST))

    def hear(self, behind: float) -> None:
        """So many seconds ago everything was known that is read by now."""
        self.through = max(self.at - behind, self.at - behind if self.through is None else self.through)


class Progress:
    """The time of each partition in seconds, from an origin of its own. `now` is always the same monotonic clock."""

    def __init__(self) -> None:
        self._states: dict[Partition, _State] = {}

    def at(self, partition: Partition | None, now: float) -> float:
        """The time of a partition; of what came from none it is `now`."""
        if partition is None:
            return now
        return self._state(partition, now).at

    def through(self, partition: Partition | None, now: float) -> float:
        """The time up to which nothing more can come: what waits for silence, or has its age, does so by this one."""
        if partition is None:
            return now
        state = self._state(partition, now)
        return state.at if state.through is None else state.through

    def read(self, partition: Partition, timestamp: float, now: float, *, behind: float | None = None) -> None:
        """A record was read; its own timestamp in seconds, and how far its topic was behind its sources then, where it says so. In a backlog
        time moves here, record by record: many come in one poll, and the last of them must not age by all that they span."""
        state = self._state(partition, now)
        state.latest.append(timestamp)
        if len(state.latest) == _LATEST:
            self._move(state)
        if behind is not None:
            state.hear(behind)

    def _move(self, state: _State) -> None:
        stream = sorted(state.latest)[_LATEST // 2]
        passed = 0.0 if state.stream is None else max(0.0, stream - state.stream)
        if state.caught_up:
            state.passed += passed
        else:
            state.at += passed
            stream = max(stream, state.stream or stream)
        state.stream = stream

    def tick(self, caught_up: Mapping[Partition, float] | None, now: float) -> None:
        """Move on. `caught_up`: partitions of which all that is written has been read, as a broker has just said, with the seconds that
        they are behind their sources; None: all of them, and they have none."""
        for partition, state in self._states.items():
            current = caught_up is None or partition in caught_up
            if caught_up is None:
                state.at += now - state.ticked
            elif state.caught_up:
                step = min(now - state.ticked, _LONGEST_STEP)
                state.at += step if current else min(step, state.passed)
            state.caught_up, state.ticked, state.passed = current, now, 0.0
            if caught_up and partition in caught_up and (caught_up[partition] or state.through is not None):
                state.hear(caught_up[partition])

    def forget(self, partitions: Iterable[Partition]) -> None:
        """Partitions were taken away."""
        for partition in partitions:
            self._states.pop(partition, None)

    def _state(self, partition: Partition, now: float) -> _State:
        state = self._states.get(partition)
        if state is None:
            state = self._states[partition] = _State(now)
        return state

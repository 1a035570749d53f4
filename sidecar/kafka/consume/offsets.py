"""Which offsets may be committed. Pure: no Kafka, no clock, no tasks.

A record that was taken is a lease. It starts with one hold, its taker's own; every trace that it feeds adds one. When
all holds are released the record is done. What may be committed for a partition is the lowest offset that is not done,
or one past the highest taken: gaps (compaction, transaction markers) never stand in the way.

A trace whose records lie on both sides of a committed offset would be seen in part by whoever reads on from there. So each record knows
the first record of the traces that it joined, and a commit says beside its offset where reading begins again (`again`). Records
between the two are replayed: done already, and handed out only to make the later ones whole.

Memory is proportional to the leases that are open, and to the records that joined others and are not committed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sidecar.record.record import Acknowledgement

Partition: TypeAlias = tuple[str, int]


class Lease:
    """A claim on one record; a trace.Acknowledgement. Done is final: later holds and releases do nothing."""

    __slots__ = ("_holds", "_state", "offset", "replayed", "taken_at")

    def __init__(self, state: _PartitionState, offset: int, taken_at: float, *, replayed: bool = False) -> None:
        self.offset = offset
        self.taken_at = taken_at
        self.replayed = replayed
        self._state = state
        self._holds = 0 if replayed else 1

    @property
    def revoked(self) -> bool:
        """Whether its partition was taken away since: whoever has it now reads the record again, and nothing may be made of it here."""
        return self._state.gone

    @property
    def done(self) -> bool:
        """Whether every hold has been released."""
        return self._holds == 0

    def hold(self) -> None:
        """Add one hold, unless the record is done."""
        if self._holds:
            self._holds += 1

    def release(self) -> None:
        """Take one hold away; with the last one the record is done."""
        if not self._holds:
            return
        self._holds -= 1
        if not self._holds:
            self._state.open.pop(self.offset, None)

    def joins(self, first: Acknowledgement) -> None:
        """A trace that `first` began goes on in this record. Of another partition or generation it says nothing."""
        if isinstance(first, Lease) and first._state is self._state and first.offset < self.offset:
            begun = self._state.begun
            begun[self.offset] = min(first.offset, begun.get(self.offset, self.offset))
            if first.offset < self._state.committed <= self.offset:
                # What was committed does not say so yet: it is offered once more.
                self._state.committed -= 1


class _PartitionState:
    """One generation of one partition. Leases of an older generation point to an object that nobody reads any more.

    `floor`: records below it were done when the partition became ours. `begun`: of a record that joined traces, the first record of these.
    """

    __slots__ = ("begun", "committed", "floor", "gone", "highest", "inherited", "open", "until")

    def __init__(self, floor: int = 0) -> None:
        # Ordered, because the first key must be found in O(1) after many deletions at the front; a dict is O(n) there.
        self.open: OrderedDict[int, Lease] = OrderedDict()
        self.begun: dict[int, int] = {}
        self.gone = False
        self.floor = floor
        self.inherited, self.until = floor, -1
        self.highest = floor - 1
        self.committed = floor or -1

    def committable(self) -> int:
        return next(iter(self.open), self.highest + 1)


class OffsetTracker:
    """Takes records, hands out leases, and says what may be committed. Every call is O(1) per record or partition."""

    def __init__(self) -> None:
        self._partitions: dict[Partition, _PartitionState] = {}

    def take(self, topic: str, partition: int, offset: int, *, taken_at: float = 0.0) -> Lease:
        """A lease on a record. `taken_at` is any monotonic time in seconds, for `oldest_pending_age`.

        Offsets of a partition rise. One that does not means that the log was cut and read again from lower down: the
        partition then starts afresh, and leases handed out before no longer count.
        """
        state = self._partitions.get((topic, partition))
        if state is not None and offset < state.floor and state.highest < state.floor:
            return Lease(state, offset, taken_at, replayed=True)
        if state is None or offset <= state.highest:
            state = self._partitions[topic, partition] = _PartitionState()
        lease = Lease(state, offset, taken_at)
        state.open[offset] = lease
        state.highest = offset
        return lease

    def passed(self, partition: Partition, end: int) -> None:
        """All records of a partition that lie below `end` have been taken: what else lies there is no record (the markers of
        transactions), and is done with them."""
        state = self._partitions.get(partition)
        if state is not None:
            state.highest = max(state.highest, end - 1)

    def begins(self, partition: Partition, start: int) -> None:
        """What lies below `start`, and was not taken yet, never will be: it is gone, or nobody can read it."""
        state = self._partitions.setdefault(partition, _PartitionState())
        state.highest = max(state.highest, start - 1)

    def lease(self, topic: str, partition: int, offset: int) -> Lease | None:
        """The lease of a record that is not done, of the present generation; else None."""
        state = self._partitions.get((topic, partition))
        return state.open.get(offset) if state else None

    def committable(self) -> dict[Partition, int]:
        """The next offset to read of each partition where that has advanced since `committed` was told.

        A partition of which nothing is done yet is in it once, with its first offset: a group that starts at the end of
        a topic would else begin at a later end after a restart.
        """
        found = {}
        for partition, state in self._partitions.items():
            offset = state.committable()
            if offset > state.committed:
                found[partition] = offset
        return found

    def begin(self, topic: str, partition: int, committed: int, *, again: int | None = None, until: int = -1) -> None:
        """A partition became ours, to be read from below the offset that is committed: what lies below it is replayed. As long as not all up to
        `until` is done, our commits say `again` too: which records join earlier ones is known to the former owner alone until they are fed."""
        state = self._partitions[topic, partition] = _PartitionState(committed)
        if again is not None:
            state.inherited, state.until = again, until

    def again(self, partition: Partition, offset: int) -> int:
        """Where to begin again so that every trace with a record at or over `offset` is seen from its first record on."""
        state = self._partitions.get(partition)
        if state is None:
            return offset
        own = min((first for at, first in state.begun.items() if at >= offset), default=offset)
        return min(own, state.inherited) if state.until >= offset else own

    def until(self, partition: Partition, offset: int) -> int:
        """The last record known to join an earlier one, at or over `offset`; `offset` where none is."""
        state = self._partitions.get(partition)
        return max(offset, state.until, *state.begun) if state else offset

    def committed(self, offsets: Mapping[Partition, int], *, said: Mapping[Partition, int] | None = None) -> None:
        """Remember what was committed, and where the commits `said` that reading begins again: an offset for which that has become less
        while its commit was under way is offered once more. Partitions that are not tracked are ignored."""
        for partition, offset in offsets.items():
            state = self._partitions.get(partition)
            if state is not None:
                short = said is not None and self.again(partition, offset) < said[partition]
                state.committed = max(state.committed, offset - short)
                for at in [at for at in state.begun if at < offset]:
                    del state.begun[at]

    def revoke(self, partitions: Iterable[Partition]) -> None:
        """Forget partitions that were taken away; their leases become inert."""
        for partition in list(partitions):
            state = self._partitions.pop(partition, None)
            if state is not None:
                state.gone = True

    @property
    def partitions(self) -> frozenset[Partition]:
        """Partitions of which a record was taken and that were not revoked."""
        return frozenset(self._partitions)

    def pending(self, partition: Partition) -> int:
        """How many records of a partition are not done."""
        state = self._partitions.get(partition)
        return len(state.open) if state else 0

    def oldest_pending_age(self, now: float) -> float:
        """Seconds since the oldest record that is not done was taken; 0 when all are done. `now` as `taken_at`."""
        firsts = (next(iter(state.open.values()), None) for state in self._partitions.values())
        return max((now - lease.taken_at for lease in firsts if lease is not None), default=0.0)

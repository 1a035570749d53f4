"""Which traces have ended, and which of those still wait for their outcome.

An id is remembered so that what comes late of its trace is known for it. While the trace has no outcome yet, whatever comes of it
holds its record too: after a rebalance the records are read again, and committing those would lose the trace in a crash.
What was taken away before it had its outcome is forgotten, so that it is put together again when it is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeAlias

from exporters.result import Completeness
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Acknowledgement
from sidecar.record.request import RagTrace

Partition: TypeAlias = tuple[str, int]

BUFFER = "ended_ids"
_ID_BYTES = 600
_SHARE = 8


class Claim:
    """The records of one ended trace, held until it has its outcome.

    `revoked`: all its partitions were taken away since. Whoever has them now reads the records again.
    `digest`: what a whole request says, in short; empty of a trace.
    """

    __slots__ = ("digest", "first", "held", "key", "partitions", "revoked")

    def __init__(self, key: str, digest: bytes = b"") -> None:
        self.key = key
        self.digest = digest
        self.partitions: set[Partition] = set()
        self.first: dict[Partition | None, Acknowledgement] = {}
        self.held: dict[int, Acknowledgement] = {}
        self.revoked = False

    @property
    def replayed(self) -> bool:
        """Whether nothing of the trace is new: it had its outcome before its records were read this time."""
        return bool(self.held) and all(one.replayed for one in self.held.values())

    def hold(self, acknowledgement: Acknowledgement | None, partition: Partition | None) -> None:
        """Hold one more record, once."""
        if partition is not None:
            self.partitions.add(partition)
        if acknowledgement is not None and id(acknowledgement) not in self.held:
            acknowledgement.joins(self.first.setdefault(partition, acknowledgement))
            acknowledgement.hold()
            self.held[id(acknowledgement)] = acknowledgement

    def leave(self, gone: set[Partition]) -> None:
        """Partitions were taken away: where they are read again, other records of them are the first."""
        self.partitions -= gone
        for partition in gone:
            self.first.pop(partition, None)

    def release(self) -> None:
        """Let the records go."""
        for acknowledgement in self.held.values():
            acknowledgement.release()


@dataclass(frozen=True, slots=True)
class Assembled:
    """A trace that has ended, with the requests in it (none where it holds no RAG request). Whoever takes it gives it to
    `Assembler.settle` once, when all its requests have their outcome; one that was revoked since need not be scored."""

    trace_id: str
    requests: tuple[RagTrace, ...]
    completeness: Completeness
    claim: Claim
    ignored_reason: str | None = None

    @property
    def completion(self) -> str:
        """How it ended."""
        return self.completeness.ended

    @property
    def acknowledgements(self) -> tuple[Acknowledgement, ...]:
        """The records that it was made of."""
        return tuple(self.claim.held.values())

    @property
    def revoked(self) -> bool:
        """Whether all its partitions were taken away since it ended: whoever has them now reads its records again."""
        return self.claim.revoked


class Ended:
    """Ids of ended traces: bounded by time, and by bytes to an eighth of the budget."""

    def __init__(self, remember_seconds: float, memory: MemoryBudget) -> None:
        self._remember_seconds = remember_seconds
        self._memory = memory
        self._most_bytes = memory.most_bytes // _SHARE
        self._bytes = 0
        self._at: OrderedDict[str, tuple[float, dict[Partition | None, Acknowledgement], bytes]] = OrderedDict()
        self._waiting: dict[str, Claim] = {}

    def __len__(self) -> int:
        return len(self._at)

    def add(self, claim: Claim, now: float) -> None:
        """A trace has ended. Where there is no room for its id, older ones are forgotten; where none are left, this one is."""
        if claim.partitions:
            self._waiting[claim.key] = claim
        self._forget(claim.key)
        cost = _cost(claim.key)
        while self._bytes + cost > self._most_bytes or not self._memory.take(BUFFER, cost):
            if not self._at:
                return
            self._forget(next(iter(self._at)))
        self._bytes += cost
        self._at[claim.key] = (now, claim.first, claim.digest)

    def knows(self, key: str, acknowledgement: Acknowledgement | None, partition: Partition | None) -> bool:
        """Whether this trace has ended. Where its outcome is still due, the record that says more of it is held as well; later
        ones still join it, so that nobody who reads them again sees them alone."""
        known = self._at.get(key)
        if known is None:
            return False
        claim = self._waiting.get(key)
        if claim is not None:
            claim.hold(acknowledgement, partition)
        elif acknowledgement is not None:
            acknowledgement.joins(known[1].setdefault(partition, acknowledgement))
        return True

    def digest(self, key: str) -> bytes:
        """That of the one that ended under a key that is known."""
        return self._at[key][2]

    def settle(self, claim: Claim) -> None:
        """The trace has its outcome: release its records."""
        if self._waiting.get(claim.key) is claim:
            del self._waiting[claim.key]
        claim.release()

    def revoke(self, gone: set[Partition]) -> None:
        """Partitions were taken away: forget the traces without an outcome that came from these alone."""
        for _, first, _ in self._at.values():
            for partition in gone:
                first.pop(partition, None)
        for key, claim in list(self._waiting.items()):
            claim.leave(gone)
            if not claim.partitions:
                claim.revoked = True
                del self._waiting[key]
                self._forget(key)

    def expire(self, now: float) -> None:
        """Forget ids that are old."""
        while self._at and now - next(iter(self._at.values()))[0] > self._remember_seconds:
            self._forget(next(iter(self._at)))

    def _forget(self, key: str) -> None:
        if self._at.pop(key, None) is not None:
            self._bytes -= _cost(key)
            self._memory.give(BUFFER, _cost(key))


def _cost(key: str) -> int:
    return _ID_BYTES + len(key)

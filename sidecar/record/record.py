"""What Kafka hands us, and the values that spans carry. Absent is None, never 0 or ""."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

AttributeValue: TypeAlias = (
    "str | bool | int | float | bytes | Sequence[AttributeValue] | Mapping[str, AttributeValue] | None"
)
Attributes: TypeAlias = Mapping[str, AttributeValue]


class Acknowledgement(Protocol):
    """A claim on a Kafka record: its offset may be committed once every hold has been released.

    All calls are cheap, never block and never raise; releasing more often than holding is ignored.
    """

    @property
    def replayed(self) -> bool:
        """Whether the record was done before it was read this time: it comes again only to make later ones whole."""
        ...

    def hold(self) -> None: ...

    def release(self) -> None: ...

    def joins(self, first: Acknowledgement) -> None:
        """The trace that this record feeds was begun by `first`: whoever reads this one again must read that one, too."""
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """One Kafka message. `timestamp` is seconds since the epoch (broker or producer time)."""

    topic: str
    partition: int
    offset: int
    timestamp: float
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()

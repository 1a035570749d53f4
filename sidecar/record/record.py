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

    Both calls are cheap, never block and never raise; releasing more often than holding is ignored.
    """

    def hold(self) -> None: ...

    def release(self) -> None: ...


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

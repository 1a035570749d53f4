"""aiokafka's records as ours."""

from __future__ import annotations

from aiokafka.structs import ConsumerRecord

from sidecar.record.clock import Clock
from sidecar.record.record import Record


def as_record(found: ConsumerRecord, clock: Clock) -> Record:
    """The same record. A producer may leave the time out, which Kafka writes as -1: then it is now."""
    return Record(
        topic=found.topic,
        partition=found.partition,
        offset=found.offset,
        timestamp=found.timestamp / 1000 if found.timestamp >= 0 else clock.now(),
        key=found.key,
        value=found.value,
        headers=tuple((name, value or b"") for name, value in found.headers),
    )

"""Spans written to a topic of our own by trace id, so that one replica gets all spans of a trace.

At least once: a source record's hold is released when the broker has every part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sidecar.kafka.produce.outbox import Lane, Message, Parcel
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Acknowledgement, Record


class Repartitioner:
    """Puts the parts of records into the lane to the repartition topic. `on_refused` is given a record, with its hold, of which the
    brokers will never take a part."""

    def __init__(
        self, lane: Lane, telemetry: Telemetry, *, on_refused: Callable[[Record, Acknowledgement], None]
    ) -> None:
        self._lane = lane
        self._telemetry = telemetry
        self._on_refused = on_refused

    def forward(
        self,
        record: Record,
        lease: Acknowledgement,
        parts: Sequence[tuple[bytes, bytes]],
        *,
        headers: tuple[tuple[str, bytes], ...] = (),
    ) -> None:
        """Take (key, value) parts and the hold on their record. Never waits, never raises."""
        messages = tuple(Message(key, value, headers) for key, value in parts)
        count = partial(self._count, record.topic)
        self._lane.put(Parcel(record, lease, messages, count, partial(self._refused, record, lease)))

    def _refused(self, record: Record, lease: Acknowledgement, _: Exception) -> None:
        self._count(record.topic, "refused")
        self._on_refused(record, lease)

    def _count(self, topic: str, outcome: str) -> None:
        self._telemetry.count("rag_sidecar_repartitioned_records_total", topic=topic, outcome=outcome)

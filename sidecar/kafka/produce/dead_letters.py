"""Records that nobody could read go, untouched, to a topic of their own, with the cause in headers."""

from __future__ import annotations

import logging
from functools import partial

from exporters.text import clean
from sidecar.kafka.produce.outbox import Lane, Message, Parcel
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Acknowledgement, Record

logger = logging.getLogger(__name__)

_MOST_DETAIL = 1000


class DeadLetters:
    """Puts records into the lane to the dead-letter topic."""

    def __init__(self, lane: Lane, telemetry: Telemetry) -> None:
        self._lane = lane
        self._telemetry = telemetry

    def put(self, record: Record, lease: Acknowledgement, *, reason: str, detail: str) -> None:
        """Take a record and its hold, which is released when the topic has it. Never waits, never raises."""
        # Kafka allows a record of neither key nor value, aiokafka does not: its value becomes an empty one.
        value = b"" if record.key is None and record.value is None else record.value
        message = Message(record.key, value, (*record.headers, *_headers(record, reason, detail)))
        count = partial(self._count, record.topic, reason)
        refused = partial(self._too_large, record, lease, message, reason)
        self._lane.put(Parcel(record, lease, (message,), count, refused))

    def _too_large(self, record: Record, lease: Acknowledgement, message: Message, reason: str, _: Exception) -> None:
        """The broker let it into its own topic but not into this one: it goes without value. Where it came from is in the headers."""
        size = str(len(message.value or b"") + len(message.key or b"")).encode("ascii")
        headers = (*message.headers, ("rag-sidecar.value-left-out-bytes", size))
        less = Message(message.key, b"" if message.key is None else None, headers)
        count = partial(self._count, record.topic, reason)
        self._lane.put(Parcel(record, lease, (less,), count, partial(self._give_up, record, lease, reason)))

    def _give_up(self, record: Record, lease: Acknowledgement, reason: str, error: Exception) -> None:
        self._count(record.topic, reason, "refused")
        logger.error(
            "the dead-letter topic will not take a record even without its value (%s); it is at partition %d of %s, offset %d",
            type(error).__name__, record.partition, record.topic, record.offset,
        )  # fmt: skip
        lease.release()

    def _count(self, topic: str, reason: str, outcome: str) -> None:
        self._telemetry.count("rag_sidecar_dead_letters_total", topic=topic, reason=reason, outcome=outcome)


def _headers(record: Record, reason: str, detail: str) -> tuple[tuple[str, bytes], ...]:
    """The cause and the place. The record's time becomes a header: as the message's own, it might expire it at once."""
    ours = {
        "reason": reason,
        "detail": detail[:_MOST_DETAIL],
        "topic": record.topic,
        "partition": str(record.partition),
        "offset": str(record.offset),
        "timestamp": f"{record.timestamp:.3f}",
    }
    return tuple((f"rag-sidecar.{name}", clean(value).encode()) for name, value in ours.items())

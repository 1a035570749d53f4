"""A place that the log does not hold, since retention passed it or the log was cut: reading goes on where the log starts now."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import OffsetOutOfRangeError

from sidecar.kafka.consume.offsets import Partition

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Overtaken:
    """`at` was to be read next, and the log starts at `start`, or ends before `at`."""

    partition: Partition
    at: int
    start: int

    @property
    def lost(self) -> int:
        """How many offsets were deleted before they were read; some may have held no record. 0 of a log that was cut."""
        return max(0, self.start - self.at)


async def go_on(consumer: AIOKafkaConsumer, error: OffsetOutOfRangeError) -> list[Overtaken]:
    """Move to the log's start what `error` of this consumer says is out of range, and is still, and log it. Raises KafkaError or OSError."""
    places = dict(error.args[0])
    starts, ends = await consumer.beginning_offsets(list(places)), await consumer.end_offsets(list(places))
    found = []
    for tp, at in places.items():
        # A rebalance or a seek may have come between.
        if tp in consumer.assignment() and await consumer.position(tp) == at and not starts[tp] <= at <= ends[tp]:
            consumer.seek(tp, starts[tp])
            found.append(Overtaken((tp.topic, tp.partition), at, starts[tp]))
            _log(found[-1])
    return found


def _log(one: Overtaken) -> None:
    topic, number = one.partition
    if one.lost:
        logger.error(
            "partition %d of %s: retention took offsets %d to %d before they were read; reading goes on at %d",
            *(number, topic, one.at, one.start - 1, one.start),
        )
    else:
        logger.error(
            "partition %d of %s: ends before offset %d, so it was cut or made anew; reading goes on at its start, %d",
            *(number, topic, one.at, one.start),
        )

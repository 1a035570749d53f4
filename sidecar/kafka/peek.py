"""The latest records of a topic, read beside every consumer group: nothing is committed, nobody is disturbed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, TopicAuthorizationFailedError

from sidecar.kafka.client import explain, missing_topics, refused_topics, survey
from sidecar.kafka.closing import close_consumer
from sidecar.kafka.codecs import bound
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.record import Record

_GLANCE_MS = 500
# A broker that is asked to make a topic says at first that there is none.
_LOOKS, _MAKING_SECONDS = 5, 0.3


async def peek(
    config: ReceiveConfig, topic: str, count: int, *, setting: str = "receive.topics", create: bool = False
) -> list[Record]:
    """At most the `count` latest records of a topic, oldest first. Raises BrokerError naming the step that failed, and `setting` where there is
    no such topic. With `create` the broker may make it, where it is set up so."""
    async with _opened(config, topic, setting=setting, create=create) as reader:
        async with asyncio.timeout(config.start_timeout_seconds):
            return await reader.latest(count)


async def follow(
    config: ReceiveConfig, topic: str, count: int, *, setting: str = "receive.topics"
) -> AsyncGenerator[list[Record], None]:
    """The same, and after that what comes to the topic, until the caller leaves. Raises BrokerError."""
    async with _opened(config, topic, setting=setting) as reader:
        async with asyncio.timeout(config.start_timeout_seconds):
            found = await reader.latest(count)
        while True:
            yield found
            found = await reader.next()


def standing(records: Sequence[Record]) -> list[bytes]:
    """What records say, in their order. One is left out where a later record of its key in its partition has no value: it is erased, though compaction may
    not have removed it yet."""
    erased: dict[tuple[int, bytes], int] = {}
    for one in records:
        if one.value is None and one.key is not None:
            place = one.partition, one.key
            erased[place] = max(one.offset, erased.get(place, 0))
    return [
        one.value
        for one in records
        if one.value and (one.key is None or one.offset > erased.get((one.partition, one.key), -1))
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    """A consumer without a group, on every partition of a topic."""

    consumer: AIOKafkaConsumer
    partitions: Sequence[TopicPartition]

    async def latest(self, count: int) -> list[Record]:
        """From each partition as many as are asked for in all, since one may hold them all; then the latest of these."""
        consumer, own = self.consumer, self.partitions
        consumer.assign(own)
        begins, ends = await consumer.beginning_offsets(own), await consumer.end_offsets(own)
        left = {tp: ends[tp] for tp in own if ends[tp] > begins[tp]}
        for tp in own:
            consumer.seek(tp, max(begins[tp], ends[tp] - count))
        found: list[Record] = []
        while left:
            for tp, batch in (await consumer.getmany(*left, timeout_ms=_GLANCE_MS)).items():
                found += [_record(one) for one in batch if one.offset < ends[tp]]
                if batch[-1].offset >= ends[tp]:
                    consumer.seek(tp, ends[tp])  # What came meanwhile is the next reading's.
            # A position passes the markers of transactions too, which are no records.
            left = {tp: end for tp, end in left.items() if await consumer.position(tp) < end}
        return sorted(found, key=lambda record: record.timestamp)[-count:]

    async def next(self) -> list[Record]:
        """What has come since; after a moment without any an empty list."""
        batches = await self.consumer.getmany(timeout_ms=_GLANCE_MS)
        return sorted((_record(one) for batch in batches.values() for one in batch), key=lambda one: one.timestamp)


async def _partitions(config: ReceiveConfig, topic: str, *, setting: str, create: bool) -> int:
    for look in range(_LOOKS if create else 1):
        if look:
            await asyncio.sleep(_MAKING_SECONDS)
        found = (await survey(config, topics=[topic], create=create)).topics.get(topic)
        if found is not None:
            return found
    raise missing_topics([topic], setting)


@asynccontextmanager
async def _opened(config: ReceiveConfig, topic: str, *, setting: str, create: bool = False) -> AsyncIterator[_Reader]:
    partitions = await _partitions(config, topic, setting=setting, create=create)
    bound(config.most_batch_bytes)
    consumer = AIOKafkaConsumer(
        client_id=f"{config.client_id}-inspect",
        group_id=None,
        enable_auto_commit=False,
        max_partition_fetch_bytes=config.max_partition_fetch_bytes,
        **config.brokers.client_options(),
    )
    try:
        async with asyncio.timeout(config.start_timeout_seconds):
            await consumer.start()
        yield _Reader(consumer, [TopicPartition(topic, number) for number in range(partitions)])
    except TopicAuthorizationFailedError as error:
        raise refused_topics([topic]) from error
    except (KafkaError, OSError, TimeoutError) as error:
        raise explain(error, config.brokers, config.bootstrap_servers) from error
    finally:
        await close_consumer(consumer, seconds=config.stop_timeout_seconds)


def _record(one: ConsumerRecord[bytes, bytes]) -> Record:
    headers = tuple((name, value or b"") for name, value in one.headers)
    return Record(one.topic, one.partition, one.offset, max(one.timestamp, 0) / 1000, one.key, one.value, headers)

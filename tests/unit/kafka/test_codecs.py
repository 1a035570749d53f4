"""Compressed batches that unpack to far more than they weigh: refused at a limit, counted, and what follows them is read."""

from __future__ import annotations

import contextlib
import resource
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import cramjam
import pytest
from aiokafka import codec
from aiokafka.errors import CorruptRecordException
from aiokafka.record import default_records
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

from sidecar.kafka import codecs as kafka_codecs
from tests.kafka.harness import Reader, fresh
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka

MEGABYTE = 1 << 20
CODECS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


@pytest.fixture
def limit() -> Iterator[int]:
    kafka_codecs.bound(MEGABYTE)
    yield MEGABYTE
    kafka_codecs.bound(64 * MEGABYTE)


def batch(compression: int, value: bytes) -> bytes:
    """A record batch as a producer sends it."""
    builder = DefaultRecordBatchBuilder(2, compression, 0, -1, -1, -1, 1 << 30)
    builder.append(0, 1, None, value, [])
    return bytes(builder.build())


def values(data: bytes) -> list[bytes]:
    """The values of a batch, as the consumer unpacks them."""
    records = MemoryRecords(data)
    found = records.next_batch()
    return [] if found is None else [record.value for record in found]


@pytest.mark.parametrize("name", CODECS)
def test_a_batch_within_the_limit_is_unpacked(name: str, limit: int) -> None:
    value = b"two years " * 10_000
    assert values(batch(CODECS[name], value)) == [value]


@pytest.mark.parametrize("name", CODECS)
def test_a_batch_over_the_limit_is_refused(name: str, limit: int) -> None:
    data = batch(CODECS[name], bytes(4 * limit))
    assert len(data) < limit
    with pytest.raises(CorruptRecordException, match="unpacks to more than"):
        values(data)


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join(packer.compress(bytes(16 * MEGABYTE)) for _ in range(32)) + packer.flush()


def zstd_bomb() -> bytes:
    packer = cramjam.zstd.Compressor(3)
    for _ in range(32):
        packer.compress(bytes(16 * MEGABYTE))
    return bytes(packer.finish())


@pytest.mark.parametrize(("name", "bomb"), [("gzip_decode", gzip_bomb), ("zstd_decode", zstd_bomb)])
def test_half_a_gigabyte_in_a_few_kilobytes_takes_no_memory(name: str, bomb: Callable[[], bytes], limit: int) -> None:
    payload = bomb()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CorruptRecordException):
        getattr(default_records, name)(payload)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


@pytest.mark.parametrize("name", CODECS)
def test_a_small_batch_takes_no_more_memory_than_it_needs_however_high_the_limit(name: str) -> None:
    kafka_codecs.bound(256 * MEGABYTE)
    data = batch(CODECS[name], bytes(100_000))
    tracemalloc.start()
    try:
        assert values(data) == [bytes(100_000)]
        assert tracemalloc.get_traced_memory()[1] < 2 * MEGABYTE
    finally:
        tracemalloc.stop()
        kafka_codecs.bound(64 * MEGABYTE)


@pytest.mark.parametrize(
    "broken", [b"", b"\x00", b"\xff" * 40, b"\x82SNAPPY\x00" + b"\x00\x00\x00\x01" * 2 + b"\x7f\xff\xff\xff"]
)
@pytest.mark.parametrize("name", ["gzip_decode", "snappy_decode", "lz4_decode", "zstd_decode"])
def test_bytes_that_are_no_batch_are_refused_or_empty(name: str, broken: bytes, limit: int) -> None:
    with contextlib.suppress(CorruptRecordException):
        assert getattr(default_records, name)(broken) == b""


def test_members_of_gzip_are_joined_and_counted_together(limit: int) -> None:
    one = codec.gzip_encode(b"x" * 600_000)
    assert kafka_codecs.gunzip(one, limit) == b"x" * 600_000
    with pytest.raises(CorruptRecordException):
        kafka_codecs.gunzip(one + one, limit)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
async def test_a_bomb_on_a_topic_is_passed_over_and_counted_and_what_follows_is_read(name: str) -> None:
    topic = fresh("bombs")
    with MockKafka() as broker:
        broker.create_topic(topic)
        for value in (b"before", bytes(4 * MEGABYTE), b"after"):
            produce(broker, topic, [Message(value, partition=0)], config={"compression.type": name})
        async with Reader(broker.bootstrap_servers, topics=[topic], most_batch_bytes=MEGABYTE) as reader:
            taken = await reader.poll_until(lambda: reader.telemetry.value("rag_sidecar_records_total") == 1)
            taken += await reader.take(1, seconds=40)
            # What had come before the consumer was built anew has come twice.
            assert {one.record.value for one in taken} == {b"before", b"after"}
            assert reader.telemetry.value("rag_sidecar_records_total", outcome="unreadable") == 1

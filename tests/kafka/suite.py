"""The suite. A subclass gives the fixture `broker`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sidecar.kafka.consume.receiver import Taken
from tests.kafka.harness import (
    Reader,
    away,
    eventually,
    fresh,
    places,
    produce_together,
    produce_unreadable,
    released,
    values,
)
from tests.parts.broker import Broker, Message, committed, produce, read

NUMBERED = [f"value-{number:03}".encode() for number in range(60)]


def spread(numbers: range) -> list[Message]:
    """Messages over all four partitions."""
    return [Message(f"value-{number:03}".encode(), partition=number % 4) for number in numbers]


async def together(*polls: Awaitable[list[Taken]]) -> list[Taken]:
    """What several receivers take at the same time."""
    return [taken for one in await asyncio.gather(*polls) for taken in one]


def halves(first: Reader, second: Reader) -> Callable[[], bool]:
    """Whether two receivers have two of the four partitions each."""
    return lambda: len(first.receiver.assigned) == len(second.receiver.assigned) == 2


def unreadables(reader: Reader) -> float:
    """How many records were passed over because aiokafka could not parse them."""
    return reader.telemetry.value("rag_sidecar_records_total", outcome="unreadable")


def lag(reader: Reader, topic: str) -> float:
    """The lag of a topic in records, as the gauge has it."""
    return reader.telemetry.value("rag_sidecar_consumer_lag_records", topic=topic)


class ReceiverSuite:
    """What holds on every broker."""

    async def test_records_of_all_listed_topics_come_whole(self, broker: Broker) -> None:
        first, second = fresh("spans"), fresh("more")
        broker.create_topic(first)
        broker.create_topic(second)
        await away(produce, broker, first, [Message(b"body", b"key", (("content-type", b"json"),), partition=2)])
        await away(produce, broker, second, [Message(None, b"tombstone", partition=0)])
        async with Reader(broker.bootstrap_servers, topics=[first, second], group_id=fresh("g")) as reader:
            taken = {one.record.topic: one.record for one in await reader.take(2)}
        whole, tombstone = taken[first], taken[second]
        assert (whole.partition, whole.offset, whole.key, whole.value) == (2, 0, b"key", b"body")
        assert whole.headers == (("content-type", b"json"),)
        assert 1_600_000_000 < whole.timestamp < 10_000_000_000
        assert (tombstone.key, tombstone.value) == (b"tombstone", None)

    async def test_a_pattern_reads_the_topics_whose_whole_name_matches_and_those_made_later(
        self, broker: Broker
    ) -> None:
        stem = fresh("pattern")
        for topic in (f"{stem}.a", f"{stem}.b.other", fresh("elsewhere")):
            broker.create_topic(topic)
            await away(produce, broker, topic, [topic.encode()])
        settings = {"topic_pattern": rf"{stem}\.[a-z]", "group_id": fresh("g")}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            assert values(await reader.take(1)) == [f"{stem}.a".encode()]
            broker.create_topic(f"{stem}.c")
            await away(produce, broker, f"{stem}.c", [b"later"])
            assert values(await reader.take(1)) == [b"later"]
            assert await reader.poll_for(0.5) == []

    async def test_an_offset_is_committed_only_after_its_record_was_released(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, [Message(b"%d" % n, partition=1) for n in range(3)])
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
            first, second, third = await reader.take(3, release=False)
            third.lease.release()
            second.lease.hold()
            second.lease.release()
            await reader.receiver.commit()
            assert (await away(committed, broker, group, topic)).get(1, 0) == 0
            first.lease.release()
            await reader.receiver.commit()
            assert (await away(committed, broker, group, topic))[1] == 1
            second.lease.release()
            await reader.receiver.commit()
            assert (await away(committed, broker, group, topic))[1] == 3
            assert reader.telemetry.value("rag_sidecar_commits_total", outcome="failed") == 0

    async def test_a_restart_goes_on_at_the_committed_offset_and_loses_nothing(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(40)))
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
            taken = await reader.take(40, release=False)
            done = [one for one in taken if one.record.offset < 6]
            for one in done:
                one.lease.release()
        await away(produce, broker, topic, spread(range(40, 60)))
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
            again = await reader.take(60 - len(done))
            assert values(again) == sorted(set(NUMBERED) - set(values(done)))
            assert await reader.poll_for(0.3) == []

    async def test_a_group_that_begins_at_the_end_keeps_its_place_over_a_restart_before_its_first_record(
        self, broker: Broker
    ) -> None:
        topic = fresh("spans")
        settings = {"topics": [topic], "group_id": fresh("g"), "auto_offset_reset": "latest"}
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(8)))
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            assert await reader.poll_for(1.0) == []
        await away(produce, broker, topic, spread(range(8, 16)))
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            assert values(await reader.take(8)) == NUMBERED[8:16]

    async def test_a_poison_record_lands_untouched_in_the_dead_letter_topic_and_the_next_ones_go_on(
        self, broker: Broker
    ) -> None:
        topic, dead, group = fresh("spans"), fresh("dead"), fresh("g")
        broker.create_topic(topic)
        broker.create_topic(dead)
        poison = Message(b"\xff\x00 not a span", b"\x01key", (("trace", b"\xfe"),), partition=3)
        await away(produce, broker, topic, [Message(b"good", partition=3), poison, Message(b"fine", partition=3)])
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group, dead_letter_topic=dead) as reader:
            good, bad, fine = await reader.take(3, release=False)
            good.lease.release()
            fine.lease.release()
            assert not await reader.receiver.dead_letter(bad.record, reason="protobuf", detail="field 3 at byte 7")
            await eventually(released(bad))
            await reader.receiver.commit()
            sent = reader.telemetry.value(
                "rag_sidecar_dead_letters_total", topic=topic, reason="protobuf", outcome="sent"
            )
            assert sent == 1
        (letter,) = await away(read, broker, dead, count=1)
        assert (letter.value, letter.key) == (poison.value, poison.key)
        headers = dict(letter.headers)
        assert float(headers.pop("rag-sidecar.timestamp")) == pytest.approx(bad.record.timestamp, abs=0.001)
        assert headers == {
            "trace": b"\xfe",
            "rag-sidecar.reason": b"protobuf",
            "rag-sidecar.detail": b"field 3 at byte 7",
            "rag-sidecar.topic": topic.encode(),
            "rag-sidecar.partition": b"3",
            "rag-sidecar.offset": b"1",
        }
        assert (await away(committed, broker, group, topic))[3] == 3

    async def test_without_a_dead_letter_topic_poison_is_counted_and_passed_over(self, broker: Broker) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        await away(produce, broker, topic, [b"poison"])
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
            (bad,) = await reader.take(1, release=False)
            assert await reader.receiver.dead_letter(bad.record, reason="json", detail="")
            assert reader.telemetry.value("rag_sidecar_dead_letters_total", reason="json", outcome="disabled") == 1

    async def test_a_long_pause_keeps_the_membership_and_loses_nothing(self, broker: Broker) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(20)))
        settings = {"topics": [topic], "group_id": fresh("g"), "max_poll_interval_seconds": 1.0, "max_records": 5}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            taken = await reader.take(5)
            assert await reader.poll_for(1.5, paused=True) == []
            await away(produce, broker, topic, spread(range(20, 60)))
            assert await reader.poll_for(1.5, paused=True) == []
            taken += await reader.take(60 - len(taken))
            assert values(taken) == NUMBERED
            assert reader.revoked == []
            assert reader.telemetry.value("rag_sidecar_rebalances_total") == 1
            assert reader.telemetry.value("rag_sidecar_receiver_restarts_total") == 0

    async def test_a_record_that_aiokafka_cannot_parse_is_passed_over_and_counted(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(20)))
        assert await produce_unreadable(broker, topic, partition=2) == 5
        await away(produce, broker, topic, spread(range(20, 40)))
        settings = {"topics": [topic], "group_id": group, "lag_interval_seconds": 0.1}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            taken = await reader.take(40)
            await reader.poll_until(lambda: lag(reader, topic) == 0)
            assert values(taken) == NUMBERED[:40]
            assert unreadables(reader) == 1
            assert reader.telemetry.value("rag_sidecar_receiver_restarts_total") == 0
        assert (await away(committed, broker, group, topic))[2] == 11

    async def test_whole_batches_that_cannot_be_read_are_passed_over_one_after_the_other(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, [Message(b"before", partition=1)])
        for first in (1, 13):
            assert await produce_together(broker, topic, [b"0" * 200_000] * 12, partition=1) == first
        settings = {"topics": [topic], "group_id": group, "most_batch_bytes": 1024 * 1024}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            await reader.take(1)
            await reader.poll_until(lambda: unreadables(reader) == 24)
            # Also where nothing that can be read comes after them.
            await reader.receiver.commit()
        assert (await away(committed, broker, group, topic))[1] == 25
        await away(produce, broker, topic, [Message(b"after", partition=1)])
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            assert places(await reader.take(1)) == [(topic, 1, 25)]
            assert unreadables(reader) == 0

    @pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
    async def test_compressed_records_of_more_than_a_megabyte_are_read(self, broker: Broker, codec: str) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        body = bytes(range(256)) * 12_000
        await away(produce, broker, topic, [body], config={"compression.type": codec})
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
            (one,) = await reader.take(1)
        assert one.record.value == body

    async def test_what_was_fetched_when_a_pause_began_comes_after_it(self, broker: Broker) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(60)))
        settings = {"topics": [topic], "group_id": fresh("g"), "max_records": 10}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            taken: list[Taken] = []
            while len(taken) < 60:
                assert await reader.receiver.poll(paused=True) == []
                taken += await reader.receiver.poll(paused=False)
            assert values(taken) == NUMBERED
            for number in range(4):
                offsets = [one.record.offset for one in taken if one.record.partition == number]
                assert offsets == sorted(offsets)

    async def test_the_lag_is_measured_also_while_paused(self, broker: Broker) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(20)))
        settings = {"topics": [topic], "group_id": fresh("g"), "lag_interval_seconds": 0.1}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            await reader.poll_until(lambda: lag(reader, topic) == 20, paused=True)
            await reader.take(20)
            await away(produce, broker, topic, spread(range(20, 28)))
            await reader.poll_until(lambda: lag(reader, topic) == 8, paused=True)
            assert reader.telemetry.value("rag_sidecar_consumer_lag_seconds", topic=topic) > 0
            await reader.take(8)
            await reader.poll_until(lambda: lag(reader, topic) == 0)
            assert reader.telemetry.value("rag_sidecar_consumer_lag_seconds", topic=topic) == 0

    async def test_a_receiver_that_nobody_polls_leaves_the_group_and_comes_back_when_somebody_does(
        self, broker: Broker
    ) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        settings = {"topics": [topic], "group_id": fresh("g"), "max_poll_interval_seconds": 1.0}
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            await away(produce, broker, topic, spread(range(4)))
            await reader.take(4, release=False)
            await asyncio.sleep(2.5)
            assert not reader.receiver.ready
            assert reader.revoked[0] == {(topic, number) for number in range(4)}
            assert reader.telemetry.value("rag_sidecar_receiver_restarts_total", reason="poll_stopped") == 1
            assert values(await reader.take(4)) == NUMBERED[:4]
            assert reader.receiver.ready


class GroupSuite:
    """What holds where a group may have several members: on Apache Kafka, not on the mock."""

    async def test_a_pause_lasts_over_a_rebalance(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as first:
            await first.poll_for(0.2, paused=True)
            async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as second:
                both = halves(first, second)
                await asyncio.gather(first.poll_until(both, paused=True), second.poll_until(both, paused=True))
                await away(produce, broker, topic, spread(range(60)))
                silent, taken = await asyncio.gather(first.poll_for(1.5, paused=True), second.take(30))
                assert silent == []
                assert values(taken + await first.take(30)) == NUMBERED

    async def test_a_receiver_knows_its_share_of_all_partitions(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as first:
            await first.poll_for(0.2)
            assert first.receiver.share == 1.0
            async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as second:
                both = halves(first, second)
                await asyncio.gather(first.poll_until(both), second.poll_until(both))
                assert (first.receiver.share, second.receiver.share) == (0.5, 0.5)

    async def test_two_receivers_share_the_partitions_and_nothing_is_lost_when_one_comes_and_goes(
        self, broker: Broker
    ) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, spread(range(20)))
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as first:
            taken = await first.take(20, release=False)
            done = taken[::2]
            for one in done:
                one.lease.release()
            async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as second:
                both = halves(first, second)
                again = await together(first.poll_until(both), second.poll_until(both))
                assert first.revoked == [{(topic, number) for number in range(4)}]
                await away(produce, broker, topic, spread(range(20, 40)))
                again += await together(first.poll_for(1.5), second.poll_for(1.5))
                for one in again:
                    one.lease.release()
                for one in taken:
                    one.lease.release()
            await away(produce, broker, topic, spread(range(40, 60)))
            rest = await first.take(20)
        assert set(values(done + again + rest)) == set(NUMBERED)
        offsets = await away(committed, broker, group, topic)
        assert offsets == {0: 15, 1: 15, 2: 15, 3: 15}

    async def test_leases_from_before_a_rebalance_move_no_offset(self, broker: Broker) -> None:
        topic, group = fresh("spans"), fresh("g")
        broker.create_topic(topic)
        await away(produce, broker, topic, [Message(b"x", partition=n) for n in range(4)])
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as first:
            old = await first.take(4, release=False)
            async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as second:
                both = halves(first, second)
                again = await together(first.poll_until(both), second.poll_until(both))
                for one in old:
                    one.lease.release()
                await first.receiver.commit()
                again += await together(first.poll_for(1.0), second.poll_for(1.0))
                assert sorted(places(again)) == sorted(places(old))
                assert set((await away(committed, broker, group, topic)).values()) <= {0}

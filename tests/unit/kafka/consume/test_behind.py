"""How far a topic of our own is behind its sources: by what the group has committed of these, never by what has been read of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import StaleMetadata

from sidecar.kafka.consume.behind import Behind
from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.sources import SourceOffsets
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.record import Record
from tests.kafka.harness import Reader, away, fresh
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka

ONE, TWO, OURS = ("spans", 0), ("spans", 1), ("by-trace", 0)
MOST = 60.0
# Twice the wait of a fetch, and a second.
SETTLING = 2.0


class Setting:
    """Sources whose ends and commits a test sets, asked about once a second."""

    def __init__(self) -> None:
        self.clock, self.telemetry = ManualClock(), Telemetry()
        config = ReceiveConfig(
            bootstrap_servers="a:1", topics="spans", repartition="by-trace", repartition_wait_seconds=MOST
        )
        self.behind = Behind(config, self.telemetry, self.clock)
        self.ends: dict[Partition, int] = {ONE: 0, TWO: 0}
        self.commits: dict[Partition, int] = {}
        self.broken = False

    async def source_ends(self) -> dict[Partition, int]:
        if self.broken:
            raise OSError("no broker")
        return dict(self.ends)

    async def source_commits(self) -> dict[Partition, int]:
        return dict(self.commits)

    async def seconds(self, number: int) -> float:
        """Let time pass, and look; how far our topic is behind then."""
        for _ in range(number):
            self.clock.advance(1)
            await self.behind.look(self)
        return self.behind.of(OURS)


async def test_while_sources_are_empty_only_the_age_of_the_answers_counts() -> None:
    setting = Setting()
    assert setting.behind.of(OURS) == MOST
    assert await setting.seconds(10) == SETTLING
    assert setting.behind.of(ONE) == 0.0


async def test_it_grows_while_one_record_of_one_source_is_not_committed_and_shrinks_when_it_is() -> None:
    setting = Setting()
    await setting.seconds(10)
    setting.ends = {ONE: 5, TWO: 1}
    setting.commits = {ONE: 5}
    assert await setting.seconds(20) == 20.0
    setting.commits = {ONE: 5, TWO: 1}
    # An answer that says that our topic has been read to its end may be older than this.
    assert await setting.seconds(1) == 21.0
    assert await setting.seconds(2) == SETTLING


async def test_under_steady_traffic_it_is_the_time_that_commits_take() -> None:
    setting = Setting()
    for second in range(50):
        setting.ends = {ONE: 100 * second, TWO: 7 * second}
        setting.commits = {ONE: max(0, 100 * (second - 4)), TWO: max(0, 7 * (second - 4))}
        await setting.seconds(1)
    assert setting.behind.of(OURS) == 4.0 + SETTLING


async def test_it_is_never_more_than_the_time_that_is_waited_for_and_that_is_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    setting = Setting()
    await setting.seconds(10)
    setting.ends = {ONE: 1, TWO: 0}
    with caplog.at_level(logging.INFO):
        assert await setting.seconds(int(3 * MOST)) == MOST
        assert setting.telemetry.value("rag_sidecar_repartition_waits_given_up_total") == 1
        assert setting.telemetry.value("rag_sidecar_repartition_behind_seconds") == 3 * MOST
        setting.commits = {ONE: 1}
        assert await setting.seconds(3) == SETTLING
    assert [one.levelname for one in caplog.records] == ["WARNING", "INFO"]
    assert setting.telemetry.value("rag_sidecar_repartition_waits_given_up_total") == 1


async def test_a_broker_that_does_not_answer_says_nothing() -> None:
    setting = Setting()
    await setting.seconds(10)
    setting.broken = True
    assert await setting.seconds(7) == 7.0


async def test_a_partition_that_is_gone_is_not_waited_for() -> None:
    setting = Setting()
    setting.ends = {ONE: 0, TWO: 9}
    assert await setting.seconds(10) == MOST
    setting.ends = {ONE: 0}
    assert await setting.seconds(3) == SETTLING


async def test_a_record_says_how_it_was_when_it_was_written_whatever_the_clock_of_its_reader() -> None:
    writer, reader = Setting(), Setting()
    await writer.seconds(10)
    writer.ends = {ONE: 1, TWO: 0}
    await writer.seconds(7)
    written = Record(*OURS, 0, writer.clock.now(), b"trace", b"part", writer.behind.headers())
    reader.clock.advance(86_400)
    assert reader.behind.said(written) == pytest.approx(7.0, abs=0.002)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Record(*OURS, 0, 1e9, None, b"part"), None),
        (Record(*OURS, 0, 1e9, None, b"part", (("rag-sidecar-through", b"soon"),)), None),
        (Record(*ONE, 0, 1e9, None, b"spans", (("rag-sidecar-through", b"1"),)), None),
        (Record(*OURS, 0, 1e9, None, b"part", (("rag-sidecar-through", b"1"),)), MOST),
        (Record(*OURS, 0, 1e9, None, b"part", (("rag-sidecar-through", b"1000000005000"),)), 0.0),
    ],
    ids=["of an older version", "nonsense", "of another topic", "long ago", "in the future"],
)
def test_what_a_record_says_is_bounded_and_believed_of_our_own_topic_only(record: Record, said: float | None) -> None:
    assert Setting().behind.said(record) == said


class Consumer:
    """What a consumer knows before it asks."""

    def __init__(self, partitions: dict[str, set[int] | None]) -> None:
        self._partitions = partitions

    def subscription(self) -> frozenset[str]:
        return frozenset(self._partitions)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return self._partitions[topic]

    async def end_offsets(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        return {tp: 100 + tp.partition for tp in partitions}


@pytest.mark.parametrize(
    "known", [{}, {"by-trace": {0}}, {"spans": None, "more": {0}}], ids=["nothing", "our own topic", "one of two"]
)
async def test_topics_whose_partitions_are_not_known_yet_are_not_empty(known: dict[str, set[int] | None]) -> None:
    with pytest.raises(StaleMetadata):
        await SourceOffsets(Consumer(known), "by-trace").source_ends()


async def test_all_partitions_of_all_topics_but_our_own_are_sources() -> None:
    sources = SourceOffsets(Consumer({"spans": {0, 1}, "more": {0}, "by-trace": {0, 1}}), "by-trace")
    assert await sources.source_ends() == {("spans", 0): 100, ("spans", 1): 101, ("more", 0): 100}


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


async def test_our_topic_is_behind_for_as_long_as_a_record_of_the_source_is_held(broker: MockKafka) -> None:
    topic, own = fresh("spans"), fresh("own")
    for name in (topic, own):
        broker.create_topic(name)
    await away(produce, broker, topic, [Message(b"one", partition=0), Message(b"two", partition=1)])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g"), repartition=own) as reader:
        one, two = await reader.take(2, release=False)
        reader.receiver.forward(one, [(b"trace", b"half")])
        (half,) = await reader.take(1)
        assert half.record.topic == own
        assert half.behind == pytest.approx(60.0, abs=0.1)

        def behind() -> float:
            return reader.receiver.caught_up().get((own, half.record.partition), 60.0)

        await reader.poll_for(4.0)
        assert behind() == 60.0
        two.lease.release()
        await reader.receiver.commit()
        await reader.poll_until(lambda: behind() < 4.0)

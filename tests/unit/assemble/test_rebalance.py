"""What a rebalance takes away comes again: it is put together again unless it has its outcome, wherever it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sidecar.assemble import Assembled
from sidecar.kafka.consume.offsets import OffsetTracker, Partition
from sidecar.record.request import RagTrace, Tokens
from sidecar.record.span import RagSpan, SpanKind
from tests.unit.assemble.test_buffer import Lease, Setting, rag, span

HERE, THERE = ("t", 0), ("t", 1)
TRACE = f"{1:032x}"


class Kafka(Setting):
    """An assembler, and the offsets of what it was given: a record is read again after a revocation, unless it was committed."""

    def __init__(self, **config: object) -> None:
        super().__init__(quiet_seconds=1, **config)
        self.tracker = OffsetTracker()

    def read(
        self, what: Sequence[RagSpan] | Sequence[RagTrace], *, partition: Partition = HERE, offset: int = 0
    ) -> list[Assembled]:
        lease = self.tracker.take(*partition, offset)
        spans = [one for one in what if isinstance(one, RagSpan)]
        requests = [one for one in what if isinstance(one, RagTrace)]
        ended = self.assembler.take(requests, acknowledgement=lease, partition=partition)
        ended += self.assembler.add(spans, acknowledgement=lease, partition=partition)
        lease.release()
        return ended

    def revoke(self, *partitions: Partition) -> int:
        self.tracker.revoke(partitions)
        return self.assembler.forget(partitions)

    def committable(self, partition: Partition = HERE) -> int | None:
        return self.tracker.committable().get(partition)

    def given_up(self) -> dict[str, float]:
        found = self.telemetry.values("rag_sidecar_revoked_traces_total")
        return {labels["stage"]: value for labels, value in found if value}


def alone(trace: int) -> list[RagSpan]:
    """A model call without retrieval: held back before it ends."""
    return [span(trace, 3, SpanKind.LLM, answer="a", tokens=Tokens(7, 3), model_answered="m")]


def native(answer: str = "a") -> RagTrace:
    return RagTrace(trace_id="r1", service="kb", convention="native", timestamp=1.0, question="q", answer=answer)


def test_an_open_trace_is_put_together_again_from_what_is_read_again() -> None:
    kafka = Kafka()
    kafka.read(rag(1))
    assert kafka.revoke(HERE) == 1
    assert kafka.after(5) == []
    kafka.read(rag(1))
    [ended] = kafka.after(2)
    assert (ended.trace_id, ended.requests[0].answer, ended.revoked) == (TRACE, "answer", False)
    assert kafka.committable() == 0
    kafka.assembler.settle(ended)
    assert kafka.committable() == 1
    assert kafka.given_up() == {"open": 1}


def test_a_trace_held_back_is_put_together_again() -> None:
    kafka = Kafka()
    kafka.read(alone(1))
    kafka.after(40)
    assert kafka.revoke(HERE) == 1
    assert kafka.after(5) == []
    kafka.read(alone(1))
    [ended] = [*kafka.after(40), *kafka.after(2)]
    assert ended.requests[0].answer == "a"
    assert kafka.committable() == 0
    assert kafka.given_up() == {"held": 1}


def test_a_trace_that_waits_for_scoring_is_put_together_again_and_its_first_copy_is_told_that_it_was_revoked() -> None:
    kafka = Kafka()
    kafka.read(rag(1))
    [first] = kafka.after(2)
    kafka.revoke(HERE)
    assert first.revoked
    kafka.read(rag(1))
    assert kafka.telemetry.value("rag_sidecar_late_spans_total") == 0
    [second] = kafka.after(2)
    assert (second.requests, second.revoked) == (first.requests, False)
    # The first copy may still be finished: it says nothing about the second.
    kafka.assembler.settle(first)
    assert kafka.committable() == 0
    kafka.revoke(HERE)
    assert second.revoked


def test_a_trace_that_has_its_outcome_is_late_when_it_is_read_again() -> None:
    kafka = Kafka()
    kafka.read(rag(1), offset=7)
    [ended] = kafka.after(2)
    kafka.assembler.settle(ended)
    kafka.revoke(HERE)
    kafka.read(rag(1), offset=7)
    assert kafka.after(40) == []
    assert kafka.telemetry.value("rag_sidecar_late_spans_total") == 3
    assert kafka.committable() == 8


def test_who_gets_the_partition_next_still_sees_whole_what_came_late_to_this_one() -> None:
    """Its outcome is known here, and in no other process: read in part there it would be a poorer result."""
    kafka = Kafka()
    kafka.read(rag(1)[:1], offset=0)
    kafka.read(rag(2)[:1], offset=1)
    kafka.read(rag(1)[1:], offset=2)
    kafka.assembler.settle(kafka.after(2)[0])
    assert (kafka.committable(), kafka.tracker.again(HERE, 1)) == (1, 0)
    kafka.revoke(HERE)
    kafka.tracker.begin(*HERE, 1)
    kafka.read(rag(1)[:1], offset=0)
    kafka.read(rag(2)[:1], offset=1)
    kafka.read(rag(1)[1:], offset=2)
    assert kafka.tracker.again(HERE, 1) == 0


def test_a_native_request_that_waits_for_scoring_ends_again_and_one_that_has_its_outcome_does_not() -> None:
    kafka = Kafka()
    [first] = kafka.read([native()])
    kafka.revoke(HERE)
    assert first.revoked
    [second] = kafka.read([native()])
    assert kafka.committable() == 0
    kafka.assembler.settle(second)
    kafka.revoke(HERE)
    assert kafka.read([native()]) == []
    assert kafka.committable() == 1


def test_a_trace_of_two_partitions_lives_on_while_one_of_them_is_ours() -> None:
    kafka = Kafka()
    kafka.read(rag(1)[:2], partition=HERE)
    kafka.read(rag(1)[2:], partition=THERE)
    assert kafka.revoke(HERE) == 0
    # This replica gets the partition back: what it reads again holds its record until the trace has its outcome.
    kafka.read(rag(1)[:2], partition=HERE)
    assert kafka.committable(HERE) == 0
    [ended] = kafka.after(2)
    assert (ended.requests[0].question, ended.requests[0].answer) == ("question", "answer")
    kafka.assembler.settle(ended)
    assert (kafka.committable(HERE), kafka.committable(THERE)) == (1, 1)


def test_a_trace_of_two_partitions_is_given_up_when_the_second_is_taken_away_as_well() -> None:
    kafka = Kafka()
    kafka.read(rag(1)[:2], partition=HERE)
    kafka.read(rag(1)[2:], partition=THERE)
    assert kafka.revoke(HERE) == 0
    assert kafka.revoke(THERE) == 1
    assert kafka.after(40) == []


def test_a_trace_of_two_partitions_that_waits_for_scoring_holds_what_is_read_again_of_it() -> None:
    kafka = Kafka()
    kafka.read(rag(1)[:2], partition=HERE)
    kafka.read(rag(1)[2:], partition=THERE)
    [ended] = kafka.after(2)
    kafka.revoke(HERE)
    assert not ended.revoked
    kafka.read(rag(1)[:2], partition=HERE)
    assert kafka.committable(HERE) == 0
    kafka.assembler.settle(ended)
    assert kafka.committable(HERE) == 1


@pytest.mark.parametrize("spans", [rag(1), alone(1), [native()]], ids=["rag", "model call alone", "native"])
def test_other_partitions_are_left_alone(spans: list[RagSpan]) -> None:
    kafka = Kafka()
    ended = kafka.read(spans)
    assert kafka.revoke(THERE) == 0
    ended += [*kafka.after(40), *kafka.after(40)]
    assert [one.revoked for one in ended] == [False]


def test_every_hold_is_given_back_once() -> None:
    setting = Setting(quiet_seconds=1)
    leases = [Lease() for _ in range(4)]
    setting.assembler.add(rag(1), acknowledgement=leases[0], partition=HERE)
    setting.assembler.add(alone(2), acknowledgement=leases[1], partition=HERE)
    setting.after(40)
    setting.assembler.add(rag(3), acknowledgement=leases[2], partition=HERE)
    setting.assembler.take([native()], acknowledgement=leases[2], partition=HERE)
    assert [lease.holds for lease in leases] == [1, 1, 2, 0]
    setting.assembler.forget({HERE})
    # The RAG trace and the native request were handed out, and whoever has them settles them.
    assert [lease.holds for lease in leases] == [1, 0, 1, 0]


def test_a_copy_that_says_no_more_than_the_first_holds_its_record_too() -> None:
    kafka = Kafka()
    kafka.read(rag(1), partition=HERE)
    kafka.read([replace(one) for one in rag(1)], partition=THERE)
    assert kafka.committable(THERE) == 0

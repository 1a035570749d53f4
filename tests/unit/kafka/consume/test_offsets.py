"""The laws of offsets.py, against a model that remembers everything."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sidecar.kafka.consume.offsets import Lease, OffsetTracker
from sidecar.record.record import Acknowledgement

ZERO = ("t", 0)
ONE = ("t", 1)


def test_a_lease_is_an_acknowledgement() -> None:
    acknowledgement: Acknowledgement = OffsetTracker().take("t", 0, 0)
    acknowledgement.hold()
    acknowledgement.release()


def test_an_offset_is_not_committable_before_its_last_hold_is_released() -> None:
    tracker = OffsetTracker()
    lease = tracker.take("t", 0, 7)
    lease.hold()
    lease.release()
    assert tracker.committable() == {ZERO: 7}
    lease.release()
    assert tracker.committable() == {ZERO: 8}


def test_a_later_record_that_is_done_waits_for_an_earlier_one() -> None:
    tracker = OffsetTracker()
    first, second = tracker.take("t", 0, 10), tracker.take("t", 0, 11)
    second.release()
    assert tracker.committable() == {ZERO: 10}
    first.release()
    assert tracker.committable() == {ZERO: 12}


def test_gaps_in_the_offsets_do_not_stand_in_the_way() -> None:
    tracker = OffsetTracker()
    first, second = tracker.take("t", 0, 10), tracker.take("t", 0, 500)
    first.release()
    assert tracker.committable() == {ZERO: 500}
    second.release()
    assert tracker.committable() == {ZERO: 501}


def test_what_lies_at_the_end_and_is_no_record_is_done_with_those_before_it() -> None:
    tracker = OffsetTracker()
    lease = tracker.take("t", 0, 10)
    tracker.passed(ZERO, 12)
    assert tracker.committable() == {ZERO: 10}
    lease.release()
    assert tracker.committable() == {ZERO: 12}
    tracker.passed(ONE, 5)
    tracker.passed(ZERO, 11)
    assert tracker.committable() == {ZERO: 12}
    tracker.take("t", 0, 12)
    tracker.committed({ZERO: 12})
    assert tracker.committable() == {}


def test_what_was_committed_is_not_offered_again_until_it_advances() -> None:
    tracker = OffsetTracker()
    tracker.take("t", 0, 0).release()
    tracker.take("t", 1, 0).release()
    tracker.committed({ZERO: 1})
    assert tracker.committable() == {ONE: 1}
    tracker.take("t", 0, 1).release()
    assert tracker.committable() == {ZERO: 2, ONE: 1}


def test_releasing_too_often_changes_nothing_and_a_done_record_cannot_be_held_again() -> None:
    tracker = OffsetTracker()
    first = tracker.take("t", 0, 0)
    second = tracker.take("t", 0, 1)
    first.release()
    first.release()
    first.hold()
    assert first.done
    assert tracker.committable() == {ZERO: 1}
    second.release()
    assert tracker.committable() == {ZERO: 2}


def test_a_commit_between_two_records_of_a_trace_says_where_its_first_one_lies() -> None:
    tracker = OffsetTracker()
    leases = [tracker.take("t", 0, offset) for offset in range(10)]
    leases[7].joins(leases[3])
    leases[5].joins(leases[4])
    for lease in leases[:5] + leases[6:]:
        lease.release()
    assert tracker.committable() == {ZERO: 5}
    assert tracker.again(ZERO, 5) == 3
    leases[5].release()
    assert tracker.again(ZERO, 10) == 10
    tracker.committed({ZERO: 5})
    assert tracker.again(ZERO, 5) == 3
    tracker.committed({ZERO: 10})
    assert tracker.again(ZERO, 5) == 5


def test_records_below_the_committed_offset_are_replayed_and_hold_nothing_back() -> None:
    tracker = OffsetTracker()
    tracker.begin("t", 0, 5)
    first, second = tracker.take("t", 0, 3), tracker.take("t", 0, 4)
    assert (first.replayed, first.done, second.replayed) == (True, True, True)
    assert tracker.committable() == {}
    new = tracker.take("t", 0, 6)
    new.joins(first)
    assert (new.replayed, tracker.committable(), tracker.again(ZERO, 6)) == (False, {ZERO: 6}, 3)
    new.release()
    assert tracker.committable() == {ZERO: 7}


def test_a_record_that_joins_one_below_the_committed_offset_has_it_committed_once_more() -> None:
    tracker = OffsetTracker()
    first, pinned = tracker.take("t", 0, 0), tracker.take("t", 0, 1)
    first.release()
    tracker.committed({ZERO: 1})
    assert tracker.committable() == {}
    tracker.take("t", 0, 2).joins(first)
    assert (tracker.committable(), tracker.again(ZERO, 1)) == ({ZERO: 1}, 0)
    tracker.committed({ZERO: 1})
    assert tracker.committable() == {}
    assert not pinned.done


def test_what_the_former_owner_knew_is_passed_on_until_it_was_read_again() -> None:
    tracker = OffsetTracker()
    tracker.begin("t", 0, 5, again=3, until=8)
    first = tracker.take("t", 0, 3)
    tracker.take("t", 0, 4)
    tracker.take("t", 0, 5).release()
    tracker.take("t", 0, 6).release()
    # The record at 8 joins the one at 3, and has not been read yet: the next owner must begin there all the same.
    assert (tracker.committable(), tracker.again(ZERO, 7), tracker.until(ZERO, 7)) == ({ZERO: 7}, 3, 8)
    tracker.take("t", 0, 7).release()
    joining = tracker.take("t", 0, 8)
    joining.joins(first)
    assert tracker.again(ZERO, 8) == 3
    joining.release()
    assert tracker.again(ZERO, 9) == 9


def test_what_the_former_owner_knew_is_passed_on_while_records_were_taken_and_not_fed_yet() -> None:
    """The group changes while a batch is fed: what its last records join is not known, though they were polled."""
    tracker = OffsetTracker()
    tracker.begin("t", 0, 5, again=3, until=8)
    leases = [tracker.take("t", 0, offset) for offset in range(3, 9)]
    for lease in leases[2:4]:
        lease.release()
    assert (tracker.committable(), tracker.again(ZERO, 7), tracker.until(ZERO, 7)) == ({ZERO: 7}, 3, 8)


def test_a_record_that_joins_an_earlier_one_while_a_commit_is_under_way_has_it_made_once_more() -> None:
    tracker = OffsetTracker()
    first, pinned = tracker.take("t", 0, 0), tracker.take("t", 0, 1)
    first.release()
    said = {ZERO: tracker.again(ZERO, 1)}
    tracker.take("t", 0, 2).joins(first)
    tracker.committed({ZERO: 1}, said=said)
    assert (tracker.committable(), tracker.again(ZERO, 1)) == ({ZERO: 1}, 0)
    tracker.committed({ZERO: 1}, said={ZERO: 0})
    assert tracker.committable() == {}
    assert not pinned.done


def test_a_log_that_was_cut_after_a_replay_is_read_afresh() -> None:
    tracker = OffsetTracker()
    tracker.begin("t", 0, 5)
    tracker.take("t", 0, 5).release()
    lease = tracker.take("t", 0, 0)
    assert not lease.replayed
    assert tracker.committable() == {ZERO: 0}


def test_a_record_joins_nothing_of_another_partition_or_generation() -> None:
    tracker = OffsetTracker()
    old, elsewhere = tracker.take("t", 0, 1), tracker.take("t", 1, 1)
    tracker.revoke([ZERO])
    new = tracker.take("t", 0, 2)
    for first in (old, elsewhere, new):
        new.joins(first)
    assert tracker.again(ZERO, 2) == 2


def test_leases_of_a_revoked_partition_are_inert() -> None:
    tracker = OffsetTracker()
    old = tracker.take("t", 0, 5)
    seen = [old.revoked]
    tracker.revoke([ZERO])
    assert tracker.committable() == {}
    assert [*seen, old.revoked] == [False, True]
    new = tracker.take("t", 0, 5)
    old.release()
    assert tracker.committable() == {ZERO: 5}
    assert tracker.pending(ZERO) == 1
    new.release()
    assert tracker.committable() == {ZERO: 6}


def test_committing_a_partition_that_is_gone_is_ignored() -> None:
    tracker = OffsetTracker()
    tracker.take("t", 0, 5)
    tracker.revoke([ZERO])
    tracker.committed({ZERO: 6})
    tracker.take("t", 0, 5)
    assert tracker.committable() == {ZERO: 5}


def test_a_log_that_was_cut_starts_its_partition_afresh() -> None:
    tracker = OffsetTracker()
    old = tracker.take("t", 0, 100)
    tracker.committed({ZERO: 100})
    again = tracker.take("t", 0, 3)
    old.release()
    assert tracker.committable() == {ZERO: 3}
    again.release()
    assert tracker.committable() == {ZERO: 4}


def test_the_oldest_pending_age_is_that_of_the_first_open_record() -> None:
    tracker = OffsetTracker()
    assert tracker.oldest_pending_age(50.0) == 0.0
    first = tracker.take("t", 0, 0, taken_at=10.0)
    tracker.take("t", 1, 0, taken_at=20.0)
    assert tracker.oldest_pending_age(50.0) == 40.0
    first.release()
    assert tracker.oldest_pending_age(50.0) == 30.0


def test_a_lease_that_is_never_released_keeps_only_itself_in_memory() -> None:
    tracker = OffsetTracker()
    tracker.take("t", 0, 0)
    for offset in range(1, 1000):
        tracker.take("t", 0, offset).release()
    assert tracker.pending(ZERO) == 1


def test_the_cost_of_a_record_does_not_grow_with_what_is_open() -> None:
    def seconds(count: int) -> float:
        tracker = OffsetTracker()
        started = time.process_time()
        leases = [tracker.take("t", 0, offset) for offset in range(count)]
        for lease in leases:
            lease.release()
            tracker.committable()
        return time.process_time() - started

    small = min(seconds(2_000) for _ in range(3))
    large = min(seconds(20_000) for _ in range(3))
    assert large < 60 * max(small, 0.0005)


@given(order=st.permutations(range(12)), gaps=st.lists(st.integers(1, 9), min_size=12, max_size=12))
def test_in_whatever_order_records_end_the_committable_offset_never_falls_and_ends_past_the_last(
    order: list[int], gaps: list[int]
) -> None:
    tracker = OffsetTracker()
    offsets = [sum(gaps[: n + 1]) for n in range(12)]
    leases = [tracker.take("t", 0, offset) for offset in offsets]
    seen = []
    for index in order:
        leases[index].release()
        seen.append(tracker.committable()[ZERO])
    assert seen == sorted(seen)
    assert seen[-1] == offsets[-1] + 1


@dataclass
class _Taken:
    lease: Lease
    partition: tuple[str, int]
    offset: int
    holds: int = 1
    revoked: bool = False


@dataclass
class _Model:
    taken: list[_Taken] = field(default_factory=list)
    committed: dict[tuple[str, int], int] = field(default_factory=dict)

    def expected(self, partition: tuple[str, int]) -> int | None:
        live = [item for item in self.taken if item.partition == partition and not item.revoked]
        if not live:
            return None
        open_offsets = [item.offset for item in live if item.holds]
        return min(open_offsets) if open_offsets else max(item.offset for item in live) + 1


class TrackerMachine(RuleBasedStateMachine):
    """Any interleaving of takes, holds, releases, commits and revocations agrees with the model."""

    @initialize()
    def start(self) -> None:
        self.tracker = OffsetTracker()
        self.model = _Model()
        self.next = {ZERO: 0, ONE: 1000}

    @rule(partition=st.sampled_from([ZERO, ONE]), gap=st.integers(0, 3))
    def take(self, partition: tuple[str, int], gap: int) -> None:
        offset = self.next[partition] + gap
        self.next[partition] = offset + 1
        self.model.taken.append(_Taken(self.tracker.take(*partition, offset), partition, offset))

    @precondition(lambda self: self.model.taken)
    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.model.taken))
        item.lease.hold()
        item.holds += 1 if item.holds else 0

    @precondition(lambda self: self.model.taken)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.model.taken))
        item.lease.release()
        item.holds = max(0, item.holds - 1)

    @rule()
    def commit(self) -> None:
        offsets = self.tracker.committable()
        self.tracker.committed(offsets)
        self.model.committed.update(offsets)

    @rule(partition=st.sampled_from([ZERO, ONE]), back=st.integers(0, 5))
    def revoke(self, partition: tuple[str, int], back: int) -> None:
        self.tracker.revoke([partition])
        self.model.committed.pop(partition, None)
        for item in self.model.taken:
            item.revoked = item.revoked or item.partition == partition
        self.next[partition] = max(0, self.next[partition] - back)

    @invariant()
    def agrees(self) -> None:
        expected = {}
        for partition in (ZERO, ONE):
            offset = self.model.expected(partition)
            if offset is not None and offset > self.model.committed.get(partition, -1):
                expected[partition] = offset
            live = [i for i in self.model.taken if i.partition == partition and not i.revoked and i.holds]
            assert self.tracker.pending(partition) == len(live)
        assert self.tracker.committable() == expected


TestTrackerMachine = TrackerMachine.TestCase
TestTrackerMachine.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

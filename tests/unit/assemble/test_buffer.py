"""When a trace has ended, what is held for it, and that nothing is lost or counted twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.assemble import AssembleConfig, Assembled, Assembler
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.request import Document, RagTrace, Tokens
from sidecar.record.span import RagSpan, Said, SpanKind


@dataclass
class Lease:
    """Counts holds, and remembers what it joined."""

    holds: int = 0
    replayed: bool = False
    joined: list[object] = field(default_factory=list)

    def joins(self, first: object) -> None:
        self.joined.append(first)

    def hold(self) -> None:
        self.holds += 1

    def release(self) -> None:
        self.holds -= 1


class Setting:
    """An assembler with a clock that is moved by hand."""

    def __init__(self, **config: object) -> None:
        self.clock = ManualClock()
        self.telemetry = Telemetry()
        self.assembler = Assembler(AssembleConfig.model_validate(config), self.clock, self.telemetry)

    def after(self, seconds: float) -> list[Assembled]:
        self.clock.advance(seconds)
        return self.assembler.due()

    def while_caught_up(self, seconds: int, *partitions: tuple[str, int]) -> list[Assembled]:
        """As a pipeline that has nothing to read looks again and again."""
        ended: list[Assembled] = []
        for _ in range(seconds):
            self.clock.advance(1)
            ended += self.assembler.due(dict.fromkeys(partitions, 0.0))
        return ended


def span(trace: int, number: int, kind: SpanKind, *, parent: int | None = None, **fields: object) -> RagSpan:
    base = RagSpan(
        trace_id=f"{trace:032x}",
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        name=str(kind),
        kind=kind,
        convention="openinference",
        service="kb",
        start_ns=number * 1_000_000,
        end_ns=number * 1_000_000 + 500_000,
        size_bytes=1000,
    )
    own = {name: value for name, value in fields.items() if name in RagSpan.__slots__}
    said = {name: value for name, value in fields.items() if name not in own}
    return replace(base, **own, said=Said(**said))  # type: ignore[arg-type]


def rag(trace: int) -> list[RagSpan]:
    return [
        span(trace, 2, SpanKind.RETRIEVER, parent=1, documents=(Document(1, "text", "d1"),)),
        span(trace, 3, SpanKind.LLM, parent=1, answer="answer", tokens=Tokens(10, 5), model_answered="m"),
        span(trace, 1, SpanKind.CHAIN, question="question", end_ns=9_000_000),
    ]


def test_a_trace_with_its_root_ends_when_it_was_quiet() -> None:
    setting = Setting(quiet_seconds=5)
    assert setting.assembler.add(rag(1)) == []
    assert setting.after(4.9) == []
    [ended] = setting.after(0.2)
    assert (ended.completion, ended.requests[0].question, ended.requests[0].answer) == (
        "complete",
        "question",
        "answer",
    )


def test_a_trace_without_a_root_waits_longer() -> None:
    setting = Setting(quiet_seconds=5, quiet_without_root_seconds=30)
    setting.assembler.add(rag(1)[:2])
    assert setting.after(29) == []
    [ended] = setting.after(2)
    assert ended.completion == "no_root"
    assert "no_root" in ended.requests[0].partial


def test_a_trace_that_never_falls_quiet_ends_at_its_greatest_age() -> None:
    setting = Setting(quiet_seconds=5, max_age_seconds=20)
    ended: list[Assembled] = []
    for second in range(25):
        setting.assembler.add([span(1, 100 + second, SpanKind.TOOL, parent=1)])
        ended += setting.after(1)
    assert [one.completion for one in ended] == ["max_age"]


def test_late_spans_are_counted_and_hold_nothing() -> None:
    setting = Setting(quiet_seconds=1)
    setting.assembler.add(rag(1))
    setting.after(2)
    lease = Lease()
    assert setting.assembler.add(rag(1), acknowledgement=lease) == []
    assert lease.holds == 0
    assert setting.telemetry.value("rag_sidecar_late_spans_total") == 3


def test_a_span_that_comes_twice_counts_once() -> None:
    setting = Setting(quiet_seconds=1)
    setting.assembler.add(rag(1))
    setting.assembler.add(rag(1))
    [ended] = setting.after(2)
    assert ended.requests[0].tokens == Tokens(10, 5)
    assert setting.telemetry.value("rag_sidecar_duplicate_spans_total") == 3


def test_over_the_limit_the_oldest_trace_ends_first() -> None:
    setting = Setting(most_traces=2)
    assert setting.assembler.add(rag(1)) == []
    assert setting.assembler.add(rag(2)) == []
    [ended] = setting.assembler.add(rag(3))
    assert (ended.trace_id, ended.completion) == (f"{1:032x}", "evicted")


def test_bytes_are_bounded_too() -> None:
    setting = Setting(most_bytes=1_000_000)
    for trace in range(1000):
        setting.assembler.add(rag(trace))
    assert setting.assembler.open_bytes <= 1_000_000


def test_each_record_is_held_once_for_each_trace_that_it_fed() -> None:
    setting = Setting(quiet_seconds=1)
    lease = Lease()
    setting.assembler.add([*rag(1), *rag(2)], acknowledgement=lease)
    assert lease.holds == 2
    for ended in setting.after(2):
        for acknowledgement in ended.acknowledgements:
            acknowledgement.release()
    assert lease.holds == 0


def test_a_native_request_ends_at_once_and_its_replay_is_dropped() -> None:
    setting = Setting()
    request = RagTrace(trace_id="r1", service="kb", convention="native", timestamp=1.0, question="q", answer="a")
    [ended] = setting.assembler.take([request])
    assert ended.requests == (request,)
    assert setting.assembler.take([request]) == []


def test_a_trace_without_any_part_of_rag_is_ignored_and_counted() -> None:
    setting = Setting(quiet_seconds=1)
    lease = Lease()
    setting.assembler.add([span(1, 1, SpanKind.NONE)], acknowledgement=lease)
    [ended] = setting.after(2)
    assert (ended.requests, ended.ignored_reason, len(ended.acknowledgements)) == ((), "not_rag", 1)


def test_a_loop_of_parents_ends() -> None:
    setting = Setting(quiet_seconds=1, quiet_without_root_seconds=1)
    setting.assembler.add(
        [
            span(1, 1, SpanKind.CHAIN, parent=2),
            span(1, 2, SpanKind.LLM, parent=1, answer="a"),
            span(1, 3, SpanKind.LLM, parent=3),
        ]
    )
    assert len(setting.after(40)) + len(setting.after(40)) == 1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.integers(1, 5),
            st.sampled_from(list(SpanKind)),
            st.none() | st.integers(1, 5),
            st.floats(0, 40),
        ),
        max_size=30,
    )
)
def test_every_hold_is_given_back_by_the_end_of_its_trace(
    steps: list[tuple[int, int, SpanKind, int | None, float]],
) -> None:
    setting = Setting(most_traces=3)
    leases: list[Lease] = []
    ended: list[Assembled] = []
    for trace, number, kind, parent, pause in steps:
        leases.append(Lease())
        ended += setting.assembler.add([span(trace, number, kind, parent=parent)], acknowledgement=leases[-1])
        ended += setting.after(pause)
    ended += setting.assembler.flush()
    for one in ended:
        for acknowledgement in one.acknowledgements:
            acknowledgement.release()
    assert [lease.holds for lease in leases] == [0] * len(leases)
    assert (setting.assembler.open_traces, setting.assembler.open_bytes) == (0, 0)


HERE, THERE = ("spans", 0), ("spans", 1)


def test_a_trace_is_not_ended_while_its_next_record_may_lie_unread() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1)[:2], partition=HERE, timestamp=100.0)
    setting.assembler.due({HERE: 0.0})
    # Intake is paused, or the broker is away: nobody says that all has been read.
    for _ in range(20):
        setting.clock.advance(10)
        assert setting.assembler.due({}) == []
    setting.assembler.add(rag(1)[2:], partition=HERE, timestamp=100.5)
    setting.assembler.due({HERE: 0.0})
    [ended] = setting.while_caught_up(5, HERE)
    assert (ended.completeness.records, ended.completion) == (2, "complete")


def test_while_a_backlog_is_read_time_goes_as_its_records_do() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1), partition=HERE, timestamp=100.0)
    setting.assembler.due({})
    ended = []
    for number in range(2, 60):
        setting.assembler.add(rag(number), partition=HERE, timestamp=100.0 + number / 4)
        ended += setting.assembler.due({})
    assert [one.trace_id for one in ended[:2]] == [f"{1:032x}", f"{2:032x}"]
    assert 30 <= len(ended) <= 40  # those of the last five seconds wait


def test_a_trace_at_the_end_of_a_long_batch_waits_for_its_next_record() -> None:
    """After a pause of the intake forty seconds of records come in one poll."""
    setting = Setting(quiet_seconds=2, quiet_without_root_seconds=10)
    ended: list[Assembled] = []
    for batch in range(3):
        for number in range(40):
            setting.assembler.add(rag(batch * 40 + number), partition=HERE, timestamp=100.0 + batch * 40 + number)
        setting.assembler.add(rag(1000 + batch)[:1], partition=HERE, timestamp=140.0 + batch * 40)
        ended += setting.assembler.due({})
        setting.assembler.add(rag(1000 + batch)[1:], partition=HERE, timestamp=140.5 + batch * 40)
    ended += setting.assembler.flush()
    assert len(ended) == 123
    assert {one.completeness.spans for one in ended} == {3}


def test_one_producer_with_a_wrong_clock_ends_nothing() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.due({})
    for number in range(1, 30):
        wrong = 1e9 if number % 3 == 0 else 0.0
        setting.assembler.add(rag(number), partition=HERE, timestamp=100.0 + wrong)
        assert setting.assembler.due({}) == []


def test_a_trace_waits_for_what_lies_unread_in_the_sources_of_its_partition() -> None:
    """Its first half was repartitioned; the second lies in the source topic, at a replica that was killed."""
    setting = Setting(quiet_seconds=5, quiet_without_root_seconds=10)
    setting.assembler.add(rag(1)[:1], partition=HERE, timestamp=100.0, behind=2.0)
    setting.assembler.due({HERE: 2.0})
    for second in range(1, 40):
        setting.clock.advance(1)
        assert setting.assembler.due({HERE: 2.0 + second}) == []
    setting.assembler.add(rag(1)[1:], partition=HERE, timestamp=140.0, behind=41.0)
    ended: list[Assembled] = []
    for _ in range(8):
        setting.clock.advance(1)
        ended += setting.assembler.due({HERE: 2.0})
    [one] = ended
    assert (one.completeness.records, one.completion) == (2, "complete")


def test_a_trace_of_two_partitions_waits_for_both() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1)[:2], partition=HERE, timestamp=100.0)
    setting.assembler.add(rag(1)[2:], partition=THERE, timestamp=100.0)
    setting.assembler.due({HERE: 0.0, THERE: 0.0})
    assert setting.while_caught_up(66, HERE) == []
    setting.assembler.due({HERE: 0.0, THERE: 0.0})
    [ended] = setting.while_caught_up(5, HERE, THERE)
    assert ended.completion == "complete"


def test_a_trace_that_loses_one_of_its_partitions_waits_by_the_other() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1)[:2], partition=HERE, timestamp=100.0)
    setting.assembler.add(rag(1)[2:], partition=THERE, timestamp=100.0)
    setting.assembler.due({HERE: 0.0, THERE: 0.0})
    setting.assembler.forget([THERE])
    [ended] = setting.while_caught_up(5, HERE)
    assert ended.completion == "complete"


def test_records_of_a_trace_join_the_first_one_of_their_partition() -> None:
    setting = Setting(quiet_seconds=5)
    first, second, elsewhere, late = Lease(), Lease(), Lease(), Lease()
    setting.assembler.add(rag(1)[:1], acknowledgement=first, partition=HERE)
    setting.assembler.add(rag(1)[1:2], acknowledgement=elsewhere, partition=THERE)
    setting.assembler.add(rag(1)[2:], acknowledgement=second, partition=HERE)
    [ended] = setting.after(5)
    setting.assembler.settle(ended)
    setting.assembler.add([span(1, 9, SpanKind.LLM, answer="late")], acknowledgement=late, partition=HERE)
    assert (second.joined, elsewhere.joined, late.joined) == ([first], [elsewhere], [first])


def test_a_trace_of_which_all_was_done_before_is_not_reported_again() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1), acknowledgement=Lease(replayed=True), partition=HERE)
    [ended] = setting.after(5)
    assert (ended.requests, ended.ignored_reason) == ((), "replayed")
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="replayed") == 1
    # What comes late of it is known for it.
    setting.assembler.add([span(1, 9, SpanKind.LLM, answer="late")], acknowledgement=Lease(), partition=HERE)
    assert setting.telemetry.value("rag_sidecar_late_spans_total") == 1


def test_what_was_done_before_makes_whole_what_was_not() -> None:
    setting = Setting(quiet_seconds=5)
    setting.assembler.add(rag(1)[:1], acknowledgement=Lease(replayed=True), partition=HERE)
    setting.assembler.add(rag(1)[1:], acknowledgement=Lease(), partition=HERE)
    [ended] = setting.after(5)
    assert [len(request.documents) for request in ended.requests] == [1]


def test_a_native_request_that_was_done_before_is_not_reported_again() -> None:
    setting = Setting()
    request = RagTrace(trace_id="t", service="kb", convention="native", timestamp=0.0)
    assert setting.assembler.take([request], acknowledgement=Lease(replayed=True), partition=HERE) == []
    assert setting.assembler.take([request], acknowledgement=Lease(), partition=HERE) == []

"""Traces being put together: bounded by number and bytes, ended when complete, quiet, old or evicted.

Times are arrival times on the injected clock; durations of requests are event times and are none of this file's concern.
"""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Completeness
from sidecar.assemble.build import build_requests
from sidecar.assemble.doubles import Doubles
from sidecar.assemble.ended import Assembled, Claim, Ended, Partition
from sidecar.assemble.scatter import Scatter
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.memory import MemoryBudget, trace_bytes
from sidecar.record.record import Acknowledgement
from sidecar.record.request import RagTrace, TraceKind
from sidecar.record.span import RagSpan, SpanKind

logger = logging.getLogger(__name__)

_OPEN, _HELD = "open_traces", "held_traces"
INTERNAL = "internal"


class AssembleConfig(BaseModel):
    """Settings of the assembler."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quiet_seconds: float = Field(
        default=5.0, ge=0, description="A trace whose root has ended is complete after this long without a span."
    )
    quiet_without_root_seconds: float = Field(default=30.0, ge=0, description="The same without a root.")
    max_age_seconds: float = Field(default=120.0, gt=0, description="A trace ends at this age at the latest.")
    most_traces: int = Field(default=50_000, ge=1, description="Traces being put together; the oldest ends first.")
    most_bytes: int = Field(default=256_000_000, ge=1_000_000, description="Approximate bytes of the same.")
    most_spans: int = Field(
        default=10_000, ge=1, description="Spans of one trace; more are left out and the request is marked."
    )
    remember_seconds: float = Field(
        default=600.0, ge=0, description="How long ids of ended traces are known, so that late spans are."
    )
    keep_llm_only: bool = Field(default=True, description="Report model calls without retrieval as requests too.")


@dataclass(slots=True)
class _Open:
    """A trace being put together."""

    first_seen: float
    last_seen: float
    claim: Claim
    spans: dict[tuple[str, bool, int], RagSpan] = field(default_factory=dict)
    size: int = 0
    records: int = 0
    fed_at: int = 0
    has_root: bool = False
    cut: bool = False
    logs: int = 0


@dataclass(frozen=True, slots=True)
class _Held:
    """A model call alone, held back for a while: another trace may report the same call."""

    since: float
    assembled: Assembled
    size: int


class Assembler:
    """Not safe for threads: one caller, the pipeline. Nothing about a single span or trace raises."""

    def __init__(
        self, config: AssembleConfig, clock: Clock, telemetry: Telemetry, *, memory: MemoryBudget | None = None
    ) -> None:
        """`memory` is what traces, held ones and ids of ended ones share with the other buffers; by default it has no end."""
        self._memory = memory or MemoryBudget(sys.maxsize)
        self._broken = Broken(logger, telemetry, clock)
        self._config = config
        self._clock = clock
        self._telemetry = telemetry
        self._scatter = Scatter(clock, telemetry)
        self._open: dict[str, _Open] = {}
        # Ordered by the time at which each must be looked at again; a trace is in at most one place per queue entry.
        self._by_quiet: OrderedDict[str, None] = OrderedDict()
        self._by_quiet_rootless: OrderedDict[str, None] = OrderedDict()
        self._by_age: OrderedDict[str, None] = OrderedDict()
        self._ended = Ended(config.remember_seconds, self._memory)
        self._bytes = 0
        self._held_bytes = 0
        self._adds = 0
        self._held: deque[_Held] = deque()
        self._doubles = Doubles()

    @property
    def open_traces(self) -> int:
        """Traces being put together."""
        return len(self._open)

    @property
    def open_bytes(self) -> int:
        """Approximate bytes of the same."""
        return self._bytes

    def add(
        self,
        spans: Sequence[RagSpan],
        *,
        acknowledgement: Acknowledgement | None = None,
        partition: Partition | None = None,
    ) -> list[Assembled]:
        """Take the spans of one record. Returns traces that ended by this: native requests, and those evicted for room."""
        self._adds += 1
        ended: list[Assembled] = []
        for span in spans:
            try:
                if span.kind is SpanKind.REQUEST:
                    ended.extend(self._request(span, acknowledgement, partition))
                else:
                    self._span(span, acknowledgement, partition)
            except Exception as error:  # noqa: BLE001 - a barrier: one span that breaks us must not take others along
                self._broken.tell("assemble", error)
        while self._is_full() and (self._held or self._open):
            # What is held back is whole: letting it go early costs less than cutting a trace short.
            ended.extend([self._let_go()] if self._held else self._end(next(iter(self._by_age)), "evicted"))
        self._gauges()
        return ended

    def due(self) -> list[Assembled]:
        """Traces that are complete, quiet or too old by now. O(1) for each that ends."""
        now = self._clock.monotonic()
        config = self._config
        ended: list[Assembled] = []
        for queue, quiet, completion in (
            (self._by_quiet, config.quiet_seconds, "complete"),
            (self._by_quiet_rootless, config.quiet_without_root_seconds, "no_root"),
        ):
            while queue:
                trace_id = next(iter(queue))
                if now - self._open[trace_id].last_seen < quiet:
                    break
                ended.extend(self._end(trace_id, completion))
        while self._by_age and now - self._open[next(iter(self._by_age))].first_seen >= config.max_age_seconds:
            ended.extend(self._end(next(iter(self._by_age)), "max_age"))
        ended.extend(self._release_held(before=now - config.quiet_seconds))
        self._ended.expire(now)
        self._gauges()
        return ended

    def flush(self) -> list[Assembled]:
        """End every open trace as it is."""
        ended = [one for trace_id in list(self._by_age) for one in self._end(trace_id, "flushed")]
        ended.extend(self._release_held(before=self._clock.monotonic()))
        self._gauges()
        return ended

    def settle(self, assembled: Assembled) -> None:
        """All requests of a trace have their outcome, or it was given up: release its records. Once for each trace."""
        self._ended.settle(assembled.claim)

    def forget(self, partitions: Iterable[Partition]) -> int:
        """Partitions were taken away: give up the traces without an outcome that came from these alone. How many were open or
        held back. Their records are read again by the new owner, be it this replica, and put together again."""
        gone = set(partitions)
        self._ended.revoke(gone)
        dropped = [
            trace_id for trace_id, one in self._open.items() if one.claim.partitions and one.claim.partitions <= gone
        ]
        for trace_id in dropped:
            self._remove(trace_id).claim.release()
        for one in self._open.values():
            one.claim.partitions -= gone
        held = [one for one in self._held if one.assembled.revoked]
        self._held = deque(one for one in self._held if not one.assembled.revoked)
        for back in held:
            self._give_held(back)
            self.settle(back.assembled)
        self._telemetry.count("rag_sidecar_revoked_traces_total", len(dropped), stage="open")
        self._telemetry.count("rag_sidecar_revoked_traces_total", len(held), stage="held")
        self._gauges()
        return len(dropped) + len(held)

    def _is_full(self) -> bool:
        config = self._config
        many = len(self._open) + len(self._held) > config.most_traces
        return many or self._bytes + self._held_bytes > config.most_bytes or self._memory.fill > 1

    def _span(self, span: RagSpan, acknowledgement: Acknowledgement | None, partition: Partition | None) -> None:
        if self._ended.knows(span.trace_id, acknowledgement):
            self._telemetry.count("rag_sidecar_late_spans_total")
            return
        one = self._opened(span.trace_id)
        if partition is not None:
            one.claim.partitions.add(partition)
        one.claim.hold(acknowledgement)
        one.records += one.fed_at != self._adds
        one.fed_at = self._adds
        self._keep(one, span)
        one.last_seen = self._clock.monotonic()
        one.has_root = one.has_root or (span.parent_span_id is None and not span.is_log)
        self._requeue(span.trace_id, one)

    def _opened(self, trace_id: str) -> _Open:
        one = self._open.get(trace_id)
        if one is None:
            now = self._clock.monotonic()
            one = self._open[trace_id] = _Open(now, now, Claim(trace_id, (), {}))
            self._by_age[trace_id] = None
        return one

    def _keep(self, one: _Open, span: RagSpan) -> None:
        """Keep a span; of one that comes twice the copy with more in it."""
        key = (span.span_id, span.is_log, one.logs if span.is_log else 0)
        known = one.spans.get(key)
        one.logs += span.is_log
        if known is not None:
            self._telemetry.count("rag_sidecar_duplicate_spans_total")
            if known.size_bytes >= span.size_bytes:
                return
        elif len(one.spans) >= self._config.most_spans:
            one.cut = True
            return
        grown = span.size_bytes - (known.size_bytes if known else 0)
        one.spans[key] = span
        one.size += grown
        self._bytes += grown
        self._memory.charge(_OPEN, grown)

    def _requeue(self, trace_id: str, one: _Open) -> None:
        queue, other = (
            (self._by_quiet, self._by_quiet_rootless) if one.has_root else (self._by_quiet_rootless, self._by_quiet)
        )
        other.pop(trace_id, None)
        queue[trace_id] = None
        queue.move_to_end(trace_id)

    def _request(
        self, span: RagSpan, acknowledgement: Acknowledgement | None, partition: Partition | None
    ) -> list[Assembled]:
        """A native record ends at once; one that was seen before (a replay) is dropped."""
        request = span.request
        if request is None:
            return []
        key = f"{request.service}/{request.trace_id}"
        if self._ended.knows(key, acknowledgement):
            self._telemetry.count("rag_sidecar_duplicate_spans_total")
            return []
        claim = Claim(key, () if partition is None else (partition,), {})
        claim.hold(acknowledgement)
        self._ended.add(claim, self._clock.monotonic())
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion="complete")
        return [Assembled(request.trace_id, (request,), Completeness(1, True, "complete", False), claim)]

    def _end(self, trace_id: str, completion: str) -> list[Assembled]:
        """End a trace. One that is a model call alone is held back for a while: it may be a double of a RAG request."""
        one = self._remove(trace_id)
        now = self._clock.monotonic()
        self._ended.add(one.claim, now)
        self._scatter.ended(one.claim.partitions, has_root=one.has_root)
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion=completion)
        completeness = Completeness(one.records, one.has_root, completion, one.cut)
        found, ignored = self._requests(one, completion)
        assembled = Assembled(trace_id, found, completeness, one.claim, ignored)
        if found and all(request.kind is TraceKind.LLM_ONLY for request in found):
            held = _Held(now, assembled, sum(map(trace_bytes, found)))
            self._held.append(held)
            self._held_bytes += held.size
            self._memory.charge(_HELD, held.size)
            return []
        if ignored:
            self._telemetry.count("rag_sidecar_traces_ignored_total", reason=ignored)
        return [assembled]

    def _requests(self, one: _Open, completion: str) -> tuple[tuple[RagTrace, ...], str | None]:
        """The requests of a trace, or why there is none."""
        whole = one.has_root and completion != "evicted"
        try:
            found = tuple(build_requests(list(one.spans.values()), cut=one.cut, complete=whole))
            for request in found:
                if request.kind is TraceKind.RAG:
                    self._doubles.know(request)
        except Exception as error:  # noqa: BLE001 - a barrier: the trace is accounted for, and the next one ends
            self._broken.tell("assemble", error)
            return (), INTERNAL
        return found, None if found else "not_rag"

    def _release_held(self, *, before: float) -> list[Assembled]:
        """Model calls alone that were held back until now: requests of their own, or doubles."""
        released = []
        while self._held and self._held[0].since <= before:
            released.append(self._let_go())
        return released

    def _let_go(self) -> Assembled:
        """The one that was held back the longest."""
        one = self._held.popleft()
        self._give_held(one)
        reason = None
        if not self._config.keep_llm_only:
            reason = "llm_only"
        elif all(self._doubles.is_double(request) for request in one.assembled.requests):
            reason = "double"
        if reason is None:
            return one.assembled
        self._telemetry.count("rag_sidecar_traces_ignored_total", reason=reason)
        return replace(one.assembled, requests=(), ignored_reason=reason)

    def _give_held(self, one: _Held) -> None:
        self._held_bytes -= one.size
        self._memory.give(_HELD, one.size)

    def _remove(self, trace_id: str) -> _Open:
        one = self._open.pop(trace_id)
        for queue in (self._by_age, self._by_quiet, self._by_quiet_rootless):
            queue.pop(trace_id, None)
        self._bytes -= one.size
        self._memory.give(_OPEN, one.size)
        return one

    def _gauges(self) -> None:
        self._telemetry.set("rag_sidecar_open_traces", len(self._open))
        self._telemetry.set("rag_sidecar_open_trace_bytes", self._bytes)

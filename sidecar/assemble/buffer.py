"""Traces being put together: bounded by number and bytes, ended when complete, quiet, old or evicted.

How long a trace is waited for goes by its partitions' own time (progress.py), which stands still while their records lie unread; durations of
requests are event times and are none of this file's concern.
"""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from exporters.result import WHOLE, Completeness
from sidecar.assemble.doubles import Doubles
from sidecar.assemble.ended import Assembled, Claim, Ended
from sidecar.assemble.progress import Partition, Progress
from sidecar.assemble.repeats import Repeats, digest
from sidecar.assemble.request import build_requests
from sidecar.assemble.scatter import Scatter
from sidecar.assemble.settings import AssembleConfig
from sidecar.assemble.waits import Wait, Waits
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.memory import MemoryBudget, trace_bytes
from sidecar.record.record import Acknowledgement
from sidecar.record.request import RagTrace, TraceKind
from sidecar.record.span import RagSpan

logger = logging.getLogger(__name__)

_OPEN, _HELD = "open_traces", "held_traces"
INTERNAL = "internal"


@dataclass(slots=True)
class _Open:
    """A trace being put together. `born` and `seen`: the time of each of its partitions at its first and at its last record."""

    claim: Claim
    born: dict[Partition | None, float] = field(default_factory=dict)
    seen: dict[Partition | None, float] = field(default_factory=dict)
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
        self._repeats = Repeats(clock, telemetry)
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._waits = Waits()
        self._progress = Progress()
        self._ended = Ended(config.remember_seconds, self._memory)
        self._bytes = self._held_bytes = self._adds = 0
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
        timestamp: float | None = None,
        behind: float | None = None,
    ) -> list[Assembled]:
        """Take the spans of one record; `timestamp` and `behind` are as in `Progress.read`. Returns traces that were evicted for room."""
        self._adds += 1
        if partition is not None and timestamp is not None:
            self._progress.read(partition, timestamp, self._clock.monotonic(), behind=behind)
        ended: list[Assembled] = []
        for span in spans:
            try:
                self._span(span, acknowledgement, partition)
            except Exception as error:  # noqa: BLE001 - a barrier: one span that breaks us must not take others along
                self._broken.tell("assemble", error)
        while self._is_full() and (self._held or self._open):
            # What is held back is whole: letting it go early costs less than cutting a trace short.
            ended.extend([self._let_go()] if self._held else self._end(next(iter(self._open)), "evicted"))
        self._gauges()
        return ended

    def take(
        self,
        requests: Iterable[RagTrace],
        *,
        acknowledgement: Acknowledgement | None = None,
        partition: Partition | None = None,
    ) -> list[Assembled]:
        """Take the whole requests of one record. They end at once; those that were seen before (a replay) are dropped."""
        ended: list[Assembled] = []
        for request in requests:
            try:
                ended.extend(self._whole(request, acknowledgement, partition))
            except Exception as error:  # noqa: BLE001 - a barrier: one request that breaks us must not take others along
                self._broken.tell("assemble", error)
                ended.append(Assembled(request.trace_id, (), WHOLE, Claim(""), INTERNAL))
        return ended

    def _whole(
        self, request: RagTrace, acknowledgement: Acknowledgement | None, partition: Partition | None
    ) -> list[Assembled]:
        key = f"{request.service}/{request.trace_id}"
        claim = Claim(key, digest(request))
        if self._ended.knows(key, acknowledgement, partition):
            self._repeats.dropped(self._ended.digest(key), claim.digest)
            return []
        claim.hold(acknowledgement, partition)
        self._ended.add(claim, self._clock.monotonic())
        if claim.replayed:
            self._ended.settle(claim)
            return []
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion=WHOLE.ended)
        return [Assembled(request.trace_id, (request,), WHOLE, claim)]

    def due(self, caught_up: Mapping[Partition, float] | None = None) -> list[Assembled]:
        """Traces that are complete, quiet or too old by now. `caught_up`: see `Progress.tick`."""
        now, config = self._clock.monotonic(), self._config
        self._progress.tick(caught_up, now)
        ended: list[Assembled] = []
        for wait, seconds in (
            (Wait.QUIET, config.quiet_seconds),
            (Wait.QUIET_WITHOUT_ROOT, config.quiet_without_root_seconds),
            (Wait.AGE, config.max_age_seconds),
        ):
            for trace_id in self._ready(wait, seconds, now):
                ended.extend(self._end(trace_id, wait.value))
        ended.extend(self._release_held(before=now - config.quiet_seconds))
        self._ended.expire(now)
        self._gauges()
        return ended

    def _ready(self, wait: Wait, seconds: float, now: float) -> Iterator[str]:
        """Traces that have waited for so long in the time of every partition of theirs. Whoever takes one ends it."""
        for partition, queue in self._waits.heads(wait):
            while queue:
                trace_id = next(iter(queue))
                one = self._open[trace_id]
                since = one.born if wait is Wait.AGE else one.seen
                behind = [own for own, at in since.items() if self._progress.through(own, now) - at < seconds]
                if not behind:
                    yield trace_id
                elif partition in behind:
                    break
                else:
                    self._waits.put(wait, behind[0], trace_id)

    def flush(self) -> list[Assembled]:
        """End every open trace as it is."""
        ended = [one for trace_id in list(self._open) for one in self._end(trace_id, "flushed")]
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
        for trace_id, one in self._open.items():
            if one.claim.partitions & gone:
                one.claim.leave(gone)
                self._stay(trace_id, one)
        self._progress.forget(gone)
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
        if self._ended.knows(span.trace_id, acknowledgement, partition):
            self._telemetry.count("rag_sidecar_late_spans_total")
            return
        at = self._progress.at(partition, self._clock.monotonic())
        one = self._opened(span.trace_id, partition)
        one.claim.hold(acknowledgement, partition)
        one.records += one.fed_at != self._adds
        one.fed_at = self._adds
        self._keep(one, span)
        one.born.setdefault(partition, at)
        one.seen[partition] = at
        if not one.has_root and span.parent_span_id is None and not span.is_log:
            one.has_root = True
            self._waits.take(Wait.QUIET_WITHOUT_ROOT, span.trace_id)
        self._waits.put(Wait.QUIET if one.has_root else Wait.QUIET_WITHOUT_ROOT, partition, span.trace_id)

    def _opened(self, trace_id: str, partition: Partition | None) -> _Open:
        one = self._open.get(trace_id)
        if one is None:
            one = self._open[trace_id] = _Open(Claim(trace_id))
            self._waits.put(Wait.AGE, partition, trace_id)
        return one

    def _stay(self, trace_id: str, one: _Open) -> None:
        """Some partitions of an open trace were taken away: it waits by those that are left."""
        one.born = {own: at for own, at in one.born.items() if own in one.claim.partitions}
        one.seen = {own: at for own, at in one.seen.items() if own in one.claim.partitions}
        own = next(iter(one.seen))
        self._waits.put(Wait.AGE, own, trace_id)
        self._waits.put(Wait.QUIET if one.has_root else Wait.QUIET_WITHOUT_ROOT, own, trace_id)

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

    def _end(self, trace_id: str, completion: str) -> list[Assembled]:
        """End a trace. One that is a model call alone is held back for a while: it may be a double of a RAG request."""
        one = self._remove(trace_id)
        now = self._clock.monotonic()
        self._ended.add(one.claim, now)
        if one.claim.replayed:
            return self._replayed(one.claim, completion)
        self._scatter.ended(one.claim.partitions, has_root=one.has_root)
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion=completion)
        completeness = Completeness(one.records, len(one.spans), one.has_root, completion, one.cut)
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

    def _replayed(self, claim: Claim, completion: str) -> list[Assembled]:
        """A trace of which every record was done before: it has had its outcome."""
        self._telemetry.count("rag_sidecar_traces_ignored_total", reason="replayed")
        return [Assembled(claim.key, (), Completeness(len(claim.held), 0, False, completion, False), claim, "replayed")]

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
        self._waits.remove(trace_id)
        self._bytes -= one.size
        self._memory.give(_OPEN, one.size)
        return one

    def _gauges(self) -> None:
        self._telemetry.set("rag_sidecar_open_traces", len(self._open))
        self._telemetry.set("rag_sidecar_open_trace_bytes", self._bytes)

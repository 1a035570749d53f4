"""Traces being put together: bounded by number and bytes, ended when complete, quiet, old or evicted.

Times are arrival times on the injected clock; durations of requests are event times and are none of this file's concern.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field

from sidecar.assemble.build import build_requests
from sidecar.assemble.scatter import Scatter
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.trace import Acknowledgement, RagSpan, RagTrace, SpanKind, TraceKind

Partition = tuple[str, int]
_CallKey = tuple[str, str | None, int | None, int | None]
_CLOCK_SLACK_NS = 5_000_000
_MOST_KINDS_OF_CALLS = 2000
_MOST_CALLS_OF_A_KIND = 50


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


@dataclass(frozen=True, slots=True)
class Assembled:
    """A trace that has ended, with the requests in it (none where it holds no RAG request). Whoever takes it releases each
    acknowledgement once when all its requests have their outcome."""

    trace_id: str
    requests: tuple[RagTrace, ...]
    completion: str
    acknowledgements: tuple[Acknowledgement, ...] = ()
    ignored_reason: str | None = None


@dataclass(slots=True)
class _Open:
    """A trace being put together."""

    first_seen: float
    last_seen: float
    spans: dict[tuple[str, bool, int], RagSpan] = field(default_factory=dict)
    acknowledgements: dict[int, Acknowledgement] = field(default_factory=dict)
    partitions: set[Partition] = field(default_factory=set)
    size: int = 0
    has_root: bool = False
    cut: bool = False
    logs: int = 0


class Assembler:
    """Not safe for threads: one caller, the pipeline."""

    def __init__(self, config: AssembleConfig, clock: Clock, telemetry: Telemetry) -> None:
        self._config = config
        self._clock = clock
        self._telemetry = telemetry
        self._scatter = Scatter(clock, telemetry)
        self._open: dict[str, _Open] = {}
        # Ordered by the time at which each must be looked at again; a trace is in at most one place per queue entry.
        self._by_quiet: OrderedDict[str, None] = OrderedDict()
        self._by_quiet_rootless: OrderedDict[str, None] = OrderedDict()
        self._by_age: OrderedDict[str, None] = OrderedDict()
        self._ended: OrderedDict[str, float] = OrderedDict()
        self._bytes = 0
        self._held: OrderedDict[str, tuple[float, Assembled]] = OrderedDict()
        self._calls: OrderedDict[_CallKey, list[tuple[int, int, str | None]]] = OrderedDict()

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
        now = self._clock.monotonic()
        ended: list[Assembled] = []
        for span in spans:
            if span.kind is SpanKind.REQUEST:
                ended.extend(self._request(span, acknowledgement))
            else:
                self._span(span, now, acknowledgement, partition)
        while self._open and (len(self._open) > self._config.most_traces or self._bytes > self._config.most_bytes):
            ended.extend(self._end(next(iter(self._by_age)), "evicted"))
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
        while self._ended and now - next(iter(self._ended.values())) > config.remember_seconds:
            self._ended.popitem(last=False)
        self._gauges()
        return ended

    def flush(self) -> list[Assembled]:
        """End every open trace as it is."""
        ended = [one for trace_id in list(self._by_age) for one in self._end(trace_id, "flushed")]
        ended.extend(self._release_held(before=self._clock.monotonic()))
        self._gauges()
        return ended

    def forget(self, partitions: Iterable[Partition]) -> int:
        """Drop open traces that were fed by partitions taken away: their new owner reads them again. How many."""
        gone = set(partitions)
        dropped = [trace_id for trace_id, one in self._open.items() if one.partitions & gone]
        for trace_id in dropped:
            one = self._remove(trace_id)
            for acknowledgement in one.acknowledgements.values():
                acknowledgement.release()
        self._gauges()
        return len(dropped)

    def _span(
        self, span: RagSpan, now: float, acknowledgement: Acknowledgement | None, partition: Partition | None
    ) -> None:
        if span.trace_id in self._ended:
            self._telemetry.count("rag_sidecar_late_spans_total")
            return
        one = self._open.get(span.trace_id)
        if one is None:
            one = self._open[span.trace_id] = _Open(now, now)
            self._by_age[span.trace_id] = None
        key = (span.span_id, span.is_log, one.logs if span.is_log else 0)
        known = one.spans.get(key)
        if known is not None:
            self._telemetry.count("rag_sidecar_duplicate_spans_total")
            if known.size_bytes >= span.size_bytes:
                return
        if len(one.spans) >= self._config.most_spans and known is None:
            one.cut = True
        else:
            one.spans[key] = span
            one.size += span.size_bytes
            self._bytes += span.size_bytes
        one.logs += span.is_log
        one.last_seen = now
        one.has_root = one.has_root or (span.parent_span_id is None and not span.is_log)
        self._requeue(span.trace_id, one)
        if partition is not None:
            one.partitions.add(partition)
        if acknowledgement is not None and id(acknowledgement) not in one.acknowledgements:
            acknowledgement.hold()
            one.acknowledgements[id(acknowledgement)] = acknowledgement

    def _requeue(self, trace_id: str, one: _Open) -> None:
        queue, other = (
            (self._by_quiet, self._by_quiet_rootless) if one.has_root else (self._by_quiet_rootless, self._by_quiet)
        )
        other.pop(trace_id, None)
        queue[trace_id] = None
        queue.move_to_end(trace_id)

    def _request(self, span: RagSpan, acknowledgement: Acknowledgement | None) -> list[Assembled]:
        """A native record ends at once; one that was seen before (a replay) is dropped."""
        request = span.request
        if request is None:
            return []
        key = f"{request.service}/{request.trace_id}"
        if key in self._ended:
            self._telemetry.count("rag_sidecar_duplicate_spans_total")
            return []
        self._ended[key] = self._clock.monotonic()
        if acknowledgement is not None:
            acknowledgement.hold()
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion="complete")
        return [Assembled(request.trace_id, (request,), "complete", (acknowledgement,) if acknowledgement else ())]

    def _end(self, trace_id: str, completion: str) -> list[Assembled]:
        """End a trace. One that is a model call alone is held back for a while: it may be a double of a RAG request."""
        one = self._remove(trace_id)
        now = self._clock.monotonic()
        self._ended[trace_id] = now
        found = build_requests(list(one.spans.values()), cut=one.cut, complete=one.has_root and completion != "evicted")
        for request in found:
            if request.kind is TraceKind.RAG:
                self._know_calls(request)
        acknowledgements = tuple(one.acknowledgements.values())
        self._scatter.ended(one.partitions, has_root=one.has_root)
        assembled = Assembled(trace_id, tuple(found), completion, acknowledgements, None if found else "not_rag")
        self._telemetry.count("rag_sidecar_traces_assembled_total", completion=completion)
        if found and all(request.kind is TraceKind.LLM_ONLY for request in found):
            self._held[trace_id] = (now, assembled)
            return []
        if not found:
            self._telemetry.count("rag_sidecar_traces_ignored_total", reason="not_rag")
        return [assembled]

    def _release_held(self, *, before: float) -> list[Assembled]:
        """Model calls alone that were held back until now: requests of their own, or doubles."""
        released = []
        while self._held and next(iter(self._held.values()))[0] <= before:
            _, (_, assembled) = self._held.popitem(last=False)
            reason = None
            if not self._config.keep_llm_only:
                reason = "llm_only"
            elif all(self._is_double(request) for request in assembled.requests):
                reason = "double"
            if reason:
                self._telemetry.count("rag_sidecar_traces_ignored_total", reason=reason)
                assembled = replace(assembled, requests=(), ignored_reason=reason)
            released.append(assembled)
        return released

    def _is_double(self, request: RagTrace) -> bool:
        """Whether another trace reported this model call as part of a RAG request (double instrumentation)."""
        keys = [(request.service, call.model, call.tokens.input, call.tokens.output) for call in request.model_calls]
        for key, call in zip(keys, request.model_calls, strict=True):
            for start, end, answer in self._calls.get(key, ()):
                inside = start <= call.start_ns + _CLOCK_SLACK_NS and call.end_ns <= end + _CLOCK_SLACK_NS
                if inside and (call.tokens.input is not None or (answer is not None and answer == request.answer)):
                    return True
        return False

    def _know_calls(self, request: RagTrace) -> None:
        """Remember the model calls of a RAG request."""
        for call in request.model_calls:
            key = (request.service, call.model, call.tokens.input, call.tokens.output)
            self._calls.setdefault(key, []).append((call.start_ns, call.end_ns, request.answer))
            self._calls.move_to_end(key)
            if len(self._calls[key]) > _MOST_CALLS_OF_A_KIND:
                del self._calls[key][0]
        while len(self._calls) > _MOST_KINDS_OF_CALLS:
            self._calls.popitem(last=False)

    def _remove(self, trace_id: str) -> _Open:
        one = self._open.pop(trace_id)
        for queue in (self._by_age, self._by_quiet, self._by_quiet_rootless):
            queue.pop(trace_id, None)
        self._bytes -= one.size
        return one

    def _gauges(self) -> None:
        self._telemetry.set("rag_sidecar_open_traces", len(self._open))
        self._telemetry.set("rag_sidecar_open_trace_bytes", self._bytes)

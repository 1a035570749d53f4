"""Runs mutated inputs through decoder and assembler and holds them to their promises.

Every input is decoded to spans or refused with a DecodeError; whatever is decoded is assembled and flushed without an error; no input
takes more CPU time than the limit; and each input is accounted for: spans, a refusal, or a counted part, in protobuf span by span. One input in `_TRACE_EVERY` runs
under sys.settrace, and is kept as a seed where it took a step from line to line that no input took before.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.wire.proto import proto_spans
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from tests.fuzz.mutate import mutate, seeds

_TRACE_EVERY = 25
_MOST_KEPT = 20_000
_MEASURED = ("/sidecar/decode/", "/sidecar/assemble/")


@dataclass
class Report:
    """What a run saw. `crashes` are inputs that raised anything but DecodeError, with the error's name; `slow` those over the limit.
    Seconds are CPU time."""

    inputs: int = 0
    decoded: int = 0
    refused: int = 0
    empty: int = 0
    steps: int = 0
    kept: int = 0
    slowest_seconds: float = 0.0
    crashes: list[tuple[str, bytes]] = field(default_factory=list)
    slow: list[tuple[float, bytes]] = field(default_factory=list)
    uncounted: list[bytes] = field(default_factory=list)


class Target:
    """Decoder and assembler as the pipeline uses them."""

    def __init__(self) -> None:
        self.telemetry = Telemetry()
        self.decoder = Decoder(DecodeConfig(), self.telemetry)
        self.assembler = Assembler(AssembleConfig(remember_seconds=0), ManualClock(), self.telemetry)

    def feed(self, value: bytes) -> str:
        """decoded, refused, empty, or uncounted: nothing came out of an input that holds something, and nothing was counted."""
        before = self.telemetry.value("rag_sidecar_decode_errors_total")
        record = Record("fuzz", 0, 0, 1.76e9, None, value)
        try:
            found = self.decoder.decode(record)
        except DecodeError:
            return "refused"
        self.assembler.take(found.requests)
        self.assembler.add(found.spans)
        self.assembler.flush()
        self.assembler.due()
        if not _whole(value):
            return "uncounted"
        if found.spans or found.requests:
            return "decoded"
        # Messages without a single span, and spans of evaluators, are no loss.
        counted = self.telemetry.value("rag_sidecar_decode_errors_total") > before
        try:
            return "empty" if counted or not self.decoder.split(record) else "unlabelled"
        except DecodeError:
            return "uncounted"


def _whole(value: bytes) -> bool:
    """Whether each span that protobuf's own parser sees comes out, or is counted as unreadable. JSON is not counted so."""
    try:
        data = TracesData.FromString(value)
    except ProtobufError:
        return True
    bad: dict[str, int] = {}
    there = sum(len(scope.spans) for resource in data.resource_spans for scope in resource.scope_spans)
    return sum(1 for _ in proto_spans(value, bad)) + sum(bad.values()) == there


class _Steps:
    """The steps from line to line within the measured files."""

    def __init__(self) -> None:
        self.seen: set[tuple[int, int, int]] = set()
        self._last: dict[int, int] = {}
        self.fresh = False

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "call" and not any(part in frame.f_code.co_filename for part in _MEASURED):
            return None
        key = (id(frame.f_code), self._last.get(id(frame), 0), frame.f_lineno)
        if event == "return":
            self._last.pop(id(frame), None)
        else:
            self._last[id(frame)] = frame.f_lineno
        if key not in self.seen:
            self.seen.add(key)
            self.fresh = True
        return self


def fuzz(
    *, inputs: int, seed: int, limit_seconds: float = 0.5, say_every: int = 0, most_seeds: int | None = None
) -> Report:
    """Run this many inputs, out of all seeds or evenly chosen ones. The same numbers make the same inputs."""
    random_ = random.Random(seed)
    corpus = seeds()
    if most_seeds is not None:
        corpus = corpus[:: max(1, len(corpus) // most_seeds)]
    steps, target, report = _Steps(), Target(), Report()
    for number in range(inputs):
        fresh = number < len(corpus)
        value = corpus[number] if fresh else mutate(random_.choice(corpus), random_.choice(corpus), random_)
        traced = fresh or number % _TRACE_EVERY == 0
        _one(target, value, report, limit_seconds, steps if traced else None)
        if traced and steps.fresh and not fresh and len(corpus) < _MOST_KEPT:
            corpus.append(value)
            report.kept += 1
        steps.fresh = False
        if say_every and number % say_every == say_every - 1:
            sys.stderr.write(
                f"{number + 1} inputs, {len(steps.seen)} steps, {report.kept} kept, {len(report.crashes)} crashes\n"
            )
    report.steps = len(steps.seen)
    return report


def _one(target: Target, value: bytes, report: Report, limit: float, steps: _Steps | None) -> None:
    previous = sys.gettrace()
    started = time.thread_time()
    if steps is not None:
        sys.settrace(steps)
    try:
        outcome = target.feed(value)
    except Exception as error:  # noqa: BLE001 - finding these is what a fuzzer is for; the caller fails on each
        outcome = "crash"
        report.crashes.append((f"{type(error).__name__}: {error}"[:200], value))
    finally:
        sys.settrace(previous)
    seconds = time.thread_time() - started
    report.inputs += 1
    report.decoded += outcome == "decoded"
    report.refused += outcome == "refused"
    report.empty += outcome in ("empty", "unlabelled")
    if outcome == "uncounted":
        report.uncounted.append(value)
    if steps is None:
        report.slowest_seconds = max(report.slowest_seconds, seconds)
        if seconds > limit:
            report.slow.append((seconds, value))

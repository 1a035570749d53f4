"""A day of traffic: services, models and variants come and go by the hour, rates by the time of day; some of it is broken, late or double."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.commands.demo.corpus import Corpus
from sidecar.commands.demo.spans import SpanMaker

DAY = 86_400.0
_LATE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Traffic:
    """`traces`: of the whole day, about. `labels`: services that are new in each hour; models and variants change as fast."""

    traces: int
    labels: int = 8
    seed: int = 1


class Day:
    """Records in the order of their moments, in seconds from the start of the day."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._random = random.Random(traffic.seed)
        self._corpus = Corpus(traffic.seed)
        self._maker = SpanMaker(traffic.seed)
        self._waiting: list[tuple[float, int, int, bytes]] = []
        self._made = 0

    def between(self, start: float, end: float, *, now: float) -> Iterator[tuple[int, bytes]]:
        """(number of its request, record) of [start, end); `now` is the time of the epoch at `start`."""
        mean = self._traffic.traces / DAY * (end - start) * (1 + 0.8 * math.sin(2 * math.pi * start / DAY))
        for _ in range(int(mean + self._random.random())):
            self._made += 1
            for place, (after, value) in enumerate(self._request(start, now)):
                heapq.heappush(self._waiting, (start + after, self._made, place, value))
        while self._waiting and self._waiting[0][0] < end:
            _, number, _, value = heapq.heappop(self._waiting)
            yield number, value

    def _request(self, moment: float, now: float) -> list[tuple[float, bytes]]:
        """(seconds from now, record): one request over one or two records, or what is no request."""
        chance, hour = self._random, int(moment // 3600)
        if chance.random() < 0.01:
            return [(0.0, chance.randbytes(200))]
        request = replace(
            self._corpus.draw(0.1),
            service=f"service-{hour}-{chance.randrange(self._traffic.labels)}",
            model=f"model-{hour // 2}-{chance.randrange(self._traffic.labels)}",
            variant=f"{hour}-{chance.randrange(3)}",
        )
        if chance.random() < 0.3:
            return [(0.0, self._maker.native(request, now)[1])]
        make = chance.choice((self._maker.openinference, self._maker.genai, self._maker.openllmetry))
        _, data = make(request, now)
        first, second = _halves(data)
        records = [(0.0, first), (chance.uniform(0.1, 3.0), second)]
        if chance.random() < 0.02:
            records.append((1.0, first))
        if chance.random() < 0.02:
            records.append((_LATE_SECONDS, second))
        return records


def _halves(data: TracesData) -> tuple[bytes, bytes]:
    """The first span alone, and the others."""
    first, second = TracesData(), TracesData()
    first.CopyFrom(data)
    second.CopyFrom(data)
    del first.resource_spans[0].scope_spans[0].spans[1:]
    del second.resource_spans[0].scope_spans[0].spans[:1]
    return first.SerializeToString(), second.SerializeToString()

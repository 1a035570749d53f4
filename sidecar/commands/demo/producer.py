"""Replays traffic onto the embedded broker; half way the share of made-up answers rises."""

from __future__ import annotations

import asyncio
import random
import time

from sidecar.commands.demo.broker import EmbeddedBroker
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker, to_otlp_json

CALM, TROUBLED = 0.06, 0.45
REPLAYED_SHARE = 0.06


class DemoProducer:
    """Sends `rate` requests a second. `turn_seconds` is when the share of hallucinated answers rises."""

    def __init__(self, broker: EmbeddedBroker, *, rate: float, turn_seconds: float, seed: int = 7) -> None:
        self._broker = broker
        self._rate = rate
        self._turn = turn_seconds
        self._random = random.Random(seed)  # noqa: S311 - traffic for a demo
        self._corpus = Corpus(seed)
        self._spans = SpanMaker(seed)
        self._started = time.monotonic()
        self.sent = 0
        self.kinds: dict[str, int] = {}

    @property
    def troubled(self) -> bool:
        """Whether the share of hallucinated answers has risen."""
        return time.monotonic() - self._started >= self._turn

    async def run(self) -> None:
        """Send until cancelled."""
        self._started = time.monotonic()
        while True:
            due = int((time.monotonic() - self._started) * self._rate)
            while self.sent < due:
                self._send()
            await asyncio.sleep(0.05)

    def _send(self) -> None:
        now = time.time()
        if self._random.random() < REPLAYED_SHARE:
            trace_id, data = self._spans.replay(now)
            self._broker.produce("otlp_spans", key=trace_id, value=data.SerializeToString())
            self._count("recorded")
            return
        request = self._corpus.draw(TROUBLED if self.troubled else CALM)
        self._count(request.kind)
        way = self._random.randrange(5)
        if way == 4:
            trace_id, record = self._spans.native(request, now)
            self._broker.produce("rag_requests", key=trace_id, value=record)
            return
        make = (self._spans.openinference, self._spans.genai, self._spans.openllmetry, self._spans.openinference)[way]
        trace_id, data = make(request, now)
        if way == 3:
            self._broker.produce("otlp_spans_json", key=trace_id, value=to_otlp_json(data))
        else:
            self._broker.produce("otlp_spans", key=trace_id, value=data.SerializeToString())

    def _count(self, kind: Kind | str) -> None:
        self.sent += 1
        self.kinds[str(kind)] = self.kinds.get(str(kind), 0) + 1

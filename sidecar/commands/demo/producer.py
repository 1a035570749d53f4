"""Replays traffic onto the embedded broker, and knows the truth about it; half way the share of made-up answers rises."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter

from sidecar.commands.demo.broker import EmbeddedBroker
from sidecar.commands.demo.corpus import MADE_UP, Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker, to_otlp_json

CALM, TROUBLED = 0.06, 0.45
REPLAYED_SHARE = 0.06


class DemoProducer:
    """Sends `rate` requests a second. `turn_seconds` is when the share of hallucinated answers rises. `answers` counts those that were sent, by
    service and whether they are made up."""

    def __init__(
        self, broker: EmbeddedBroker, *, rate: float, turn_seconds: float, seed: int = 7, favourite: str | None = None
    ) -> None:
        self._broker = broker
        self._rate = rate
        self.turn = turn_seconds
        self._random = random.Random(seed)  # noqa: S311 - traffic for a demo
        self._corpus = Corpus(seed, favourite=favourite)
        self._spans = SpanMaker(seed)
        self._started = time.monotonic()
        self.sent = 0
        self.kinds: dict[str, int] = {}
        self._truth: list[tuple[float, bool]] = []
        self.answers: Counter[tuple[str, bool]] = Counter()

    def injected(self, since: float = 0.0, until: float = float("inf")) -> float | None:
        """The share of made-up answers among those that are answers, of what was sent between two times, seconds since the start; None
        without any."""
        sent = [made_up for at, made_up in self._truth if since <= at < until]
        return sum(sent) / len(sent) if sent else None

    @property
    def troubled(self) -> bool:
        """Whether the share of hallucinated answers has risen."""
        return time.monotonic() - self._started >= self.turn

    async def run(self) -> None:
        """Send until cancelled."""
        self._started = time.monotonic()
        while True:
            due = int((time.monotonic() - self._started) * self._rate)
            while self.sent < due:
                self.send()
            await asyncio.sleep(0.05)

    def send(self) -> None:
        """Send one request now."""
        now = time.time()
        if self._random.random() < REPLAYED_SHARE:
            trace_id, data = self._spans.replay(now)
            self._broker.produce("otlp_spans", key=trace_id, value=data.SerializeToString())
            self._count("recorded", made_up=False)
            return
        request = self._corpus.draw(TROUBLED if self.troubled else CALM)
        made_up = MADE_UP.get(request.kind)
        self._count(request.kind, made_up=made_up)
        if made_up is not None:
            self.answers[request.service, made_up] += 1
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

    def _count(self, kind: Kind | str, *, made_up: bool | None) -> None:
        self.sent += 1
        self.kinds[str(kind)] = self.kinds.get(str(kind), 0) + 1
        if made_up is not None:
            self._truth.append((time.monotonic() - self._started, made_up))

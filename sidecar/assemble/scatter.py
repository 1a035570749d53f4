"""Are the spans of a trace scattered over partitions? Then no replica sees a trace whole, and nothing but this says why."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock

logger = logging.getLogger(__name__)

_LEAST_TRACES = 100
_REMEMBERED_TRACES = 1000.0
_TOO_MANY = 0.2
_SAY_AGAIN_SECONDS = 600.0


class Scatter:
    """The share of the latest traces of each topic that ended without a root or came out of several partitions."""

    def __init__(self, clock: Clock, telemetry: Telemetry) -> None:
        self._clock = clock
        self._telemetry = telemetry
        self._seen: dict[str, tuple[float, float]] = {}
        self._said_at: dict[str, float] = {}

    def ended(self, partitions: Iterable[tuple[str, int]], *, has_root: bool) -> None:
        """A trace has ended whose spans came from these partitions."""
        numbers: dict[str, set[int]] = {}
        for topic, partition in partitions:
            numbers.setdefault(topic, set()).add(partition)
        for topic, own in numbers.items():
            traces, broken = self._seen.get(topic, (0.0, 0.0))
            fade = 1.0 if traces < _REMEMBERED_TRACES else 1 - 1 / _REMEMBERED_TRACES
            traces, broken = traces * fade + 1, broken * fade + float(len(own) > 1 or not has_root)
            self._seen[topic] = (traces, broken)
            self._telemetry.set("rag_sidecar_scattered_traces_ratio", broken / traces, topic=topic)
            self._say(topic, traces, broken / traces)

    def _say(self, topic: str, traces: float, share: float) -> None:
        now = self._clock.monotonic()
        if traces < _LEAST_TRACES or share < _TOO_MANY:
            return
        if now - self._said_at.get(topic, -_SAY_AGAIN_SECONDS) >= _SAY_AGAIN_SECONDS:
            self._said_at[topic] = now
            logger.warning(
                "%.0f %% of the traces of topic %s lack their root or lie in several partitions: set partition_traces_by_id in the "
                "Collector's kafka exporter, or receive.repartition here",
                100 * share,
                topic,
            )

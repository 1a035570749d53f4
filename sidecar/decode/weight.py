"""How many traces of the source one stands for, where the source was sampled before us; and what is no such number.

A weight that is not finite, below 1 or over a million is unknown, not 1: a single one of 7e16 would swallow every unit that
is added to its series afterwards, and the square of one of 1e200 is infinite.
"""

from __future__ import annotations

import logging
import math
import re

from sidecar.decode.values.scalars import number
from sidecar.observe.said import RateLimited
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.record import Attributes, AttributeValue

logger = logging.getLogger(__name__)

MOST = 1e6
MARK = "unknown_weight"
_THRESHOLD = re.compile(r"(?:^|;)th:([0-9a-fA-F]{1,14})(?:;|$)")


class Weights:
    """Reads weights; counts and says those that cannot be."""

    def __init__(self, attribute: str | None, telemetry: Telemetry) -> None:
        """`attribute` is asked where tracestate says nothing that can be used."""
        self._attribute = attribute
        self._telemetry = telemetry
        self._said = RateLimited(logger, SystemClock())

    def read(self, trace_state: str, attributes: Attributes, partial: list[str]) -> float | None:
        """The weight, None where it is unknown; where one was given that cannot be, `partial` gets a mark."""
        found = adjusted_count(trace_state)
        if found is not None and sound(found):
            return found
        source = "" if found is None else "tracestate"
        given: AttributeValue = attributes.get(self._attribute) if self._attribute else None
        if given is not None:
            told = number(given)
            if told is not None and sound(told):
                return told
            source = source or "attribute"
        if source:
            partial.append(MARK)
            self._telemetry.count("rag_sidecar_unknown_weights_total", source=source)
            self._said.warn((source,), "a span says by its %s that it stands for less than 1 or over %.0f traces; its weight is unknown", source, MOST)  # fmt: skip
        return None


def sound(weight: float) -> bool:
    """Whether one trace may stand for so many."""
    return math.isfinite(weight) and 1 <= weight <= MOST


def adjusted_count(trace_state: str) -> float | None:
    """How many traces one stands for: 2^56 / (2^56 - T) of `ot=th:` (OpenTelemetry tracestate-probability-sampling)."""
    if "th:" not in trace_state:
        return None
    member = next((part for part in trace_state.split(",") if part.strip().startswith("ot=")), "")
    match = _THRESHOLD.search(member.strip().removeprefix("ot="))
    if not match:
        return None
    threshold = int(match.group(1).ljust(14, "0"), 16)
    return 2**56 / (2**56 - threshold)

"""What the Prometheus exporter counts with: weighted histograms, and a bound on the values of a label. Pure.

prometheus_client has histograms of whole observations only; here each observation weighs as much as the requests it
stands for, so that a sample shows the distribution of the whole stream (the statsd convention).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.text import clean

OTHER = "__other__"
UNKNOWN = "unknown"
LONGEST_VALUE = 128


@dataclass(frozen=True, slots=True)
class TraceExemplar:
    """A trace that shows what an observation looks like. `timestamp` is seconds since the epoch."""

    trace_id: str
    value: float
    timestamp: float


@dataclass(slots=True)
class Tally:
    """A weighted histogram: bucket i holds the weight of observations <= bounds[i] and over the bound before."""

    bounds: Sequence[float]
    weights: list[float] = field(default_factory=list)
    total: float = 0.0
    exemplars: dict[int, TraceExemplar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.weights:
            self.weights = [0.0] * (len(self.bounds) + 1)

    def add(
        self, value: float, weight: float = 1.0, *, trace_id: str | None = None, timestamp: float = math.nan
    ) -> bool:
        """Count `value` with `weight`. False, and nothing is counted, where a number is not finite or is negative."""
        if not (0.0 <= value < math.inf and 0.0 < weight < math.inf):
            return False
        bucket = bisect_left(self.bounds, value)
        self.weights[bucket] += weight
        self.total += value * weight
        if trace_id is not None:
            self.exemplars[bucket] = TraceExemplar(trace_id, value, timestamp)
        return True

    def copy(self) -> Tally:
        """A tally of its own, to be read while this one goes on."""
        return Tally(self.bounds, list(self.weights), self.total, dict(self.exemplars))


class LabelLimit:
    """Keeps a label to few values: the allowed ones, or the first `most` that come; all others become `__other__`.

    Missing values become `unknown`. `overflow` counts what was replaced.
    """

    def __init__(self, most: int, allowed: Iterable[str] = ()) -> None:
        self._most = most
        self._allowed = frozenset(label_value(value) for value in allowed)
        self._taken: set[str] = set()
        self.overflow = 0

    def admit(self, value: str | None) -> str:
        """The label value that stands for `value`."""
        if not value:
            return UNKNOWN
        value = label_value(value)
        if value in self._taken or value in (UNKNOWN, OTHER):
            return value
        if (value in self._allowed) if self._allowed else (len(self._taken) < self._most):
            self._taken.add(value)
            return value
        self.overflow += 1
        return OTHER

    def keep_only(self, values: Iterable[str]) -> None:
        """Make room: only `values` are still in use."""
        self._taken &= set(values)


def label_value(value: str) -> str:
    """`value` as a label may hold it: valid UTF-8, at most 128 characters. One lone surrogate would fail a whole scrape."""
    return clean(value[:LONGEST_VALUE])


def disjoint_tokens(tokens: Mapping[str, int]) -> dict[str, int]:
    """Inclusive token counts as parts that do not overlap, so that their sum is the total.

    input (neither read from nor written to a cache), cached_input, cache_write, output (without reasoning), reasoning.
    """
    known = {name: count for name, count in tokens.items() if count > 0}
    cached, written, reasoning = (known.get(name, 0) for name in ("cached_input", "cache_write", "reasoning"))
    parts = {
        "input": max(0, known.get("input", 0) - cached - written),
        "cached_input": cached,
        "cache_write": written,
        "output": max(0, known.get("output", 0) - reasoning),
        "reasoning": reasoning,
    }
    return {name: count for name, count in parts.items() if count}

"""How far the sampling rates are lowered so that scoring keeps up: by what scoring can do and what is offered, not by steps.

factor = capacity / offered, held so that the queue stays a little filled: an empty one would leave capacity unused, a full one would
pause intake. Offered is what would be scored at the configured rates, for each second that intake was open, so that a
backlog is read as fast as it can be and its sample fills the capacity, no more. Capacity is what was scored in a second while requests waited.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

_SMOOTH = 0.5
_PROBE = 1.25
_GAIN = 0.5
_LEAST_PUSH = 0.4
_LEAST_OPEN_SHARE = 0.02
_WAITING = 0.02


class BudgetConfig(BaseModel):
    """How sampling gives way when scoring cannot keep up."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(default=True, description="Lower the rate when requests wait for scoring.")
    interval_seconds: float = Field(default=2.0, gt=0, description="How often the rate is reconsidered.")
    high_fill: float = Field(
        default=0.4, gt=0, le=1, description="Under overload the scoring queue is held between low_fill and this."
    )
    low_fill: float = Field(default=0.1, ge=0, lt=1, description="The lower bound of the same.")
    decrease: float = Field(
        default=0.7, gt=0, lt=1, description="Without effect: the rate follows what scoring can do."
    )
    increase: float = Field(default=1.15, gt=1, description="Without effect, as `decrease`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """What happened since the last step, `seconds` ago.

    open_seconds  of these, how long intake was open
    offered       requests that would be scored at the configured rates: their rates, added up
    always        requests that are scored whatever the rate
    scored        requests that scoring has finished with
    fill          how full the scoring queue is now, 0..1 and more where a backlog waits
    """

    seconds: float
    open_seconds: float
    offered: float
    scored: int
    fill: float
    always: int = 0


class BudgetController:
    """Gives a factor in (0, 1] for the configured rates. Pure: no clock, no series."""

    def __init__(self, *, target_fill: float, floor: float) -> None:
        self.factor = 1.0
        self._target_fill = target_fill
        self._floor = floor
        self._capacity: float | None = None
        self._waited = False

    def step(self, interval: Interval) -> float:
        """The factor for the next interval."""
        waits = interval.fill > _WAITING
        if waits and self._waited and interval.scored:
            rate = interval.scored / interval.seconds
            self._capacity = rate if self._capacity is None else self._capacity + _SMOOTH * (rate - self._capacity)
        self._waited = waits
        self.factor = min(1.0, max(self._floor, self._wanted(interval, waits)))
        return self.factor

    def _wanted(self, interval: Interval, waits: bool) -> float:
        is_open = max(interval.open_seconds, _LEAST_OPEN_SHARE * interval.seconds)
        if self._capacity is None or not interval.offered:
            return self.factor if waits else self.factor * _PROBE
        room = max(0.0, self._capacity - interval.always / is_open)
        fits = room / (interval.offered / is_open)
        # Far from its target the queue may not drive the rate to nothing: what is scored then would weigh too much.
        push = 1 + _GAIN * (self._target_fill - interval.fill) / self._target_fill
        held = fits * max(_LEAST_PUSH, push)
        # While nothing waits the capacity is not known, only that it is more than what was asked of it.
        return held if waits else max(held, self.factor * _PROBE)

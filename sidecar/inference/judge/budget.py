"""US dollars: a purse an hour and a purse a day, filled evenly, so that late hours have theirs.

A purse of B dollars a period holds a part of B at the most, and what fills it in a period is the rest: in no period, wherever it begins, is
more than B spent. Where what is wanted costs more than comes in, `factor` falls: the judge's sampling rates are multiplied by it *before* a request is
drawn, so that the probability of each draw stays known. A purse that is empty all the same refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidecar.record.clock import Clock
from sidecar.record.errors import RetryableInferenceError

HOUR, DAY = 3600.0, 86_400.0
_HELD = {HOUR: 0.1, DAY: 0.05}
# Of what a purse holds. A process that starts again and again must not begin with a full purse each time.
_BEGINS = 0.1
_LEAST_FACTOR = 1e-3
# Dollars that are rounding errors.
_NOTHING = 1e-9
_LOOK_SECONDS = 10.0
# Of what is wanted, so old that it counts a third.
_MEMORY_SECONDS = 120.0


@dataclass(slots=True)
class Purse:
    """`dollars` for `period` seconds, of which this replica has `share`, and `held` is held at the most. `level` is what is in it: from the first
    share on, a tenth of what it holds, unless it has `begun` with something else."""

    dollars: float
    period: float
    share: Callable[[], float]
    held: float
    level: float = 0.0
    begun: bool = False

    @property
    def most(self) -> float:
        return self.dollars * self.held * self.share()

    @property
    def rate(self) -> float:
        """US dollars a second that come in."""
        return self.dollars * (1 - self.held) * self.share() / self.period

    def fill(self, seconds: float) -> None:
        if not self.begun and self.share() > 0:
            # Only now is it known what a tenth is: the group is joined after the start.
            self.begun, self.level = True, _BEGINS * self.most
        self.level = min(self.level + seconds * self.rate, self.most)

    @property
    def affordable(self) -> float:
        """US dollars a second to be spent from now on: more than come in where the purse is full, fewer where it is nearly empty."""
        return self.rate * (0.5 + self.level / self.most) if self.most > 0 and self.level > 0 else self.rate * 0.5


class Budget:
    """What may be spent. Without a purse everything may."""

    def __init__(self, purses: Iterable[Purse], clock: Clock) -> None:
        self._purses = tuple(purses)
        self._clock = clock
        self._at = self._looked = clock.monotonic()
        self._wanted = 0.0
        self._since = 0.0
        self._factor = 1.0
        self._any = False

    @property
    def factor(self) -> float:
        """What is left of the rates that are set, in (0, 1]."""
        self._fill()
        return self._factor

    def left(self) -> float:
        """US dollars that may be spent at this moment; below 0 where more was spent than was foreseen."""
        self._fill()
        return min((purse.level for purse in self._purses), default=float("inf"))

    def reserve(self, dollars: float) -> None:
        """Set aside what a call will cost at the most. Raises RetryableInferenceError(judge_budget) where the purse is empty."""
        if not self._purses:
            return
        if self.left() <= _NOTHING:
            self._since += dollars / self._factor
            raise RetryableInferenceError("judge_budget")
        self._take(dollars)

    def settle(self, reserved: float, spent: float) -> None:
        """What a call did cost, of what was set aside for it."""
        self._since += spent / self._factor
        self._take(spent - reserved)

    def _take(self, dollars: float) -> None:
        for purse in self._purses:
            purse.level -= dollars

    def _fill(self) -> None:
        now = self._clock.monotonic()
        for purse in self._purses:
            purse.fill(now - self._at)
        self._at = now
        if self._purses and now - self._looked >= _LOOK_SECONDS:
            self._look(now - self._looked)
            self._looked = now

    def _look(self, seconds: float) -> None:
        """Compare what was wanted at full rates with what can be afforded."""
        seen, self._since = self._since / seconds, 0.0
        part = min(1.0, seconds / _MEMORY_SECONDS) if self._any else 1.0
        self._any = self._any or seen > 0
        self._wanted += part * (seen - self._wanted)
        if self._wanted > 0:
            affordable = min((purse.affordable for purse in self._purses if purse.held < 1), default=self._wanted)
            self._factor = min(1.0, max(_LEAST_FACTOR, affordable / self._wanted))
        else:
            self._factor = 1.0


def purses(hour: float | None, day: float | None, share: Callable[[], float]) -> list[Purse]:
    """Those that are set."""
    found = []
    for dollars, period in ((hour, HOUR), (day, DAY)):
        if dollars is not None:
            found.append(Purse(dollars, period, share, held=_HELD[period]))
    return found


def at_once(dollars: float | None) -> list[Purse]:
    """All of it at the beginning and no more after that: for a command that someone waits for."""
    return [] if dollars is None else [Purse(dollars, DAY, lambda: 1.0, held=1.0, level=dollars, begun=True)]

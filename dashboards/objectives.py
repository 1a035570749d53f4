"""The numbers that rules, alerts and dashboards share. Change one here, run `make dashboards`, and all of them follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of the hallucination ratio, as PromQL durations. Tests pass short ones to the same rules.

    `fast` pairs with `fast_check`, `slow` with `slow_check`: the long window says that it matters, the short one that it
    still goes on (Site Reliability Workbook, chapter 5, multiwindow multi-burn-rate alerts).
    """

    fast: str = "1h"
    fast_check: str = "5m"
    slow: str = "6h"
    slow_check: str = "30m"

    def all(self) -> tuple[str, ...]:
        """Every window once, the short ones first."""
        return (self.fast_check, self.slow_check, self.fast, self.slow)


WINDOWS = Windows()

# Share of answers (of those that are not abstentions) that may be hallucinated.
HALLUCINATION_BUDGET = 0.02
# How many times faster than the budget allows pages someone: 2 % and 5 % of a 30-day budget gone in 1 h and 6 h.
FAST_BURN = 14.4
SLOW_BURN = 6.0
# With 95 % confidence the ratio is above this.
LOWER_BOUND = 0.10
# Fewer effective samples than this page nobody: one bad answer of three is no incident.
LEAST_SAMPLES = 30
# Scores that are older than this describe the past.
LAG_SECONDS = 900.0

FAST_BURN_RATIO = round(FAST_BURN * HALLUCINATION_BUDGET, 6)
SLOW_BURN_RATIO = round(SLOW_BURN * HALLUCINATION_BUDGET, 6)

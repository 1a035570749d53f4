"""How often the alert on a risen share pages in vain, and how soon it pages when it should: `python -m benchmarks.false_pages`.

Services of 50 to 2,000 scored answers an hour, with a daily cycle of traffic and one of false alarms, false-alarm rates of 2 to 40 % of the good answers and a true
ratio of 0 to 3 %. Deploys, one a week, move the false-alarm rate by up to 3 points. The rules are those of dashboards/baseline.py and
dashboards/alerts_quality.py in steps of two minutes, as Prometheus makes them, without the condition on the fortnight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dashboards import baseline
from dashboards.objectives import (
    LEAST_RISE_SAMPLES,
    LEAST_SLOW_RISE_SAMPLES,
    QUICK_RISE_TOLERATED,
    RISE_TOLERATED,
    RISE_Z,
    SLOW_RISE_Z,
    WINDOWS,
    seconds,
)

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
STEP = 120
HOUR = 3600 // STEP
DAY = 24 * HOUR
SERVICES, DAYS = 400, 30
TOGETHER = 100  # services in memory at once
CYCLE = 0.01  # of the false-alarm rate, over the day, at the most
WAIT, KEEP = 1, 7  # steps: `for` and `keep_firing_for`


def false_alarms(
    chance: np.random.Generator, steps: int, *, services: int, rates: tuple[float, float], deploys: str
) -> Floats:
    """The false-alarm rate of each service at each step. Deploys: none, `around` a rate of the service's own, or a `walk` from each to the next."""
    lowest, highest = rates
    own = chance.uniform(lowest, highest, services)
    found, now = np.empty((services, steps)), own.copy()
    for step in range(steps):
        deployed = chance.random(services) < (0 if deploys == "none" else 1 / (7 * DAY))
        move = chance.uniform(-0.03, 0.03, services)
        to = now + move if deploys == "walk" else own + move / 2
        to = np.where(to < lowest, 2 * lowest - to, np.where(to > highest, 2 * highest - to, to))
        now = np.where(deployed, to, now)
        found[:, step] = now
    return found


def verdicts(
    chance: np.random.Generator, alarms: Floats, *, rate: float | None = None, rise: float = 0.0, at: int = 0
) -> tuple[Floats, Floats]:
    """Scored answers and those below the threshold in each step; the share rises by `rise` at a step."""
    services, steps = alarms.shape
    day = 2 * np.pi * np.arange(steps) / DAY
    each = np.full(services, rate) if rate else np.exp(chance.uniform(np.log(50), np.log(2000), services))
    tide = 0.0 if rate else 0.6
    traffic = each[:, None] / HOUR * (1 + tide * np.sin(day + chance.uniform(0, 2 * np.pi, (services, 1))))
    cycle = CYCLE * chance.random((services, 1)) * np.sin(day + chance.uniform(0, 2 * np.pi, (services, 1)))
    true, found = chance.uniform(0, 0.03, (services, 1)), chance.uniform(0.3, 0.9, (services, 1))
    share = true * found + (1 - true) * np.clip(alarms + cycle, 0, 1)
    share[:, at:] += rise
    scored = chance.poisson(traffic)
    return scored.astype(np.float64), chance.binomial(scored, np.clip(share, 0, 1)).astype(np.float64)


def window(values: Floats, width: int, offset: int = 0) -> Floats:
    """Sums over `width` steps that end `offset` steps before each step; nan where there is no such past."""
    whole = np.concatenate([np.zeros((len(values), 1)), values.cumsum(axis=1)], axis=1)
    ends = np.arange(1, whole.shape[1]) - offset
    known = ends >= width
    found = np.full(values.shape, np.nan)
    found[:, known] = whole[:, ends[known]] - whole[:, ends[known] - width]
    return found


def beyond(past: baseline.Past, tolerated: float, scored: Floats, below: Floats) -> tuple[Floats, Floats]:
    """How many standard errors a rise is above what is tolerated, and in how many answers."""
    width, over = seconds(past.window) // STEP, seconds(past.over) // STEP
    offsets = [seconds(offset) // STEP for offset in past.offsets]
    n, hits = window(scored, width), window(below, width)
    before, before_hits = (np.sum([window(one, over, offset) for offset in offsets], axis=0) for one in (scored, below))
    with np.errstate(all="ignore"):
        smooth, smooth_before = (hits + 1) / (n + 2), (before_hits + 1) / (before + 2)
        error = np.sqrt(smooth * (1 - smooth) / n + smooth_before * (1 - smooth_before) / before)
        return np.nan_to_num((hits / n - before_hits / before - tolerated) / error, nan=-np.inf), n


def pages(scored: Floats, below: Floats) -> Flags:
    """Whether the alert fires, of each service at each step."""
    quick, slow, _, yesterday = baseline.pasts(WINDOWS)
    soon, n = beyond(quick, QUICK_RISE_TOLERATED, scored, below)
    (later, m), (since, _) = (beyond(past, RISE_TOLERATED, scored, below) for past in (slow, yesterday))
    risen = ((soon > RISE_Z) & (n >= LEAST_RISE_SAMPLES)) | (
        (later > SLOW_RISE_Z) & (since > SLOW_RISE_Z) & (m >= LEAST_SLOW_RISE_SAMPLES)
    )
    firing = risen.copy()
    for wait in range(1, WAIT + 1):
        firing[:, wait:] &= risen[:, :-wait]
    return firing


def episodes(firing: Flags) -> int:
    """Pages: a pause of `keep_firing_for` or less is none."""
    kept = firing.copy()
    for keep in range(1, KEEP + 1):
        kept[:, keep:] |= firing[:, :-keep]
    return int((kept[:, 1:] & ~kept[:, :-1]).sum() + kept[:, 0].sum())


def hours_until(firing: Flags, at: int) -> Floats:
    """Hours from the rise to the first page; inf where none comes."""
    after = firing[:, at:]
    return np.where(after.any(axis=1), (after.argmax(axis=1) + 1) / HOUR, np.inf)


def quiet(deploys: str, chance: np.random.Generator) -> str:
    found = 0
    for _ in range(SERVICES // TOGETHER):
        alarms = false_alarms(chance, DAYS * DAY, services=TOGETHER, rates=(0.02, 0.4), deploys=deploys)
        found += episodes(pages(*verdicts(chance, alarms)))
    years = SERVICES * DAYS / 365
    return f"| {deploys} | {SERVICES} x {DAYS} | {found} | {found / years:.2f} |"


def risen(rise: float, rates: tuple[float, float], chance: np.random.Generator) -> str:
    at = 5 * DAY
    parts = []
    for _ in range(SERVICES // TOGETHER):
        alarms = false_alarms(chance, at + 26 * HOUR, services=TOGETHER, rates=rates, deploys="none")
        parts.append(hours_until(pages(*verdicts(chance, alarms, rate=500, rise=rise, at=at)), at))
    took = np.concatenate(parts)
    within = 2 if rise >= 0.1 else 24
    cells = (
        f"{rise * 100:g} points",
        f"{rates[0]:.0%} to {rates[1]:.0%}",
        f"{(took <= within).mean():.1%} in {within} h",
    )
    return "| " + " | ".join((*cells, f"{np.median(took):.1f} h", f"{np.quantile(took, 0.95):.1f} h")) + " |"


def main(kinds: Sequence[str] = ("none", "around", "walk")) -> None:
    """Print both tables."""
    chance = np.random.default_rng(14)
    print("| deploys | services x days | pages | a service and year |\n|---|---|---|---|")
    for kind in kinds:
        print(quiet(kind, chance), flush=True)
    print("\n| rise | false alarms | paged | median | 95 of 100 |\n|---|---|---|---|---|")
    for rise in (0.10, 0.05):
        for rates in ((0.02, 0.4), (0.02, 0.1), (0.3, 0.4)):
            print(risen(rise, rates, chance), flush=True)


if __name__ == "__main__":
    main()

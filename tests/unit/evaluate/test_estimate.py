"""The anchored estimate against a known truth: thousands of services whose error rates nobody told the estimator."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pytest

from dashboards.objectives import RATES_DRIFT
from sidecar.evaluate.estimate import (
    Estimate,
    Floats,
    Judged,
    Scored,
    anchored,
    by_labels,
    corrected,
    judge_alone,
    wilson,
    within_error,
)
from sidecar.inference.grounding.detector import Anchor, Detector

SERVICES = 2000


@dataclass(frozen=True, slots=True)
class World:
    """Services with the truth about each, and what the sidecar would see of them."""

    true: Floats
    judges: Floats
    scored: Scored
    judged: Judged


def world(
    *, seed: int, answers: int, rate: float = 0.1, shares: tuple[float, float] = (0, 0.4), error: float = 0.1
) -> World:
    """Sensitivity .3 to .9, specificity .6 to .99; a judge that errs by 0 to `error` of either kind; half of the answers of each service
    are kept with probability 1, the others, which are twice as bad, with 0.4 and so with weight 2.5."""
    chance = np.random.default_rng(seed)
    column = (SERVICES, 1)
    share = chance.uniform(*shares, column)
    sensitivity, specificity = chance.uniform(0.3, 0.9, column), chance.uniform(0.6, 0.99, column)
    missed, blamed = chance.uniform(0, error, column), chance.uniform(0, error, column)
    seldom = chance.random((SERVICES, answers)) < 0.5
    kept = ~seldom | (chance.random(seldom.shape) < 0.4)
    bad = chance.random(seldom.shape) < np.where(seldom, share * 4 / 3, share * 2 / 3)
    local = np.where(bad, chance.random(bad.shape) < sensitivity, chance.random(bad.shape) >= specificity)
    judge = np.where(bad, chance.random(bad.shape) >= missed, chance.random(bad.shape) < blamed)
    w = np.where(seldom, 2.5, 1.0) * kept
    v = w / rate * (chance.random(bad.shape) < rate)
    squared = v * v
    return World(
        true=share[:, 0],
        judges=(share * (1 - missed) + (1 - share) * blamed)[:, 0],
        scored=Scored(weight=w.sum(1), local=(w * local).sum(1), squared=(w * w).sum(1)),
        judged=Judged(
            weight=v.sum(1),
            judge=(v * judge).sum(1),
            local=(v * local).sum(1),
            squared=squared.sum(1),
            squared_judge=(squared * judge).sum(1),
            squared_local=(squared * local).sum(1),
            squared_both=(squared * judge * local).sum(1),
        ),
    )


def coverage(found: Estimate, true: Floats) -> float:
    return float(((found.lower <= true) & (true <= found.upper)).mean())


@pytest.mark.parametrize("answers", [500, 1000, 4000])
@pytest.mark.parametrize("shares", [(0, 0.03), (0, 0.4)], ids=["healthy", "any"])
def test_the_interval_holds_what_the_judge_would_say_of_all_as_often_as_it_says(
    answers: int, shares: tuple[float, float]
) -> None:
    made = world(seed=answers, answers=answers, shares=shares)
    found = anchored(made.scored, made.judged)
    assert 0.93 <= coverage(found, made.judges) <= 0.97
    assert abs((found.share - made.judges).mean()) < 0.002


@pytest.mark.parametrize("answers", [500, 4000])
def test_it_is_never_wider_than_the_judge_alone_and_narrower_where_local_verdicts_tell(answers: int) -> None:
    made = world(seed=7, answers=answers)
    found, alone = anchored(made.scored, made.judged), judge_alone(made.judged)
    assert (found.upper - found.lower <= alone.upper - alone.lower + 1e-12).all()
    assert (found.samples >= alone.samples - 1e-9).all()
    assert (found.samples / alone.samples).mean() > 1.1


@pytest.mark.parametrize("judged", [2, 3, 5, 10, 30])
def test_the_interval_of_a_few_judged_answers_holds_it_too(judged: int) -> None:
    """Of a few, Wilson's own interval holds a little less than it says, and so does this one."""
    made = world(seed=100 + judged, answers=400, rate=judged / 400)
    seen = made.judged.weight > 0
    scored = Scored(**{name: sums[seen] for name, sums in asdict(made.scored).items()})
    of_few = Judged(**{name: sums[seen] for name, sums in asdict(made.judged).items()})
    held, by_judge = (coverage(found, made.judges[seen]) for found in (anchored(scored, of_few), judge_alone(of_few)))
    assert held >= min(0.93, by_judge - 0.015)


@pytest.mark.parametrize(("judged", "bad"), [(1, 0), (1, 1), (2, 1)])
def test_one_or_two_judged_answers_say_what_they_say_by_themselves(judged: int, bad: int) -> None:
    all_agree = {
        name: np.array([float(bad)]) for name in ("judge", "local", "squared_judge", "squared_local", "squared_both")
    }
    few = Judged(weight=np.array([float(judged)]), squared=np.array([float(judged)]), **all_agree)
    scored = Scored(weight=np.array([400.0]), local=np.array([40.0]), squared=np.array([400.0]))
    found = anchored(scored, few)
    assert found.samples == judged
    assert found.upper - found.lower >= 0.5


def test_a_local_model_that_is_always_right_is_worth_nearly_all_that_it_scored() -> None:
    made = world(seed=8, answers=2000)
    judged, n = made.judged, SERVICES
    right = Judged(
        weight=judged.weight,
        judge=judged.local,
        local=judged.local,
        squared=judged.squared,
        squared_judge=judged.squared_local,
        squared_local=judged.squared_local,
        squared_both=judged.squared_local,
    )
    found = anchored(made.scored, right)
    assert found.share == pytest.approx(made.scored.local / made.scored.weight)
    scored, alone = made.scored.weight**2 / made.scored.squared, judged.weight**2 / judged.squared
    left = 1 / (alone - 2) - 1 / (alone * (alone - 2))  # what so few who agree do not show
    assert found.samples == pytest.approx(alone / (1 - (1 - alone / scored) * (1 - left)))
    assert found.samples.shape == (n,)


def test_a_judge_whose_errors_were_measured_gives_the_true_share() -> None:
    """On 200 labelled answers of either kind, which are drawn anew for each service."""
    chance = np.random.default_rng(9)
    covered = []
    for number in range(5):
        made = world(seed=20 + number, answers=2000, shares=(0.05, 0.4), error=0.0)
        sensitivity, specificity = chance.uniform(0.9, 1), chance.uniform(0.9, 1)
        judges = made.true * sensitivity + (1 - made.true) * (1 - specificity)
        noise = anchored(made.scored, made.judged)
        for part in range(20):
            own = slice(part, None, 20)
            rates = Detector(
                sensitivity=chance.binomial(200, sensitivity) / 200,
                specificity=chance.binomial(200, specificity) / 200,
                hallucinated=200,
                grounded=200,
            )
            # What the judge says of all, with the chance of a sample of 300.
            said = chance.binomial(300, judges[own]) / 300
            lower, upper = wilson(said, np.full(said.shape, 300.0))
            found = corrected(Estimate(said, lower, upper, noise.samples[own]), rates)
            covered.append(coverage(found, made.true[own]))
    assert 0.93 <= np.mean(covered) <= 0.975


def test_an_interval_that_allows_for_a_stated_error_holds_the_truth_and_more() -> None:
    made = world(seed=10, answers=2000, error=0.05)
    found = within_error(anchored(made.scored, made.judged), 0.05)
    assert coverage(found, made.true) >= 0.975
    assert coverage(anchored(made.scored, made.judged), made.true) < 0.93, "without it the judge's errors are forgotten"


@pytest.mark.parametrize("moved", [0.0, RATES_DRIFT])
@pytest.mark.parametrize("shares", [(0, 0.03), (0, 0.4)], ids=["healthy", "any"])
def test_an_interval_by_labels_holds_the_truth_though_rates_moved_since(
    shares: tuple[float, float], moved: float
) -> None:
    """200 labels drawn at random of each of 2,000 services, whose share is another one now; and without an allowance it would be left too often."""
    chance = np.random.default_rng(11)
    covered: dict[float, list[bool]] = {0.0: [], RATES_DRIFT: []}
    for _ in range(SERVICES):
        then, now = chance.uniform(*shares, 2)
        sensitivity, specificity = chance.uniform(0.3, 0.9), chance.uniform(0.6, 0.97)
        bad = int(chance.binomial(200, then))
        rates = Anchor(
            sensitivity=chance.binomial(bad, sensitivity) / bad if bad else 0.5,
            specificity=chance.binomial(200 - bad, specificity) / (200 - bad),
            hallucinated=bad,
            grounded=200 - bad,
            identity="00000000",
        )
        flagged = now * sensitivity + (1 - now) * (1 - specificity + chance.uniform(-moved, moved))
        share, n = np.asarray(chance.binomial(3000, flagged) / 3000), np.asarray(3000.0)
        for drift, held in covered.items():
            found = by_labels(Estimate(share, *wilson(share, n), n), rates, drift=drift)
            held.append(bool(found.lower <= now <= found.upper))
    assert np.mean(covered[RATES_DRIFT]) >= 0.95
    assert np.mean(covered[0.0]) >= (0.95 if not moved else 0.9)


def test_by_hand_labels_take_false_alarms_off_a_share() -> None:
    """40 % of 600 flagged; 72 of 80 good and 8 of 10 bad labelled answers were told right."""
    rates = Anchor(sensitivity=0.8, specificity=0.9, hallucinated=10, grounded=80, identity="00000000")
    share, n = np.asarray(0.4), np.asarray(600.0)
    found = by_labels(Estimate(share, *wilson(share, n), n), rates, drift=0.03)
    # Laplace: 9 of 12 bad ones are found. Wilson: 0.3616 to 0.4397, 0.8149 to 0.9484, 0.4902 to 0.9433.
    assert float(found.share) == pytest.approx(0.3 / (9 / 12 + 0.9 - 1))
    assert float(found.lower) == pytest.approx(
        (0.3 - np.hypot(0.0384, 0.0851) - 0.03) / (0.9433 + 0.9484 - 1), abs=2e-4
    )
    assert float(found.upper) == 1, "the verdict may be no better than a coin by so few labels"


def sums(cells: dict[tuple[str, str], int], scored: tuple[int, int], *, rate: float) -> tuple[Scored, Judged]:
    """One service: answers of weight 1 by (local, judge), g or h; scored (all, hallucinated by the local model)."""
    v = 1 / rate

    def of(*wanted: tuple[str, str]) -> Floats:
        return np.asarray(float(sum(cells[key] for key in wanted)))

    judge, local = (("g", "h"), ("h", "h")), (("h", "g"), ("h", "h"))
    whole = tuple(cells)
    return (
        Scored(weight=np.asarray(float(scored[0])), local=np.asarray(float(scored[1])), squared=np.asarray(scored[0])),
        Judged(
            weight=v * of(*whole),
            judge=v * of(*judge),
            local=v * of(*local),
            squared=v * v * of(*whole),
            squared_judge=v * v * of(*judge),
            squared_local=v * v * of(*local),
            squared_both=v * v * of(("h", "h")),
        ),
    )


def test_by_hand_the_share_is_that_of_each_local_verdict_times_how_often_it_came() -> None:
    """100 of 1,000 judged: of 30 that the local model flags the judge flags 20, of 70 others 2; in all the local model flags 250."""
    cells = {("g", "g"): 68, ("g", "h"): 2, ("h", "g"): 10, ("h", "h"): 20}
    found = anchored(*sums(cells, (1000, 250), rate=0.1))
    assert float(found.share) == pytest.approx(0.25 * 20 / 30 + 0.75 * 2 / 70)
    # rho^2 = (20 - 30 * 22 / 100)^2 / (21 * 17.16) = 0.4983, adjusted 0.4932; 100 / (1 - 0.9 * 0.4932).
    assert float(found.samples) == pytest.approx(179.8, abs=0.1)


@pytest.mark.parametrize(
    "cells",
    [
        {("g", "g"): 40, ("g", "h"): 0, ("h", "g"): 0, ("h", "h"): 0},
        {("g", "g"): 30, ("g", "h"): 0, ("h", "g"): 10, ("h", "h"): 0},
        {("g", "g"): 30, ("g", "h"): 10, ("h", "g"): 0, ("h", "h"): 0},
    ],
    ids=["all alike", "the judge always says grounded", "the local model always says grounded"],
)
def test_where_local_verdicts_tell_nothing_the_judge_stands_alone(cells: dict[tuple[str, str], int]) -> None:
    scored, judged = sums(cells, (400, 80), rate=0.1)
    found, alone = anchored(scored, judged), judge_alone(judged)
    for one, other in ((found.share, alone.share), (found.lower, alone.lower), (found.upper, alone.upper)):
        assert float(one) == pytest.approx(float(other))

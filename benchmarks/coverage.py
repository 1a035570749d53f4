"""How often the interval of the estimate holds the truth: `python -m benchmarks.coverage`. The tables are those of docs/alerts.md.

Services whose sensitivity (.3 to .9) and specificity (.6 to .99) nobody told the estimator, and a judge on a tenth of what is scored that errs on 0 to
10 % of either kind. Sampled answers weigh alike; `tests/unit/evaluate/test_estimate.py` has services with unequal weights.
"""

from __future__ import annotations

import numpy as np

from dashboards.objectives import JUDGE_ERROR, RATES_DRIFT
from sidecar.commands.calibration import LEAST_SUM
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

SERVICES = 4000
RATE = 0.1
SHARES = ((0.0, 0.03), (0.02, 0.2), (0.0, 0.4))
LABELS = 200


class World:
    """Services, the truth about each, and what is seen of them."""

    def __init__(self, chance: np.random.Generator, answers: int, shares: tuple[float, float], error: float) -> None:
        self.share = chance.uniform(*shares, SERVICES)
        self.found, self.passed = chance.uniform(0.3, 0.9, SERVICES), chance.uniform(0.6, 0.99, SERVICES)
        self.missed, self.blamed = chance.uniform(0, error, SERVICES), chance.uniform(0, error, SERVICES)
        bad, good = self.share, 1 - self.share
        # (local, judge): both grounded, the judge alone, the local model alone, both hallucinated.
        cells = np.stack(
            [
                bad * (1 - self.found) * self.missed + good * self.passed * (1 - self.blamed),
                bad * (1 - self.found) * (1 - self.missed) + good * self.passed * self.blamed,
                bad * self.found * self.missed + good * (1 - self.passed) * (1 - self.blamed),
                bad * self.found * (1 - self.missed) + good * (1 - self.passed) * self.blamed,
            ],
            axis=-1,
        )
        scored = chance.multinomial(answers, cells).astype(np.float64)
        judged = chance.binomial(scored.astype(np.int64), RATE) / RATE
        whole = scored.sum(-1)
        self.scored = Scored(weight=whole, local=scored[:, 2] + scored[:, 3], squared=whole)
        judge, local = judged[:, 1] + judged[:, 3], judged[:, 2] + judged[:, 3]
        self.judged = Judged(
            weight=judged.sum(-1),
            judge=judge,
            local=local,
            squared=judged.sum(-1) / RATE,
            squared_judge=judge / RATE,
            squared_local=local / RATE,
            squared_both=judged[:, 3] / RATE,
        )

    @property
    def judges(self) -> Floats:
        """What the judge would say of all answers."""
        return self.share * (1 - self.missed) + (1 - self.share) * self.blamed


def coverage(found: Estimate, true: Floats) -> float:
    """How often an interval holds what it should."""
    known = np.isfinite(found.share)
    return float(np.mean(((found.lower <= true) & (true <= found.upper))[known]))


def of_the_judge(chance: np.random.Generator) -> None:
    """Print the table of the judge on a tenth."""
    print(
        "| scored answers | judged | true ratio 0 to 3 % | 2 to 20 % | 0 to 40 % | wider than the judge alone | worth, in judged answers |"
    )
    print("|---|---|---|---|---|---|---|")
    for answers in (20, 50, 100, 300, 500, 1000, 3000):
        cells, wider, worth = [], 0, []
        for shares in SHARES:
            made = World(chance, answers, shares, 0.1)
            found, alone = anchored(made.scored, made.judged), judge_alone(made.judged)
            cells.append(f"{coverage(found, made.judges):.1%}")
            wider += int((found.upper - found.lower > alone.upper - alone.lower + 1e-9).sum())
            worth.append(float(np.nanmean(found.samples / alone.samples)))
        print(
            f"| {answers:,} | {RATE * answers:g} | {' | '.join(cells)} | {wider} | {worth[0]:.2f} to {worth[-1]:.2f} times |"
        )


def of_the_truth(chance: np.random.Generator) -> None:
    """Print the table of the true ratio: with the stated error of the judge, with measured ones, and by labels without a judge."""
    print(
        "\n| the true ratio, 3,000 scored answers | 0 to 3 % | 2 to 20 % | 0 to 40 % | width, points |\n|---|---|---|---|---|"
    )
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for shares in SHARES:
        made = World(chance, 3000, shares, JUDGE_ERROR)
        said = anchored(made.scored, made.judged)
        _add(rows, f"a judge, with the stated error of {JUDGE_ERROR:.0%}", within_error(said, JUDGE_ERROR), made)
        _add(
            rows, f"a judge, its errors measured on {LABELS} labels of either kind", _measured(chance, made, said), made
        )
        _add(rows, f"{LABELS} random labels of another week, no judge", _labelled(chance, made, shares), made)
    for name, found in rows.items():
        cells = " | ".join(f"{held:.1%}" for held, *_ in found)
        below, above = (", ".join(f"{100 * one[place]:.0f}" for one in found) for place in (1, 2))
        print(f"| {name} | {cells} | {below} | {above} |")


def _add(rows: dict[str, list[tuple[float, float, float]]], name: str, found: Estimate, made: World) -> None:
    margins = (float(np.nanmean(made.share - found.lower)), float(np.nanmean(found.upper - made.share)))
    rows.setdefault(name, []).append((coverage(found, made.share), *margins))


def _measured(chance: np.random.Generator, made: World, said: Estimate) -> Estimate:
    def of(number: int) -> Estimate:
        rates = Detector(
            sensitivity=chance.binomial(LABELS, 1 - made.missed[number]) / LABELS,
            specificity=chance.binomial(LABELS, 1 - made.blamed[number]) / LABELS,
            hallucinated=LABELS,
            grounded=LABELS,
        )
        return corrected(_one(said, number), rates)

    return _together([of(number) for number in range(SERVICES)])


def _labelled(chance: np.random.Generator, made: World, shares: tuple[float, float]) -> Estimate:
    """The rates have moved since the labels by up to what is allowed for."""
    local, n = made.scored.local / made.scored.weight, made.scored.weight
    said = Estimate(local, *wilson(local, n), n)

    def of(number: int) -> Estimate:
        bad = int(chance.binomial(LABELS, chance.uniform(*shares)))
        passed = float(np.clip(made.passed[number] + chance.uniform(-RATES_DRIFT, RATES_DRIFT), 0, 1))
        rates = Anchor(
            sensitivity=chance.binomial(bad, made.found[number]) / bad if bad else 0.5,
            specificity=chance.binomial(LABELS - bad, passed) / (LABELS - bad),
            hallucinated=bad,
            grounded=LABELS - bad,
            identity="00000000",
        )
        if (rates.sensitivity * bad + 1) / (bad + 2) + rates.specificity < LEAST_SUM:
            return Estimate(*(np.asarray(np.nan) for _ in range(4)))  # `calibrate` makes no anchor of them
        return by_labels(_one(said, number), rates, drift=RATES_DRIFT)

    return _together([of(number) for number in range(SERVICES)])


def _one(found: Estimate, number: int) -> Estimate:
    return Estimate(found.share[number], found.lower[number], found.upper[number], found.samples[number])


def _together(found: list[Estimate]) -> Estimate:
    columns = ([getattr(one, name) for one in found] for name in ("share", "lower", "upper", "samples"))
    return Estimate(*(np.asarray(column, np.float64) for column in columns))


def main() -> None:
    """Print both tables."""
    chance = np.random.default_rng(14)
    of_the_judge(chance)
    of_the_truth(chance)


if __name__ == "__main__":
    main()

"""The anchored estimate in a real Prometheus: a thousand services, two replicas of each, against Python's formulas and the truth."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

from dashboards import estimate, generate, labels, promql, recording
from dashboards.objectives import JUDGE_ERROR, RATES_DRIFT
from sidecar.evaluate.anchors import show_anchors
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
from sidecar.observe.telemetry import Telemetry
from tests.parts.prometheus import Prometheus

pytestmark = pytest.mark.real
SERVICES, REPLICAS = 1000, 2
STEP_SECONDS, STEPS = 300, 15
ANSWERS, RATE = 100, 0.2  # scored in each step by each replica, and the share of them that the judge sees
LABELLED = "labelled"
ANCHOR = Anchor(sensitivity=0.7, hallucinated=25, specificity=0.9, grounded=220, identity="0a1b2c3d")
RATES = Detector(sensitivity=0.93, specificity=0.95, hallucinated=150, grounded=250)
HOUR = "1h"
FEW = np.arange(SERVICES) % 20 == 0  # services of which a judge saw one, two or three answers
CELLS = tuple((local, judge) for local in ("grounded", "hallucinated") for judge in ("grounded", "hallucinated"))
SCORED = ("weight", "local", "squared")
JUDGED = ("weight", "judge", "local", "squared", "squared_judge", "squared_local", "squared_both")


@dataclass(frozen=True, slots=True)
class World:
    """What the judge would say of each service, and the counters of each replica: (services, replicas, scrapes)."""

    judges: Floats
    counters: Mapping[str, Floats]


def world() -> World:
    """Half of the services have hardly any hallucinated answers."""
    chance = np.random.default_rng(31)
    share = np.where(np.arange(SERVICES) % 2, chance.uniform(0, 0.03, SERVICES), chance.uniform(0, 0.4, SERVICES))
    found, passed = chance.uniform(0.3, 0.9, SERVICES), chance.uniform(0.6, 0.99, SERVICES)
    missed, blamed = chance.uniform(0, 0.1, SERVICES), chance.uniform(0, 0.1, SERVICES)
    bad, good = share, 1 - share
    # (local, judge) in the order of CELLS.
    both = np.stack(
        [
            bad * (1 - found) * missed + good * passed * (1 - blamed),
            bad * (1 - found) * (1 - missed) + good * passed * blamed,
            bad * found * missed + good * (1 - passed) * (1 - blamed),
            bad * found * (1 - missed) + good * (1 - passed) * blamed,
        ],
        axis=-1,
    )
    shape = (SERVICES, REPLICAS, STEPS - 1, 4)
    scored = chance.multinomial(ANSWERS, np.broadcast_to(both[:, None, None, :], shape))
    judged = chance.binomial(scored, RATE)
    judged[FEW] = 0
    for seen in range(3):
        number = chance.integers(len(CELLS), size=FEW.sum())
        judged[np.flatnonzero(FEW), 0, STEPS // 2, number] += np.arange(FEW.sum()) % 3 >= seen
    made: dict[str, Floats] = {}
    for verdict, cells in (("grounded", (0, 1)), ("hallucinated", (2, 3))):
        count = scored[..., cells].sum(-1)
        # Kept with a probability of a half.
        made[f'{promql.WEIGHT}{{verdict="{verdict}"'] = np.asarray(count * 2.0, np.float64)
        made[f'{promql.WEIGHT_SQUARED}{{verdict="{verdict}"'] = np.asarray(count * 4.0, np.float64)
    for number, (local, judge) in enumerate(CELLS):
        for series, power in ((estimate.PAIRS, 1), (estimate.PAIRS_SQUARED, 2)):
            made[f'{series}{{local="{local}",judge="{judge}"'] = np.asarray(
                judged[..., number] * (2 / RATE) ** power, np.float64
            )
    return World(share * (1 - missed) + (1 - share) * blamed, made)


def write(path: Path, made: World, start: float) -> None:
    by_family: dict[str, list[str]] = {}
    for name, rises in made.counters.items():
        values = np.concatenate([np.zeros((SERVICES, REPLICAS, 1)), rises.cumsum(-1)], axis=-1)
        lines = by_family.setdefault(name.split("{")[0].removesuffix("_total"), [])
        for service, replica, scrape in np.ndindex(*values.shape):
            at = start + scrape * STEP_SECONDS
            value = values[service, replica, scrape]
            lines.append(f'{name},rag_service="{service}",instance="{replica}"}} {value:g} {at:.0f}')
    for family, lines in labelled(start).items():
        by_family[family] = by_family.get(family, []) + lines
    with path.open("w", encoding="utf-8") as file:
        for family, lines in by_family.items():
            kind = "gauge" if family.startswith("rag_sidecar_label") else "counter"
            file.write("\n".join([f"# TYPE {family} {kind}", *lines, ""]))
        for family, label, names in (
            ("rag_sidecar_judge_detector_rate", "rate", ("sensitivity", "specificity")),
            ("rag_sidecar_judge_detector_labelled", "label", ("hallucinated", "grounded")),
        ):
            file.write(f"# TYPE {family} gauge\n")
            for name in names:
                for scrape in range(STEPS):
                    own, at = f'{label}="{name}",instance="0"', start + scrape * STEP_SECONDS
                    file.write(f"{family}{{{own}}} {getattr(RATES, name)} {at:.0f}\n")
        file.write("# EOF\n")


def labelled(start: float) -> dict[str, list[str]]:
    """The lines by family of a service that no judge looks at, of whose answers people labelled some: 15 % are flagged, answers weigh 1 or 2."""
    found: dict[str, list[str]] = {}
    named = f'rag_service="{LABELLED}",identity="{ANCHOR.identity}",instance="0"'
    telemetry = Telemetry()
    show_anchors({LABELLED: ANCHOR}, telemetry, expire_days=90, now=start)
    for scrape in range(STEPS):
        at = f"{start + scrape * STEP_SECONDS:.0f}"
        for series, power in ((promql.WEIGHT, 1), (promql.WEIGHT_SQUARED, 2)):
            lines = found.setdefault(series.removesuffix("_total"), [])
            for verdict, count in (("hallucinated", 30), ("grounded", 170)):
                lines.append(f'{series}{{verdict="{verdict}",{named}}} {scrape * (count + 2**power * count)} {at}')
        for series in ("rag_sidecar_label_rate", "rag_sidecar_labelled_answers"):
            lines = found.setdefault(series, [])
            for own, value in telemetry.values(series):
                said = ",".join(f'{name}="{text}"' for name, text in own.items())
                lines.append(f'{series}{{{said},instance="0"}} {value!r} {at}')
    # All of a series together, and in the order of time.
    return {
        family: sorted(lines, key=lambda line: (line.split("} ")[0], float(line.rsplit(" ", 1)[1])))
        for family, lines in found.items()
    }


def rules(path: Path, *, measured: bool) -> Path:
    """The rules of one hour as they are generated, with the judge's errors or without."""
    wanted = ["rag-sidecar.recording.judge", f"rag-sidecar.recording.{HOUR}"]
    groups = {group["name"]: group["rules"] for group in yaml.safe_load(generate.rules_yaml())["groups"]}
    if not measured:
        groups[wanted[0]] = [rule for rule in groups[wanted[0]] if "judge_errors" not in rule["record"]]
    # One group, so that all of it is of one instant.
    group = {"name": "all", "interval": "15s", "rules": [rule for name in wanted for rule in groups[name]]}
    path.write_text(yaml.safe_dump({"groups": [group]}), encoding="utf-8")
    return path


class Recorded:
    """What the rules recorded at one instant, in the order of the services."""

    def __init__(self, prometheus: Prometheus) -> None:
        prometheus.wait_for(f"count({estimate.bound(HOUR, upper=True)}) >= {SERVICES}", seconds=120)
        self._prometheus = prometheus
        # The last round of rules that was made to its end: on a busy machine the next one is written while we ask.
        [(_, self._at)] = prometheus.query(f"max(timestamp({estimate.bound(HOUR, upper=True)}))")

    def ask(self, name: str) -> Floats:
        rows = self._prometheus.query(name, at=self._at)
        found = {int(own["rag_service"]): value for own, value in rows if own["rag_service"] != LABELLED}
        assert len(found) == SERVICES, name
        return np.array([found[number] for number in range(SERVICES)])

    def labelled(self, name: str) -> float:
        [(_, value)] = self._prometheus.query(f'{name}{{rag_service="{LABELLED}"}}', at=self._at)
        return value

    def sums(self) -> tuple[Scored, Judged]:
        scored = {word: self.ask(f"{recording.LEVEL}:rag_scored:{word}_increase{HOUR}") for word in SCORED}
        judged = {word: self.ask(f"{recording.LEVEL}:rag_judged:{word}_increase{HOUR}") for word in JUDGED}
        return Scored(**scored), Judged(**judged)

    def estimate(self) -> Estimate:
        lower, upper = (self.ask(estimate.bound(HOUR, upper=upper)) for upper in (False, True))
        return Estimate(self.ask(estimate.ratio(HOUR)), lower, upper, self.ask(estimate.samples(HOUR)))


@pytest.fixture(scope="module")
def made() -> World:
    return world()


@pytest.fixture(scope="module", params=[False, True], ids=["stated error", "measured errors"])
def setting(
    request: pytest.FixtureRequest, made: World, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Recorded, bool]]:
    folder = tmp_path_factory.mktemp("anchored")
    write(folder / "history.om", made, round(time.time()) - (STEPS - 1) * STEP_SECONDS)
    files = [rules(folder / "rules.yml", measured=request.param)]
    with Prometheus({}, rule_files=files, history=folder / "history.om") as prometheus:
        yield Recorded(prometheus), request.param


def test_the_rules_say_what_the_formulas_in_python_say(setting: tuple[Recorded, bool]) -> None:
    recorded, measured = setting
    said = anchored(*recorded.sums())
    expected = corrected(said, RATES) if measured else within_error(said, JUDGE_ERROR)
    found = recorded.estimate()
    for name in ("share", "lower", "upper", "samples"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-6, abs=1e-9), name


def test_labels_anchor_a_service_that_no_judge_looks_at_as_the_formula_says(setting: tuple[Recorded, bool]) -> None:
    recorded, _ = setting
    share = np.asarray(recorded.labelled(f"{recording.LEVEL}:rag_labelled:ratio_rate{HOUR}"))
    n = np.asarray(recorded.labelled(labels.samples(HOUR)))
    assert float(share) == pytest.approx(0.15)
    expected = by_labels(Estimate(share, *wilson(share, n), n), ANCHOR, drift=RATES_DRIFT)
    found = [recorded.labelled(estimate.bound(HOUR, upper=upper)) for upper in (False, True)]
    assert [recorded.labelled(estimate.ratio(HOUR)), *found] == pytest.approx(
        [float(expected.share), float(expected.lower), float(expected.upper)], rel=1e-6
    )


def test_the_interval_covers_what_the_judge_would_say_of_all(setting: tuple[Recorded, bool], made: World) -> None:
    recorded, measured = setting
    if measured:
        return
    scored, judged = recorded.sums()
    said, alone = anchored(scored, judged), judge_alone(judged)
    covered = ((said.lower <= made.judges) & (made.judges <= said.upper))[~FEW].mean()
    assert 0.93 <= covered <= 0.97, covered
    assert (said.upper - said.lower <= alone.upper - alone.lower + 1e-12).all()
    assert abs((said.share - made.judges)[~FEW].mean()) < 0.003
    assert (said.samples[FEW] < 10).all()

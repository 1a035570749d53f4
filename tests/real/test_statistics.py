"""The statistics, proved by simulation in a real Prometheus: thousands of services whose true ratio is known.

Each simulated service has three replicas, of which one restarts, and strata that are sampled with unequal probabilities and
hallucinate at unequal rates. Its counters are written as history; the dashboards' own expressions are asked for the hour.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dashboards import promql
from tests.parts.prometheus import Prometheus

pytestmark = pytest.mark.real
SERVICES = 1500
REPLICAS = 3
STEP_SECONDS = 300
STEPS = 14  # scrapes; the hour that is asked for lies inside
RESTART = 8
# Probability of being sampled, requests an hour and replica, true ratio.
STRATA = ((0.05, 2700.0, 0.09), (0.2, 750.0, 0.08), (1.0, 60.0, 0.13))
SENSITIVITY, SPECIFICITY, LABELLED = 0.85, 0.95, 1_000_000
TRUE = sum(rate * ratio for _, rate, ratio in STRATA) / sum(rate for _, rate, _ in STRATA)


@dataclass(frozen=True, slots=True)
class Setting:
    """A Prometheus with the history, and the time to ask at."""

    prometheus: Prometheus
    at: float

    def ask(self, expression: str) -> NDArray[np.float64]:
        """The value of each service, in the order of their numbers."""
        found = {int(labels["rag_service"]): value for labels, value in self.prometheus.query(expression, at=self.at)}
        assert len(found) == SERVICES
        return np.array([found[n] for n in range(SERVICES)])


def counters(rng: np.random.Generator) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Counters by (series, verdict): (services, replicas, scrapes)."""
    shape = (SERVICES, REPLICAS, STEPS - 1)
    made = {
        (series, verdict): np.zeros((SERVICES, REPLICAS, STEPS))
        for series in (promql.WEIGHT, promql.WEIGHT_SQUARED)
        for verdict in ("grounded", "hallucinated")
    }
    for probability, rate, ratio in STRATA:
        sampled = rng.poisson(rate * STEP_SECONDS / 3600 * probability, shape)
        bad = rng.binomial(sampled, ratio)
        for verdict, count in (("hallucinated", bad), ("grounded", sampled - bad)):
            made[promql.WEIGHT, verdict][..., 1:] += count / probability
            made[promql.WEIGHT_SQUARED, verdict][..., 1:] += count / probability**2
    for key, values in made.items():
        values[..., 0] = 1000 * values[..., 1:].sum(axis=-1).mean()  # they have run for long before
        whole = values.cumsum(axis=-1)
        # One replica starts anew: its counters fall to zero, and to what came since.
        whole[:, 0, RESTART:] -= whole[:, 0, RESTART - 1, None]
        made[key] = whole
    return made


def score_counters(rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """The series of a mean score, by their names: (services, replicas, scrapes). Scores are 0, 0.5 or 1."""
    shape = (SERVICES, REPLICAS, STEPS - 1)
    names = ("sum", "count", "0", "1", "2")
    made = {name: np.zeros((SERVICES, REPLICAS, STEPS)) for name in names}
    for probability, rate, ratio in STRATA:
        sampled = rng.poisson(rate * STEP_SECONDS / 3600 * probability, shape)
        low = rng.binomial(sampled, ratio)
        half = rng.binomial(sampled - low, 0.3)
        for score, count in ((0.0, low), (0.5, half), (1.0, sampled - low - half)):
            made["sum"][..., 1:] += count * score / probability
            made["count"][..., 1:] += count / probability
            for power in (0, 1, 2):
                made[str(power)][..., 1:] += count * score**power / probability**2
    return {name: values.cumsum(axis=-1) + 1e6 for name, values in made.items()}


def write(path: Path, start: float) -> None:
    with path.open("w", encoding="utf-8") as file:
        made = counters(np.random.default_rng(20))
        for series in (promql.WEIGHT, promql.WEIGHT_SQUARED):
            file.write(f"# TYPE {series.removesuffix('_total')} counter\n")
            for verdict in ("grounded", "hallucinated"):
                values = made[series, verdict]
                for service, replica, scrape in np.ndindex(*values.shape):
                    labels = f'rag_service="{service}",instance="{replica}",verdict="{verdict}",grounding_model="g"'
                    at = start + scrape * STEP_SECONDS
                    file.write(f"{series}{{{labels}}} {values[service, replica, scrape]:g} {at:.0f}\n")
        scores = score_counters(np.random.default_rng(21))
        for kind, names in (("histogram", ("sum", "count")), ("counter", ("0", "1", "2"))):
            family = "rag_evaluation_score" if kind == "histogram" else promql.SQUARED.removesuffix("_total")
            file.write(f"# TYPE {family} {'unknown' if kind == 'histogram' else kind}\n")
            for name in names:
                series = f"{family}_{name}" if kind == "histogram" else promql.SQUARED
                power = "" if kind == "histogram" else f',power="{name}"'
                for service, replica, scrape in np.ndindex(*scores[name].shape):
                    labels = f'rag_service="{service}",instance="{replica}"{power}'
                    at = start + scrape * STEP_SECONDS
                    file.write(f"{series}{{{labels}}} {scores[name][service, replica, scrape]:.10g} {at:.0f}\n")
        rates = {"sensitivity": SENSITIVITY, "specificity": SPECIFICITY}
        labelled = {"hallucinated": LABELLED, "grounded": LABELLED}
        for family, label, known in (
            ("rag_sidecar_detector_rate", "rate", rates),
            ("rag_sidecar_detector_labelled", "label", labelled),
        ):
            file.write(f"# TYPE {family} gauge\n")
            for name, value in known.items():
                for replica in range(REPLICAS):
                    at = start + (STEPS - 1) * STEP_SECONDS
                    file.write(
                        f'{family}{{instance="{replica}",grounding_model="g",{label}="{name}"}} {value:g} {at:.0f}\n'
                    )
        file.write("# EOF\n")


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    path = tmp_path_factory.mktemp("history") / "history.om"
    start = round(time.time()) - 6 * 3600.0  # whole seconds, as they are written
    write(path, start)
    with Prometheus({}, history=path) as prometheus:
        yield Setting(prometheus, start + (STEPS - 1) * STEP_SECONDS)


def test_the_ratio_is_unbiased_over_replicas_and_restarts(setting: Setting) -> None:
    ratios = setting.ask(promql.hallucination_ratio("1h", by="rag_service"))
    assert abs(ratios.mean() / TRUE - 1) < 0.01


def test_the_interval_covers_the_true_ratio_as_often_as_it_says(setting: Setting) -> None:
    lower, upper = (
        setting.ask(promql.hallucination_bound("1h", upper=upper, by="rag_service")) for upper in (False, True)
    )
    covered = ((lower <= TRUE) & (upper >= TRUE)).mean()
    assert 0.93 <= covered <= 0.97, covered
    # Both ends miss: the interval is not one-sided.
    assert (lower > TRUE).mean() < 0.045
    assert (upper < TRUE).mean() < 0.045


def test_the_effective_sample_size_is_less_than_the_sample_and_more_than_its_heaviest_part(setting: Setting) -> None:
    sizes = setting.ask(promql.effective_samples("1h", by="rag_service"))
    weight = sum(rate for _, rate, _ in STRATA) * REPLICAS
    squared = sum(rate / probability for probability, rate, _ in STRATA) * REPLICAS
    assert abs(sizes.mean() / (weight**2 / squared) - 1) < 0.06
    assert (sizes < sum(rate * probability for probability, rate, _ in STRATA) * REPLICAS * 1.5).all()


def test_the_standard_error_of_a_mean_score_is_its_spread(setting: Setting) -> None:
    mean = setting.ask(promql.mean_score("1h", by="rag_service"))
    error = setting.ask(promql.mean_score_error("1h", by="rag_service"))
    true = sum(rate * (1 - ratio) * 0.85 for _, rate, ratio in STRATA) / sum(rate for _, rate, _ in STRATA)
    assert abs(mean.mean() / true - 1) < 0.01
    covered = (abs(mean - true) <= promql.Z * error).mean()
    assert 0.93 <= covered <= 0.97, covered


def test_the_ratio_corrected_for_the_detector_covers_the_true_share(setting: Setting) -> None:
    p = promql.hallucination_ratio("1h", by=promql.by_detector("rag_service"))
    n = promql.effective_samples("1h", by=promql.by_detector("rag_service"))
    true = (TRUE + SPECIFICITY - 1) / (SENSITIVITY + SPECIFICITY - 1)
    assert abs(setting.ask(promql.corrected_ratio(p)).mean() / true - 1) < 0.02
    lower, upper = (setting.ask(promql.corrected_bound(p, n, upper=upper)) for upper in (False, True))
    covered = ((lower <= true) & (upper >= true)).mean()
    assert 0.93 <= covered <= 0.97, covered

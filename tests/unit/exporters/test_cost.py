"""How many time series there are: counted in a real exposition, and held to what docs/metrics.md promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Evaluation, Outcome, Result, Verdict
from exporters.series import SERIES, SUBJECT, subject_cost
from tests.unit.exporters.exposition import exposed
from tests.unit.exporters.samples import GROUNDEDNESS, SCORED

MOST = 20_000
# Five local, five judged, three of one's own.
MANY = tuple(f"evaluator-{n}" for n in range(13))


def everything(evaluators: Iterable[str]) -> list[Result]:
    """Results that together have every kind of traffic, verdict and outcome once, and two reasons for each evaluator."""
    found: list[Result] = []
    outcomes = ((Outcome.SCORED, None), (Outcome.UNSCORABLE, "language"), (Outcome.FAILED, "timeout"))
    for (outcome, reason), verdict in zip(outcomes, Verdict, strict=True):
        score = 0.5 if outcome is Outcome.SCORED else None
        made = [Evaluation(evaluator=name, outcome=outcome, reason=reason, score=score) for name in evaluators]
        decides = replace(GROUNDEDNESS, evaluator=made[0].evaluator, label=verdict)
        found.append(
            replace(
                SCORED,
                id=verdict,
                verdict=verdict,
                error_class=reason,
                evaluations=(*made, replace(decides, outcome=outcome, reason=reason, score=score)),
                cost_usd={
                    "input": 1.0,
                    "cached_input": 1.0,
                    "cache_write": 1.0,
                    "output": 1.0,
                    "request": 1.0,
                    "reported": 1.0,
                },
            )
        )
    return found


async def exposition(evaluators: tuple[str, ...], subjects: int, config: PrometheusConfig) -> Counter[str]:
    """How many time series of each row are exposed."""
    registry = CollectorRegistry()
    exporter = PrometheusExporter(config, registry, evaluators=evaluators)
    for number in range(subjects):
        variant = f"v{number % 20}"
        for result in everything(evaluators):
            key = f"{number}-{result.id}"
            await exporter.export([replace(result, id=key, service=f"s{number % 50}", variant=variant)])
    rows: Counter[str] = Counter()
    for name, samples in exposed(registry).items():
        rows[name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum")] += len(samples)
    return rows


@pytest.mark.parametrize("count", [1, 5, 13])
async def test_a_combination_costs_what_the_table_says(count: int) -> None:
    rows = await exposition(MANY[:count], 1, PrometheusConfig())
    # Of what a judge said there is nothing before it has said something.
    by_subject = {row.name: n for row in SERIES if set(SUBJECT) <= set(row.labels) and (n := rows[row.name])}
    assert by_subject == {row.name: row.cost(count) for row in SERIES if row.cost(count)}
    assert sum(by_subject.values()) == subject_cost(count)


async def test_the_default_keeps_to_twenty_thousand_series_with_a_judge_and_evaluators_of_ones_own() -> None:
    config = PrometheusConfig()
    rows = await exposition(MANY, 3 * config.most_subjects, config)
    assert rows["rag_requests_total"] == 2 * (config.most_subjects + 1)
    assert (config.most_subjects + 1) * subject_cost(len(MANY)) <= rows.total() <= MOST


async def test_an_own_threshold_costs_one_series_for_each_evaluator() -> None:
    plain, more = [
        await exposition(MANY, 1, PrometheusConfig(thresholds=thresholds)) for thresholds in ((), (0.42, 0.77))
    ]
    assert more.total() - plain.total() == 2 * len(MANY)

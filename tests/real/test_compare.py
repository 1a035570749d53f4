"""`rag-sidecar compare --prometheus` against a real Prometheus: what it says of sums is what the requests themselves say."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.offline.arms import OnlineResult, compare_arms, variant_of
from sidecar.offline.record import Compared
from tests.parts.prometheus import Prometheus
from tests.unit.commands.called import called

pytestmark = pytest.mark.real
HOUR = 3600


def results() -> list[OnlineResult]:
    chance = random.Random(6)
    return [
        OnlineResult.model_validate(
            {
                "id": f"{variant}{n}", "variant": variant, "inclusion_probability": chance.choice([0.2, 0.5, 1.0]),
                "verdict": "grounded" if chance.random() < share else "hallucinated",
                "evaluations": [{"evaluator": "faithfulness", "outcome": "scored", "score": chance.uniform(0.2, share)}],
            }
        )
        for variant, share in (("old", 0.7), ("new", 0.9))
        for n in range(600)
    ]  # fmt: skip


def history(made: list[OnlineResult], now: float) -> Iterator[str]:
    """The series of these results in OpenMetrics: nothing, then all of them, in the middle of the window."""
    sums: dict[tuple[str, str], float] = {}

    def add(series: str, labels: str, value: float) -> None:
        sums[series, labels] = sums.get((series, labels), 0.0) + value

    for one in made:
        base, weight = f'rag_service="kb",variant="{one.variant}"', one.weight()
        add("rag_requests_total", base, weight)
        add("rag_verdict_weight_total", f'{base},verdict="{one.verdict}"', weight)
        add("rag_verdict_weight_squared_total", f'{base},verdict="{one.verdict}"', weight**2)
        scored = f'{base},evaluator="{one.evaluations[0].evaluator}"'
        score = one.evaluations[0].score or 0.0
        add("rag_evaluation_score_sum", scored, weight * score)
        add("rag_evaluation_score_count", scored, weight)
        for power in range(3):
            add("rag_evaluation_squared_weight_total", f'{scored},power="{power}"', weight**2 * score**power)
    for (series, labels), value in sums.items():
        for minute in range(121):
            yield f"{series}{{{labels}}} {value if minute >= 60 else 0.0} {int(now - (120 - minute) * 60)}"
    yield "# EOF"


def test_what_prometheus_says_is_what_the_requests_say(tmp_path: Path) -> None:
    made = results()
    (store := tmp_path / "history.txt").write_text("\n".join(history(made, time.time())) + "\n", encoding="utf-8")
    with Prometheus({}, history=store) as prometheus:
        words = ("--variant", "old", "--variant", "new", "--service", "kb", "--window", "110m", "-o", "-")
        run = called("compare", "--prometheus", prometheus.url, *words)
    assert run.returncode == 0, run.stderr
    found = {one.metric: one for one in Compared.model_validate_json(run.stdout).comparisons}
    own = {one.metric: one for one in compare_arms(variant_of("old", made), variant_of("new", made)).comparisons}
    assert found.keys() == own.keys() == {"faithfulness", "grounded_answers"}
    for name, one in found.items():
        assert (one.winner, own[name].winner) == ("B", "B")
        assert one.delta == pytest.approx(own[name].delta, abs=1e-6)
        # `increase` reaches a little beyond what was seen.
        assert one.size_a == pytest.approx(own[name].size_a, rel=0.05)
        assert one.lower == pytest.approx(own[name].lower, abs=0.005)

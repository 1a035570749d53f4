"""The composition root, before anything is started."""

from __future__ import annotations

from sidecar import config
from sidecar.app import App
from sidecar.evaluate.settings import build

VALUES = {
    "receive": {"bootstrap_servers": "127.0.0.1:9", "topics": ["spans"]},
    "evaluate": {"evaluators": ["faithfulness", "groundedness"]},
}


async def test_which_formula_of_which_version_gives_a_score_is_a_series() -> None:
    app = App(config.build(VALUES))
    found = {
        (sample.labels["evaluator"], sample.labels["method"], sample.labels["version"]): sample.value
        for metric in app.telemetry.registry.collect()
        for sample in metric.samples
        if sample.name == "rag_sidecar_evaluator_info"
    }
    assert found == {(one.name, one.method, one.version): 1.0 for one in build(app.config.evaluate)}
    assert {name for name, _, _ in found} >= {"faithfulness", "groundedness"}
    assert not {name for name, _, _ in found} & {"context_precision", "answer_relevancy"}


async def test_a_judge_with_a_budget_shares_it_before_the_group_has_let_us_in() -> None:
    judge = {"url": "http://127.0.0.1:9/v1", "model": "gpt-4o-mini", "budget_usd_per_hour": 1.0}
    evaluate = {"evaluators": ["groundedness"], "groundedness": {"by": "both", "judge_rate": 0.1}}
    app = App(config.build({**VALUES, "judge": judge, "evaluate": evaluate}))
    assert app.receiver.share == 0
    assert 0 < app.engine.present["groundedness_judge"] <= 0.1

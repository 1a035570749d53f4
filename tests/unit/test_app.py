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
    assert {name for name, _, _ in found} == {"faithfulness", "groundedness"}

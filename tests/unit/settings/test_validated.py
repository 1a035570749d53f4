"""True and false are no numbers: YAML makes them of on, off, yes and no."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sidecar.config import build
from sidecar.offline.gate import load_gate
from sidecar.record.errors import ConfigError

_YAML = "must be a number, got {} (YAML reads on, off, yes and no as true and false)"


@pytest.mark.parametrize(
    ("values", "place", "got"),
    [
        ({"sample": {"rate": False}}, "sample.rate", "false"),
        ({"sample": {"rate": True}}, "sample.rate", "true"),
        ({"evaluate": {"groundedness": {"threshold": True}}}, "evaluate.groundedness.threshold", "true"),
        ({"prometheus": {"most_services": True}}, "prometheus.most_services", "true"),
    ],
)
def test_a_number_of_the_settings_is_not_true_or_false(values: dict[str, Any], place: str, got: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build(values, kafka=False)
    assert str(raised.value) == f"{place}: {_YAML.format(got)}"


def test_each_such_number_is_told() -> None:
    with pytest.raises(ConfigError) as raised:
        build({"sample": {"rate": False}, "prometheus": {"most_services": True}}, kafka=False)
    wrong = {f"sample.rate: {_YAML.format('false')}", f"prometheus.most_services: {_YAML.format('true')}"}
    assert set(str(raised.value).splitlines()) == wrong


def test_true_and_false_stay_what_they_are_where_they_are_asked_for() -> None:
    config = build({"results": {"include_text": False}, "sample": {"rate": 0}}, kafka=False)
    assert (config.results.include_text, config.sample.rate) == (False, 0.0)


def test_a_number_of_a_gate_is_not_true_or_false(tmp_path: Path) -> None:
    gate = tmp_path / "gate.yaml"
    gate.write_text("most_failed: no\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_gate(gate)
    assert str(raised.value) == f"--gate: {gate}: most_failed: {_YAML.format('false')} (see docs/offline.md)"

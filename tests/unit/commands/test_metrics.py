"""`rag-sidecar metrics`: every form of every evaluator."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from sidecar.commands.metrics import cli
from sidecar.evaluate.registry import EVALUATORS, judged_name

runner = CliRunner()


def test_every_form_of_every_evaluator_is_listed_for_programs() -> None:
    lines = [json.loads(line) for line in runner.invoke(cli, ["--json"]).stdout.splitlines()]
    wanted = {one.name for one in EVALUATORS if one.local} | {judged_name(one) for one in EVALUATORS if one.judged}
    assert {line["name"] for line in lines} == wanted
    assert len(lines) == len(wanted)
    by_name = {line["name"]: line for line in lines}
    assert by_name["context_recall"]["needs"] == ["reference", "retrieval"]
    assert (by_name["context_recall"]["online"], by_name["faithfulness"]["online"]) == (False, True)
    assert by_name["noise_robustness_judge"]["calls"] == "2K + 3"
    assert {line["cost"] for line in lines} == {"text", "model", "judge"}


def test_people_see_formula_needs_and_when_it_runs() -> None:
    said = runner.invoke(cli).stdout
    assert "answer_accuracy  (judge, ratings, questions to the judge: 2)" in said
    assert "runs where it is named, or with evaluate.references: all; offline" in said

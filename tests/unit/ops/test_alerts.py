"""Alerts say what is wrong and what to do, every one is tested to fire and to be silent, and its runbook holds its queries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboards import generate
from dashboards.objectives import Windows
from tests.unit.ops.promql import uses

ROOT = Path(__file__).parents[3]
RULES = ROOT / "dashboards/rules/rag-sidecar.yml"
RUNBOOKS = ROOT / "docs/runbooks"
HEADINGS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]


def rules(text: str | None = None) -> list[dict[str, Any]]:
    groups = yaml.safe_load(text if text is not None else RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


ALERTS = {rule["alert"]: rule for rule in rules() if "alert" in rule}
CASES = [
    case
    for path in sorted((ROOT / "dashboards/rules/tests").glob("*.yml"))
    for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
    for case in test.get("alert_rule_test", [])
]


def queries(markdown: str) -> list[str]:
    """The PromQL blocks of a runbook."""
    return re.findall(r"```promql\n(.+?)```", markdown, re.DOTALL)


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_what_is_wrong_how_bad_it_is_and_where_to_look(name: str) -> None:
    alert = ALERTS[name]
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    notes = alert["annotations"]
    assert notes.keys() == {"summary", "description", "runbook_url", "dashboard_url"}
    assert notes["summary"].endswith(".")
    assert "{{" not in notes["summary"], "a summary groups alerts, so it names nothing"
    assert notes["description"]
    assert notes["runbook_url"].endswith(f"/{name}.md")
    assert "/rag-quality" in notes["dashboard_url"]


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_tested_to_fire_and_to_be_silent(name: str) -> None:
    outcomes = {bool(case["exp_alerts"]) for case in CASES if case["alertname"] == name}
    assert outcomes == {True, False}


def test_no_test_names_an_alert_that_does_not_exist() -> None:
    assert {case["alertname"] for case in CASES} == ALERTS.keys()


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_has_meaning_impact_diagnosis_and_mitigation(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    assert all(part.strip() for part in re.split(r"^## .+$", text, flags=re.MULTILINE)[1:])


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_begins_its_diagnosis_with_the_alerts_own_series(name: str) -> None:
    asked = [use for query in queries((RUNBOOKS / f"{name}.md").read_text(encoding="utf-8")) for use in uses(query)]
    assert {use.series for use in uses(ALERTS[name]["expr"])} <= {use.series for use in asked}


def test_there_is_no_runbook_without_an_alert() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"} == ALERTS.keys()


def test_the_index_of_runbooks_links_every_one() -> None:
    text = (RUNBOOKS / "README.md").read_text(encoding="utf-8")
    assert {link.removesuffix(".md") for link in re.findall(r"\]\((\w+\.md)\)", text)} == ALERTS.keys()


def test_the_addresses_of_runbooks_and_grafana_are_the_installers_choice() -> None:
    text = generate.rules_yaml(runbooks="https://wiki.test/rag/", grafana="https://grafana.test/d/")
    for rule in rules(text):
        if "alert" in rule:
            notes = rule["annotations"]
            assert notes["runbook_url"] == f"https://wiki.test/rag/{rule['alert']}.md"
            assert notes["dashboard_url"].startswith("https://grafana.test/d/rag-quality")


def test_the_same_rules_can_be_made_over_short_windows() -> None:
    short = Windows(fast="20s", fast_check="5s", slow="40s", slow_check="10s")
    made = rules(generate.rules_yaml(short, interval="1s"))
    assert len(made) == len(rules())
    recorded = {rule["record"] for rule in made if "record" in rule}
    assert "rag_service:rag_hallucination:ratio_rate20s" in recorded
    assert not any(name.endswith(("1h", "6h", "30m", "5m")) for name in recorded)

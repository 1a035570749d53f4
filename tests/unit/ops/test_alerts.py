"""Alerts say what is wrong and where to look, and every one is tested to fire and to be silent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboards import baseline, generate
from dashboards.objectives import EMBEDDED_MODEL, WINDOWS, Windows, duration, seconds
from sidecar.inference.runtime import PACKAGED
from tests.unit.ops.asked import RULES, rules

ROOT = Path(__file__).parents[3]
RUNBOOKS = ROOT / "docs/runbooks"

ALERTS = {rule["alert"]: rule for rule in rules() if "alert" in rule}
CASES = [
    case
    for path in sorted((ROOT / "dashboards/rules/tests").glob("*.yml"))
    for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
    for case in test.get("alert_rule_test", [])
]


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_what_is_wrong_how_bad_it_is_and_where_to_look(name: str) -> None:
    alert = ALERTS[name]
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    notes = alert["annotations"]
    about_answers = notes["dashboard_url"].startswith("/d/rag-quality?var-rag_service=")
    assert notes.keys() == {"summary", "description", "runbook_url", "dashboard_url"} | (
        {"answers_url"} if about_answers else set()
    )
    if about_answers:
        time = "6h" if alert["labels"]["severity"] == "critical" else "3d"
        assert notes["answers_url"] == f"/?service={{{{ $labels.rag_service | urlquery }}}}&list=worst&range={time}"
    assert notes["summary"].endswith(".")
    assert "{{" not in notes["summary"], "a summary groups alerts, so it names nothing"
    assert notes["description"]
    assert notes["runbook_url"].endswith(f"/{name}.md")
    board, _, choice = notes["dashboard_url"].removeprefix("/d/").partition("?var-")
    variables = {
        one["name"] for one in json.loads((ROOT / f"dashboards/{board}.json").read_text())["templating"]["list"]
    }
    assert not choice or choice.split("=")[0] in variables
    assert (board == "rag-sidecar") is name.startswith("RagSidecar")


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_tested_to_fire_and_to_be_silent(name: str) -> None:
    outcomes = {bool(case["exp_alerts"]) for case in CASES if case["alertname"] == name}
    assert outcomes == {True, False}


def test_no_test_names_an_alert_that_does_not_exist() -> None:
    assert {case["alertname"] for case in CASES} == ALERTS.keys()


def test_the_addresses_of_runbooks_and_grafana_are_the_installers_choice() -> None:
    text = generate.rules_yaml(
        runbooks="https://wiki.test/rag/", grafana="https://grafana.test/d/", status_page="https://rag.test/"
    )
    for rule in rules(text):
        if "alert" in rule:
            notes = rule["annotations"]
            assert notes["runbook_url"] == f"https://wiki.test/rag/{rule['alert']}.md"
            assert notes["dashboard_url"].startswith("https://grafana.test/d/rag-")
            assert notes.get("answers_url", "https://rag.test/?").startswith("https://rag.test/?")


def test_alerts_about_time_and_money_open_the_dashboard_about_them() -> None:
    boards = {name: alert["annotations"]["dashboard_url"] for name, alert in ALERTS.items()}
    opened = {name for name, address in boards.items() if "/rag-cost-latency" in address}
    assert opened == {
        "RagCostSpike",
        "RagFirstTokenBudgetBurnFast",
        "RagLatencyBudgetBurnFast",
        "RagRetrievalEmpty",
        "RagTokensUnpriced",
    }


def test_the_model_that_a_sidecar_falls_back_to_is_the_one_inside_the_package() -> None:
    card = json.loads((PACKAGED / "embedded/card.json").read_text(encoding="utf-8"))
    assert card["name"] == EMBEDDED_MODEL


def test_the_same_rules_can_be_made_over_short_windows() -> None:
    short = Windows("20s", "5s", "40s", "10s", ticket="80s", ticket_check="15s", long_ticket="160s")
    made = rules(generate.rules_yaml(short, interval="1s"))
    assert len(made) == len(rules())
    recorded = {rule["record"] for rule in made if "record" in rule}
    assert "rag_service:rag_hallucination:ratio_rate20s" in recorded
    assert not any(name.endswith(WINDOWS.all()) for name in recorded)


def test_the_same_alerts_can_be_made_to_wait_for_seconds() -> None:
    made = rules(generate.rules_yaml(wait="3s"))
    quick = {rule["alert"]: (rule["for"], rule.get("keep_firing_for", "3s")) for rule in made if "alert" in rule}
    assert quick == dict.fromkeys(ALERTS, ("3s", "3s"))
    kept = {rule["alert"] for rule in made if "keep_firing_for" in rule}
    assert kept == {name for name, rule in ALERTS.items() if "keep_firing_for" in rule}


def test_a_recorded_value_is_made_anew_before_prometheus_calls_it_stale() -> None:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    assert {group["interval"] for group in groups if "interval" in group} == {"30s", "2m"}


@pytest.mark.parametrize(
    ("of", "text"), [(90, "90s"), (79_200, "22h"), (86_400, "1d"), (1_209_600, "2w"), (1800, "30m")]
)
def test_durations_are_written_as_promql_reads_them(of: int, text: str) -> None:
    assert duration(of) == text
    assert seconds(text) == of


def test_the_days_before_are_looked_at_around_the_same_time_of_day() -> None:
    quick, slow, weeks, yesterday = baseline.pasts(WINDOWS)
    assert (quick.window, quick.over, quick.offsets) == ("2h", "6h", ("22h", "46h", "70h"))
    assert (slow.window, slow.over, slow.offsets) == ("1d", "1d", ("1d", "2d", "3d"))
    assert weeks.offsets == ("166h", "334h")
    assert yesterday.offsets == ("1d",)


@pytest.mark.parametrize("name", [name for name, rule in ALERTS.items() if "offset 1w" in rule["expr"]])
def test_an_alert_that_compares_with_last_week_says_what_it_does_in_the_first(name: str) -> None:
    meaning = (RUNBOOKS / f"{name}.md").read_text(encoding="utf-8").split("## Impact")[0]
    assert "first week" in meaning
    assert "silent" in meaning


def test_a_sidecar_that_is_absent_holds_back_every_other_alert_but_those_of_probes() -> None:
    held = {target for source, target in held_back() if source == "RagSidecarAbsent"}
    assert held == ALERTS.keys() - {"RagSidecarAbsent", "RagProbeFailed", "RagProbeSilent"}


def test_a_page_for_hallucinations_holds_back_only_tickets_of_the_same_service() -> None:
    held = {target for source, target in held_back() if source == "RagHallucinationBudgetBurnFast"}
    assert held == {target for source, target in held_back() if source == "RagHallucinationShareRisen"}
    assert held == {"RagHallucinationBudgetBurnSlow", "RagHallucinationRateHigh", "RagFaithfulnessDrop"}
    assert {ALERTS[name]["labels"]["severity"] for name in held} == {"warning"}
    (rule,) = [one for one in inhibitions() if "RagHallucinationBudgetBurnFast" in one["source_matchers"][0]]
    assert rule["equal"] == ["rag_service"]


def test_no_alert_holds_itself_back() -> None:
    pairs = held_back()
    assert pairs
    assert all(source != target for source, target in pairs)


def inhibitions() -> list[dict[str, Any]]:
    """The rules of the Alertmanager configuration by which one alert holds back others."""
    config = yaml.safe_load((ROOT / "dashboards/alertmanager.yml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = config["inhibit_rules"]
    return found


def held_back() -> set[tuple[str, str]]:
    """Every pair of an alert and one that it may hold back; a rule that names no alert of ours fails."""
    pairs = set()
    for rule in inhibitions():
        sources = [name for name in ALERTS if matches(name, rule["source_matchers"])]
        targets = [name for name in ALERTS if matches(name, rule["target_matchers"])]
        assert sources, rule
        assert targets, rule
        pairs |= {(source, target) for source in sources for target in targets}
    return pairs


def matches(name: str, matchers: list[str]) -> bool:
    """Whether an alert has the name and severity that matchers of Alertmanager ask for."""
    labels = {"alertname": name, **ALERTS[name]["labels"]}
    for matcher in matchers:
        label, operator, value = matcher.split(" ", 2)
        value = value.strip('"')
        met = re.fullmatch(value, labels[label]) is not None if "~" in operator else labels[label] == value
        if met == operator.startswith("!"):
            return False
    return True

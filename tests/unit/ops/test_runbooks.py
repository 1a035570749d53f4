"""Every alert rests on a number that can be trusted, and its runbook begins with whether it can, holds its queries, and ends at the answers."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import typer

from dashboards import objectives
from sidecar.__main__ import cli
from sidecar.page.shelf import LISTS
from tests.unit.ops.asked import rules
from tests.unit.ops.promql import uses

ROOT = Path(__file__).parents[3]
RUNBOOKS = ROOT / "docs/runbooks"
HEADINGS = ["Is the number to be trusted?", "Meaning", "Impact", "Diagnosis", "Mitigation", "The answers"]
ALERTS = {rule["alert"]: rule for rule in rules() if "alert" in rule}
RECORDED = {rule["record"]: rule["expr"] for rule in rules() if "record" in rule}
# What is known of a sample of the answers alone, and only as an estimate.
SAMPLED = re.compile(r"rag_(verdict|judged|evaluation_)\w*")
# What is said of the sample itself: how large it is, and on what a number rests.
OF_THE_SAMPLE = re.compile(r"samples|evaluations_scored|basis")
PAGE_KEYS = set(
    re.findall(r'"(\w+)"', re.findall(r"const KEYS = \[(.+)\]", (ROOT / "sidecar/page/static/main.js").read_text())[0])
)


def text_of(name: str) -> str:
    return (RUNBOOKS / f"{name}.md").read_text(encoding="utf-8")


def queries(markdown: str) -> list[str]:
    """The PromQL blocks of a runbook."""
    return re.findall(r"```promql\n(.+?)```", markdown, re.DOTALL)


def raw(series: str) -> set[str]:
    """The series that a recorded one is made of in the end."""
    if series not in RECORDED:
        return {series}
    return {one for use in uses(RECORDED[series]) for one in raw(use.series)}


def rests_on(expression: str) -> str:
    """What an alert asks of a sample of the answers: nothing (`counts`), an `anchored` level, a rise against the `baseline`, a `change` of what was measured
    alike before, or the bare `level` of an estimate."""
    estimates = [
        use
        for use in uses(expression)
        if not OF_THE_SAMPLE.search(use.series) and any(SAMPLED.fullmatch(one) for one in raw(use.series))
    ]
    if not estimates:
        return "counts"
    if all(":anchored_" in use.series for use in estimates):
        return "anchored"
    if all(re.search(":anchored_|_share:rise", use.series) for use in estimates):
        return "baseline"
    past = {use.series for use in estimates if " offset " in use.text}
    return "change" if past == {use.series for use in estimates} else "level"


def test_the_share_below_the_threshold_by_itself_would_be_a_level() -> None:
    assert rests_on("rag_service:rag_hallucination:lower95_rate1h > 0.1") == "level"
    assert rests_on('sum(rate(rag_verdict_weight_total{verdict="hallucinated"}[1h])) > 1') == "level"
    assert rests_on("rag_service_evaluator:rag_evaluation_score:mean_rate6h < 0.5") == "level"


@pytest.mark.parametrize("name", ALERTS)
def test_no_alert_reads_the_level_of_what_is_not_anchored_and_none_pages_for_less(name: str) -> None:
    known = rests_on(ALERTS[name]["expr"])
    assert known in {"anchored", "baseline", "change", "counts"}
    if ALERTS[name]["labels"]["severity"] == "critical":
        assert known != "change"


def test_pages_for_answers_are_anchored_compared_with_the_past_or_about_known_answers() -> None:
    pages = {
        name: rests_on(rule["expr"])
        for name, rule in ALERTS.items()
        if rule["labels"]["severity"] == "critical"
        and rule["annotations"]["dashboard_url"].startswith("/d/rag-quality")
    }
    # A probe's questions have known answers: it counts which of them came.
    known = {"RagProbeFailed": "counts"}
    assert pages == {"RagHallucinationBudgetBurnFast": "anchored", "RagHallucinationShareRisen": "baseline", **known}


def test_the_index_of_runbooks_has_every_alert_its_severity_and_what_it_rests_on() -> None:
    rows = re.findall(
        r"^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \| (\w+) \| .+ \|$", (RUNBOOKS / "README.md").read_text(), re.MULTILINE
    )
    assert {name: (file, severity, known) for name, file, severity, known in rows} == {
        name: (name, rule["labels"]["severity"], rests_on(rule["expr"])) for name, rule in ALERTS.items()
    }


def test_there_is_no_runbook_without_an_alert() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"} == ALERTS.keys()


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_says_first_whether_the_number_is_to_be_trusted_and_ends_at_the_answers(name: str) -> None:
    text = text_of(name)
    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    parts = re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)
    assert commands(parts[-1]), "it ends at a command that shows them"
    if "answers_url" in ALERTS[name]["annotations"]:
        assert "/?service=SERVICE&list=worst" in parts[-1], "and at the page that the alert links to"


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_begins_its_diagnosis_with_the_alerts_own_series(name: str) -> None:
    asked = [use for query in queries(text_of(name)) for use in uses(query)]
    assert {use.series for use in uses(ALERTS[name]["expr"])} <= {use.series for use in asked}


@pytest.mark.parametrize("name", [*ALERTS, "README"])
def test_the_commands_and_addresses_of_a_runbook_are_those_that_there_are(name: str) -> None:
    for command in commands(text_of(name)):
        assert not unknown(command), command
    for address in re.findall(r"`(/\?[^`]+)`", text_of(name)):
        asked = parse_qs(urlsplit(address).query)
        assert asked.keys() <= PAGE_KEYS, address
        assert set(asked.get("list", [])) <= set(LISTS), address


def test_a_command_or_an_option_that_is_not_there_would_be_found() -> None:
    assert unknown("rag-sidecar results best --service kb") == "best"
    assert unknown("rag-sidecar results worst --services kb") == "--services"
    assert not unknown("rag-sidecar results worst --service kb -n 3 -c config.yaml")


def commands(markdown: str) -> list[str]:
    """What is to be typed: the code that begins with the name of the program, and more."""
    return re.findall(r"`(rag-sidecar [^`]+)`", markdown)


def unknown(command: str) -> str | None:
    """The first word of a command that the program does not know: a command below it, or an option."""
    found: Any = typer.main.get_command(cli)
    for word in shlex.split(command)[1:]:
        if word.startswith("-"):
            if not any(word in one.opts + one.secondary_opts for one in found.params):
                return word
        elif hasattr(found, "get_command"):
            below = found.get_command(None, word)
            if below is None:
                return word
            found = below
    return None


def test_every_number_of_the_alerts_is_on_the_page_about_them() -> None:
    page = (ROOT / "docs/alerts.md").read_text(encoding="utf-8")
    told = {
        name: value
        for names, values in re.findall(r"^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([0-9., ]+) \| .+ \|$", page, re.MULTILINE)
        for name, value in zip(re.findall(r"[A-Z_]+", names), values.split(", "), strict=True)
    }
    numbers = {
        name: f"{value:,}".removesuffix(".0") if isinstance(value, int) else f"{value:g}"
        for name, value in vars(objectives).items()
        if name.isupper() and type(value) in (int, float) and not name.endswith("_RATIO")
    }
    assert told == numbers

"""The rules of grafana/dashboard-linter that apply here, over every generated dashboard, and what we ask beyond them.

Its rules for Loki are left out, because no panel asks Loki.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboards import alerts, generate, objectives
from dashboards.recording import BASIS
from tests.unit.ops.promql import uses

ROOT = Path(__file__).parents[3]
DASHBOARDS = sorted((ROOT / "dashboards").glob("*.json"))
RUNBOOKS = {path.stem for path in (ROOT / "docs/runbooks").glob("*.md")} - {"README"}
UNITS = {"percentunit", "short", "reqps", "ops", "s", "currencyUSD", "bytes", "Bps"}
COUNTER_FUNCTIONS = {"rate", "irate", "increase"}
COUNTER_ENDINGS = ("_total", "_bucket", "_count", "_sum")

# Series that stand for fixed windows: the panels of verdicts and scores show the windows of the alerts, because a ratio over
# $__rate_interval rests on too few samples to be shown and would not be what the alert sees.
FIXED_WINDOWS = {
    "rag_verdict_weight_total",
    "rag_verdict_weight_squared_total",
    "rag_evaluation_score_sum",
    "rag_evaluation_score_count",
    "rag_evaluation_squared_weight_total",
    "rag_judged_verdict_weight_total",
    "rag_judged_verdict_weight_squared_total",
}
ALERT_WINDOWS_SECONDS = {300.0, 1800.0, 3600.0, 21600.0}
# Whose observations carry the id of their trace.
WITH_EXEMPLARS = {
    "rag_evaluation_score_bucket",
    "rag_request_duration_seconds_bucket",
    "rag_retrieval_duration_seconds_bucket",
    "rag_generation_duration_seconds_bucket",
    "rag_time_to_first_token_seconds_bucket",
}
# It is about Prometheus's own series, which no panel shows.
NAMED_NOWHERE = {"RagSidecarScrapeSlow"}
# A lone panel by service: its dots would be those of the panel of all services beside it.
WITHOUT_DOTS = {"Latency by service, 95th percentile"}


@pytest.fixture(params=DASHBOARDS, ids=lambda path: path.stem)
def board(request: pytest.FixtureRequest) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return values


def panels(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in board["panels"]:
        if panel["type"] == "row":
            yield from panel.get("panels") or []
        else:
            yield panel


def targets(board: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for panel in panels(board):
        for target in panel["targets"]:
            yield panel["title"], target


def variables(board: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {variable["name"]: variable for variable in board["templating"]["list"]}


def test_there_are_three_dashboards_and_a_file_is_named_after_its_uid() -> None:
    uids = [json.loads(path.read_text(encoding="utf-8"))["uid"] for path in DASHBOARDS]
    assert uids == [path.stem for path in DASHBOARDS] == ["rag-cost-latency", "rag-quality", "rag-sidecar"]


def test_every_dashboard_is_generated_and_the_chart_has_the_same() -> None:
    assert sorted(ROOT / path for path in generate.DASHBOARDS) == DASHBOARDS
    for path in DASHBOARDS:
        assert (ROOT / generate.CHART_FILES / path.name).read_bytes() == path.read_bytes()


def test_generated_files_are_those_that_the_generator_writes_now() -> None:
    for path, text in generate.files().items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `make dashboards`"


def test_the_check_finds_a_file_that_was_edited_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--output", str(tmp_path)]) == 0
    assert generate.main(["--output", str(tmp_path), "--check"]) == 0
    (tmp_path / generate.RULES).write_text("groups: []\n", encoding="utf-8")
    assert generate.main(["--output", str(tmp_path), "--check"]) == 1
    assert "rag-sidecar.yml is not up to date" in capsys.readouterr().out


def test_one_datasource_variable_named_datasource(board: dict[str, Any]) -> None:
    sources = [variable for variable in board["templating"]["list"] if variable["type"] == "datasource"]
    assert [(one["name"], one["label"], one["query"]) for one in sources] == [
        ("datasource", "Data Source", "prometheus")
    ]


@pytest.mark.parametrize("name", ["job", "instance"])
def test_job_and_instance_can_be_chosen(board: dict[str, Any], name: str) -> None:
    variable = variables(board)[name]
    assert variable["type"] == "query"
    assert variable["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    assert variable["multi"] is True
    assert variable["includeAll"] is True
    assert variable["allValue"] == ".+"


def test_variable_queries_are_promql_and_follow_the_time_range(board: dict[str, Any]) -> None:
    for variable in board["templating"]["list"]:
        if variable["type"] != "query":
            continue
        found = re.fullmatch(r"label_values\((.+), \w+\)", variable["query"]["query"])
        assert found, variable["name"]
        assert uses(found[1])
        assert variable["refresh"] == 2, variable["name"]


def test_every_panel_asks_the_chosen_datasource(board: dict[str, Any]) -> None:
    for panel in panels(board):
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
    for title, target in targets(board):
        assert target["datasource"]["uid"] == "${datasource}", title


def test_every_panel_has_title_description_unit_and_target(board: dict[str, Any]) -> None:
    for panel in panels(board):
        assert panel["title"].strip()
        assert panel["description"].strip(), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["targets"], panel["title"]
    titles = [(panel["title"], panel["type"]) for panel in panels(board)]
    assert len(titles) == len(set(titles))


def recorded(series: str) -> bool:
    """Whether rules record it, of a service as a whole: it has no other label to choose by."""
    return ":" in series or series == BASIS


def test_every_query_parses_and_holds_the_chosen_job_and_instance(board: dict[str, Any]) -> None:
    for title, target in targets(board):
        found = uses(target["expr"])
        assert found, title
        for use in found:
            if use.series.startswith("rag_probe_"):
                # A probe is a job of its own.
                assert use.matchers == {("rag_service", "$rag_service")}, f"{title}: {use.text}"
            elif not recorded(use.series):
                assert {("job", "$job"), ("instance", "$instance")} <= use.matchers, f"{title}: {use.text}"


def test_rates_follow_the_zoom_unless_an_alert_demands_a_window(board: dict[str, Any]) -> None:
    for title, target in targets(board):
        for use in uses(target["expr"].replace("$__rate_interval", "7m")):
            if use.range in (None, 7 * 60):
                continue
            assert use.series in FIXED_WINDOWS, f"{title}: {use.text} over {use.range} s"
            assert use.range in ALERT_WINDOWS_SECONDS, f"{title}: {use.text} over {use.range} s"


def test_counters_stand_only_inside_rates(board: dict[str, Any]) -> None:
    for title, target in targets(board):
        for use in uses(target["expr"]):
            if use.series.endswith(COUNTER_ENDINGS):
                assert use.functions, f"{title}: {use.text}"
                assert use.functions[0] in COUNTER_FUNCTIONS, f"{title}: {use.text}"


def test_product_variables_are_folded_into_every_product_query(board: dict[str, Any]) -> None:
    product = {"rag_service", "model", "variant"}
    assert product | {"evaluator"} <= variables(board).keys()
    for title, target in targets(board):
        for use in uses(target["expr"]):
            if use.series.startswith(("rag_sidecar_", "rag_unpriced_", "rag_label_overflow_", "process_")):
                continue
            if recorded(use.series) or use.series.startswith("rag_probe_"):
                assert use.matchers == {("rag_service", "$rag_service")}, f"{title}: {use.text}"
                continue
            chosen = {name for name, value in use.matchers if value in (f"${name}", "$variant_a", "$variant_b")}
            assert product <= chosen, f"{title}: {use.text}"
            if use.series.startswith("rag_evaluation"):
                assert "evaluator" in chosen, f"{title}: {use.text}"


def test_series_of_any_process_are_narrowed_to_the_sidecar(board: dict[str, Any]) -> None:
    for title, target in targets(board):
        if any(use.series.startswith("process_") for use in uses(target["expr"])):
            assert "on (job, instance) group_left () rag_sidecar_build_info{" in target["expr"], title


def test_variables_are_those_of_all_dashboards_and_two_variants_to_compare(board: dict[str, Any]) -> None:
    names = ["datasource", "job", "instance", "rag_service", "model", "variant", "evaluator"]
    more = ["variant_a", "variant_b"] if board["uid"] == "rag-quality" else []
    assert list(variables(board)) == names + more
    for name in more:
        assert variables(board)[name]["multi"] is False
        assert variables(board)[name]["includeAll"] is False
    assert len({variables(board)[name]["sort"] for name in more}) == len(more), "each begins with another variant"


def test_every_variable_that_a_query_or_legend_names_exists(board: dict[str, Any]) -> None:
    known = variables(board).keys() | {"__rate_interval"}
    for title, target in targets(board):
        named = set(re.findall(r"\$\{?(\w+)", target["expr"] + target.get("legendFormat", "")))
        assert named <= known, f"{title}: {named - known}"


def test_dashboards_lead_to_one_another(board: dict[str, Any]) -> None:
    (link,) = board["links"]
    assert (link["type"], link["tags"], link["asDropdown"]) == ("dashboards", ["rag-sidecar"], True)
    assert link["includeVars"] is True
    assert link["keepTime"] is True


def test_runbooks_that_a_panel_names_exist() -> None:
    named = {
        name for path in DASHBOARDS for name in re.findall(r"docs/runbooks/(\w+)\.md", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= RUNBOOKS


def test_runbooks_are_named_where_they_are_served() -> None:
    made = generate.files(runbooks="https://wiki.test/rag/")
    for path in generate.DASHBOARDS:
        assert "docs/runbooks" not in made[path]
    assert "https://wiki.test/rag/RagSidecarConsumerLagTooOld.md" in made[generate.CHART_FILES / "rag-sidecar.json"]


def test_lines_of_services_lead_to_their_answers_where_people_reach_the_page() -> None:
    made = generate.files(status_page="https://rag.test/")
    lead = "https://rag.test/?service=${__field.labels.rag_service}&list=worst&range=6h"
    board = json.loads(made[generate.CHART_FILES / "rag-quality.json"])
    panels = [one for one in board["panels"] if one.get("fieldConfig", {}).get("defaults", {}).get("links")]
    assert [one["fieldConfig"]["defaults"]["links"][0]["url"] for one in panels] == [lead, lead]
    assert all("rag_service" in one["targets"][0]["legendFormat"] for one in panels)


def test_the_dashboard_is_provisioned_not_edited(board: dict[str, Any]) -> None:
    assert board["editable"] is False
    assert board["id"] is None
    assert re.fullmatch(r"[a-z0-9-]{3,40}", board["uid"])
    assert board["tags"] == ["rag-sidecar"]
    assert board["graphTooltip"] == 1


def test_alerts_and_changes_of_version_and_model_are_annotated(board: dict[str, Any]) -> None:
    expressions = [one["expr"] for one in board["annotations"]["list"]]
    series = {use.series for expression in expressions for use in uses(expression)}
    assert series == {"ALERTS", "rag_sidecar_build_info", "rag_sidecar_model_info"}


def test_panels_of_histograms_show_exemplars_once(board: dict[str, Any]) -> None:
    for panel in panels(board):
        asked = [(use.series, target) for target in panel["targets"] for use in uses(target["expr"])]
        dots = [series for series, target in asked if target.get("exemplar")]
        if panel["title"] not in WITHOUT_DOTS:
            assert {series for series, _ in asked} & WITH_EXEMPLARS == set(dots) & WITH_EXEMPLARS, panel["title"]
        assert len({s for s in dots if s.endswith("_bucket")}) == len([s for s in dots if s.endswith("_bucket")])


def test_every_dashboard_is_what_some_alert_links_to() -> None:
    uids = {json.loads(path.read_text(encoding="utf-8"))["uid"] for path in DASHBOARDS}
    assert {alert.board for alert in alerts.alerts()} == uids


def drawn(uid: str) -> dict[str, list[float]]:
    """Thresholds by panel."""
    board = json.loads((ROOT / f"dashboards/{uid}.json").read_text(encoding="utf-8"))
    return {
        panel["title"]: [step["value"] for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]][1:]
        for panel in panels(board)
    }


def test_drawn_thresholds_are_those_of_the_alerts() -> None:
    quality, sidecar, cost = drawn("rag-quality"), drawn("rag-sidecar"), drawn("rag-cost-latency")
    assert cost["Latency by service, 95th percentile"] == [objectives.REQUEST_SECONDS]
    assert cost["Time to the first token"] == [objectives.FIRST_TOKEN_SECONDS]
    assert cost["Requests without documents"] == [objectives.EMPTY_SHARE]
    assert quality["Hallucination ratio, anchored, with its 95 % interval"] == [
        objectives.HALLUCINATION_BUDGET,
        objectives.LOWER_BOUND,
        objectives.FAST_BURN_RATIO,
    ]
    assert quality["Effective sample size by service"] == [objectives.LEAST_SAMPLES]
    assert sidecar["Scattered traces by topic"] == [objectives.SCATTERED_SHARE]
    assert quality["Effective sample size of A and B"] == [objectives.LEAST_SAMPLES]
    assert quality["Lag"] == sidecar["Lag"] == sidecar["Greatest lag"] == [objectives.LAG_SECONDS]
    expressions = " ".join(alert.expr for alert in alerts.alerts())
    for threshold in (
        objectives.LOWER_BOUND,
        objectives.FAST_BURN_RATIO,
        objectives.SLOW_BURN_RATIO,
        objectives.LEAST_SAMPLES,
    ):
        assert re.search(rf"[>=] {threshold}\b", expressions), threshold
    assert f"> {objectives.LAG_SECONDS:.0f}" in expressions


def test_every_alert_is_named_by_a_panel_of_the_dashboard_that_it_opens() -> None:
    named = {
        (path.stem, name)
        for path in DASHBOARDS
        for name in re.findall(r"docs/runbooks/(\w+)\.md", path.read_text(encoding="utf-8"))
    }
    assert {alert.name for alert in alerts.alerts() if (alert.board, alert.name) not in named} == NAMED_NOWHERE


def test_every_panel_has_a_number_of_its_own(board: dict[str, Any]) -> None:
    numbers = [panel["id"] for panel in board["panels"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_panels_do_not_overlap_and_fit_the_grid(board: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24, panel["title"]
        assert not cells & taken, panel["title"]
        taken |= cells

"""The pictures of the dashboards: queries as Grafana sends them, values in Grafana's words, and every panel in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from dashboards import generate
from dashboards.preview import ask, draw, page, units
from dashboards.preview.ask import Answer, Line, Span
from dashboards.preview.truth import TruthServer
from tests.unit.ops.asked import boards

ROOT = Path(__file__).parents[3]
SPAN = Span(1000.0, 1240.0, step=5.0, rate_interval="30s", windows={"1h": "90s", "2h": "60s"})


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.1234, "percentunit", "12.3%"),
        (0.0, "percentunit", "0%"),
        (0.0421, "s", "42.1 ms"),
        (0.00005, "s", "50 µs"),
        (3.0, "s", "3 s"),
        (900.0, "s", "15 mins"),
        (1234.0, "short", "1.23 K"),
        (12.0, "short", "12"),
        (0.00042, "currencyUSD", "$0.00042"),
        (1_500_000.0, "currencyUSD", "$1.5 Mil"),
        (3_145_728.0, "bytes", "3 MiB"),
        (2500.0, "Bps", "2.5 kB/s"),
        (2.5, "reqps", "2.5 req/s"),
        (0.25, "ops", "0.25 ops/s"),
        (float("nan"), "short", "-"),
    ],
)
def test_a_value_is_written_as_grafana_does(value: float, unit: str, text: str) -> None:
    assert units.text(value, unit) == text


def test_an_axis_has_round_numbers_that_cover_it() -> None:
    assert units.ticks(0.0, 0.37) == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert units.ticks(-0.2, 0.31) == [-0.2, 0.0, 0.2, 0.4]
    assert units.ticks(0.0, 0.0) == [0.0, 0.2]
    assert units.ticks(0.0, 1840.0)[-1] >= 1840
    assert [units.text(value, "bytes") for value in units.ticks(0.0, 5e8, unit="bytes")][-1] == "500 MiB"


def test_a_query_is_sent_with_its_variables_filled_in() -> None:
    query = 'sum(rate(a_total{job=~"$job",variant="$variant_a"}[$__rate_interval])) / sum(increase(b_total[1h]))'
    assert ask.prepare(query, SPAN, variants=("A", "B")) == (
        'sum(rate(a_total{job=~".*",variant="A"}[30s])) / sum(increase(b_total[90s]))'
    )


def test_a_recorded_name_is_that_of_the_short_window() -> None:
    query = 's:rise_rate2h{s=~"$s"} + s:rag:samples_increase1h'
    assert ask.prepare(query, SPAN, variants=("A", "B")) == 's:rise_rate60s{s=~".*"} + s:rag:samples_increase90s'


def test_a_legend_names_labels_and_nan_is_left_out() -> None:
    panel = {"type": "timeseries", "targets": [{"expr": "a", "legendFormat": "{{topic}} {{outcome}}"}]}
    series = {"metric": {"topic": "t", "outcome": "ok"}, "values": [[1000, "1"], [1005, "NaN"], [1010, "2.5"]]}
    found = ask.answer(panel, lambda path, parameters: {"result": [series]}, SPAN)
    assert found.lines == (Line("t ok", {"topic": "t", "outcome": "ok"}, ((1000.0, 1.0), (1010.0, 2.5))),)


def test_an_annotation_stands_where_its_series_begins_unless_it_was_there_before() -> None:
    series = [{"metric": {}, "values": [[at, "1"]]} for at in (1100, 1000.0004)]
    assert ask.began("ALERTS", lambda path, parameters: {"result": series}, SPAN) == [1100.0]


def line(name: str = "x", /, **labels: str) -> Line:
    return Line(name, labels, tuple((1000.0 + 5 * n, 0.01 * n) for n in range(40)))


def answer_to(panel: Mapping[str, Any]) -> Answer:
    if panel["type"] == "heatmap":
        return Answer(tuple(line(le=le) for le in ("0.5", "1.0", "+Inf")))
    return Answer((line("a", name="n"), line("b", name="m")), ((1010.0, 0.2),))


@pytest.mark.parametrize("name", boards())
def test_every_panel_is_drawn_in_its_place(name: str) -> None:
    board = boards()[name]
    answers = {panel["id"]: answer_to(panel) for panel in board["panels"] if panel["type"] != "row"}
    text = page.page(board, answers, SPAN, marks=[1100.0], note="a note")
    assert "No data" not in text
    assert text.count("<section") == len(answers)
    for panel in board["panels"]:
        at = panel["gridPos"]
        assert f"grid-column:{at['x'] + 1}/span {at['w']};grid-row:{at['y'] + 1}/span {at['h']}" in text
    assert not re.search(r"\bnan\b|\binf\b", text)


@pytest.mark.parametrize("name", boards())
def test_a_panel_without_data_says_so(name: str) -> None:
    board = boards()[name]
    text = page.page(board, {}, SPAN, marks=[], note="")
    assert text.count("No data") == sum(panel["type"] != "row" for panel in board["panels"])


def test_a_table_of_several_queries_has_one_row_a_service_and_each_value_in_its_unit() -> None:
    [known] = [one for one in boards()["rag-quality.json"]["panels"] if one["title"].startswith("What is known")]

    def said(query: str, service: str, value: float, **labels: str) -> Line:
        return Line("", {"rag_service": service, **labels}, ((1000.0, value),), query)

    lines = (
        said("A", "kb", 1, basis="anchored"),
        said("A", "wiki", 1, basis="baseline"),
        said("B", "kb", 0.123),
        said("E", "kb", 164.0),
    )
    text = page.page({"title": "x", "panels": [known]}, {known["id"]: Answer(lines)}, SPAN, marks=[], note="")
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]
    assert rows[1:] == [["kb", "anchored", "12.3%", "", "", "164", "", "", ""], ["wiki", "baseline", *[""] * 7]]
    assert ">1<" not in text, "the value of the basis itself says nothing"


def panel(**defaults: Any) -> dict[str, Any]:
    steps = [{"color": "green", "value": None}, {"color": "red", "value": 0.2}]
    return {"fieldConfig": {"defaults": {"unit": "short", "thresholds": {"steps": steps}, **defaults}}}


def test_a_number_has_the_colour_of_its_threshold() -> None:
    assert draw.threshold_colour(panel(), 0.19) == draw.COLOURS["green"]
    assert draw.threshold_colour(panel(), 0.2) == draw.COLOURS["red"]


def test_a_threshold_is_drawn_where_the_panel_asks_for_it_and_the_axis_reaches_it() -> None:
    frame = draw.Frame(300, 200, 1000.0, 1240.0)
    dashed = panel(min=0, custom={"thresholdsStyle": {"mode": "dashed"}})
    low = Line("x", {}, ((1000.0, 0.01), (1005.0, 0.02)))
    assert draw.COLOURS["red"] in draw.lines(dashed, Answer((line(),)), frame, [])
    assert draw.COLOURS["red"] not in draw.lines(dashed, Answer((low,)), frame, [])
    assert draw.COLOURS["red"] not in draw.lines(panel(min=0), Answer((line(),)), frame, [])


def test_a_line_breaks_where_points_are_missing() -> None:
    gap = Line("x", {}, ((1000.0, 1.0), (1005.0, 1.0), (1100.0, 1.0), (1105.0, 1.0)))
    drawn = draw.lines(panel(min=0), Answer((gap,)), draw.Frame(300, 200, 1000.0, 1240.0), [])
    assert [path.count("M") for path in re.findall(r'<path d="(M[^"]+)" fill="none"', drawn)] == [2]


def test_a_heatmap_shows_what_each_bucket_holds_alone() -> None:
    buckets = (Line("", {"le": "+Inf"}, ((1000.0, 3.0),)), Line("", {"le": "1.0"}, ((1000.0, 3.0),)))
    drawn = draw.heatmap(panel(), Answer(buckets), draw.Frame(300, 200, 1000.0, 1240.0))
    assert drawn.count("<rect") == 1
    assert "≤ 1" in drawn


def test_the_truth_is_served_as_series_that_a_rate_can_be_taken_of() -> None:
    with TruthServer({("kb", True): 3, ("kb", False): 40, ("wiki", False): 2}) as server:
        text = httpx.get(f"http://{server.address}/metrics", trust_env=False).text
    found = {(s.labels["rag_service"], s.labels["made_up"]): s.value for one in parse(text) for s in one.samples}
    assert found == {("kb", "true"): 3, ("kb", "false"): 40, ("wiki", "true"): 0, ("wiki", "false"): 2}


def test_there_is_a_picture_of_every_dashboard_and_of_the_truth_and_it_is_small() -> None:
    for name in (*(path.stem for path in generate.DASHBOARDS), "truth"):
        image = ROOT / "docs/img" / f"{name}.png"
        assert image.read_bytes().startswith(b"\x89PNG")
        assert image.stat().st_size < 300_000


def test_the_pages_that_show_pictures_name_files_that_are_there() -> None:
    for source in ("README.md", "dashboards/README.md"):
        text = (ROOT / source).read_text(encoding="utf-8")
        named = re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", text)
        assert named, source
        assert all((ROOT / source).parent.joinpath(name).is_file() for name in named)


def test_units_of_all_panels_are_known() -> None:
    for board in boards().values():
        for one in board["panels"]:
            if one["type"] != "row":
                assert units.text(0.5, one["fieldConfig"]["defaults"]["unit"])

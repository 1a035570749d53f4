"""Panels made of a few words.

A thin layer over grafana-foundation-sdk. Panels are laid out by the order they are added in, 24 columns to a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboards.sdk import (
    HeatmapColorMode,
    JSONEncoder,
    PromQueryFormat,
    build,
    build_common,
    common_models,
    heatmap,
    models,
    prometheus,
    stat,
    table,
    timeseries,
)

SOURCE = common_models.DataSourceRef(type_val="prometheus", uid="${datasource}")

RATE = "$__rate_interval"
# Matchers that fold the dashboard's variables into a query.
REPLICAS = 'job=~"$job",instance=~"$instance"'
SERVICES = f'{REPLICAS},rag_service=~"$rag_service",model=~"$model",variant=~"$variant"'
EVALUATORS = f'{SERVICES},evaluator=~"$evaluator"'

Dashboard = models.Dashboard
SdkPanel = stat.Panel | timeseries.Panel | heatmap.Panel | table.Panel

GREEN, YELLOW, RED, BLUE, NEUTRAL = "green", "yellow", "red", "blue", "text"


# Where a status page is as long as nobody says where people reach it: a sidecar on this machine, or one that a port is forwarded from.
STATUS_PAGE = "http://localhost:9464"
ANSWERS_URL = STATUS_PAGE + "/?service=${__field.labels.rag_service}&list=worst&range=6h"


REFERENCES = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Target:
    """One query of a panel. `exemplars` asks Prometheus for the traces behind a histogram as well."""

    expr: str
    legend: str = "{{rag_service}}"
    exemplars: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel. `thresholds` are (from this value, colour); the first colour, `base`, holds below them all.

    `lines` draws the thresholds; `stacked` stacks the series; `bands` names series drawn thin and dashed, for bounds;
    `ratio` keeps the axis from zooming into noise; `signed` lets it go below 0. A table shows `columns`, each a label and
    its heading, and the value under the heading `value`; with `values` a row has the values of all targets, joined by the labels that they have in common,
    each under its heading and in its unit, and those without a heading are not shown. `answers`: a click on a service's line leads to its worst answers.
    """

    title: str
    description: str
    unit: str
    targets: tuple[Target, ...]
    kind: str = "timeseries"
    width: int = 12
    height: int = 8
    base: str = GREEN
    thresholds: tuple[tuple[float, str], ...] = ()
    lines: bool = False
    stacked: bool = False
    bands: str | None = None
    ratio: bool = False
    signed: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    value: str = "Replicas"
    values: tuple[tuple[str, str], ...] = ()
    answers: bool = False


def to_json(dashboard: Dashboard) -> str:
    """The dashboard as Grafana reads it, keys sorted, so that a regenerated file differs only where it says something else."""
    values = json.loads(json.dumps(dashboard, cls=JSONEncoder))
    for number, panel in enumerate(values["panels"], start=1):
        panel["id"] = number
    return json.dumps({**values, "id": None}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def make(panel: Panel) -> SdkPanel:
    """The SDK's panel."""
    makers: dict[str, Callable[[Panel], SdkPanel]] = {
        "stat": _stat,
        "heatmap": _heatmap,
        "table": _table,
        "timeseries": _timeseries,
    }
    builder = makers[panel.kind](panel)
    builder.title(panel.title).description(panel.description).datasource(SOURCE).unit(panel.unit)
    builder.span(panel.width).height(panel.height).thresholds(_thresholds(panel))
    if panel.answers:
        builder.data_links([build.DashboardLink("Worst answers").url(ANSWERS_URL).target_blank(True)])
    for reference, target in zip(REFERENCES, panel.targets, strict=False):
        builder.with_target(_target(target, reference, panel.kind))
    return builder


def _stat(panel: Panel) -> stat.Panel:
    return (
        stat.Panel()
        .color_mode(common_models.BigValueColorMode.VALUE)
        .graph_mode(common_models.BigValueGraphMode.AREA)
        .reduce_options(build_common.ReduceDataOptions().calcs(["lastNotNull"]))
        .no_value("no data yet")
    )


def _heatmap(panel: Panel) -> heatmap.Panel:
    return (
        heatmap.Panel()
        .calculate(False)
        .cell_gap(1)
        .color(heatmap.HeatmapColorOptions().mode(HeatmapColorMode.SCHEME).scheme("Oranges").steps(64))
        .y_axis(heatmap.YAxisConfig().unit(panel.unit))
        .filter_values(heatmap.FilterValueRange().le(1e-9))
    )


def _table(panel: Panel) -> table.Panel:
    # Grafana's name of a value, where several queries answer.
    values = {f"Value #{reference}": heading for reference, (heading, _) in zip(REFERENCES, panel.values, strict=False)}
    headings = {**dict(panel.columns), **(values or {"Value": panel.value})}
    order = {name: place for place, name in enumerate(headings)}
    hidden = {"Time": True, **{name: True for name, heading in values.items() if not heading}}
    shown = models.DataTransformerConfig(
        id_val="organize", options={"excludeByName": hidden, "indexByName": order, "renameByName": headings}
    )
    builder = table.Panel().show_header(True)
    if values:
        builder.with_transformation(models.DataTransformerConfig(id_val="merge", options={}))
    for heading, unit in panel.values:
        if heading:
            builder.override_by_name(heading, [models.DynamicConfigValue("unit", unit)])
    return builder.with_transformation(shown)


def _timeseries(panel: Panel) -> timeseries.Panel:
    builder = (
        timeseries.Panel()
        .legend(
            build_common.VizLegendOptions()
            .display_mode(common_models.LegendDisplayMode.TABLE)
            .placement(common_models.LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs(["lastNotNull", "max"])
        )
        .tooltip(
            build_common.VizTooltipOptions()
            .mode(common_models.TooltipDisplayMode.MULTI)
            .sort(common_models.SortOrder.DESCENDING)
        )
        .line_width(2 if not panel.stacked else 1)
        .fill_opacity(30 if panel.stacked else 0)
    )
    if not panel.signed:
        builder.min(0)
    if panel.ratio:
        builder.axis_soft_max(0.1)
    if panel.stacked:
        builder.stacking(build_common.StackingConfig().mode(common_models.StackingMode.NORMAL))
    if panel.lines:
        builder.thresholds_style(
            build_common.GraphThresholdsStyleConfig().mode(common_models.GraphThresholdsStyleMode.DASHED)
        )
    if panel.bands:
        builder.override_by_regexp(
            panel.bands,
            [
                models.DynamicConfigValue("custom.lineWidth", 1),
                models.DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [4, 4]}),
            ],
        )
    return builder


def _thresholds(panel: Panel) -> build.ThresholdsConfig:
    steps = [models.Threshold(value=None, color=panel.base)]
    steps += [models.Threshold(value=value, color=colour) for value, colour in panel.thresholds]
    return build.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def _target(target: Target, reference: str, kind: str) -> prometheus.Dataquery:
    query = prometheus.Dataquery().expr(target.expr).ref_id(reference).datasource(SOURCE)
    if kind == "table":
        return query.instant().format(PromQueryFormat.TABLE)
    query.range()
    if kind == "heatmap":
        query.format(PromQueryFormat.HEATMAP).legend_format("{{le}}")
    else:
        query.format(PromQueryFormat.TIME_SERIES).legend_format(target.legend)
    if target.exemplars:
        query.exemplar(True)
    return query


def add(board: build.Dashboard, title: str, panels: Sequence[Panel]) -> None:
    """A heading and the panels below it."""
    board.with_row(build.Row(title))
    for panel in panels:
        board.with_panel(make(panel))

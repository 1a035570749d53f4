"""What every dashboard of this project has in common: variables, annotations, and panels made of a few words.

A thin layer over grafana-foundation-sdk. Panels are laid out by the order they are added in, 24 columns to a row.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

with warnings.catch_warnings():
    # The SDK advises the v2 schema, which file provisioning of the Grafana versions in use cannot read.
    warnings.simplefilter("ignore", DeprecationWarning)
    from grafana_foundation_sdk.builders import common as build_common
    from grafana_foundation_sdk.builders import dashboard as build
    from grafana_foundation_sdk.builders import heatmap, prometheus, stat, timeseries
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models import common as common_models
    from grafana_foundation_sdk.models import dashboard as models
    from grafana_foundation_sdk.models.heatmap import HeatmapColorMode
    from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = common_models.DataSourceRef(type_val="prometheus", uid="${datasource}")

# Matchers that fold the dashboard's variables into a query.
REPLICAS = 'job=~"$job",instance=~"$instance"'
SERVICES = f'{REPLICAS},rag_service=~"$rag_service",model=~"$model",variant=~"$variant"'
EVALUATORS = f'{SERVICES},evaluator=~"$evaluator"'
# Alerts about services carry neither job nor instance: an empty label has to match too.
REPLICAS_OR_NONE = 'job=~"$job|",instance=~"$instance|"'

Dashboard = models.Dashboard
SdkPanel = stat.Panel | timeseries.Panel | heatmap.Panel

GREEN, YELLOW, RED, BLUE = "green", "yellow", "red", "blue"


@dataclass(frozen=True, slots=True)
class Target:
    """One query of a panel. `exemplars` asks Prometheus for the traces behind a histogram as well."""

    expr: str
    legend: str = "{{rag_service}}"
    exemplars: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel. `thresholds` are (from this value, colour); the first colour, `base`, holds below them all.

    `lines` draws the thresholds; `stacked` stacks the series; `bands` names series drawn thin and dashed, for bounds.
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


def to_json(dashboard: Dashboard) -> str:
    """The dashboard as Grafana reads it, keys sorted, so that a regenerated file differs only where it says something else."""
    values = json.loads(json.dumps(dashboard, cls=JSONEncoder))
    for number, panel in enumerate(values["panels"], start=1):
        panel["id"] = number
    return json.dumps({**values, "id": None}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def new_dashboard(*, title: str, uid: str, description: str) -> build.Dashboard:
    """A dashboard with the variables, links and annotations that all of ours have."""
    board = (
        build.Dashboard(title)
        .uid(uid)
        .description(description)
        .tags(["rag-sidecar"])
        .readonly()
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .refresh("30s")
        .time("now-6h", "now")
    )
    _add_variables(board)
    board.link(
        build.DashboardLink("RAG Sidecar")
        .type(models.DashboardLinkType.DASHBOARDS)
        .tags(["rag-sidecar"])
        .as_dropdown(True)
        .include_vars(True)
        .keep_time(True)
        .tooltip("The other dashboards of the sidecar")
    )
    board.annotation(_annotation("Alerts", f'ALERTS{{alertname=~"Rag.+",alertstate="firing",{REPLICAS_OR_NONE}}}', RED))
    for name, series, labels in (
        ("Sidecar version", "rag_sidecar_build_info", "version"),
        ("Model change", "rag_sidecar_model_info", "role, name, version"),
    ):
        newest = f"count by ({labels}) ({series}{{{REPLICAS}}})"
        before = f"count by ({labels}) ({series}{{{REPLICAS}}} offset 5m)"
        board.annotation(_annotation(name, f"{newest} unless {before}", BLUE))
    return board


def _annotation(name: str, expr: str, colour: str) -> build.AnnotationQuery:
    return (
        build.AnnotationQuery()
        .name(name)
        .datasource(SOURCE)
        .enable(True)
        .icon_color(colour)
        .expr(expr)
        .title_format("{{alertname}}{{name}} {{version}}")
        .text_format("{{rag_service}} {{severity}}{{role}}")
        .step("60s")
    )


def _add_variables(board: build.Dashboard) -> None:
    board.with_variable(build.DatasourceVariable("datasource").label("Data Source").type("prometheus"))
    board.with_variable(_variable("job", "Job", "label_values(rag_sidecar_build_info, job)", ".+"))
    board.with_variable(
        _variable("instance", "Instance", 'label_values(rag_sidecar_build_info{job=~"$job"}, instance)', ".+")
    )
    seen = f"rag_requests_total{{{REPLICAS}}}"
    board.with_variable(_variable("rag_service", "Service", f"label_values({seen}, rag_service)", ".*"))
    scoped = f'rag_requests_total{{{REPLICAS},rag_service=~"$rag_service"}}'
    board.with_variable(_variable("model", "Model", f"label_values({scoped}, model)", ".*"))
    board.with_variable(_variable("variant", "Variant", f"label_values({scoped}, variant)", ".*"))
    evaluated = f"rag_evaluations_total{{{REPLICAS}}}"
    board.with_variable(_variable("evaluator", "Evaluator", f"label_values({evaluated}, evaluator)", ".*"))


def _variable(name: str, label: str, query: str, all_value: str) -> build.QueryVariable:
    return (
        build.QueryVariable(name)
        .label(label)
        .datasource(SOURCE)
        .query({"query": query, "refId": name})
        .definition(query)
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(models.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(all_value)
        .current(models.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


def make(panel: Panel) -> SdkPanel:
    """The SDK's panel."""
    makers: dict[str, Callable[[Panel], SdkPanel]] = {"stat": _stat, "heatmap": _heatmap, "timeseries": _timeseries}
    builder = makers[panel.kind](panel)
    builder.title(panel.title).description(panel.description).datasource(SOURCE).unit(panel.unit)
    builder.span(panel.width).height(panel.height).thresholds(_thresholds(panel))
    for reference, target in zip("ABCDEFGH", panel.targets, strict=False):
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
        .min(0)
    )
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
    query = prometheus.Dataquery().expr(target.expr).ref_id(reference).datasource(SOURCE).range()
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

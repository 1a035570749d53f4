"""What every dashboard of this project has in common: variables, links and annotations."""

from __future__ import annotations

from dashboards.panels import BLUE, RED, REPLICAS, SOURCE
from dashboards.sdk import build, models

# Alerts about services carry neither job nor instance: an empty label has to match too.
REPLICAS_OR_NONE = 'job=~"$job|",instance=~"$instance|"'
_ASCENDING = models.VariableSort.ALPHABETICAL_ASC
_DESCENDING = models.VariableSort.ALPHABETICAL_DESC


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


def add_variants_to_compare(board: build.Dashboard) -> None:
    """Variables `variant_a` and `variant_b`, one variant each. Grafana begins with the first value of a list, so one list
    is sorted upwards and the other one downwards: of two variants each is chosen once."""
    query = f'label_values(rag_requests_total{{{REPLICAS},rag_service=~"$rag_service",model=~"$model"}}, variant)'
    for name, label, order in (("variant_a", "Variant A", _ASCENDING), ("variant_b", "Variant B", _DESCENDING)):
        board.with_variable(_query(name, label, query).sort(order).multi(False).include_all(False))


def _query(name: str, label: str, query: str) -> build.QueryVariable:
    return (
        build.QueryVariable(name)
        .label(label)
        .datasource(SOURCE)
        .query({"query": query, "refId": name})
        .definition(query)
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    )


def _variable(name: str, label: str, query: str, all_value: str) -> build.QueryVariable:
    return (
        _query(name, label, query)
        .sort(_ASCENDING)
        .multi(True)
        .include_all(True)
        .all_value(all_value)
        .current(models.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )

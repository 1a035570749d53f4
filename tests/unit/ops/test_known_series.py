"""A panel, rule or runbook that names a series or a label that nobody declares fails here."""

from __future__ import annotations

import re

import pytest
from prometheus_client import CollectorRegistry

from exporters import series
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from sidecar.observe import telemetry
from sidecar.probe import series as probe
from tests.unit.exporters.exposition import exposed
from tests.unit.exporters.samples import SCORED
from tests.unit.ops.asked import expressions, rules
from tests.unit.ops.promql import Use, uses

# Prometheus's own and those of prometheus_client about its process, with the labels that a scrape adds.
SCRAPE_LABELS = {"job", "instance", "namespace", "pod"}
OF_PROMETHEUS = {
    "up": SCRAPE_LABELS,
    "scrape_duration_seconds": SCRAPE_LABELS,
    "process_resident_memory_bytes": SCRAPE_LABELS,
    "process_cpu_seconds_total": SCRAPE_LABELS,
    "ALERTS": {"alertname", "alertstate", "severity", *SCRAPE_LABELS},
}
QUALITY_LEVELS = {
    "judge": set(),
    "rag_hallucination_basis": {"rag_service", "basis"},
    "rag_service_identity": {"rag_service", "identity"},
    "rag_service": {"rag_service"},
    "rag_service_grounding_model": {"rag_service", "grounding_model"},
    "rag_service_evaluator": {"rag_service", "evaluator"},
}

ROWS = [
    *((row.name, row.kind, row.labels) for row in telemetry.SERIES),
    *((row.name, row.kind, row.labels) for row in series.SERIES),
    *((row.name, row.kind, row.labels) for row in probe.SERIES),
]


def declared() -> dict[str, set[str]]:
    """Every series that can be asked for, with its labels."""
    known: dict[str, set[str]] = {name: set(labels) for name, labels in OF_PROMETHEUS.items()}
    for name, kind, own in ROWS:
        labels = {*own, *SCRAPE_LABELS}
        if kind == "histogram":
            known[name + "_bucket"] = {*labels, "le"}
            known[name + "_sum"] = known[name + "_count"] = labels
        else:
            known[name] = labels
    for rule in rules():
        if "record" in rule:
            known[rule["record"]] = QUALITY_LEVELS[rule["record"].split(":")[0]]
    return known


@pytest.mark.parametrize("place", expressions())
def test_every_series_and_label_asked_for_is_declared(place: str) -> None:
    known = declared()
    for expression in expressions()[place]:
        for use in uses(expression):
            assert use.series in known, f"{place}: nobody declares {use.series}"
            unknown = _labels(use) - known[use.series]
            assert not unknown, f"{place}: {use.series} has no label {unknown}"


async def test_every_bucket_asked_for_is_written_so_by_the_exporter() -> None:
    registry = CollectorRegistry()
    exporter = PrometheusExporter(PrometheusConfig(), registry, evaluators=["faithfulness"])
    await exporter.export([SCORED])
    written = {(name, dict(labels).get("le")) for name, samples in exposed(registry).items() for labels in samples}
    asked = {
        (use.series, value)
        for found in expressions().values()
        for expression in found
        for use in uses(expression)
        for name, value in use.matchers
        if name == "le"
    }
    assert asked
    assert asked <= written


def _labels(use: Use) -> set[str]:
    return {name for name, _ in use.matchers}


@pytest.mark.parametrize("place", expressions())
def test_sums_are_grouped_by_labels_that_the_series_have(place: str) -> None:
    known = declared()
    for expression in expressions()[place]:
        labels = {label.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for label in group.split(",")}
        everything = set().union(*(known[use.series] for use in uses(expression)))
        assert labels <= everything, f"{place}: {labels - everything} in {expression}"


def test_every_series_is_asked_by_a_panel() -> None:
    asked = {
        use.series
        for place, found in expressions().items()
        if place.endswith(".json")
        for expression in found
        for use in uses(expression)
    }
    parts = {name: {name, *(name + part for part in ("_bucket", "_count", "_sum"))} for name, _, _ in ROWS}
    assert {name for name, own in parts.items() if not own & asked} == set()


def test_an_unknown_series_would_be_found() -> None:
    assert uses("rate(rag_no_such_total[5m])")[0].series not in declared()


def test_the_service_label_is_never_named_service() -> None:
    for name, _, labels in ROWS:
        assert "service" not in labels, name


def test_no_series_is_declared_twice() -> None:
    names = [name for name, _, _ in ROWS]
    assert len(names) == len(set(names))

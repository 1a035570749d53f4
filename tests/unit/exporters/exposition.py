"""Reads what a registry exposes, the way Prometheus would."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse
from prometheus_client.samples import Exemplar


def exposed(registry: CollectorRegistry) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """Samples by name and labels."""
    found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for family in parse(generate_latest(registry).decode("utf-8")):
        for sample in family.samples:
            key = frozenset(sample.labels.items())
            assert key not in found.setdefault(sample.name, {}), f"{sample.name} {sample.labels} twice"
            found[sample.name][key] = sample.value
    return found


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    """The one sample whose labels hold `labels`, or None; more than one is an error."""
    matches = [v for key, v in exposed(registry).get(name, {}).items() if set(labels.items()) <= key]
    assert len(matches) <= 1, f"{name}{labels}: {len(matches)} samples"
    return matches[0] if matches else None


def label_values(registry: CollectorRegistry, name: str, label: str) -> set[str]:
    """The values that a label of a series has."""
    return {dict(key)[label] for key in exposed(registry).get(name, {})}


def exemplars(registry: CollectorRegistry, name: str) -> list[Exemplar]:
    """The exemplars in the OpenMetrics form of a histogram."""
    text = generate_openmetrics(registry).decode("utf-8")  # type: ignore[no-untyped-call]
    families = parse_openmetrics(text)  # type: ignore[no-untyped-call]
    return [s.exemplar for family in families for s in family.samples if s.name == name + "_bucket" and s.exemplar]

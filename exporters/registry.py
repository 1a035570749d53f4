"""All exporters there are. To add one: a file of its own and an entry here; the composition root builds what this list holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry
from pydantic import BaseModel

from exporters.base import Exporter
from exporters.clients.security import Brokers
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from exporters.langfuse import LangfuseConfig, LangfuseExporter
from exporters.otlp import OtlpConfig, OtlpExporter
from exporters.phoenix import PhoenixConfig, PhoenixExporter
from exporters.prometheus import PrometheusConfig, PrometheusExporter


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What exporters are built of. `registry` is what /metrics shows, `evaluators`, `grounding_models` and `judge_models` are the names
    of those that are on and of what gives verdicts, `received` the brokers that the sidecar reads from, `writer` who results are written by."""

    registry: CollectorRegistry
    evaluators: Sequence[str]
    grounding_models: Sequence[str]
    judge_models: Sequence[str]
    received: Brokers
    writer: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One kind of exporter. `section` is where its settings, a `config`, stand. `build` connects to nothing yet; None where the settings
    do not want one."""

    name: str
    section: str
    config: type[BaseModel]
    build: Callable[[Any, Dependencies], Exporter | None]


def _prometheus(config: PrometheusConfig, given: Dependencies) -> Exporter | None:
    if not config.enabled:
        return None
    return PrometheusExporter(
        config,
        given.registry,
        evaluators=given.evaluators,
        grounding_models=given.grounding_models,
        judge_models=given.judge_models,
    )


def _kafka(config: KafkaResultsConfig, given: Dependencies) -> Exporter | None:
    return KafkaResultsExporter(config, given.received, writer=given.writer) if config.topic else None


def _otlp(config: OtlpConfig, _: Dependencies) -> Exporter | None:
    return OtlpExporter(config) if config.wanted else None


def _phoenix(config: PhoenixConfig, _: Dependencies) -> Exporter | None:
    return PhoenixExporter(config) if config.url else None


def _langfuse(config: LangfuseConfig, _: Dependencies) -> Exporter | None:
    return LangfuseExporter(config) if config.url else None


EXPORTERS = (
    Entry("prometheus", "prometheus", PrometheusConfig, _prometheus),
    Entry("kafka", "results", KafkaResultsConfig, _kafka),
    Entry("otlp", "otlp", OtlpConfig, _otlp),
    Entry("phoenix", "phoenix", PhoenixConfig, _phoenix),
    Entry("langfuse", "langfuse", LangfuseConfig, _langfuse),
)

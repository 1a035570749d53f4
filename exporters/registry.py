"""All exporters there are. To add one: a file of its own and a line here; the composition root builds it from its config."""

from __future__ import annotations

from exporters.kafka import KafkaResultsExporter
from exporters.otlp import OtlpExporter
from exporters.prometheus import PrometheusExporter

EXPORTERS = (PrometheusExporter, OtlpExporter, KafkaResultsExporter)

"""Every series about ourselves, in one table. docs/metrics.md is generated from it.

A drop says whether it was intended: `sampled_out` is, `shed` and `failed` are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics

from exporters.text import clean

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
STALLS = (0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


@dataclass(frozen=True, slots=True)
class Series:
    """One row of the table. `kind` is counter, gauge or histogram; `help` says what it means, with its unit."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = SECONDS


SERIES: tuple[Series, ...] = (
    Series("rag_sidecar_unknown_weights_total", "counter", "Spans that say they stand for less than one or over a million traces; their weight is unknown.", ("source",)),
    Series("rag_sidecar_records_total", "counter", "Kafka records taken, by what became of them.", ("topic", "outcome")),
    Series("rag_sidecar_lost_records_total", "counter", "Offsets that retention deleted before they were read: as many records at most.", ("topic",)),
    Series("rag_sidecar_record_bytes_total", "counter", "Bytes of the Kafka records taken.", ("topic",)),
    Series("rag_sidecar_spans_total", "counter", "Spans decoded, by the convention that claimed them.", ("convention",)),
    Series("rag_sidecar_decode_errors_total", "counter", "Parts of records that could not be read; the record's other parts went on.", ("topic", "reason")),
    Series("rag_sidecar_native_fields_unread_total", "counter", "Fields of native records that are not read, since no field has that name: one may be misspelt.", ("topic",)),
    Series("rag_sidecar_dead_letters_total", "counter", "Records that could not be read, by cause and by what became of them.", ("topic", "reason", "outcome")),
    Series("rag_sidecar_repartitioned_records_total", "counter", "Records split by trace and written to receive.repartition, by outcome.", ("topic", "outcome")),
    Series("rag_sidecar_repartition_behind_seconds", "gauge", "How long ago all that lay in the source topics then has been written to receive.repartition."),
    Series("rag_sidecar_repartition_waits_given_up_total", "counter", "Times that this grew over receive.repartition_wait_seconds: traces are not waited for longer."),
    Series("rag_sidecar_late_spans_total", "counter", "Spans that came after their trace had ended."),
    Series("rag_sidecar_duplicate_spans_total", "counter", "Spans and native records that came twice (at-least-once delivery)."),
    Series("rag_sidecar_conflicting_requests_total", "counter", "Native records with the id of another of their service and other content: the first is scored alone."),
    Series("rag_sidecar_traces_assembled_total", "counter", "Traces put together, by how they ended.", ("completion",)),
    Series("rag_sidecar_scattered_traces_ratio", "gauge", "Share of the latest traces of a topic without a root or out of several partitions.", ("topic",)),
    Series("rag_sidecar_traces_ignored_total", "counter", "Traces that hold no RAG request of a user, by why: no part of one, a double, a probe.", ("reason",)),
    Series("rag_sidecar_revoked_traces_total", "counter", "Traces given up because their partitions were taken away; whoever has them now reads them again.", ("stage",)),
    Series("rag_sidecar_internal_errors_total", "counter", "Errors of our own that one record, trace or request met; the next one went on.", ("stage",)),
    Series("rag_sidecar_requests_total", "counter", "RAG requests, by outcome: the funnel. The outcomes add up to all requests.", ("outcome", "reason")),
    Series("rag_sidecar_open_traces", "gauge", "Traces being put together."),
    Series("rag_sidecar_open_trace_bytes", "gauge", "Approximate bytes held by traces being put together."),
    Series("rag_sidecar_sampling_probability", "gauge", "Probability with which requests of a service are scored now.", ("rag_service",)),
    Series("rag_sidecar_sampling_factor", "gauge", "What the budget leaves of the rates that are set, 0..1; 1 where scoring keeps up."),
    Series("rag_sidecar_queue_length", "gauge", "Items waiting in a queue.", ("queue",)),
    Series("rag_sidecar_queue_capacity", "gauge", "Items that a queue may hold.", ("queue",)),
    Series("rag_sidecar_buffer_bytes", "gauge", "Approximate bytes that wait in a buffer.", ("buffer",)),
    Series("rag_sidecar_buffer_limit_bytes", "gauge", "Bytes that all buffers together may hold (pipeline.buffer_megabytes)."),
    Series("rag_sidecar_consumer_lag_records", "gauge", "Records not yet taken.", ("topic", "partition")),
    Series("rag_sidecar_consumer_lag_seconds", "gauge", "Age of the last record taken while records wait, else 0.", ("topic", "partition")),
    Series("rag_sidecar_assigned_partitions", "gauge", "Partitions assigned to this replica."),
    Series("rag_sidecar_leaderless_partitions", "gauge", "Partitions assigned to this replica that no broker leads now: their records wait."),
    Series("rag_sidecar_rebalances_total", "counter", "Assignments of partitions received."),
    Series("rag_sidecar_receiver_restarts_total", "counter", "Times the Kafka consumer was given up and built anew, by cause.", ("reason",)),
    Series("rag_sidecar_kafka_failures_total", "counter", "Failed attempts of a Kafka client (start, consumer, outbox), by error or step.", ("client", "error_type")),
    Series("rag_sidecar_oldest_open_record_seconds", "gauge", "Age of the oldest record taken whose traces have not all ended."),
    Series("rag_sidecar_commits_total", "counter", "Offset commits, by outcome.", ("outcome",)),
    Series("rag_sidecar_intake_paused", "gauge", "1 while intake is paused, by why: scoring has enough, an exporter or a topic of ours (outbox) takes nothing, no memory.", ("reason",)),
    Series("rag_sidecar_inference_seconds", "histogram", "Seconds a model took for one batch.", ("model",)),
    Series("rag_sidecar_inference_batch_size", "histogram", "Items in one batch of a model.", ("model",), SIZES),
    Series("rag_sidecar_inference_failures_total", "counter", "Batches a model failed on.", ("model", "reason")),
    Series("rag_sidecar_scoring_seconds", "histogram", "Seconds that the local evaluators took for one request."),
    Series("rag_sidecar_end_to_end_delay_seconds", "histogram", "Seconds from the end of a request to its exported result."),
    Series("rag_sidecar_exports_total", "counter", "Results handed to exporters, by outcome.", ("exporter", "outcome")),
    Series("rag_sidecar_export_seconds", "histogram", "Seconds of one push to an exporter, failed or not.", ("exporter",)),
    Series("rag_sidecar_export_failures_total", "counter", "Pushes to an exporter that failed, retried or not.", ("exporter", "error_type")),
    Series("rag_sidecar_redactions_total", "counter", "Values of a request that were replaced by pseudonyms before its result went out, by kind.", ("kind",)),
    Series("rag_sidecar_detector_rate", "gauge", "How often verdicts are right on your own answers: sensitivity (hallucinated found), specificity.", ("rate", "grounding_model")),
    Series("rag_sidecar_detector_labelled", "gauge", "Labelled answers that the detector rates were measured on.", ("label", "grounding_model")),
    Series("rag_sidecar_label_rate", "gauge", "How often a service's local verdicts are right, by labels; and 95 % bounds.", ("rag_service", "identity", "rate", "bound")),
    Series("rag_sidecar_labelled_answers", "gauge", "Randomly drawn labelled answers that those rates were measured on.", ("rag_service", "identity", "label")),
    Series("rag_sidecar_labels_expiry_timestamp_seconds", "gauge", "When those labels are too old to anchor (see `evaluate.anchors_expire_days`).", ("rag_service", "identity")),
    Series("rag_sidecar_judge_requests_total", "counter", "Questions to the judge: ok, cached, judge_invalid, or why there is no reply.", ("evaluator", "outcome")),
    Series("rag_sidecar_judge_seconds", "histogram", "Seconds of one HTTP call to the judge, failed or not."),
    Series("rag_sidecar_judge_tokens_total", "counter", "Tokens of the judge; types add up: input, cached_input, output, reasoning.", ("evaluator", "type")),
    Series("rag_sidecar_judge_cost_usd_total", "counter", "What the judge cost, in US dollars.", ("evaluator",)),
    Series("rag_sidecar_judge_unpriced_tokens_total", "counter", "Tokens of a judge that has no known price; they are in no cost and in no budget."),
    Series("rag_sidecar_judge_estimated_tokens_total", "counter", "Tokens of the judge that no reply counted, estimated by the texts; they are in tokens, cost and budget."),
    Series("rag_sidecar_judge_paused", "gauge", "1 while the judge is not asked, by why: it refuses us, or its circuit breaker is open.", ("reason",)),
    Series("rag_sidecar_judge_rate", "gauge", "Probability with which a scored request is drawn for a judged evaluator now, after the budget.", ("evaluator",)),
    Series("rag_sidecar_judge_budget_factor", "gauge", "What the judge's budget leaves of the rates that are set, 0..1; 1 where it is enough."),
    Series("rag_sidecar_judge_detector_rate", "gauge", "How often the judge's verdicts are right, where people's labels say so: sensitivity, specificity.", ("rate",)),
    Series("rag_sidecar_judge_detector_labelled", "gauge", "Labelled answers that those rates were measured on.", ("label",)),
    Series("rag_sidecar_judge_suspicious_texts_total", "counter", "Texts that speak to the judge (orders, roles, verdicts, praise), by where they stood.", ("place", "kind")),
    Series("rag_sidecar_loop_stall_seconds", "histogram", "Seconds for which the event loop stood still, where over 0.2.", (), STALLS),
    Series("rag_sidecar_model_info", "gauge", "1 for each model in use.", ("role", "name", "version", "sha256")),
    Series("rag_sidecar_model_away", "gauge", "1 while a model on a server does not answer, and another stands in for it.", ("role", "name")),
    Series("rag_sidecar_evaluator_info", "gauge", "1 for each evaluator in use: scores of two methods or versions are different things.", ("evaluator", "method", "version")),
    Series("rag_sidecar_models_loaded", "gauge", "Models in memory.", ("role",)),
    Series("rag_sidecar_models_loaded_bytes", "gauge", "Bytes of the files of the models in memory.", ("role",)),
    Series("rag_sidecar_config_info", "gauge", "1, with the fingerprint of the settings in effect.", ("sha256",)),
    Series("rag_sidecar_config_reloads_total", "counter", "Times the settings were read again: ok, unchanged, invalid or needs_restart.", ("outcome",)),
    Series("rag_sidecar_config_refused", "gauge", "1 while the settings that were read last are not in effect, since they were refused."),
    Series("rag_sidecar_config_last_reload_success_timestamp_seconds", "gauge", "When the settings in effect were read, in seconds since the epoch."),
    Series("rag_sidecar_build_info", "gauge", "1, with the version.", ("version", "python_version")),
)  # fmt: skip


class Telemetry:
    """Our own series in a registry of ours. Unknown names and labels raise KeyError or ValueError: a test finds them."""

    def __init__(self, registry: CollectorRegistry | None = None, *, series: Iterable[Series] = SERIES) -> None:
        # A `_created` beside every series would double their number for nothing that we read. The switch is the library's.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry or CollectorRegistry()
        self._rows = {row.name: row for row in series}
        self._metrics = {name: _build(row, self.registry) for name, row in self._rows.items()}
        self._children: dict[tuple[str, tuple[str, ...]], Counter | Gauge | Histogram] = {}

    def watch_process(self) -> None:
        """Show `process_*` as well: memory, CPU and open files of this process. The library knows them on Linux only."""
        ProcessCollector(registry=self.registry)

    def count(self, name: str, amount: float = 1.0, /, **labels: str) -> None:
        """Add `amount` >= 0 to a counter."""
        child = self._child(name, labels)
        if isinstance(child, Counter) and math.isfinite(amount):
            child.inc(amount)

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Set a gauge."""
        child = self._child(name, labels)
        if isinstance(child, Gauge):
            child.set(value)

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Add an observation to a histogram; what is not finite is left out, for it would poison the sum for ever."""
        child = self._child(name, labels)
        if isinstance(child, Histogram) and math.isfinite(value):
            child.observe(value)

    def remove(self, name: str, /, **labels: str) -> None:
        """Forget one labelled child, for example of a partition that was taken away."""
        values = tuple(labels[key] for key in self._rows[name].labels)
        if self._children.pop((name, values), None) is not None:
            self._metrics[name].remove(*values)

    def value(self, name: str, /, **labels: str) -> float:
        """The present value of a counter or gauge, summed over the labels that are not given. For tests and the screen."""
        total = 0.0
        for family in self._metrics[name].collect():
            for sample in family.samples:
                if sample.name == name and all(sample.labels.get(k) == v for k, v in labels.items()):
                    total += sample.value
        return total

    def values(self, name: str, /) -> Iterable[tuple[dict[str, str], float]]:
        """Each labelled child of a counter or gauge with its value."""
        for family in self._metrics[name].collect():
            for sample in family.samples:
                if sample.name == name:
                    yield dict(sample.labels), sample.value

    def _child(self, name: str, labels: dict[str, str]) -> Counter | Gauge | Histogram:
        row = self._rows[name]
        if len(labels) != len(row.labels):
            raise ValueError(f"{name} takes the labels {row.labels}")
        values = tuple(labels[key] for key in row.labels)
        key = (name, values)
        child = self._children.get(key)
        if child is None:
            metric = self._metrics[name]
            child = metric.labels(*map(clean, values)) if row.labels else metric
            self._children[key] = child
        return child


def _build(row: Series, registry: CollectorRegistry) -> Counter | Gauge | Histogram:
    if row.kind == "counter":
        return Counter(row.name, row.help, row.labels, registry=registry)
    if row.kind == "gauge":
        return Gauge(row.name, row.help, row.labels, registry=registry)
    return Histogram(row.name, row.help, row.labels, registry=registry, buckets=row.buckets)

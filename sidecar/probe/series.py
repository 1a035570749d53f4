"""Every series of a probe, in one table. docs/metrics.md is generated from it; a probe's /metrics has no others but `process_*`."""

from __future__ import annotations

from sidecar.observe.telemetry import Series

_SERVICE = ("rag_service",)

SERIES: tuple[Series, ...] = (
    Series("rag_probe_passed", "gauge", "1 where the last round passed its gate, 0 where it did not.", _SERVICE),
    Series("rag_probe_failed_rounds", "gauge", "Rounds in a row that did not pass, the last one among them.", _SERVICE),
    Series("rag_probe_rounds_total", "counter", "Rounds, by outcome: passed, failed (the gate), broken (an error of the probe's own).", ("rag_service", "outcome")),
    Series("rag_probe_score", "gauge", "Mean of a metric over the cases of the last round, 0..1; gone where it had none.", ("rag_service", "evaluator")),
    Series("rag_probe_check_passed", "gauge", "1 where a question of the gate was passed in the last round, else 0.", ("rag_service", "check")),
    Series("rag_probe_limit", "gauge", "The least that passes a question of the gate.", ("rag_service", "check")),
    Series("rag_probe_cases", "gauge", "Cases of the last round: answered, unanswered.", ("rag_service", "outcome")),
    Series("rag_probe_failures_total", "counter", "Requests of the probe without an answer that can be scored, by why.", ("rag_service", "reason")),
    Series("rag_probe_answer_seconds", "histogram", "Seconds from a request of the probe to its whole answer.", _SERVICE),
    Series("rag_probe_duration_seconds", "gauge", "Seconds of the last round, scoring included.", _SERVICE),
    Series("rag_probe_interval_seconds", "gauge", "Seconds between the beginnings of two rounds, as they are set.", _SERVICE),
    Series("rag_probe_last_round_timestamp_seconds", "gauge", "When the last round ended, in seconds since the epoch; none before the first one has.", _SERVICE),
    Series("rag_probe_last_success_timestamp_seconds", "gauge", "When a round last passed, in seconds since the epoch; 0 where none has.", _SERVICE),
)  # fmt: skip

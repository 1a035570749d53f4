"""The rows of the dashboard *RAG Sidecar* about what comes in: records, spans, traces being put together, and Kafka."""

from __future__ import annotations

from dashboards import shapes
from dashboards.objectives import SCATTERED_SHARE
from dashboards.panels import RATE, RED, REPLICAS, Panel, Target
from dashboards.promql import total

_LATE_LAG = shapes.runbook("RagSidecarConsumerLagTooOld", "RagSidecarConsumerLagGrowing")


def records() -> list[Panel]:
    """What is read, and what cannot be."""
    return [
        shapes.rates(
            "Records by topic and outcome",
            "Kafka records per second. `ok` was read; `dead_letter`, `too_large` and `unreadable` were not. "
            + shapes.runbook("RagSidecarStreamSilent"),
            "rag_sidecar_records_total",
            by="topic, outcome",
            stacked=True,
        ),
        shapes.rates(
            "Bytes by topic",
            "Bytes of records taken per second. Sudden growth without more records means longer texts or more documents.",
            "rag_sidecar_record_bytes_total",
            by="topic",
            unit="Bps",
        ),
        shapes.rates(
            "Spans by convention",
            "Spans per second, by the convention that claimed them. A convention that vanishes after a release of the RAG service "
            "means that its instrumentation changed.",
            "rag_sidecar_spans_total",
            by="convention",
            stacked=True,
        ),
        Panel(
            title="Decode errors and fields not read",
            description="Parts of records per second that could not be read, by reason; the other parts went on. Mend what writes the topic. "
            "Fields of native records that nobody reads are another's, or misspelt: `rag-sidecar inspect` names them.",
            unit="ops",
            width=6,
            targets=(
                Target(
                    total("rate", "rag_sidecar_decode_errors_total", RATE, by="topic, reason", where=REPLICAS),
                    "{{topic}} {{reason}}",
                ),
                Target(
                    total("rate", "rag_sidecar_native_fields_unread_total", RATE, by="topic", where=REPLICAS),
                    "{{topic}}, fields not read",
                ),
            ),
        ),
        shapes.rates(
            "Dead letters",
            "Records per second that could not be read at all, by reason and by what became of them. Read them in the dead-letter "
            f"topic: each holds its reason in a header. {shapes.runbook('RagSidecarDeadLetters')}",
            "rag_sidecar_dead_letters_total",
            by="topic, reason, outcome",
            width=6,
        ),
        shapes.rates(
            "Records lost to retention",
            "Offsets per second that Kafka had deleted before they were read: as many records at most. It should be 0. "
            + shapes.runbook("RagSidecarRecordsLost"),
            "rag_sidecar_lost_records_total",
            by="topic",
            width=6,
        ),
        Panel(
            title="Scattered traces by topic",
            description="Share of the latest traces without a root or out of several partitions. Above the line an alert asks you to key "
            f"records by trace id, or to set `receive.repartition`. {shapes.runbook('RagSidecarTracesScattered')}",
            unit="percentunit",
            width=6,
            targets=(Target(f"max by (topic) (rag_sidecar_scattered_traces_ratio{{{REPLICAS}}})", "{{topic}}"),),
            thresholds=((SCATTERED_SHARE, RED),),
            lines=True,
            ratio=True,
        ),
        shapes.rates(
            "Repartitioned records",
            "Records per second split by trace and written to `receive.repartition`, by outcome. Empty where that is not set; `failed` "
            "ones are tried again.",
            "rag_sidecar_repartitioned_records_total",
            by="topic, outcome",
            width=6,
        ),
        Panel(
            title="Repartitioning behind its sources",
            description="How long ago all that lay in the source topics then has been written to `receive.repartition`. Traces wait for as "
            "long, up to `receive.repartition_wait_seconds`. Seconds are normal, and after a crash as long as a replica is missed for.",
            unit="s",
            width=6,
            targets=(Target(f"max(rag_sidecar_repartition_behind_seconds{{{REPLICAS}}})", "behind"),),
        ),
        shapes.rates(
            "Waits for sources given up",
            "Times per second that the topic of `receive.repartition` was behind its sources for longer than traces wait: what ends then may "
            "be a part. It should be 0.",
            "rag_sidecar_repartition_waits_given_up_total",
            by="instance",
            width=6,
        ),
        Panel(
            title="Late and duplicate spans",
            description="Per second. Late ones came after their trace had ended, so that it was scored without them: wait longer in "
            "`assemble`. Duplicates are left out and do no harm; after a restart or rebalance they are normal. Native records with the "
            "id of another one and other content are not scored: their ids are not unique.",
            unit="ops",
            width=6,
            targets=tuple(
                Target(total("rate", f"rag_sidecar_{name}_total", RATE, where=REPLICAS), word)
                for name, word in (
                    ("late_spans", "late"),
                    ("duplicate_spans", "duplicate"),
                    ("conflicting_requests", "native, id not unique"),
                )
            ),
        ),
        Panel(
            title="Open traces",
            description="Traces being put together, of each replica. It follows the traffic; a rise without more traffic means that "
            "traces do not end.",
            unit="short",
            width=6,
            targets=(Target(f"rag_sidecar_open_traces{{{REPLICAS}}}", "{{instance}}"),),
        ),
        shapes.gauge(
            "Bytes of open traces",
            "About what open traces hold in memory, of each replica. It is bounded by the settings of `assemble`.",
            f"rag_sidecar_open_trace_bytes{{{REPLICAS}}}",
            "{{instance}}",
            unit="bytes",
            width=6,
        ),
        shapes.rates(
            "Unknown weights",
            "Spans per second whose tracestate or attribute says that they stand for less than one or over a million traces. They count "
            "once: mend the sampler that writes it, or `decode.weight_attribute`.",
            "rag_sidecar_unknown_weights_total",
            by="source",
            width=6,
        ),
        shapes.rates(
            "Traces given up at a rebalance",
            "Traces per second without an outcome when their partitions were taken away, by where they were. They are read again, here or "
            "by another replica.",
            "rag_sidecar_revoked_traces_total",
            by="stage",
            width=6,
        ),
        shapes.rates(
            "Errors of our own",
            "Per second, by stage: one record, trace or request broke the sidecar's code and was counted as failed or went to the "
            "dead-letter topic; the log has type and place. It should be 0: please report it.",
            "rag_sidecar_internal_errors_total",
            by="stage",
            width=6,
        ),
        shapes.gauge(
            "Oldest open record",
            "Age of the oldest record taken whose traces have not all ended, of each replica. After a restart reading begins there.",
            f"rag_sidecar_oldest_open_record_seconds{{{REPLICAS}}}",
            "{{instance}}",
            unit="s",
            width=6,
        ),
    ]


def kafka() -> list[Panel]:
    """How far behind, and how the group fares."""
    return [
        shapes.lag(),
        shapes.gauge(
            "Records not yet taken",
            f"By topic. Steady growth: scoring or Kafka is too slow for the traffic. {_LATE_LAG}",
            f"sum by (topic) (rag_sidecar_consumer_lag_records{{{REPLICAS}}})",
            "{{topic}}",
        ),
        shapes.gauge(
            "Partitions by replica",
            "Partitions assigned. A replica with 0 does nothing: more replicas than partitions, or it is joining. "
            + shapes.runbook("RagSidecarNoPartitions"),
            f"rag_sidecar_assigned_partitions{{{REPLICAS}}}",
            "{{instance}}",
        ),
        shapes.gauge(
            "Partitions without a leader",
            "Their brokers are down: nothing can be read of them or written to them, and all of it waits. It should be 0.",
            f"sum by (instance) (rag_sidecar_leaderless_partitions{{{REPLICAS}}})",
            "{{instance}}",
        ),
        shapes.rates(
            "Commits by outcome",
            "Offset commits per second. Where only `failed` is left, a restart reads much again. "
            + shapes.runbook("RagSidecarCommitsFailing"),
            "rag_sidecar_commits_total",
            by="outcome",
        ),
        shapes.rates(
            "Rebalances",
            "Assignments received per second, of each replica. More than a rollout explains: replicas come and go, or are too slow "
            f"for the group's timeouts. {shapes.runbook('RagSidecarRebalancesOften')}",
            "rag_sidecar_rebalances_total",
            by="instance",
        ),
        shapes.rates(
            "Consumers built anew",
            f"Times per second that the Kafka consumer was given up, by cause. It should be 0. {_LATE_LAG}",
            "rag_sidecar_receiver_restarts_total",
            by="reason",
        ),
        shapes.rates(
            "Failed attempts of Kafka clients",
            "Attempts per second that failed and are made again, by kind of error. `UnreadableFileError`: a file of receive.security "
            "or results.security cannot be read. It should be 0.",
            "rag_sidecar_kafka_failures_total",
            by="error_type",
        ),
    ]

"""Alerts about the sidecar itself: whether it is there, takes what comes, and hands on what it found."""

from __future__ import annotations

from dashboards import promql
from dashboards.alert import ITSELF, SIDECAR, Alert
from dashboards.objectives import (
    DEAD_LETTER_SHARE,
    EMBEDDED_MODEL,
    EVALUATION_FAILURE_SHARE,
    EXPORT_FAILURE_SHARE,
    LAG_RECORDS,
    LAG_SECONDS,
    LEAST_REQUESTS,
    PAUSED_SHARE,
    REBALANCES,
    SCATTERED_SHARE,
    SCRAPE_SECONDS,
    STALLED_SHARE,
    STREAM_RECORDS,
)

_TOPIC = f"{SIDECAR}, topic"
# A judge whose money is spent did not break, and one that is paused has an alert of its own.
_BROKE = 'reason!~"judge_budget|judge_paused"'
_RECORDS = "rag_sidecar_records_total"
# What nobody read. A record that was forwarded to another topic, or was left when its partition went, is read there or elsewhere.
_UNREAD = 'outcome=~"dead_letter|too_large|unreadable"'
_LOST = "rag_sidecar_lost_records_total"


def alerts() -> tuple[Alert, ...]:
    """Every alert about the sidecar."""
    return (
        *_service(),
        *_models(),
        *_intake(),
        *_kafka(),
        *_output(),
    )


def _service() -> tuple[Alert, ...]:
    return (
        Alert(
            name="RagSidecarAbsent",
            severity="critical",
            expr="absent(rag_sidecar_build_info)",
            wait="5m",
            summary="No RAG Sidecar is scraped at all.",
            description="Prometheus sees no replica of the sidecar: nothing watches the quality of the RAG services.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarReplicaDown",
            severity="warning",
            expr="up == 0\nand on (job, instance) count_over_time(rag_sidecar_build_info[1d])",
            wait="5m",
            summary="A replica of the RAG Sidecar cannot be scraped.",
            description="{{ $labels.instance }} of {{ $labels.job }} does not answer; its share of the traces waits or moves to the others.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarConfigRefused",
            severity="warning",
            expr="rag_sidecar_config_refused == 1",
            wait="15m",
            summary="The RAG Sidecar refuses its changed settings.",
            description="{{ $labels.instance }} of {{ $labels.job }} runs with older settings than its file has: something in them is wrong, or needs "
            "a restart.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarJudgePaused",
            severity="warning",
            expr=f"max by ({SIDECAR}, reason) (rag_sidecar_judge_paused) == 1",
            wait="15m",
            summary="The judge of a RAG Sidecar is not asked any more.",
            description="{{ $labels.job }}: the judge is paused, {{ $labels.reason }}. Local scores go on; what rests on the judge gets no new data.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarScoringStalled",
            severity="critical",
            expr=(
                "(\n"
                f'  sum by ({SIDECAR}) (min_over_time(rag_sidecar_queue_length{{queue="evaluate"}}[10m])) > 0\n'
                f'  or sum by ({SIDECAR}) (rate(rag_sidecar_requests_total{{outcome="failed"}}[10m])) > 0\n'
                ")\n"
                f'unless sum by ({SIDECAR}) (rate(rag_sidecar_requests_total{{outcome=~"scored|unscorable"}}[10m])) > 0'
            ),
            wait="10m",
            summary="The RAG Sidecar takes requests but scores none.",
            description="{{ $labels.job }}: requests wait or fail, and for 10 minutes none was scored. Quality numbers stand still.",
            board=ITSELF,
        ),
    )


def _models() -> tuple[Alert, ...]:
    model, each = "rag_sidecar_model_info", f"{SIDECAR}, role, name, version, sha256"
    evaluations = f"{SIDECAR}, evaluator"
    failed = promql.total("rate", "rag_evaluations_total", "15m", by=evaluations, extra=f'outcome="failed",{_BROKE}')
    tried = promql.total(
        "rate", "rag_evaluations_total", "15m", by=evaluations, extra=f'outcome=~"scored|failed",{_BROKE}'
    )
    embedded, better = (f'{{role="grounding",name{sign}"{EMBEDDED_MODEL}"}}' for sign in ("=", "!="))
    return (
        Alert(
            name="RagSidecarModelFallback",
            severity="warning",
            expr=f"count by ({SIDECAR}, name) ({model}{embedded})\n"
            f"and on ({SIDECAR}) count by ({SIDECAR}) (count_over_time({model}{better}[1d]))",
            wait="15m",
            summary="The RAG Sidecar fell back to the model that is inside the package.",
            description="{{ $labels.job }}: {{ $value }} replicas judge by {{ $labels.name }}, where another model was in use within a day. "
            "Their verdicts do not compare with those before.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarModelAway",
            severity="warning",
            expr=f"count by ({SIDECAR}, role, name) (rag_sidecar_model_away == 1)",
            wait="15m",
            summary="A model on a server does not answer the RAG Sidecar.",
            description="{{ $labels.job }}: {{ $value }} replicas get no answer from {{ $labels.name }} ({{ $labels.role }}). Its requests are "
            "judged by what stands in for it, or fail.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarModelsDiffer",
            severity="info",
            expr=(
                f'count by ({SIDECAR}, role) (\n  count by ({each}) ({model}{{role!~".+_by_rule"}})\n) > 1\nor\n'
                # A replica has those of rules that its requests asked for: they differ where one name is two models.
                f"max by ({SIDECAR}, role) (\n  count by ({SIDECAR}, role, name) (\n"
                f'    count by ({each}) ({model}{{role=~".+_by_rule"}})\n  )\n) > 1'
            ),
            wait="1h",
            summary="Replicas of one RAG Sidecar use different models.",
            description="{{ $labels.job }}: {{ $value }} different models for {{ $labels.role }}. Their scores are mixed in every ratio.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarEvaluationsFailing",
            severity="warning",
            expr=f"{failed}\n/ ({tried} > 0) > {EVALUATION_FAILURE_SHARE}",
            wait="10m",
            summary="An evaluator of the RAG Sidecar breaks often.",
            description="{{ $labels.evaluator }}: {{ $value | humanizePercentage }} of its evaluations of the last 15 minutes failed; they are in "
            "no score.",
            board=ITSELF,
        ),
    )


def _intake() -> tuple[Alert, ...]:
    unreadable = promql.total("rate", _RECORDS, "15m", by=_TOPIC, extra=_UNREAD)
    return (
        Alert(
            name="RagSidecarConsumerLagTooOld",
            severity="critical",
            expr=f"max by ({SIDECAR}, topic) (rag_sidecar_consumer_lag_seconds) > {LAG_SECONDS:g}",
            wait="10m",
            summary="The RAG Sidecar is too far behind its topic.",
            description="{{ $labels.topic }}: what is scored now happened {{ $value | humanizeDuration }} ago. Quality numbers describe that time.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarConsumerLagGrowing",
            severity="warning",
            expr=f"sum by ({_TOPIC}) (rag_sidecar_consumer_lag_records) > {LAG_RECORDS}\n"
            f"and sum by ({_TOPIC}) (deriv(rag_sidecar_consumer_lag_records[15m])) > 0",
            wait="15m",
            summary="The RAG Sidecar falls behind its topic.",
            description="{{ $labels.topic }}: {{ $value | humanize }} records wait, and they become more.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarStreamSilent",
            severity="warning",
            expr=f"sum by ({_TOPIC}) (increase({_RECORDS}[1h] offset 1d)) >= {STREAM_RECORDS}\n"
            f"unless {promql.total('increase', _RECORDS, '15m', by=_TOPIC)} > 0\n"
            f"unless sum by ({_TOPIC}) (rag_sidecar_consumer_lag_records) > 0",
            wait="5m",
            summary="No traces come from a topic that had some yesterday.",
            description="{{ $labels.topic }}: no record for 15 minutes and none waits; in the same hour of yesterday there were "
            "{{ $value | humanize }}.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarDeadLetters",
            severity="warning",
            expr=f"{unreadable}\n/ ({promql.total('rate', _RECORDS, '15m', by=_TOPIC)} > 0) > {DEAD_LETTER_SHARE}",
            wait="5m",
            summary="Records of a topic cannot be read.",
            description="{{ $labels.topic }}: {{ $value | humanizePercentage }} of the records of the last 15 minutes could not be read; "
            "their requests are in no number.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarRecordsLost",
            severity="warning",
            # What a replica finds at its start is in the first value that Prometheus sees, and no increase.
            expr=f"sum by ({_TOPIC}) (increase({_LOST}[1h]) > 0 or ({_LOST} unless {_LOST} offset 1h) > 0)",
            wait="1m",
            summary="Retention deleted records before the RAG Sidecar read them.",
            description="{{ $labels.topic }}: up to {{ $value | humanize }} records are gone unread; their requests are in no number.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarTracesScattered",
            severity="warning",
            # The share stands still where nothing comes, and says little of a few.
            expr=f"max by ({_TOPIC}) (rag_sidecar_scattered_traces_ratio) > {SCATTERED_SHARE}\n"
            f"and {promql.total('increase', _RECORDS, '1h', by=_TOPIC)} >= {LEAST_REQUESTS}",
            wait="15m",
            summary="The spans of a trace are scattered over the partitions of a topic.",
            description="{{ $labels.topic }}: {{ $value | humanizePercentage }} of the latest traces have no root or lie in several partitions. "
            "No replica sees them whole.",
            board=ITSELF,
        ),
    )


def _kafka() -> tuple[Alert, ...]:
    commits, group = "rag_sidecar_commits_total", SIDECAR
    bad = promql.total("rate", commits, "10m", by=group, extra='outcome="failed"')
    good = promql.total("rate", commits, "10m", by=group, extra='outcome="ok"')
    return (
        Alert(
            name="RagSidecarNoPartitions",
            severity="critical",
            # Partitions stay assigned while no broker answers: nobody takes them away.
            expr=(
                f"sum by ({group}) (rag_sidecar_assigned_partitions) == 0\nor\n"
                f"sum by ({group}) (clamp_min(rag_sidecar_assigned_partitions - rag_sidecar_leaderless_partitions, 0)) == 0"
            ),
            wait="15m",
            summary="The RAG Sidecar runs, but Kafka gives it nothing to read.",
            description="{{ $labels.job }}: no replica has a partition that a broker leads. No request is counted or scored.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarRebalancesOften",
            severity="warning",
            expr=f"max by ({group}) (increase(rag_sidecar_rebalances_total[30m])) > {REBALANCES}",
            wait="5m",
            summary="The consumer group of the RAG Sidecar does not settle.",
            description="{{ $labels.job }}: {{ $value | humanize }} assignments in 30 minutes. Each stops the intake of all replicas.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarCommitsFailing",
            severity="warning",
            expr=f"{bad} > 0\nunless {good} > 0",
            wait="10m",
            summary="The RAG Sidecar cannot commit its offsets.",
            description="{{ $labels.job }}: every commit of the last 10 minutes failed. After a restart all since then is read again.",
            board=ITSELF,
        ),
    )


def _output() -> tuple[Alert, ...]:
    failed = promql.total("rate", "rag_sidecar_export_failures_total", "15m", by=f"{SIDECAR}, exporter")
    stalled = promql.total("rate", "rag_sidecar_loop_stall_seconds_sum", "10m", by=f"{SIDECAR}, instance")
    pushes = promql.total("rate", "rag_sidecar_export_seconds_count", "15m", by=f"{SIDECAR}, exporter")
    return (
        Alert(
            name="RagSidecarExportFailing",
            severity="warning",
            expr=f"{failed}\n/ ({pushes} > 0) > {EXPORT_FAILURE_SHARE}",
            wait="10m",
            summary="The RAG Sidecar cannot hand on its results.",
            description="{{ $labels.exporter }}: {{ $value | humanizePercentage }} of the pushes of the last 15 minutes failed. Results are "
            "tried again; where the exporter is not required they are dropped then.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarIntakePausedByExporter",
            severity="critical",
            expr=f"max by ({SIDECAR}, instance) (\n"
            '  avg_over_time(rag_sidecar_intake_paused{reason="exporter"}[10m])\n'
            f") > {PAUSED_SHARE:g}",
            wait="5m",
            summary="The RAG Sidecar takes nothing in, because a required exporter takes no results.",
            description="{{ $labels.instance }} of {{ $labels.job }}: intake was paused for {{ $value | humanizePercentage }} of the last 10 "
            "minutes. Nothing is lost as long as Kafka keeps the traces.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarLabelOverflow",
            severity="warning",
            expr=f"{promql.total('increase', 'rag_label_overflow_total', '1h', by=f'{SIDECAR}, label')} > 0",
            wait="15m",
            summary="A label of the RAG series has more values than it may have.",
            description="{{ $labels.label }}: {{ $value | humanize }} requests of the last hour were counted under __other__.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarLoopStalls",
            severity="warning",
            expr=f"{stalled} > {STALLED_SHARE:g}",
            wait="10m",
            summary="The event loop of a RAG Sidecar stands still.",
            description="{{ $labels.instance }} of {{ $labels.job }}: {{ $value | humanizePercentage }} of the last 10 minutes it did nothing "
            "else than one thing at a time that takes over 200 ms.",
            board=ITSELF,
        ),
        Alert(
            name="RagSidecarScrapeSlow",
            severity="info",
            expr=f"scrape_duration_seconds > {SCRAPE_SECONDS:g}\nand on (job, instance) rag_sidecar_build_info",
            wait="15m",
            summary="A scrape of the RAG Sidecar takes long.",
            description="{{ $labels.instance }} of {{ $labels.job }}: a scrape takes {{ $value | humanizeDuration }}. Beyond the scrape timeout "
            "its series are lost.",
            board=ITSELF,
        ),
    )

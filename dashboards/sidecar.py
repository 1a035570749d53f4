"""The dashboard *RAG Sidecar*: does the sidecar keep up, what does it drop, and what holds it up?

Kafka's side is in sidecar_intake.py, memory, CPU, settings and versions are in sidecar_process.py.
"""

from __future__ import annotations

from dashboards import judge, promql, shapes, sidecar_intake, sidecar_process
from dashboards.alert import ITSELF
from dashboards.board import new_dashboard
from dashboards.objectives import LAG_SECONDS
from dashboards.panels import EVALUATORS, RATE, RED, REPLICAS, YELLOW, Dashboard, Panel, Target, add

_STALLED = shapes.runbook("RagSidecarScoringStalled")
_REQUESTS = "rag_sidecar_requests_total"


def dashboard() -> Dashboard:
    """The dashboard as the SDK's record."""
    board = new_dashboard(
        title="RAG Sidecar",
        uid=ITSELF,
        description="The sidecar itself: what becomes of records and requests, lag, queues, models, exports, and its process. "
        "Service narrows sampling, and Model, Variant and Evaluator narrow failed evaluations; all else is by replica.",
    )
    add(board, "Now", _now())
    add(board, "Requests", _requests())
    add(board, "Records and spans", sidecar_intake.records())
    add(board, "Kafka", sidecar_intake.kafka())
    add(board, "Scoring", _scoring())
    add(board, "Models", _models())
    add(board, "Judge", judge.itself())
    add(board, "Exports", _exports())
    add(board, "Process and versions", sidecar_process.process())
    return board.build()


def _now() -> list[Panel]:
    everything = promql.total("rate", _REQUESTS, RATE, where=REPLICAS)
    lost = promql.total("rate", _REQUESTS, RATE, where=REPLICAS, extra='outcome=~"shed|failed"')
    return [
        _stat(
            "Replicas",
            "Replicas that Prometheus scrapes; it should be as many as you run. "
            + shapes.runbook("RagSidecarReplicaDown", "RagSidecarAbsent"),
            f"count(rag_sidecar_build_info{{{REPLICAS}}})",
            "replicas",
        ),
        _stat(
            "Requests",
            "RAG requests that ended per second, whatever became of them.",
            everything,
            "requests",
            unit="reqps",
        ),
        _stat(
            "Shed or failed",
            f"Share of requests that should have been scored or left out on purpose, and were lost instead. It should be 0. {_STALLED}",
            promql.ratio(lost, everything),
            "lost",
            unit="percentunit",
            thresholds=((0.001, YELLOW), (0.01, RED)),
        ),
        _stat(
            "Greatest lag",
            f"Age of what is taken from Kafka now, where it is oldest. An alert pages above {LAG_SECONDS:.0f} s. "
            + shapes.runbook("RagSidecarConsumerLagTooOld"),
            f"max(rag_sidecar_consumer_lag_seconds{{{REPLICAS}}})",
            "lag",
            unit="s",
            thresholds=((LAG_SECONDS, RED),),
        ),
        _stat(
            "Lowest sampling rate",
            "Of all services selected. Below what you set, the sidecar makes up for too little CPU by scoring less.",
            f'min(rag_sidecar_sampling_probability{{{REPLICAS},rag_service=~"$rag_service"}})',
            "probability",
            unit="percentunit",
        ),
        _stat(
            "Intake paused",
            "Replicas that take nothing from Kafka at this moment, by why: scoring has enough, memory is short (now and then is fine; for "
            "minutes it is lag), a required exporter takes nothing, or the dead-letter or repartition topic does not (outbox). "
            + shapes.runbook("RagSidecarIntakePausedByExporter"),
            f"sum by (reason) (rag_sidecar_intake_paused{{{REPLICAS}}})",
            "{{reason}}",
        ),
    ]


def _stat(
    title: str,
    description: str,
    expression: str,
    text: str,
    *,
    unit: str = "short",
    thresholds: tuple[tuple[float, str], ...] = (),
) -> Panel:
    return Panel(
        title=title,
        description=description,
        unit=unit,
        kind="stat",
        width=4,
        height=4,
        targets=(Target(expression, text),),
        thresholds=thresholds,
    )


def _requests() -> list[Panel]:
    return [
        shapes.funnel(),
        shapes.rates(
            "Why requests were not scored",
            "Requests per second that ended as unscorable, shed or failed, with the reason. `no_context`, `no_answer` and "
            f"`no_question` mean that the traces hold no text: switch content capture on. {_STALLED}",
            _REQUESTS,
            by="outcome, reason",
            unit="reqps",
            extra='outcome=~"unscorable|shed|failed"',
        ),
        shapes.rates(
            "Failed evaluations",
            "Evaluations per second that broke, by evaluator and reason; the request's other evaluations went on. "
            + shapes.runbook("RagSidecarEvaluationsFailing"),
            "rag_evaluations_total",
            by="evaluator, reason",
            where=EVALUATORS,
            extra='outcome="failed"',
        ),
        shapes.gauge(
            "Sampling probability by service",
            "The lowest of all replicas. It falls by itself when scoring is full, and rises again; `sample.min_rate` is its floor.",
            f'min by (rag_service) (rag_sidecar_sampling_probability{{{REPLICAS},rag_service=~"$rag_service"}})',
            "{{rag_service}}",
            unit="percentunit",
        ),
        shapes.rates(
            "Traces by how they ended",
            "Traces put together per second. Many `no_root`: the first span is lost or very late. `max_age` or `evicted`: traces are "
            "longer, or more, than the settings of `assemble` allow.",
            "rag_sidecar_traces_assembled_total",
            by="completion",
        ),
        shapes.rates(
            "Traces that hold no RAG request",
            "Traces per second that were passed over. If your RAG requests are among them, no convention knows their spans.",
            "rag_sidecar_traces_ignored_total",
            by="reason",
        ),
    ]


def _scoring() -> list[Panel]:
    length = f"max by (queue) (rag_sidecar_queue_length{{{REPLICAS}}}"
    capacity = f"rag_sidecar_queue_capacity{{{REPLICAS}}}"
    return [
        shapes.gauge(
            "Fill of queues",
            "Length against capacity, of the fullest replica. `evaluate` above 100 %: requests wait outside the queue and intake "
            f"is paused. An exporter's queue at 100 % drops results. {_STALLED}",
            f"{length} / {capacity})",
            "{{queue}}",
            unit="percentunit",
        ),
        Panel(
            title="Bytes in buffers",
            description="About what waits in memory, by buffer, of the replica with most. At four fifths of the limit intake pauses; at "
            "the limit the oldest traces end early, and requests are shed.",
            unit="bytes",
            width=8,
            targets=(
                Target(f"max by (buffer) (rag_sidecar_buffer_bytes{{{REPLICAS}}})", "{{buffer}}"),
                Target(f"min(rag_sidecar_buffer_limit_bytes{{{REPLICAS}}})", "limit"),
            ),
        ),
        shapes.quantiles(
            "Scoring",
            "Seconds of the local evaluators for a request. It grows with the length of answers and with too little CPU.",
            "rag_sidecar_scoring_seconds",
        ),
        shapes.quantiles(
            "Delay from request to result",
            "From the end of a request to its result: waiting for the trace's last span, lag, queue and scoring together. So late "
            "do the quality panels know.",
            "rag_sidecar_end_to_end_delay_seconds",
        ),
    ]


def _models() -> list[Panel]:
    seconds, size = "rag_sidecar_inference_seconds", "rag_sidecar_inference_batch_size"
    return [
        shapes.gauge(
            "Seconds for a batch, 95th percentile",
            "95 of 100 batches of a model were faster. A jump without longer texts means that the CPU is throttled.",
            promql.quantile(0.95, seconds, RATE, by="model", where=REPLICAS),
            "{{model}}",
            unit="s",
            width=6,
        ),
        shapes.gauge(
            "Time in models",
            "Share of the time that a model computes, over all replicas: 200 % is two replicas that do nothing else. Near the number "
            "of replicas, add replicas or CPU.",
            promql.total("rate", f"{seconds}_sum", RATE, by="model", where=REPLICAS),
            "{{model}}",
            unit="percentunit",
            width=6,
        ),
        shapes.gauge(
            "Items in a batch",
            "Mean size. Near 1 there is little to do, or texts are long; larger batches use the CPU better.",
            promql.mean(size, RATE, by="model", where=REPLICAS),
            "{{model}}",
            width=6,
        ),
        shapes.rates(
            "Failed batches",
            f"Batches per second that a model failed on, by reason. It should be 0. {_STALLED}",
            "rag_sidecar_inference_failures_total",
            by="model, reason",
            width=6,
        ),
        shapes.gauge(
            "Models away",
            "Replicas for which a model on a server does not answer; another stands in for it meanwhile, and judges otherwise. "
            + shapes.runbook("RagSidecarModelAway"),
            f"sum by (role, name) (rag_sidecar_model_away{{{REPLICAS}}})",
            "{{role}} {{name}}",
            width=24,
        ),
    ]


def _exports() -> list[Panel]:
    return [
        shapes.rates(
            "Results by exporter and outcome",
            "Results per second. What was dropped was lost to that exporter; the others have it. What was abandoned is read again.",
            "rag_sidecar_exports_total",
            by="exporter, outcome",
            width=6,
        ),
        shapes.gauge(
            "Seconds of a push, 95th percentile",
            "95 of 100 pushes were faster, failed or not. When it nears the timeout, look at what receives them.",
            promql.quantile(0.95, "rag_sidecar_export_seconds", RATE, by="exporter", where=REPLICAS),
            "{{exporter}}",
            unit="s",
            width=6,
        ),
        shapes.rates(
            "Failed pushes",
            "Pushes per second that failed, retried or not. The error names what to mend at the receiver, or in the settings. "
            + shapes.runbook("RagSidecarExportFailing"),
            "rag_sidecar_export_failures_total",
            by="exporter, error_type",
            width=6,
        ),
        shapes.rates(
            "Labels that are full",
            "Requests per second counted under `__other__`, because a label had as many values as it may have. "
            + shapes.runbook("RagSidecarLabelOverflow"),
            "rag_label_overflow_total",
            by="label",
            width=6,
        ),
        shapes.rates(
            "Values redacted",
            "Values per second that were replaced by pseudonyms in results, by kind. A kind that jumps is a service that began to show "
            "such data to its users, or an own pattern that matches too much.",
            "rag_sidecar_redactions_total",
            by="kind",
            width=6,
        ),
    ]

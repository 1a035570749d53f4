"""The rows of the dashboard *RAG Sidecar* about its process: memory, CPU, settings, and the versions of all in use."""

from __future__ import annotations

from dashboards import shapes
from dashboards.panels import RATE, REPLICAS, Panel, Target
from dashboards.promql import total

_MODELS = shapes.runbook("RagSidecarModelFallback", "RagSidecarModelsDiffer")
_EVALUATORS_IN_USE = "Scores of two methods or versions are different things: a change here is a step in the scores."
_LOOP = shapes.runbook("RagSidecarLoopStalls")
_OURS = f"on (job, instance) group_left () rag_sidecar_build_info{{{REPLICAS}}}"


def process() -> list[Panel]:
    """What each replica takes, and what it runs with."""
    tables = (
        ("Models in use", "rag_sidecar_model_info", ("role", "name", "version", "sha256"), 12, _MODELS),
        ("Evaluators", "rag_sidecar_evaluator_info", ("evaluator", "method", "version"), 7, _EVALUATORS_IN_USE),
        ("Versions", "rag_sidecar_build_info", ("version", "python_version"), 5, ""),
        ("Settings", "rag_sidecar_config_info", ("sha256",), 5, shapes.runbook("RagSidecarConfigRefused")),
    )
    return [
        shapes.gauge(
            "Memory",
            "Resident memory of each replica. It should level off; what grows for days is a leak, and the limit ends it.",
            f"process_resident_memory_bytes{{{REPLICAS}}} * {_OURS}",
            "{{instance}}",
            unit="bytes",
            width=8,
        ),
        shapes.gauge(
            "Event loop stalls",
            "Share of the time for which a replica's event loop stood still, in stalls of over 200 ms. It then answers no probe and polls "
            f"nothing. {_LOOP}",
            total("rate", "rag_sidecar_loop_stall_seconds_sum", RATE, by="instance", where=REPLICAS),
            "{{instance}}",
            unit="percentunit",
            width=8,
        ),
        shapes.gauge(
            "CPU",
            "CPU cores in use by each replica. At the limit of the container it is throttled, and sampling gives way.",
            f"rate(process_cpu_seconds_total{{{REPLICAS}}}[{RATE}]) * {_OURS}",
            "{{instance}}",
            width=8,
        ),
        shapes.gauge(
            "Models in memory",
            "Models that each replica has loaded, by what they are for. More than one of a kind where `inference.rules` names others; "
            "one that comes and goes does not fit into `inference.memory_megabytes`.",
            f"sum by (instance, role) (rag_sidecar_models_loaded{{{REPLICAS}}})",
            "{{instance}} {{role}}",
            width=12,
        ),
        shapes.gauge(
            "Memory of models",
            "Bytes of the files of the models that each replica has loaded: about what they take of its memory.",
            f"sum by (instance) (rag_sidecar_models_loaded_bytes{{{REPLICAS}}})",
            "{{instance}}",
            unit="bytes",
            width=12,
        ),
        shapes.gauge(
            "Sampling left by the budget",
            "What each replica samples of the rates that are set. Under 1 for long, it wants more replicas or CPU: docs/scaling.md.",
            f"min by (instance) (rag_sidecar_sampling_factor{{{REPLICAS}}})",
            "{{instance}}",
            unit="percentunit",
            width=24,
        ),
        shapes.rates(
            "Settings read again",
            "Times per second that replicas read their settings again, by what came of it: only `ok` has them in effect. "
            + shapes.runbook("RagSidecarConfigRefused"),
            "rag_sidecar_config_reloads_total",
            by="outcome",
            width=8,
        ),
        shapes.gauge(
            "Settings refused",
            "1 while a replica refuses the settings that it read last, and runs with those before.",
            f"max by (instance) (rag_sidecar_config_refused{{{REPLICAS}}})",
            "{{instance}}",
            width=8,
        ),
        shapes.gauge(
            "Age of the settings",
            "Time since each replica read the settings that are in effect.",
            f"time() - max by (instance) (rag_sidecar_config_last_reload_success_timestamp_seconds{{{REPLICAS}}} > 0)",
            "{{instance}}",
            unit="s",
            width=8,
        ),
        *(
            Panel(
                title=title,
                description="One row each, and the replicas that have it. More than one row of a kind outside a rollout means that "
                f"replicas are not alike: their numbers do not compare. {more}".strip(),
                unit="short",
                kind="table",
                width=width,
                targets=(Target(f"count by ({', '.join(labels)}) ({series}{{{REPLICAS}}})"),),
                columns=tuple((label, label.replace("_", " ").capitalize()) for label in labels),
            )
            for title, series, labels, width, more in tables
        ),
    ]

"""Panels about probes: known questions, asked again and again. They narrow by service alone, for a probe is a job of its own."""

from __future__ import annotations

from dashboards import shapes
from dashboards.panels import GREEN, RATE, RED, Panel, Target

_OF = 'rag_service=~"$rag_service"'


def panels() -> list[Panel]:
    """The row *Probes* of the dashboard about quality."""
    return [_passed(), _scores(), _checks(), _failures(), _seconds(), _ages()]


def _passed() -> Panel:
    return Panel(
        title="Probe passed its gate",
        description="1 where the last round of the probe passed, by service. Two rounds in a row that did not page. "
        + shapes.runbook("RagProbeFailed"),
        unit="short",
        width=8,
        targets=(
            Target(f"min by (rag_service) (rag_probe_passed{{{_OF}}})"),
            Target(f"max by (rag_service) (rag_probe_failed_rounds{{{_OF}}})", "{{rag_service}} failed rounds"),
            Target(
                f"sum by (rag_service, outcome) (increase(rag_probe_rounds_total{{{_OF}}}[{RATE}]))",
                "{{rag_service}} rounds {{outcome}}",
            ),
        ),
        base=RED,
        thresholds=((1, GREEN),),
    )


def _scores() -> Panel:
    return Panel(
        title="Scores of the probe",
        description="Mean over the cases of the last round, by metric. The cases are the same ones each time, so that a step is the service's.",
        unit="percentunit",
        width=8,
        targets=(
            Target(f"min by (rag_service, evaluator) (rag_probe_score{{{_OF}}})", "{{rag_service}} {{evaluator}}"),
        ),
        ratio=True,
    )


def _checks() -> Panel:
    checks = f"min by (rag_service, check) (rag_probe_check_passed{{{_OF}}})"
    return Panel(
        title="Questions of the gate that failed",
        description="Questions of the probe's gate that the last round did not pass, and the limit of each.",
        unit="percentunit",
        kind="table",
        width=8,
        targets=(
            Target(f"max by (rag_service, check) (rag_probe_limit{{{_OF}}}) and on (rag_service, check) {checks} == 0"),
        ),
        columns=(("rag_service", "Service"), ("check", "Question")),
        value="Limit",
    )


def _failures() -> Panel:
    return Panel(
        title="Probe requests without an answer",
        description="By why: `unanswered` (out of reach, or too slow), an HTTP status, or a body in which there is no answer. And the cases of the last round.",
        unit="short",
        width=8,
        targets=(
            Target(
                f"sum by (rag_service, reason) (increase(rag_probe_failures_total{{{_OF}}}[{RATE}]))",
                "{{rag_service}} {{reason}}",
            ),
            Target(f"max by (rag_service, outcome) (rag_probe_cases{{{_OF}}})", "{{rag_service}} cases {{outcome}}"),
        ),
    )


def _seconds() -> Panel:
    return Panel(
        title="Seconds of the probe's answers, 95th percentile",
        description="From a request of the probe to its whole answer; and how long the whole last round took.",
        unit="s",
        width=8,
        targets=(
            Target(
                f"histogram_quantile(0.95, sum by (le, rag_service) (rate(rag_probe_answer_seconds_bucket{{{_OF}}}[{RATE}])))",
                "{{rag_service}}",
            ),
            Target(f"max by (rag_service) (rag_probe_duration_seconds{{{_OF}}})", "{{rag_service}} whole round"),
        ),
    )


def _ages() -> Panel:
    return Panel(
        title="Since the last round of the probe",
        description="Seconds since a round ended, and since one passed, by service. "
        + shapes.runbook("RagProbeSilent"),
        unit="s",
        width=8,
        targets=(
            Target(f"time() - max by (rag_service) (rag_probe_last_round_timestamp_seconds{{{_OF}}})"),
            Target(
                f"time() - (max by (rag_service) (rag_probe_last_success_timestamp_seconds{{{_OF}}}) > 0)",
                "{{rag_service}} last passed",
            ),
            Target(f"max by (rag_service) (rag_probe_interval_seconds{{{_OF}}})", "{{rag_service}} interval"),
        ),
    )

"""Alerts about probes: a service whose known answers are wrong, and a probe that says nothing."""

from __future__ import annotations

from dashboards.alert import QUALITY, Alert
from dashboards.objectives import PROBE_FAILED_ROUNDS, PROBE_MISSED_ROUNDS

# What a probe that is gone last said is remembered so long.
_REMEMBERED = "1d"
# Two probes of one service are two jobs, and one that is gone is missed though the other goes on. Who takes the place of another in its job is the same probe.
_LAST_ROUND = f"max by (rag_service, job) (last_over_time(rag_probe_last_round_timestamp_seconds[{_REMEMBERED}]))"
# A probe that dies in its first round, again and again, has an interval and no round.
_FIRST_SEEN = f"min by (rag_service, job) (min_over_time(timestamp(rag_probe_interval_seconds)[{_REMEMBERED}:1m]))"


def alerts() -> tuple[Alert, ...]:
    """Both."""
    return (
        Alert(
            name="RagProbeFailed",
            severity="critical",
            expr=f"max by (rag_service) (rag_probe_failed_rounds) >= {PROBE_FAILED_ROUNDS}",
            wait="0s",
            summary="A RAG service fails the gate of its probe.",
            description="{{ $labels.rag_service }}: {{ $value }} rounds of the probe in a row did not pass.",
            board=QUALITY,
        ),
        Alert(
            name="RagProbeSilent",
            severity="warning",
            expr=f"(\n  time() - {_LAST_ROUND}\n  or\n  time() - {_FIRST_SEEN}\n  unless {_LAST_ROUND}\n)\n"
            f"> {PROBE_MISSED_ROUNDS} * max by (rag_service, job) (last_over_time(rag_probe_interval_seconds[{_REMEMBERED}]))",
            wait="1m",
            summary="A probe of a RAG service has made no round for long.",
            description="{{ $labels.rag_service }}: no round of the probe {{ $labels.job }} has ended for {{ $value | humanizeDuration }}.",
            board=QUALITY,
        ),
    )

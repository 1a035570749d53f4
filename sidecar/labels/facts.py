"""What a result, as JSON has it, tells of an answer before anybody looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.labels.record import Beside, Facts

# Evaluations of an answer that decide its verdict, in the order of who is asked first.
DECIDING = ("groundedness", "groundedness_judge")


def facts_of(row: Mapping[str, Any]) -> Facts | None:
    """The facts of the answer of a result; None where no deciding evaluator looked at it. Raises KeyError, TypeError or ValueError for what
    is no result."""
    deciding = [one for one in row["evaluations"] if one["evaluator"] in DECIDING and _looked(one)]
    if row.get("id") is None or not deciding:
        return None
    return Facts(
        result=row["id"],
        trace_id=row["trace_id"],
        request_id=row.get("request_id"),
        service=row["service"],
        inclusion_probability=row["inclusion_probability"],
        upstream_adjusted_count=row.get("upstream_adjusted_count"),
        verdict=row.get("verdict"),
        beside=tuple(Beside.model_validate(one) for one in deciding),
    )


def _looked(evaluation: Mapping[str, Any]) -> bool:
    """Whether an evaluation read the answer: one that abstains was read too."""
    return bool(evaluation["outcome"] == "scored" or evaluation["reason"] == "abstained")

"""Records of cases for tests."""

from __future__ import annotations

from typing import Any

from exporters.record import ModelRecord
from sidecar.offline.record import CaseRecord, Evaluation

MODEL = ModelRecord(name="embedded", version="3", sha256="ab" * 32)


def said(evaluator: str, score: float | None, reason: str | None = None, **more: Any) -> Evaluation:
    """A score, or why there is none; a reason that begins with `judge_` is a failure."""
    outcome = "scored" if score is not None else "failed" if (reason or "").startswith("judge_") else "unscorable"
    model = MODEL if score is not None else None
    return Evaluation.model_validate(
        {"evaluator": evaluator, "outcome": outcome, "score": score, "reason": reason, "model": model, **more}
    )


def record(name: str, *evaluations: Evaluation, **more: Any) -> CaseRecord:
    """The record of a case."""
    outcome = "scored" if any(one.score is not None for one in evaluations) else "unscorable"
    given = {"id": name, "key": name, "digest": name, "outcome": outcome, "evaluations": evaluations}
    return CaseRecord.model_validate({**given, **more})

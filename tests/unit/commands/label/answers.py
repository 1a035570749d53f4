"""Results and requests as files, made by hand, so that no model is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from exporters.result import (
    ClaimResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Outcome,
    Verdict,
)
from exporters.serialize import result_to_json
from sidecar.commands.label.run import cli
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native
from sidecar.evaluate.engine import Evaluated
from sidecar.price import PriceConfig, Pricer
from sidecar.results import make_result

MODEL = ModelIdentity("embedded", "2", "ab" * 32)
DOCUMENT = "The warranty is two years. It does not cover batteries."


def request(number: int, **more: Any) -> dict[str, Any]:
    return {
        "request_id": f"r{number}", "timestamp": "2026-01-01T00:00:00Z", "service": "support-bot",
        "question": f"How long is the warranty of part {number}?", "answer": f"Part {number}: two years. Batteries too.",
        "contexts": [DOCUMENT], **more,
    }  # fmt: skip


def evaluated(verdict: Verdict | None, *, judge: Verdict | None = None, p: float | None = None) -> Evaluated:
    claims = (
        ClaimResult("two years.", 0.9, supported=True, evidence=Evidence(0, 0, 26)),
        ClaimResult("Batteries too.", 0.1, supported=False, evidence=Evidence(0, 27, 55)),
    )
    abstains = verdict is Verdict.ABSTAINED
    outcome = Outcome.UNSCORABLE if abstains else Outcome.SCORED
    made = [
        Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=0.5, model=MODEL, claims=claims),
        Evaluation(
            evaluator="groundedness", outcome=outcome, reason="abstained" if abstains else None, score=None if abstains else 0.4,
            label=None if verdict is None or abstains else str(verdict), model=None if abstains else MODEL, threshold=0.3, decides_verdict=True,
        ),
    ]  # fmt: skip
    if judge is not None:
        made.append(
            Evaluation(
                evaluator="groundedness_judge", outcome=Outcome.SCORED, score=0.5, label=str(judge), judged=True,
                model=ModelIdentity("gpt", "judge", ""), threshold=0.75, decides_verdict=True, inclusion_probability=p,
            )
        )  # fmt: skip
    return Evaluated(tuple(made), verdict, Outcome.SCORED, None)


def result(number: int, verdict: Verdict | None = Verdict.GROUNDED, *, p: float = 1.0, **more: Any) -> dict[str, Any]:
    """The result of a request, as `score` writes it; `more` changes fields of it."""
    trace = read_native(request(number), DecodeConfig(), fallback_timestamp=0.0)
    made = make_result(
        trace, pricer=Pricer(PriceConfig()), completed_at=1.0, outcome=Outcome.SCORED, evaluated=evaluated(verdict),
        inclusion_probability=p,
    )  # fmt: skip
    return {**result_to_json(made, with_text=True), "request_id": f"r{number}", **more}


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class Desk:
    """A folder with results, requests and labels, and the command over them."""

    def __init__(self, folder: Path, rows: Sequence[dict[str, Any]] = (), count: int = 0) -> None:
        self.results = write(folder / "results.jsonl", rows or [result(n) for n in range(count)])
        self.requests = write(folder / "requests.jsonl", [request(n) for n in range(max(count, len(rows)))])
        self.labels = folder / "labels.jsonl"

    def run(self, *words: str | Path, typed: str = "") -> Result:
        """What the command says; raises what it raises."""
        own = ["--requests", self.requests, "--labels", self.labels]
        command = [str(word) for word in (self.results, *own, *words)]
        return CliRunner().invoke(cli, command, input=typed, catch_exceptions=False)

    def kept(self) -> list[dict[str, Any]]:
        """The labels in the file."""
        return [json.loads(line) for line in self.labels.read_text().splitlines()] if self.labels.exists() else []

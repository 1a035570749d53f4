"""The product end to end: `rag-sidecar score` over held rows, and how well its scores and verdicts tell good from bad.

    python -m training.product --data DIR [--rows 250]

Each row is one request; rows that share a claim_id are one with several documents. Only rows that `data.held` holds back from training.
Prints the tables of docs/models/embedded.md and embedded-tries.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training import data
from training.data import Row
from training.measure import auroc, calibration_error

EVALUATORS = {
    "grounding": "groundedness",
    "context_relevance": "context_relevance",
    "answer_relevance": "answer_relevancy",
}
SETS = (
    *data.GROUNDING_DEV,
    "expertqa",
    *data.RELEVANCE_DEV,
    "expertqa_answer_relevance",
    "haluquestqa_answer_relevance",
)
HEADER = "| set | n | evaluator | share scored | AUROC | ECE | AUROC of faithfulness | good called hallucinated | bad found |"


def requests(rows: Sequence[Row], most: int) -> list[tuple[Row, dict[str, Any]]]:
    """(the row that holds the label, the native record) of at most so many requests."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        key = row.get("claim_id") if row.get("task") == "grounding" else None
        groups.setdefault(str(key or row["id"]), []).append(row)
    chosen = {row["id"] for row in data.thin([own[0] for own in groups.values()], most)}
    return [(own[0], record_of(own)) for own in groups.values() if own[0]["id"] in chosen]


def record_of(rows: Sequence[Row]) -> dict[str, Any]:
    """One request as a native record."""
    first = rows[0]
    record = {"request_id": first["id"], "timestamp": "2026-01-01T00:00:00Z", "service": "measured"}
    record |= {
        name: first[field] for name, field in (("question", "question"), ("answer", "claim")) if first.get(field)
    }
    return {**record, "contexts": [row["context"] for row in rows if row.get("context")]}


def score(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the command says of each record."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        given.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        command = Path(sys.executable).with_name("rag-sidecar")
        done = subprocess.run([command, "score", given, made], check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"rag-sidecar score ended with {done.returncode}: {done.stderr[-500:]}")
        return [json.loads(line) for line in made.read_text(encoding="utf-8").splitlines()]


def scored(result: dict[str, Any], evaluator: str) -> float | None:
    """The score of an evaluator, None where it has none."""
    found = [one["score"] for one in result.get("evaluations", []) if one["evaluator"] == evaluator]
    return found[0] if found else None


def row_of(name: str, asked: Sequence[tuple[Row, dict[str, Any]]], results: Sequence[dict[str, Any]]) -> str:
    """A line of the table."""
    labels = [int(first["label"]) for first, _ in asked]
    evaluator = EVALUATORS[asked[0][0].get("task", "grounding")]
    cells = [name, str(len(asked)), evaluator, *_ranked(results, labels, evaluator)]
    if evaluator != "groundedness":
        return f"| {' | '.join(cells)} | | | |"
    verdicts = [(one.get("verdict"), label) for one, label in zip(results, labels, strict=True)]
    called = [
        [verdict == "hallucinated" for verdict, label in verdicts if label == wanted and verdict is not None]
        for wanted in (1, 0)
    ]
    shares = [f"{sum(own) / max(1, len(own)):.3f}" for own in called]
    return f"| {' | '.join([*cells, _ranked(results, labels, 'faithfulness')[1], *shares])} |"


def _ranked(results: Sequence[dict[str, Any]], labels: Sequence[int], evaluator: str) -> tuple[str, str, str]:
    """Share scored, AUROC and ECE."""
    pairs = [
        (value, label)
        for one, label in zip(results, labels, strict=True)
        if (value := scored(one, evaluator)) is not None
    ]
    values, own = [value for value, _ in pairs], [label for _, label in pairs]
    if len(set(own)) < 2:
        return f"{len(pairs) / len(labels):.3f}", "", ""
    return f"{len(pairs) / len(labels):.3f}", f"{auroc(values, own):.3f}", f"{calibration_error(values, own):.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=250)
    args = parser.parse_args()
    print(f"{HEADER}\n|{'---|' * 9}", flush=True)
    for name in SETS:
        rows = [row for row in data.read(args.data, name) if row.get("label") in (0, 1) and data.held(row)]
        asked = requests(rows, args.rows)
        print(row_of(name, asked, score([record for _, record in asked])), flush=True)


if __name__ == "__main__":
    main()

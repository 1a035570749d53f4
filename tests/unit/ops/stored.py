"""Results that come more than once, as the topic has them, for whatever stores them: the law that examples/results keeps."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exporters.record import ResultRecord
from exporters.result import Verdict
from sidecar.commands.results.read import Collected
from tests.unit.commands.label.answers import result

EXAMPLES = Path(__file__).parents[3] / "examples/results"


def line(number: int, *, root: bool | None = True, spans: int = 5, scored: int = 2, time: int = 0, **more: Any) -> str:
    """A result of request `number`, so complete; `root` None has no trace. `time` tells two of them apart."""
    row = result(number, Verdict.HALLUCINATED if time % 2 else Verdict.GROUNDED, **more)
    for one in row["evaluations"][scored:]:
        one.update(outcome="failed", reason="timeout", score=None, label=None)
    row["trace"] = (
        None
        if root is None
        else {"records": 1, "spans": spans, "root_seen": root, "ended": "complete" if root else "no_root", "cut": False}
    )
    row["durations"]["total"] = float(time)
    return json.dumps(row)


BETTER, POORER = line(0, time=1), line(0, spans=3, time=2)
UNREAD = json.dumps(
    {"schema": "rag-sidecar.result.v1", "id": None, "trace_id": None, "request_id": None, "line": 1, "outcome": "failed",
     "reason": "json", "detail": "", "verdict": None, "evaluations": []}
)  # fmt: skip
# Case, and its lines as they come.
CASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("poorer after better leaves it", (BETTER, POORER)),
    ("better after poorer replaces it", (POORER, BETTER)),
    ("the same twice is there once", (BETTER, BETTER)),
    ("of two alike the later stays", (line(0, time=1), line(0, time=2))),
    ("a root weighs more than spans", (line(0, root=True, spans=1), line(0, root=False, spans=99))),
    ("spans weigh more than scores", (line(0, spans=6, scored=0), line(0, spans=5, scored=2))),
    ("more scores are better", (line(0, scored=1, time=1), line(0, scored=2, time=2), line(0, scored=0, time=3))),
    ("a result without a trace is the poorest", (line(0, spans=0, root=False, scored=1), line(0, root=None, scored=0))),
    ("what could not be read is no result", (UNREAD, BETTER, UNREAD)),
    ("texts may hold anything", (line(0, service='s\x00 \\u0000 "\\\\" \x01\x02 ü 漢\n;--'),)),
)


def many(seed: int, count: int = 200) -> list[str]:
    """Results of a few requests, in any order, each time as complete as chance has it."""
    dice = random.Random(seed)
    return [
        line(dice.randrange(12), root=dice.choice((None, False, True)), spans=dice.randrange(3), scored=dice.randrange(3), time=n)
        for n in range(count)
    ]  # fmt: skip


def kept(lines: Sequence[str]) -> dict[str, ResultRecord]:
    """What is to be kept of them, by id: as `rag-sidecar results` does it."""
    return {row.record.id: row.record for row in Collected().read([one.encode() for one in lines])}


def told(record: ResultRecord) -> tuple[object, ...]:
    """What tells a result from another one of its id."""
    return record.completeness, record.durations.total, str(record.verdict), record.service

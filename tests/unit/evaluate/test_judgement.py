"""Would a person agree? The packaged models on requests written by hand, of which no fewer may come out right than before."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import Document, RagTrace

SETS = {
    name: [
        json.loads(line)
        for line in (Path(__file__).parents[2] / f"golden/judgement/{name}.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    for name in (
        "requests",
        "blind",
        "second",
        "short",
        "third",
        "plain",
        "daily",
        "review",
        "services",
        "mixed",
        "cases",
        "kinds",
        "buyer",
        "answers",
        "applied",
        "ordinary",
        "facts",
        "statements",
        "statements_zh",
        "twins_zh",
        "twins",
        "passages",
        "policies",
        "reworded",
        "several",
        "assistants",
        "desk",
        "tabled",
        "charts",
        "headed",
        "sections",
        "fields",
        "trade",
        "ledgers",
        "offhand",
        "everyday",
        "counters",
        "tryout",
        "errands",
        "chinese",
        "chinese_second",
    )
}


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("requests", 150),
        ("blind", 120),
        ("second", 100),
        ("short", 160),
        ("third", 82),
        ("plain", 140),
        ("services", 200),
        ("mixed", 280),
        ("cases", 180),
        ("kinds", 88),
        ("buyer", 88),
        ("answers", 110),
        ("applied", 80),
        ("several", 140),
        ("assistants", 128),
        ("desk", 160),
        ("tryout", 120),
        ("chinese", 120),
        ("chinese_second", 80),
    ],
)
def test_the_sets_hold_pairs_of_ten_domains(name: str, least: int) -> None:
    rows = SETS[name]
    pairs = Counter(row["pair"] for row in rows)
    verdicts = Counter(row["verdict"] for row in rows if pairs[row["pair"]] > 1)
    assert len(rows) >= least
    assert len({row["domain"] for row in rows}) >= 10
    assert verdicts["grounded"] == verdicts["hallucinated"]
    assert len({row["request_id"] for row in rows}) == len(rows)


# Measured: what the packaged models reach today. Raise it with them. English, with six layers: 152, 97, 68, 109, 75, 102, 308 and 211
# (docs/models/embedded.md, embedded-zh.md).
@pytest.mark.parametrize(
    ("name", "least_right"),
    [
        ("requests", 153),
        ("blind", 107),
        ("second", 76),
        ("short", 127),
        ("third", 82),
        ("plain", 110),
        ("daily", 444),
        ("review", 225),
        ("services", 135),
        ("mixed", 172),
        ("cases", 118),
        ("kinds", 80),
        ("buyer", 64),
        ("answers", 103),
        ("applied", 42),
        ("ordinary", 294),
        ("facts", 229),
        ("statements", 1876),
        ("statements_zh", 1005),
        ("twins_zh", 784),
        ("twins", 1283),
        ("passages", 565),
        ("policies", 288),
        ("reworded", 1544),
        ("several", 98),
        ("assistants", 78),
        ("desk", 105),
        ("tabled", 161),
        ("charts", 109),
        ("headed", 172),
        ("sections", 102),
        ("fields", 382),
        ("trade", 74),
        ("ledgers", 120),
        ("offhand", 72),
        ("everyday", 613),
        ("counters", 130),
        ("tryout", 82),
        ("errands", 342),
        ("chinese", 75),
        ("chinese_second", 44),
    ],
)
async def test_no_fewer_verdicts_are_right_than_before(name: str, least_right: int) -> None:
    rows = SETS[name]
    telemetry = Telemetry()
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), telemetry)
    engine = Engine(EvaluateConfig(evaluators=("groundedness",)), runtime.router)
    gate = asyncio.Semaphore(16)

    async def right(row: dict[str, object]) -> bool:
        async with gate:
            return (await engine.evaluate(_request(row))).verdict == row["verdict"]

    await runtime.start()
    try:
        found = await asyncio.gather(*(right(row) for row in rows))
    finally:
        await runtime.stop()
    wrong = Counter(str(row["phenomenon"]) for row, well in zip(rows, found, strict=True) if not well)
    assert sum(found) >= least_right, f"{sum(found)} of {len(rows)} right; wrong: {wrong.most_common()}"


def _request(row: dict[str, object]) -> RagTrace:
    contexts = row["contexts"]
    assert isinstance(contexts, list)
    return RagTrace(
        trace_id=str(row["request_id"]),
        service="golden",
        convention="native",
        timestamp=0.0,
        question=str(row["question"]),
        answer=str(row["answer"]),
        documents=tuple(Document(rank, text) for rank, text in enumerate(contexts, 1)),
    )

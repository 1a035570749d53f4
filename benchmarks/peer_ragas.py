# mypy: ignore-errors
"""Cases through Ragas, in an environment of its own that has nothing of the sidecar: `python peer_ragas.py CASES URL SCORES MOST_AT_ONCE`."""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import ragas  # noqa: E402 - its warnings are many
from openai import AsyncOpenAI  # noqa: E402
from ragas import SingleTurnSample  # noqa: E402
from ragas.llms import llm_factory  # noqa: E402
from ragas.metrics import NonLLMContextPrecisionWithReference, NonLLMContextRecall  # noqa: E402
from ragas.metrics import collections as c  # noqa: E402


def metrics(url: str):
    """Each metric under our name for it, with the fields that it takes; whether higher is better."""
    llm = llm_factory("scripted", client=AsyncOpenAI(base_url=url, api_key="none", timeout=300.0))
    qa, qc, ar = ("user_input", "response"), ("user_input", "retrieved_contexts"), ("response", "reference")
    return {
        "exact_match": (c.ExactMatch(), ar),
        "string_presence": (c.StringPresence(), ar),
        "string_similarity": (c.NonLLMStringSimilarity(), ar),
        "bleu": (c.BleuScore(), ar),
        "rouge": (c.RougeScore(), ar),
        "chrf": (c.CHRFScore(), ar),
        "context_precision_contexts": (NonLLMContextPrecisionWithReference(), None),
        "context_recall_contexts": (NonLLMContextRecall(), None),
        "faithfulness_judge": (c.Faithfulness(llm=llm), (*qa, "retrieved_contexts")),
        "groundedness_judge": (c.ResponseGroundedness(llm=llm), ("response", "retrieved_contexts")),
        "context_relevance_judge": (c.ContextRelevance(llm=llm), qc),
        "context_precision_judge": (c.ContextPrecisionWithoutReference(llm=llm), (*qa, "retrieved_contexts")),
        "context_precision_reference_judge": (c.ContextPrecisionWithReference(llm=llm), (*qc, "reference")),
        "context_recall_judge": (c.ContextRecall(llm=llm), (*qc, "reference")),
        "context_entity_recall_judge": (c.ContextEntityRecall(llm=llm), ("reference", "retrieved_contexts")),
        "noise_robustness_judge": (c.NoiseSensitivity(llm=llm), (*qa, "reference", "retrieved_contexts")),
        "answer_correctness_judge": (c.AnswerCorrectness(llm=llm, weights=[1.0, 0.0]), (*qa, "reference")),
        "answer_accuracy": (c.AnswerAccuracy(llm=llm), (*qa, "reference")),
    }


async def score(rows: list[dict], url: str, most: int) -> tuple[dict, dict]:
    """Every metric over every case, so many at once, and the seconds."""
    chosen = metrics(url)
    room = asyncio.Semaphore(most)
    found: dict[str, dict[str, float | None]] = {}
    seconds = {"strings": 0.0, "judged": 0.0}

    async def one(name: str, row: dict) -> None:
        metric, fields = chosen[name]
        async with room:
            try:
                if fields is None:
                    value = await metric.single_turn_ascore(SingleTurnSample(**row["sample"]))
                else:
                    value = (await metric.ascore(**{field: row["sample"][field] for field in fields})).value
            except Exception as error:  # noqa: BLE001 - whatever it raises is no score
                print(f"{name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
                value = math.nan
        if name == "noise_robustness_judge":
            value = 1 - value
        found.setdefault(row["id"], {})[name] = None if value is None or math.isnan(value) else float(value)

    for kind in seconds:
        names = [name for name, (metric, _) in chosen.items() if hasattr(metric, "llm") == (kind == "judged")]
        started = time.perf_counter()
        await asyncio.gather(*(one(name, row) for row in rows for name in names))
        seconds[kind] = time.perf_counter() - started
    return found, seconds


def main(cases: Path, url: str, scores: Path, most: int) -> None:
    """Read cases, write scores."""
    rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    found, seconds = asyncio.run(score(rows, url, most))
    told = {"version": ragas.__version__, "seconds": seconds, "scores": found}
    scores.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))

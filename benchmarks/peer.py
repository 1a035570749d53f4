"""The same cases through the sidecar and through Ragas, with the same judge: which scores agree, and how long each takes.

    python -m benchmarks.peer halueval_qa.jsonl.xz --peer RAGAS_ENVIRONMENT/bin/python

The file has a question, a context, a claim and its label (1: right) a row, as HaluEval's questions and answers do. The environment of the peer is made with
`uv venv` and `uv pip install ragas "langchain-community<0.4" rapidfuzz sacrebleu rouge-score`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidecar import config
from sidecar.offline.case import read_cases
from sidecar.offline.run import Wanted, running

AT_ONCE = 8
STRINGS = (
    "exact_match", "string_presence", "string_similarity", "bleu", "rouge", "chrf", "context_precision_contexts", "context_recall_contexts",
)  # fmt: skip
JUDGED = (
    "faithfulness", "groundedness", "context_relevance", "context_precision", "context_precision_reference", "context_recall",
    "context_entity_recall", "noise_robustness", "answer_correctness", "answer_accuracy",
)  # fmt: skip
_ALONE = ("answer_accuracy",)


def cases_of(path: Path, count: int) -> list[dict[str, Any]]:
    """Cases of what labelled rows say: right and wrong answers, some with a second sentence, over the documents of the question and one of another."""
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    by_question: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        by_question.setdefault(row["question"], {}).setdefault(row["label"], row)
    pairs = [both for both in by_question.values() if set(both) == {0, 1}][: count + 1]
    chance = random.Random(17)
    return [_case(n, pairs[n], pairs[n + 1], chance) for n in range(len(pairs) - 1)]


def _case(
    number: int, pair: Mapping[int, Mapping[str, Any]], other: Mapping[int, Mapping[str, Any]], chance: random.Random
) -> dict[str, Any]:
    own, foreign = (re.split(r"(?<=[.!?])\s*(?=[A-Z])", one[1]["context"].strip()) for one in (pair, other))
    answer = pair[number % 2]["claim"]
    found = [*own, foreign[0]]
    chance.shuffle(found)
    if number % 10 == 0:
        found.append(found[0])
    return {
        "id": f"c{number}",
        "question": pair[1]["question"],
        "answer": f"{answer} {own[0]}" if number % 3 == 0 else answer,
        "contexts": found,
        "reference": pair[1]["claim"],
        "reference_contexts": own,
    }


async def ours(
    rows: Sequence[Mapping[str, Any]], url: str | None, names: Sequence[str]
) -> tuple[dict[str, dict[str, float | None]], float, int]:
    """Scores by case, the seconds, and how many questions the judge was asked."""
    evaluate: dict[str, Any] = {"evaluators": list(names), "references": "off"}
    if url is not None:
        evaluate |= {name: {"by": "judge"} for name in names if name not in _ALONE}
        evaluate["answer_correctness"] = {"by": "judge", "weight": 1.0}
    judge = {
        "url": url,
        "redact": False,
        "concurrency": AT_ONCE,
        "budget_usd_per_hour": None,
        "budget_usd_per_day": None,
    }
    settings = config.build({"evaluate": evaluate, "judge": judge}, kafka=False)
    cases, unread = read_cases(rows, settings.decode)
    if unread:
        raise ValueError(f"{len(unread)} cases cannot be read")
    async with running(settings, Wanted(concurrency=AT_ONCE)) as runner:
        started = time.perf_counter()
        records = await runner.run(cases, None, lambda _: None)
        seconds = time.perf_counter() - started
        failed = {
            (said.evaluator, said.reason) for one in records for said in one.evaluations if said.outcome == "failed"
        }
        if failed:
            raise ValueError(f"no comparison: {failed}")
        asked = sum(one.questions for one in runner.spent())
    return {one.id: {said.evaluator: said.score for said in one.evaluations} for one in records}, seconds, asked


@contextmanager
def judging() -> Iterator[str]:
    """The judge's address, while it runs in a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.peer_judge"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def table(
    mine: Mapping[str, Mapping[str, float | None]], theirs: Mapping[str, Mapping[str, float | None]]
) -> Iterator[str]:
    """A row a metric: cases with both scores, how many agree to six digits, the largest difference, both means, and who alone has a score."""
    yield "| metric | both | equal | largest difference | mean, ours | mean, Ragas | ours alone | Ragas alone |"
    yield "|---|---|---|---|---|---|---|---|"
    names = dict.fromkeys(name for scores in theirs.values() for name in scores)
    for name in (*STRINGS, *(name for name in names if name not in STRINGS)):
        pairs = [(mine[case].get(name), theirs[case].get(name)) for case in theirs]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        apart = [abs(a - b) for a, b in both]
        means = [sum(one) / len(both) if both else 0.0 for one in zip(*both, strict=True)] or [0.0, 0.0]
        alone = (sum(a is not None and b is None for a, b in pairs), sum(a is None and b is not None for a, b in pairs))
        yield (
            f"| {name} | {len(both)} | {sum(one < 1e-6 for one in apart)} | {max(apart, default=0.0):.3f} | {means[0]:.4f} | {means[1]:.4f} "
            f"| {alone[0]} | {alone[1]} |"
        )


def main() -> None:
    """Print the tables."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("rows", type=Path)
    given.add_argument("--peer", type=Path, required=True, help="Python of an environment that has Ragas.")
    given.add_argument("--cases", type=int, default=200)
    given.add_argument("--keep", type=Path, help="A folder that scores and cases are left in.")
    options = given.parse_args()
    rows = cases_of(options.rows, options.cases)
    with tempfile.TemporaryDirectory() as made, judging() as url:
        work = options.keep or Path(made)
        names = {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts"}
        samples = [
            {"id": row["id"], "sample": {names.get(k, k): v for k, v in row.items() if k != "id"}} for row in rows
        ]
        (work / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples), encoding="utf-8")
        strings, strings_seconds, _ = asyncio.run(ours(rows, None, STRINGS))
        judged, judged_seconds, asked = asyncio.run(ours(rows, url, JUDGED))
        script = Path(__file__).with_name("peer_ragas.py")
        subprocess.run(
            [options.peer, script, work / "cases.jsonl", url, work / "ragas.json", str(AT_ONCE)],
            check=True,
            timeout=1800,
        )
        peer = json.loads((work / "ragas.json").read_text(encoding="utf-8"))
        mine = {case: {**strings[case], **judged[case]} for case in strings}
        (work / "ours.json").write_text(json.dumps(mine), encoding="utf-8")
    print(f"{len(rows)} cases, Ragas {peer['version']}; our judge was asked {asked} times\n")
    print("\n".join(table(mine, peer["scores"])))
    print("\n| | ours | Ragas | ratio |\n|---|---|---|---|")
    for kind, own in (("strings", strings_seconds), ("judged", judged_seconds)):
        theirs = peer["seconds"][kind]
        print(f"| {kind}, cases/s | {len(rows) / own:.1f} | {len(rows) / theirs:.1f} | {theirs / own:.1f} |")


if __name__ == "__main__":
    main()

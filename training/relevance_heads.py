"""The calibrated heads of relevance: does a document help with a question, does an answer address it?

Rows that the cross-encoder did not train on, of sets with hard negatives (passages of the same article, policy or report, or found by a
search), since among passages that share the question's words it is the cross-encoder and not the cosine that tells.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sidecar.inference.pairs import ANSWER, DOCUMENT, Task
from sidecar.inference.relevance.embedded import RELEVANCE_FEATURES, FeatureRelevance
from training import data
from training.data import Row
from training.logistic import Floats, card_of, fit, set_weights
from training.measure import auroc, best_threshold, calibration_error

Asked: TypeAlias = tuple[str, str, str, int]

SEED = 7
_TRAINED = (
    "squadshifts_reddit", "squadshifts_amazon_reviews", "squadshifts_new_wiki", "policyqa_relevance", "tatqa_relevance", "selqa",
    "multihop_paragraphs", "qed_sentences",
)  # fmt: skip
_ROWS, _DEV_ROWS = 200, 160
_AT_ONCE = 16


def document_pairs(directory: Path, *, held: bool) -> list[Asked]:
    """(set, question, passage, label). Held: every set that is measured, those that may not be trained on among them."""
    names = data.RELEVANCE_DEV if held else _TRAINED
    takes = data.held if held else data.for_combiner
    return [
        (name, row["question"], row["context"], row["label"])
        for name in names
        for row in data.thin(
            (row for row in data.read(directory, name) if row.get("label") in (0, 1) and takes(row)),
            _DEV_ROWS if held else _ROWS,
        )
    ]


def answer_pairs(directory: Path, *, held: bool) -> list[Asked]:
    """(set, question, answer, label): human labels, and answers to other questions of the same set."""
    rng = random.Random(SEED)
    pairs: list[Asked] = []
    for name in ("expertqa_answer_relevance", "haluquestqa_answer_relevance", "delucionqa_noncommittal"):
        rows = [row for row in data.read(directory, name) if data.held(row) == held and row.get("label") in (0, 1)]
        if not held:
            rows = [row for row in rows if row.get("split") != "test" and data.fold_of(row) in data.COMBINER_FOLDS]
        bad = data.thin([row for row in rows if row["label"] == 0], 800)
        good: list[Row] = data.thin([row for row in rows if row["label"] == 1], 500)
        pairs.extend((name, row["question"], row["claim"], row["label"]) for row in [*bad, *good])
        for row in good:
            other = rng.choice(good)
            if other["question"] != row["question"]:
                pairs.append((name + "/other", row["question"], other["claim"], 0))
    return pairs


async def relevance_heads(heads: dict[str, object], relevance: FeatureRelevance, directory: Path) -> list[str]:
    """The document head and the answer head, and their tables."""
    lines: list[str] = []
    source: dict[str, tuple[Task, Callable[..., list[Asked]]]] = {
        "document_relevance": (DOCUMENT, document_pairs),
        "answer_relevance": (ANSWER, answer_pairs),
    }
    for head, (task, pairs) in source.items():
        training, kept = pairs(directory, held=False), pairs(directory, held=True)
        x, of_kept = await _features(relevance, task, training), await _features(relevance, task, kept)
        y = np.array([label for *_, label in training], float)
        model = fit(x, y, set_weights([f"{name}{label}" for name, *_, label in training]), 10.0, products=False)
        scores, labels = [float(p) for p in model.probability(of_kept)], [label for *_, label in kept]
        heads[head] = card_of(model, RELEVANCE_FEATURES, best_threshold(scores, labels, [name for name, *_ in kept]))
        columns = {
            "all together": scores,
            "best cosine": [float(v) for v in of_kept[:, RELEVANCE_FEATURES.index("best_cosine")]],
            "cross-encoder alone": [float(v) for v in of_kept[:, RELEVANCE_FEATURES.index("cross_encoder")]],
        }
        lines += [*_table(head, [name for name, *_ in kept], columns, labels), ""]
        print(f"{head}: trained on {len(training)} pairs", flush=True)
    return lines


async def _features(relevance: FeatureRelevance, task: Task, rows: Sequence[Asked]) -> Floats:
    """RELEVANCE_FEATURES of each row: (rows, features)."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(question: str, text: str) -> Floats:
        async with gate:
            [row] = await relevance.rows(question, [text], task)
        found: Floats = row
        return found

    return np.stack(await asyncio.gather(*(one(question, text) for _, question, text, _ in rows)))


def _table(title: str, names: Sequence[str], columns: dict[str, list[float]], labels: Sequence[int]) -> list[str]:
    """AUROC of each column by set, and the calibration error of the first."""
    lines = [
        f"### {title}",
        "",
        f"| set (held part) | n | {' | '.join(columns)} | ECE |",
        "|---" * (len(columns) + 3) + "|",
    ]
    first = next(iter(columns.values()))
    means = []
    for name in dict.fromkeys(names):
        of = [n for n, own in enumerate(names) if own == name]
        known = [labels[n] for n in of]
        if len(set(known)) < 2:
            continue
        areas = [auroc([values[n] for n in of], known) for values in columns.values()]
        means.append(areas)
        error = calibration_error([first[n] for n in of], known)
        lines.append(f"| {name} | {len(of)} | {' | '.join(f'{area:.3f}' for area in areas)} | {error:.3f} |")
    return [*lines, f"| mean of the sets | | {' | '.join(f'{area:.3f}' for area in np.mean(means, axis=0))} | |"]

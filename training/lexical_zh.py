"""Trains the heads of the model for Chinese, and measures them.

    python -m training.lexical_zh --data DIR [--out sidecar/inference/models/lexical-zh]

Trained on are DRCD, CMRC 2018 and ExpMRC (CC BY-SA, docs/adr/0039) and UHGEval (Apache-2.0); on statements the last of these and those
that training.chinese_statements makes of the passages. RGB, C3, OCNLI and CNLI only measure: their licences forbid more. Folds by
document cluster, as everywhere. Writes heads.json, idf.json.gz and card.json, and prints the tables of
docs/models/lexical-zh.md.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from exporters.result import ModelIdentity
from sidecar.inference.base import Claim
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import pieces, read
from sidecar.inference.grounding.han_features import CLAIM_FEATURES, TURNED
from sidecar.inference.grounding.lexical_zh import HEADS, IDF, NAME, claim_rows, supported
from sidecar.inference.relevance.lexical_zh import FEATURES, rows_of
from training import data
from training.chinese_statements import Statement, answers, asked, changed
from training.data import Row
from training.logistic import Floats, card_of, fit, set_weights
from training.measure import auroc, calibration_error, rates

SEED = 7
VERSION = "5"
ROWS, MEASURED, PASSAGES, PAIRS = 600, 1200, 500, 8000
RELEVANCE = ("drcd_relevance", "cmrc2018_relevance")
MEASURED_RELEVANCE = ("rgb_relevance", "expmrc_evidence", "tc_rag_micro")
MEASURED_GROUNDING = ("rgb_counterfactual_answers", "c3_answers", "ocnli", "nli_multilingual", "domainrag_faithful")
FALSE_ALARMS = 0.05
WEIGHTS = {"changed": 2.0, "elsewhere": 1.0, "asked": 2.0, "answers": 2.0, "uhgeval": 3.0}
Pair = tuple[str, str, str, int]


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("sidecar/inference/models/lexical-zh"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    train(args.data, args.out)


def train(directory: Path, out: Path) -> None:
    """Everything, in order."""
    sets = {name: _chinese(directory, name) for name in (*RELEVANCE, *MEASURED_RELEVANCE, "uhgeval_sentences")}
    passages = [row for name in RELEVANCE for row in sets[name] if not data.held(row) or row.get("split") == "dev"]
    table, rare = count_idf({row["context"] for row in passages if data.fold_of(row) not in data.HELD_FOLDS})
    idf = Idf(table, rare)
    heads: dict[str, object] = {}
    print("\n".join(grounding(directory, sets, idf, heads)), flush=True)
    print("\n".join(relevance(sets, idf, heads)), flush=True)
    save(out, heads, table, rare)


def _chinese(directory: Path, name: str) -> list[Row]:
    return [
        row
        for row in data.read(directory, name)
        if row.get("language") == "zh" and row.get("label") in (0, 1) and row.get("context")
    ]


def _held(row: Row) -> bool:
    """By fold alone: these sets are published dev and test parts, of which nothing else is trained on."""
    return data.fold_of(row) in data.HELD_FOLDS


def count_idf(texts: Iterable[str]) -> tuple[dict[str, float], float]:
    """idf of the most frequent pairs of characters, and that of all others."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(read(text).pairs))
        total += 1
    common = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:PAIRS]
    return {pair: round(math.log((total + 1) / (n + 0.5)), 2) for pair, n in common}, round(
        math.log((total + 1) / (common[-1][1] / 2)), 2
    )


def grounding(directory: Path, sets: dict[str, list[Row]], idf: Idf, heads: dict[str, object]) -> list[str]:
    """The head of claims, and its table."""
    training = _statements(sets, held=False)
    x, y = _claim_rows(training, idf)
    weights = set_weights([f"{one.kind}{one.label}" for one in training])
    weights *= [WEIGHTS[one.kind] for one in training]
    model = fit(x[:, :TURNED], y, weights, 10.0, products=False)
    scores = supported(model, x)
    good = {
        kind: scores[[n for n, one in enumerate(training) if one.kind == kind and one.label]]
        for kind in ("changed", "uhgeval")
    }
    threshold = round(float(np.mean([np.quantile(own, FALSE_ALARMS) for own in good.values() if len(own)])), 3)
    heads["claim"] = card_of(model, CLAIM_FEATURES, threshold)
    held = _statements(sets, held=True)
    held_x, held_y = _claim_rows(held, idf)
    told = [n for n, one in enumerate(held) if one.kind in ("changed", "elsewhere", "uhgeval")]
    own = supported(model, held_x[told])
    heads["detector"] = rates([float(p) for p in own], [int(v) for v in held_y[told]], threshold)
    for name in MEASURED_GROUNDING:
        for row in data.thin(_chinese(directory, name), MEASURED):
            held.append(Statement(name, row.get("question") or "", row["context"], row["claim"], row["label"]))
    rows, _ = _claim_rows(held, idf)
    pairs = [(one.kind, one.question, one.context, one.label) for one in held]
    return _table("Grounding", pairs, rows[:, 0], supported(model, rows), threshold)


def _statements(sets: dict[str, list[Row]], *, held: bool) -> list[Statement]:
    """Those that are made and those of UHGEval, held or for training. Its question is a headline, which asks for nothing."""
    most, seed = (6 * PASSAGES, SEED + 1) if held else (3 * PASSAGES, SEED)
    found: list[Statement] = []
    for name in RELEVANCE:
        rows = [row for row in data.thin(sets[name], most) if _held(row) == held]
        found += [*changed(rows, seed=seed), *asked(rows)]
    found += answers([row for row in sets["expmrc_evidence"] if _held(row) == held], seed=seed)
    uhgeval = [row for row in sets["uhgeval_sentences"] if _held(row) == held]
    return found + [Statement("uhgeval", "", row["context"], row["claim"], row["label"]) for row in uhgeval]


def _claim_rows(statements: Sequence[Statement], idf: Idf) -> tuple[Floats, Floats]:
    rows = [claim_rows([Claim(one.text, question=one.question)], pieces([one.context]), idf)[0] for one in statements]
    return np.concatenate(rows), np.array([one.label for one in statements], float)


def relevance(sets: dict[str, list[Row]], idf: Idf, heads: dict[str, object]) -> list[str]:
    """The heads of documents and of answers, and their tables."""
    lines: list[str] = []
    takes: dict[str, tuple[Sequence[str], Callable[[Row], bool]]] = {
        "document_relevance": (RELEVANCE, lambda row: bool(row.get("question"))),
        "answer_relevance": (
            ("expmrc_evidence",),
            lambda row: bool(row.get("question")) and row.get("level") == "sentence",
        ),
    }
    for head, (names, wanted) in takes.items():
        rows = {name: [row for row in data.thin(sets[name], 2 * ROWS) if wanted(row)] for name in names}
        training = [_asked(name, row) for name, own in rows.items() for row in own if not _held(row)]
        x = _question_rows(training, idf)
        y = np.array([label for *_, label in training], float)
        model = fit(x, y, set_weights([f"{name}{label}" for name, *_, label in training]), 10.0, products=False)
        held = [_asked(name, row) for name, own in rows.items() for row in own if _held(row)]
        if head == "document_relevance":
            held += [
                _asked(name, row)
                for name in MEASURED_RELEVANCE
                for row in data.thin(sets[name], ROWS)
                if row.get("question")
            ]
        held_x = _question_rows(held, idf)
        threshold = best(model.probability(x), y)
        heads[head] = card_of(model, FEATURES, threshold)
        lines += _table(head, held, held_x[:, 0], model.probability(held_x), threshold)
    return lines


def best(scores: Floats, labels: Floats) -> float:
    """The threshold with the highest balanced accuracy, of 0.02 steps."""
    return max(
        (round(0.02 * n, 2) for n in range(2, 49)),
        key=lambda t: float((scores[labels == 1] >= t).mean() + (scores[labels == 0] < t).mean()),
    )


def _asked(name: str, row: Row) -> Pair:
    return name, row["question"], row["context"], row["label"]


def _question_rows(pairs: Sequence[Pair], idf: Idf) -> Floats:
    return np.concatenate([rows_of(question, [text], idf) for _, question, text, _ in pairs])


def _table(title: str, pairs: Sequence[Pair], baseline: Floats, scores: Floats, threshold: float) -> list[str]:
    lines = [
        f"### {title}",
        "",
        "| set | n | AUROC | coverage alone | ECE | passed of the good | found of the bad |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(name for name, *_ in pairs):
        of = [n for n, one in enumerate(pairs) if one[0] == name]
        labels = [pairs[n][3] for n in of]
        if len(set(labels)) < 2:
            lines.append(
                f"| {name} | {len(of)} | one label only: {labels[0]} | | | | {np.mean(scores[of] < threshold):.3f} |"
            )
            continue
        own, y = scores[of], np.array(labels)
        areas = [auroc([float(v) for v in column[of]], labels) for column in (scores, baseline)]
        cells = [
            *areas,
            calibration_error([float(v) for v in own], labels),
            (own[y == 1] >= threshold).mean(),
            (own[y == 0] < threshold).mean(),
        ]
        lines.append(f"| {name} | {len(of)} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    return [*lines, "", f"Threshold {threshold}.", ""]


def save(out: Path, heads: dict[str, object], table: dict[str, float], rare: float) -> None:
    """The files of the model."""
    (out / HEADS).write_text(json.dumps(heads, indent=1) + "\n", encoding="utf-8")
    content = json.dumps({"rare": rare, "stems": table}, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    (out / IDF).write_bytes(gzip.compress(content, mtime=0))
    files = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in (HEADS, IDF)}
    identity = ModelIdentity(NAME, VERSION, files[HEADS])
    card = {
        "name": identity.name,
        "version": identity.version,
        "licence": "Apache-2.0",
        "languages": ["zh"],
        "files": files,
    }
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

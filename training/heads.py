"""Trains the calibrated heads of the embedded models: claim support, answer consistency, document and answer relevance.

    python -m training.heads --data DIR [--out sidecar/inference/models/embedded]

One command, seeded, about fifteen minutes on two cores, after training.cross_encoder and training.export_bert. The grounding heads
read rows that the cross-encoder did not train on (data.COMBINER_FOLDS), since it is surer of those that it did, and such rows with one
value changed, or written in another way (contrast.py), so that a value that disagrees weighs what it should. Reads only rows
whose stated licence permits it; never a row that `data.held` holds back, nor a file named *_test. Writes heads.json, idf.json.gz
and card.json, and prints the tables of docs/models/embedded.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sidecar.evaluate.text.claims import split_claims
from sidecar.inference.base import Claim
from sidecar.inference.calibrated import Logistic, expand, logit
from sidecar.inference.card import Card
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import MiniLM
from sidecar.inference.embedding.text import read_words, sentences
from sidecar.inference.grounding.embedded import (
    ANSWER_FEATURES,
    CLAIM_FEATURES,
    CROSS_ENCODER,
    EmbeddedGrounder,
    Heads,
    answer_row,
    claim_row,
)
from sidecar.inference.grounding.features import FEATURES
from sidecar.inference.grounding.said import VALUE_FEATURES, Said
from sidecar.inference.pairs import PairModel
from sidecar.inference.relevance.embedded import RELEVANCE_FEATURES, FeatureRelevance
from sidecar.observe.telemetry import Telemetry
from training import contrast, data
from training.contrast import rows_of_values
from training.data import Row
from training.export_bert import MAX_TOKENS, load_cross_encoder
from training.measure import auroc, best_threshold, calibration_error
from training.pairs import SHARE_ALIKE

SEED = 7
MADE_OF = (
    "expertqa",
    "factcg_synthetic",
    "factcheckgpt",
    "halueval_qa",
    "summac_human",
    "wice_oracle_chunks",
    "q2_wow",
    "foolmetwice",
)
TRAIN_ROWS, DEV_ROWS = 600, 400
MADE_ROWS, MADE_DEV_ROWS = 1200, 400
Floats = NDArray[np.float64]
NONE = Logistic(np.zeros(1), np.ones(1), np.zeros(2), 0.0)


@dataclass(frozen=True)
class Seen:
    """Features (choices of evidence, features), the cross-encoder's logit, and what became of the values."""

    choices: Floats
    logit: float
    said: Said


@dataclass(frozen=True)
class Example:
    """One pair with everything that the heads look at, of the whole answer, then of each claim."""

    set: str
    label: int
    whole: Seen
    claims: list[Seen]

    @property
    def single(self) -> bool:
        """Whether the answer is one claim."""
        return len(self.claims) == 1


def count_idf(rows: Sequence[Row], most: int = 40_000) -> tuple[dict[str, float], float]:
    """idf of the most frequent stems over the training contexts, and that of all others."""
    contexts = {row["context"] for row in rows if row.get("context")}
    seen: Counter[str] = Counter()
    for context in contexts:
        words = read_words(context)
        seen.update(set(words.stems) | words.names)
        seen.update({word for word in re.findall(r"[a-z]+", context.lower()) if word not in words.stems})
    total = len(contexts) + 1
    table = {stem: round(math.log(total / (count + 1)) + 0.1, 3) for stem, count in seen.most_common(most) if count > 1}
    return table, round(math.log(total / 1.5) + 0.1, 3)


def fit(x: Floats, y: Floats, weight: Floats, ridge: float, *, products: bool = True) -> Logistic:
    """Weighted ridge logistic regression over `expand`ed features, by Newton's method; `products` adds squares and products."""
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-3)
    z = ((x - mean) / scale).clip(-4, 4)
    z = expand(z) if products else z
    z1 = np.concatenate([z, np.ones((len(z), 1))], axis=1)
    beta = np.zeros(z1.shape[1])
    penalty = np.full(z1.shape[1], ridge)
    penalty[-1] = 0
    weight = weight / weight.mean()
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(z1 @ beta, -30, 30)))
        gradient = z1.T @ (weight * (p - y)) + penalty * beta
        hessian = (z1 * (weight * p * (1 - p))[:, None]).T @ z1 + np.diag(penalty + 1e-6)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-6:
            break
    return Logistic(mean, scale, beta[:-1], float(beta[-1]))


def fit_best_choice(examples: Sequence[Floats], y: Floats, weight: Floats, ridge: float) -> Logistic:
    """A head whose output is the maximum over choices of evidence: fit on the choice that wins, a few times over."""
    chosen = np.stack([choices[-1] for choices in examples])
    model = fit(chosen, y, weight, ridge)
    for _ in range(3):
        chosen = np.stack([choices[int(model.probability(choices).argmax())] for choices in examples])
        model = fit(chosen, y, weight, ridge)
    return model


def set_weights(names: Sequence[str]) -> Floats:
    """Each set weighs the square root of its size, so that no set drowns the others."""
    sizes = Counter(names)
    return np.array([sizes[name] ** -0.5 for name in names])


async def ground_examples(
    grounder: EmbeddedGrounder, cross_encoder: PairModel, name: str, rows: Sequence[Row]
) -> list[Example]:
    """Each row, its claim as a whole and sentence by sentence, as the product reads it."""
    examples = []
    for row in rows:
        of_answer = split_claims(row["claim"])
        claims = [Claim(row["claim"])]
        if [one.text for one in of_answer] not in ([], [row["claim"].strip()]):
            claims += of_answer
        read = await grounder.read(claims, [row["context"]])
        logits = await cross_encoder.score([(one.premise, own.text) for one, own in zip(read, claims, strict=True)])
        if all(one.nearest for one in read):
            whole, *of_claims = [Seen(one.rows, value, one.said) for one, value in zip(read, logits, strict=True)]
            examples.append(Example(name, int(row["label"]), whole, of_claims or [whole]))
    return examples


def relevance_pairs(directory: Path, *, held: bool) -> list[tuple[str, str, str, int]]:
    """(set, question, text, label): passages that hold the answer against passages of the same article that do not.

    The sets that are measured (wikiqa, trecqa, hallurag) are not read: their licences do not permit it.
    """
    rng = random.Random(SEED)
    pairs: list[tuple[str, str, str, int]] = []
    rows = [row for row in data.read(directory, "halueval_qa") if data.held(row) == held]
    contexts = [row["context"] for row in rows]
    for row in rows:
        if row["label"] != 1:
            continue
        pieces = [row["context"][span.start : span.end] for span in sentences(row["context"])]
        answer = set(read_words(row["claim"]).stems) - set(read_words(row["question"]).stems)
        bearing = [
            piece for piece in pieces if answer and len(answer & set(read_words(piece).stems)) >= 0.7 * len(answer)
        ]
        others = [piece for piece in pieces if not answer & set(read_words(piece).stems)]
        if bearing:
            pairs.append(("halueval", row["question"], rng.choice([bearing[0], row["context"]]), 1))
            pairs.append(("halueval", row["question"], bearing[0], 1))
        pairs.extend(("halueval", row["question"], piece, 0) for piece in rng.sample(others, min(2, len(others))))
        pairs.append(("halueval", row["question"], rng.choice(contexts), 0))
    for name, text in (("expertqa", "context"), ("haluquestqa_answer_relevance", "claim")):
        rows = [
            row
            for row in data.thin(data.read(directory, name), 2500)
            if data.held(row) == held and row.get("label") == 1
        ]
        for row in data.thin(rows, 300 if held else 900):
            pairs.append((name, row["question"], row[text], 1))
            other = rng.choice(rows)
            if other["question"] != row["question"]:
                pairs.append((name, row["question"], other[text], 0))
    return pairs


def answer_pairs(directory: Path, *, held: bool) -> list[tuple[str, str, str, int]]:
    """(set, question, answer, label): human labels, and answers to other questions of the same set."""
    rng = random.Random(SEED)
    pairs: list[tuple[str, str, str, int]] = []
    for name in ("expertqa_answer_relevance", "haluquestqa_answer_relevance", "delucionqa_noncommittal"):
        rows = [row for row in data.read(directory, name) if data.held(row) == held and row.get("label") in (0, 1)]
        if not held:
            rows = [row for row in rows if row.get("split") != "test"]
        bad = data.thin([row for row in rows if row["label"] == 0], 800)
        good = data.thin([row for row in rows if row["label"] == 1], 900)
        pairs.extend((name, row["question"], row["claim"], row["label"]) for row in [*bad, *good])
        for row in good:
            other = rng.choice(good)
            if other["question"] != row["question"]:
                pairs.append((name + "/other", row["question"], other["claim"], 0))
    return pairs


def measured(title: str, rows: Sequence[tuple[str, list[float], list[float], list[int]]]) -> list[str]:
    """A table: set, n, AUROC, AUROC of the baseline, expected calibration error."""
    lines = [f"### {title}", "", "| set (held part) | n | AUROC | baseline AUROC | ECE |", "|---|---|---|---|---|"]
    for name, scores, baseline, labels in rows:
        if len(set(labels)) == 2:
            lines.append(
                f"| {name} | {len(labels)} | {auroc(scores, labels):.3f} | {auroc(baseline, labels):.3f} "
                f"| {calibration_error(scores, labels):.3f} |"
            )
    return lines


def by_set(names: Sequence[str], *columns: Sequence[float]) -> list[tuple[str, ...]]:
    """Columns cut by set, in the order of first appearance."""
    cut = []
    for name in dict.fromkeys(names):
        keep = [n for n, one in enumerate(names) if one == name]
        cut.append((name, *([column[n] for n in keep] for column in columns)))
    return cut  # type: ignore[return-value]


def rates(scores: Sequence[float], labels: Sequence[int], threshold: float) -> dict[str, object]:
    """How often the verdict is right, as inference.detector.Detector reads it."""
    bad = [score < threshold for score, label in zip(scores, labels, strict=True) if not label]
    good = [score >= threshold for score, label in zip(scores, labels, strict=True) if label]
    return {
        "sensitivity": round(sum(bad) / len(bad), 4),
        "specificity": round(sum(good) / len(good), 4),
        "hallucinated": len(bad),
        "grounded": len(good),
    }


def card_of(model: Logistic, features: Sequence[str], threshold: float) -> dict[str, object]:
    """A head as JSON."""
    return {
        "features": list(features),
        "mean": [round(v, 6) for v in model.mean],
        "scale": [round(v, 6) for v in model.scale],
        "weights": [round(v, 6) for v in model.weights],
        "bias": round(model.bias, 6),
        "threshold": threshold,
    }


async def train(directory: Path, models: Path, out: Path) -> None:
    """Everything, in order."""
    every = {
        name: [r for r in data.read(directory, name) if r.get("label") in (0, 1)]
        for name in {*data.GROUNDING, *data.GROUNDING_DEV}
    }
    usable = {name: [r for r in every[name] if data.permitted(r) and not data.held(r)] for name in data.GROUNDING}
    table, rare = count_idf([row for rows in usable.values() for row in rows])
    packed = json.dumps({"rare": rare, "stems": table}, separators=(",", ":"), sort_keys=True).encode()
    (out / "idf.json.gz").write_bytes(gzip.compress(packed, 9, mtime=0))
    idf = Idf(table, rare)
    card = Card.load(models / "minilm")
    encoder = MiniLM(
        models / "minilm",
        identity=card.identity("model.onnx"),
        idf=idf,
        threads=2,
        batch_tokens=2048,
        cache_bytes=10**8,
        telemetry=Telemetry(),
        documents_bytes=10**9,
    )
    await encoder.start()
    cross_encoder = load_cross_encoder(out / CROSS_ENCODER, models / "minilm" / "tokenizer.json")
    await cross_encoder.start()
    grounder = EmbeddedGrounder(
        encoder, idf, cross_encoder, heads=Heads(NONE, NONE, NONE, NONE, 0.5, 0.5), identity=cross_encoder.identity
    )
    relevance = FeatureRelevance(
        encoder,
        document_model=NONE,
        answer_model=NONE,
        identity=cross_encoder.identity,
        document_threshold=0.5,
        answer_threshold=0.5,
    )
    heads: dict[str, object] = {}
    lines = await grounding_heads(heads, grounder, cross_encoder, every)
    lines += await relevance_heads(heads, relevance, directory)
    await cross_encoder.stop()
    await encoder.stop()
    (out / "heads.json").write_text(json.dumps(heads, indent=1) + "\n")
    files = {
        name: hashlib.sha256((out / name).read_bytes()).hexdigest()
        for name in ("heads.json", "idf.json.gz", CROSS_ENCODER)
    }
    (out / "card.json").write_text(
        json.dumps(
            {
                "name": "embedded",
                "version": "2-cross-encoder",
                "licence": "Apache-2.0",
                "languages": ["en"],
                "max_tokens": MAX_TOKENS["cross-encoder"],
                "files": files,
                "trained_on": sorted({*usable, *SHARE_ALIKE, "attributionbench_train"}),
                "seed": SEED,
            },
            indent=2,
        )
        + "\n"
    )
    print("\n".join(lines))


def claim_heads(training: Sequence[Example], made: Sequence[Example]) -> Heads:
    """The heads of a claim, of labelled examples; that of its values of those among them that state any, and of made ones."""

    def known(examples: Sequence[Example]) -> tuple[Floats, Floats]:
        labels = np.array([example.label for example in examples], float)
        return labels, set_weights([example.set for example in examples])

    y, weight = known(training)
    lexical = fit_best_choice([example.whole.choices for example in training], y, weight, 10.0)

    def by_words(seen: Seen) -> Floats:
        return claim_row(float(lexical.probability(seen.choices).max()), seen.logit)

    claim = fit(np.concatenate([by_words(one.whole) for one in training]), y, weight, 10.0)
    stating = [one for one in (*training, *made) if one.whole.said.any]
    y, weight = known(stating)
    before = [logit(float(claim.probability(by_words(one.whole))[0])) for one in stating]
    rows = [one.whole.said.row(value) for one, value in zip(stating, before, strict=True)]
    values = fit(np.concatenate(rows), y, weight, 1.0, products=False)
    return Heads(lexical, claim, values, NONE, 0.5, 0.5)


async def grounding_heads(
    heads: dict[str, object], grounder: EmbeddedGrounder, cross_encoder: PairModel, every: dict[str, list[Row]]
) -> list[str]:
    """The claim heads and the answer head, and their table."""
    training: list[Example] = []
    for name in (*data.GROUNDING, "attributionbench_train"):
        rows = data.thin([row for row in every[name] if data.for_combiner(row)], TRAIN_ROWS)
        training += await ground_examples(grounder, cross_encoder, name, rows)
        print(f"{name}: {len(training)} examples so far", flush=True)
    made = rows_of_values([row for name in MADE_OF for row in every[name] if data.for_combiner(row)], MADE_ROWS, SEED)
    claims = claim_heads(training, await ground_examples(grounder, cross_encoder, contrast.SET, made))

    def supports(example: Example) -> list[float]:
        return [claims.of_claim(seen.choices, seen.logit, seen.said) for seen in (example.whole, *example.claims)]

    def row(example: Example) -> Floats:
        whole, *of_claims = supports(example)
        return answer_row(whole, min(of_claims))

    y = np.array([example.label for example in training], float)
    # Only the kinds of answers that are measured, as they come, so that the probabilities mean what they say there.
    like = [n for n, one in enumerate(training) if one.set in data.GROUNDING_DEV]
    rows_of_answers = np.concatenate([row(training[n]) for n in like])
    answer = fit(rows_of_answers, y[like], np.ones(len(like)), 1.0, products=False)
    kept = rows_of_values([row for name in MADE_OF for row in every[name] if data.held(row)], MADE_DEV_ROWS, SEED)
    of_values = await ground_examples(grounder, cross_encoder, contrast.SET, kept)
    held: list[Example] = []
    for name in data.GROUNDING_DEV:
        rows = data.thin([r for r in every[name] if data.held(r)], DEV_ROWS)
        held += await ground_examples(grounder, cross_encoder, name, rows)
        print(f"{name} (held): {len(held)} examples so far", flush=True)
    names, labels = [example.set for example in held], [example.label for example in held]
    columns = {
        "AUROC": [float(answer.probability(row(example))[0]) for example in held],
        "idf coverage": [float(example.whole.choices[-1][FEATURES.index("coverage")]) for example in held],
        "features alone": [float(claims.lexical.probability(example.whole.choices).max()) for example in held],
        "cross-encoder alone": [min(seen.logit for seen in example.claims) for example in held],
    }
    scores = columns["AUROC"]
    singles = [n for n, example in enumerate(held) if example.single]
    of_claims = [supports(held[n])[-1] for n in singles]
    heads["lexical"] = card_of(claims.lexical, FEATURES, 0.5)
    heads["values"] = card_of(claims.values, VALUE_FEATURES, 0.5)
    heads["claim"] = card_of(claims.claim, CLAIM_FEATURES, best_threshold(of_claims, [labels[n] for n in singles]))
    threshold = best_threshold(scores, labels, names)
    heads["answer"] = card_of(answer, ANSWER_FEATURES, threshold)
    heads["detector"] = rates(scores, labels, threshold)
    lines = [
        "### Groundedness",
        "",
        f"| set (held part) | n | {' | '.join(columns)} | ECE |",
        "|---" * (len(columns) + 3) + "|",
    ]
    means = []
    for name in [*dict.fromkeys(names), "all"]:
        of = [n for n, own in enumerate(names) if name in (own, "all")]
        known = [labels[n] for n in of]
        areas = [auroc([values[n] for n in of], known) for values in columns.values()]
        error = calibration_error([scores[n] for n in of], known)
        lines.append(f"| {name} | {len(of)} | {' | '.join(f'{area:.3f}' for area in areas)} | {error:.3f} |")
        means += [areas] if name != "all" else []
    lines.append(f"| mean of the sets | | {' | '.join(f'{area:.3f}' for area in np.mean(means, axis=0))} | |")
    lines.append(
        values_line(of_values, [float(answer.probability(row(example))[0]) for example in of_values], threshold)
    )
    return [*lines, ""]


def values_line(examples: Sequence[Example], scores: Sequence[float], threshold: float) -> str:
    """How well rows with one value changed are told from those with one written in another way."""
    labels = [example.label for example in examples]
    found = rates(scores, labels, threshold)
    return (
        f"\n{contrast.SET}: n {len(labels)}, AUROC {auroc(scores, labels):.3f}; of the changed {found['sensitivity']:.2f} are found, "
        f"of those in another format {found['specificity']:.2f} pass."
    )


async def relevance_heads(heads: dict[str, object], relevance: FeatureRelevance, directory: Path) -> list[str]:
    """The document head and the answer head of relevance, and their tables."""
    lines: list[str] = []
    measure: dict[str, Callable[[], list[tuple[str, str, str, int]]]] = {
        "document_relevance": lambda: [
            (name, row["question"], row["context"], row["label"])
            for name in ("wikiqa", "trecqa", "hallurag_context_relevance")
            for row in data.thin([r for r in data.read(directory, name) if data.held(r)], 800)
        ],
        "answer_relevance": lambda: answer_pairs(directory, held=True),
    }
    source = {"document_relevance": relevance_pairs, "answer_relevance": answer_pairs}
    for head, pairs in source.items():
        training = pairs(directory, held=False)
        x = np.stack([(await relevance.rows(question, [text]))[0] for _, question, text, _ in training])
        y = np.array([label for *_, label in training], float)
        model = fit(x, y, set_weights([f"{name}{label}" for name, *_, label in training]), 10.0, products=False)
        held = [*measure[head](), *(relevance_pairs(directory, held=True) if head == "document_relevance" else [])]
        rows = np.stack([(await relevance.rows(question, [text]))[0] for _, question, text, _ in held])
        scores = [float(p) for p in model.probability(rows)]
        labels = [label for *_, label in held]
        baseline = [float(v) for v in rows[:, RELEVANCE_FEATURES.index("best_cosine")]]
        heads[head] = card_of(model, RELEVANCE_FEATURES, best_threshold(scores, labels))
        lines += [*measured(head, by_set([name for name, *_ in held], scores, baseline, labels)), ""]  # type: ignore[arg-type]
        print(f"{head}: trained on {len(training)} pairs", flush=True)
    return lines


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("sidecar/inference/models"))
    parser.add_argument("--out", type=Path, default=Path("sidecar/inference/models/embedded"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(train(args.data, args.models, args.out))


if __name__ == "__main__":
    main()

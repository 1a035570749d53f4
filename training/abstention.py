"""Trains and measures the classifier of abstentions (sidecar/inference/abstention.py): minutes on two cores.

    python -m training.abstention train --data DIR --out DIR
    python -m training.export_bert abstention DIR --data DIR
    python -m training.abstention measure --data DIR

The first starts from the lower layers of the packaged cross-encoder and writes what the second takes. The third writes the model's card with
its thresholds, so that of ordinary answers between openings and closings one in two thousand counts as declining where the rules do not say
so, and prints what rules and model find on answers that no training read.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy

from exporters.result import Abstention
from sidecar.evaluate.stance import declining, stance_by
from sidecar.evaluate.text.abstain import DECLINES, abstains, stance_of
from sidecar.evaluate.text.claims import claims_of
from sidecar.inference.abstention import CLASSIFIER, FOLDER, KINDS, AbstentionClassifier, as_read, packaged_classifier
from sidecar.inference.pairs import CROSS_ENCODER
from sidecar.inference.runtime import PACKAGED
from sidecar.inference.words import NAME, words_of
from sidecar.observe.telemetry import Telemetry
from training import data
from training.abstention_rows import GOLDEN, Row, dressed, ordinary, read, written
from training.plain_encoder import MINILM, PlainEncoder
from training.quantise import weights_of

LAYERS = 3
EPOCHS = 3
RATE = 8e-5
BATCH = 32
SMOOTHING = 0.02
WITHOUT_QUESTION = 0.15
WARM_UP_STEPS = 50
MAX_TOKENS = 288
FALSE_ALARMS = 0.0005
LEAST_SURE = 0.5
SEED = 7
TIMES = {"g": 3}  # Few, of words that mean a text and something else.
_HELD_FILES = ("abstain_four", "abstain_held", "abstain_blind")
_SORTED = 20 * BATCH
_CLS, _SEP = 101, 102


def start() -> PlainEncoder:
    """The lower layers of the packaged cross-encoder under a new head."""
    graph = PACKAGED / "embedded" / CROSS_ENCODER
    stored = {one.name: one for one in onnx.load(graph, load_external_data=False).graph.initializer}
    weights = {name: torch.from_numpy(value.copy()) for name, value in weights_of(graph).items() if "head" not in name}
    table = words_of(PACKAGED)[NAME].astype(np.float32) * numpy_helper.to_array(stored["words.scale"])
    model = PlainEncoder(replace(MINILM, layers=LAYERS))
    model.take({**weights, "embeddings.word_embeddings.weight": torch.from_numpy(table)})
    model.head = torch.nn.Linear(model.head.in_features, len(KINDS))
    return model


def tokens(tokenizer: Tokenizer, row: Row, *, asked: bool = True) -> tuple[list[int], list[int]]:
    """Ids and segments of a row."""
    question, answer = as_read(row["question"] if asked else "", row["answer"])
    first, second = (tokenizer.encode(text, add_special_tokens=False).ids for text in (question, answer))
    ids, types = [_CLS, *first, _SEP, *second, _SEP], [0] * (len(first) + 2) + [1] * (len(second) + 1)
    return ids[:MAX_TOKENS], types[:MAX_TOKENS]


def padded(made: Sequence[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, segments and mask, each (texts, tokens)."""
    longest = max(len(ids) for ids, _ in made)
    ids, types = torch.zeros(len(made), longest, dtype=torch.long), torch.zeros(len(made), longest, dtype=torch.long)
    for n, (own, of) in enumerate(made):
        ids[n, : len(own)], types[n, : len(of)] = torch.tensor(own), torch.tensor(of)
    return ids, types, ids > 0


def train(directory: Path, out: Path) -> None:
    """Train on the written answers and ordinary ones, and write the weights."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    rows = [row for row in written() for _ in range(TIMES.get(row.get("writer", ""), 1))]
    rows += ordinary(directory, held=False)
    tokenizer = Tokenizer.from_file(str(PACKAGED / "minilm" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model = start()
    trained = [one for one in model.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01)
    kinds = [kind.value for kind in KINDS]
    steps, step, began = EPOCHS * (len(rows) // BATCH), 0, time.monotonic()
    model.train()
    for epoch in range(EPOCHS):
        running = 0.0
        rng.shuffle(rows)
        parts = [
            sorted(rows[n : n + _SORTED], key=lambda row: len(row["answer"])) for n in range(0, len(rows), _SORTED)
        ]
        batches = [part[n : n + BATCH] for part in parts for n in range(0, len(part), BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP_STEPS) * max(0.02, 1 - step / steps)
            said = [{**row, "answer": dressed(row["answer"], rng)} for row in batch]
            made = [tokens(tokenizer, row, asked=rng.random() >= WITHOUT_QUESTION) for row in said]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, _ = model(*padded(made))
            told = torch.tensor([kinds.index(row["kind"]) for row in batch])
            loss = cross_entropy(logits.float(), told, label_smoothing=SMOOTHING)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            step += 1
            running += loss.item()
        print(epoch, round(running / len(batches), 4), f"{time.monotonic() - began:.0f} s", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    save_file(
        {n if "head" in n else f"bert.{n}": v for n, v in model.by_name().items()}, str(out / "model.safetensors")
    )
    tokenizer.save(str(out / "tokenizer.json"))
    shape = {
        "num_hidden_layers": LAYERS,
        "hidden_size": MINILM.width,
        "num_attention_heads": MINILM.heads,
        "layer_norm_eps": MINILM.epsilon,
    }
    (out / "config.json").write_text(json.dumps(shape))


async def surely(model: AbstentionClassifier, row: Row) -> tuple[float, float]:
    """How sure the model is that an answer that the rules let pass declines, and that it does so in part: that it is partial and that one of several claims declines."""
    stance = stance_of(row["answer"])
    if stance.kind in DECLINES:
        return 0.0, 0.0
    [likely] = await model.kinds(row["question"], [row["answer"]])
    if likely is None:
        return 0.0, 0.0
    texts = [claim.text for claim in claims_of(stance.left)]
    if stance.kind is not Abstention.NONE or len(texts) < 2:
        return declining(likely), 0.0
    silent = max(declining(one) if one else 0.0 for one in await model.kinds(row["question"], texts))
    return declining(likely), min(likely[Abstention.PARTIAL], silent)


def loaded() -> AbstentionClassifier:
    """The packaged classifier; start it before use."""
    return packaged_classifier(PACKAGED, threads=2, batch_tokens=2048, telemetry=Telemetry(), tables=words_of(PACKAGED))


def write_card(threshold: float, part_threshold: float) -> None:
    """The card of the packaged classifier."""
    folder = PACKAGED / FOLDER
    card = {
        "name": "abstention",
        "version": "1",
        "licence": "Apache-2.0",
        "languages": ["en"],
        "max_tokens": MAX_TOKENS,
        "threshold": round(threshold, 3),
        "part_threshold": round(part_threshold, 3),
        "files": {CLASSIFIER: hashlib.sha256((folder / CLASSIFIER).read_bytes()).hexdigest()},
    }
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


async def measure(directory: Path) -> None:
    """Choose the thresholds on every other ordinary answer, write the card, print what is found."""
    write_card(1.0, 1.0)
    model = loaded()
    await model.start()
    rng = random.Random(SEED)
    held = [{**row, "answer": dressed(row["answer"], rng)} for row in ordinary(directory, held=True) if row["question"]]
    sure = np.array([await surely(model, row) for row in held[::2]])
    model.threshold, of_parts = (float(at) for at in np.quantile(sure, 1 - FALSE_ALARMS, axis=0))
    model.part_threshold = max(LEAST_SURE, of_parts)
    write_card(model.threshold, model.part_threshold)
    others = [
        (stance_of(row["answer"]).kind, (await stance_by(model, row["question"], row["answer"])).kind)
        for row in held[1::2]
    ]
    changed = Counter(now for before, now in others if now is not before)
    print(
        f"thresholds {model.threshold:.3f}, {model.part_threshold:.3f}; of {len(others)} other ordinary answers changed: {dict(changed)}"
    )
    sets = {name: read(GOLDEN.with_name(f"{name}.jsonl")) for name in _HELD_FILES}
    for row in data.read(directory, "xstest_refusal"):
        kind = Abstention.FULL if row["noncommittal"] else Abstention.NONE
        told = {"question": row["question"], "answer": row["claim"], "kind": kind.value}
        sets.setdefault(f"xstest_refusal, {row['split']}", []).append(told)
    print(
        "| set | n | by rules: precision | recall | F1 | with the model: precision | recall | F1 | partial ones told, rules, model |\n|"
        + "---|" * 9
    )
    for name, rows in sets.items():
        stances = [(await stance_by(model, row["question"], row["answer"])).kind for row in rows]
        right = [row["kind"] in DECLINES for row in rows]
        by_rules = [abstains(row["answer"]) for row in rows]
        cells = [*_found(by_rules, right), *_found([kind in DECLINES for kind in stances], right)]
        partial = [
            kind is Abstention.PARTIAL for kind, row in zip(stances, rows, strict=True) if row["kind"] == "partial"
        ]
        print(
            f"| {name} | {len(rows)} | {' | '.join(f'{cell:.3f}' for cell in cells)} | {sum(partial)} of {len(partial)} |",
            flush=True,
        )
    await model.stop()


def _found(told: Sequence[bool], right: Sequence[bool]) -> tuple[float, float, float]:
    both = sum(a and b for a, b in zip(told, right, strict=True))
    precision, recall = both / max(1, sum(told)), both / max(1, sum(right))
    return precision, recall, 2 * both / max(1, sum(told) + sum(right))


def main() -> None:
    """Train or measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "measure"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("build/abstention"))
    args = parser.parse_args()
    if args.what == "train":
        train(args.data, args.out)
    else:
        asyncio.run(measure(args.data))


if __name__ == "__main__":
    main()

"""How well a Chinese cross-encoder tells what is said, by itself and weighed with lexical-zh: the table of docs/models/lexical-zh.md.

    python -m training.chinese_measure GRAPH TOKENIZER.json --data DIR

After training.cross_encoder --chinese and training.export_bert cross-encoder --chinese; seven minutes on two cores. The head over both is fit on texts
and folds that the cross-encoder did not read (zh_heads.jsonl, folds 6 and 7; lexical-zh was fit on those folds too), one for statements and
one for short answers; held texts and folds, and sets that nothing is trained on, are measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidecar.inference.base import Claim
from sidecar.inference.calibrated import Logistic, logit
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import pieces
from sidecar.inference.grounding.han_features import CLAIM_FEATURES
from sidecar.inference.grounding.lexical_zh import HEADS, IDF, NAME, claim_rows, supported
from sidecar.inference.runtime import PACKAGED
from training import data
from training.chinese import MEASURED, PASSAGES, Reader, chinese, claim_of, texts
from training.chinese_statements import answers, changed
from training.export_bert import load_cross_encoder
from training.logistic import Floats, fit, set_weights
from training.measure import auroc

SEED = 7
_STATED, _ROWS = 300, 1200
_TRAINED_ON = (*PASSAGES, "expmrc_evidence", "uhgeval_sentences")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim beside a text, 1 where that says it."""

    set: str
    claim: Claim
    context: str
    label: int


def written(name: str) -> Iterator[Labelled]:
    """The claims and short answers of a file of written texts."""
    for one in texts(name):
        for kind, claim in one.claims:
            yield Labelled("written", Claim(claim), one.text, int(kind == "s"))
        for question, answer, right in one.short:
            yield Labelled("written, short", Claim(answer, question=question, short=True), one.text, int(right))


def stated(directory: Path, folds: frozenset[int]) -> Iterator[Labelled]:
    """Statements made by rule, and those of UHGEval, of some folds."""
    rows = {name: [row for row in chinese(directory, name) if data.fold_of(row) in folds] for name in _TRAINED_ON}
    made = [one for name in PASSAGES for one in changed(data.thin(rows[name], 3 * _STATED), seed=SEED)]
    for one in (*made, *answers(rows["expmrc_evidence"], seed=SEED)):
        yield Labelled(one.kind, claim_of(one.text, one.question), one.context, one.label)
    for row in rows["uhgeval_sentences"]:
        yield Labelled("uhgeval", Claim(row["claim"]), row["context"], row["label"])


def unread(directory: Path) -> Iterator[Labelled]:
    """Rows of sets that nothing is trained on."""
    for name, task in MEASURED.items():
        if task == "grounding" and name not in _TRAINED_ON:
            for row in data.thin(chinese(directory, name), _ROWS):
                yield Labelled(name, claim_of(row["claim"], row.get("question") or ""), row["context"], row["label"])


async def read(rows: Sequence[Labelled], graph: Path, tokenizer: Path) -> Floats:
    """The logits (rows, 2) of lexical-zh and of the cross-encoder."""
    lexical = json.loads((PACKAGED / NAME / HEADS).read_text(encoding="utf-8"))
    by_words, idf = Logistic.from_card(lexical["claim"], CLAIM_FEATURES), Idf.load(PACKAGED / NAME / IDF)
    features = np.concatenate([claim_rows([row.claim], pieces([row.context]), idf)[0] for row in rows])
    reader = Reader()
    pairs = [reader.claim(row.set, row.claim, [row.context], "yes") for row in rows]
    model = load_cross_encoder(graph, tokenizer)
    await model.start()
    try:
        said = await model.score([(pair.second, pair.first) for pair in pairs])
    finally:
        await model.stop()
    return np.array([[logit(float(p)), one] for p, one in zip(supported(by_words, features), said, strict=True)])


def both(trained: Sequence[Labelled], x: Floats, held: Sequence[Labelled], of_held: Floats) -> Floats:
    """The probability of each held claim by a head over both logits: one of statements, one of short answers."""
    y = np.array([one.label for one in trained], float)
    weight = set_weights([f"{one.set}{one.label}" for one in trained])
    found = np.zeros(len(held))
    for short in (False, True):
        own = np.array([one.claim.short is short for one in trained])
        model = fit(x[own], y[own], weight[own], 10.0, products=False)
        asked = np.array([one.claim.short is short for one in held])
        found[asked] = model.probability(of_held[asked])
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    trained = [*written("zh_heads"), *stated(args.data, data.COMBINER_FOLDS)]
    held = [*written("zh_held"), *stated(args.data, data.HELD_FOLDS), *unread(args.data)]
    x = asyncio.run(read([*trained, *held], args.graph, args.tokenizer))
    of_held = x[len(trained) :]
    columns = (of_held[:, 0], of_held[:, 1], both(trained, x[: len(trained)], held, of_held))
    print("| set | n | lexical-zh | cross-encoder alone | both |\n|---|---|---|---|---|")
    for name in dict.fromkeys(one.set for one in held):
        of = [n for n, one in enumerate(held) if one.set == name]
        labels = [held[n].label for n in of]
        if len(set(labels)) == 2:
            areas = [auroc([float(column[n]) for n in of], labels) for column in columns]
            print(f"| {name} | {len(of)} | {' | '.join(f'{area:.3f}' for area in areas)} |")


if __name__ == "__main__":
    main()

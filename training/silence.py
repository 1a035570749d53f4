"""Fits what tells sentences that decline (sidecar/evaluate/text/silence.py).

    python -m training.silence --data DIR [--out FILE]

Positive are sentences of answers written by hand that decline (training/written/abstain_trained.jsonl, tests/golden/evaluate/abstain.jsonl). Of an
answer it is known whether it declines in `full`, in part or not, but not which of its sentences does: as in learning from bags (Maron and
Lozano-Perez 1998), those that the fit before likes most are taken, at least one of each answer that declines, and of a partial one at least one that
does not. Negative are ordinary sentences of labelled sets and of training/written. Prints what it finds among held answers.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from exporters.result import Abstention
from sidecar.evaluate.text import declining
from sidecar.evaluate.text.claims import read_answer
from sidecar.evaluate.text.silence import features, may_decline
from training import data
from training.sentences import stated
from training.written import FOLDER

GOLDEN = Path("tests/golden/evaluate/abstain.jsonl")
OUT = Path("sidecar/evaluate/text/silence.json")
RIDGE = 0.5
ROUNDS = 5
LEAST_SEEN = 3  # times among the answers, of a feature
ORDINARY = 40_000
MOST_OF_SET = 1500
ORDINARY_WEIGHT = 0.05
GOLDEN_TIMES = 2  # Those of the golden file are what was agreed.
FALSE_ALARMS = 0.002  # of ordinary sentences, some of which do decline
LEAST_WEIGHT = 0.02
_ABSTENTION = {"delucionqa_noncommittal", "simpleqa_gpt4o_answers", "xstest_refusal"}


@dataclass(frozen=True, slots=True)
class Bag:
    """An answer's sentences, of which it is known how far they decline together."""

    sentences: tuple[str, ...]
    kind: Abstention


def bags(path: Path) -> list[Bag]:
    """English answers of a file. One that asks back teaches nothing here."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    read = [(read_answer(row["answer"]).statements, Abstention(row["kind"])) for row in rows]
    return [
        Bag(tuple(one.whole for one in said), kind)
        for said, kind in read
        if said and kind is not Abstention.CLARIFICATION and all(one.language == "en" for one in said)
    ]


def ordinary(directory: Path) -> list[str]:
    """Sentences of answers that do not decline in the usual phrases, in a fixed order: rows that training may read, and sentences written by hand."""
    names = sorted({path.name.removesuffix(".jsonl.xz") for path in directory.glob("*.jsonl.xz")} - _ABSTENTION)
    rows = [
        row for name in names for row in data.thin(filter(data.for_encoder, data.read(directory, name)), MOST_OF_SET)
    ]
    texts = [row["claim"] for row in rows if row.get("claim")]
    texts += [said for block in stated("trained") for _, said in block.pairs()]
    order = np.random.default_rng(7).permutation(len(texts))
    found: dict[str, None] = {}
    for at in order:
        said = read_answer(texts[at]).statements
        found.update(
            (one.whole, None)
            for one in said
            if one.language == "en" and not declining.declines(one.whole, idioms=False)
        )
        if len(found) > 1.5 * ORDINARY:
            break
    return list(found)


class Fit:
    """A ridge logistic regression over the features of sentences."""

    def __init__(self, sentences: Sequence[str], own: int) -> None:
        seen = [features(one) for one in sentences]
        counts = Counter(one for found in seen[:own] for one in found)
        self.places = {one: at for at, one in enumerate(sorted(k for k, n in counts.items() if n >= LEAST_SEEN))}
        pairs = [(row, self.places[one]) for row, found in enumerate(seen) for one in found if one in self.places]
        rows, columns = torch.tensor(pairs).T
        self.x = torch.sparse_coo_tensor(
            torch.stack([rows, columns]), torch.ones(len(pairs)), (len(seen), len(self.places)), check_invariants=True
        ).coalesce()
        self.beta = torch.zeros(len(self.places) + 1, requires_grad=True)

    def fit(self, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Fit, from where the last fit ended; the logits (sentences,)."""
        optimiser = torch.optim.LBFGS([self.beta], max_iter=200, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            optimiser.zero_grad()
            each = torch.nn.functional.binary_cross_entropy_with_logits(self.logits(), labels, reduction="none")
            total: torch.Tensor = (each * weights).sum() + RIDGE / 2 * self.beta[:-1].square().sum()
            total.backward()  # type: ignore[no-untyped-call, unused-ignore]
            return total

        optimiser.step(loss)  # type: ignore[no-untyped-call, unused-ignore]
        with torch.no_grad():
            return self.logits()

    def logits(self) -> torch.Tensor:
        """Of each sentence."""
        product: torch.Tensor = torch.mv(self.x, self.beta[:-1])
        return product + self.beta[-1]

    def written(self) -> tuple[float, dict[str, float]]:
        """The bias, and the weights that matter."""
        *each, bias = self.beta.detach().tolist()
        return round(bias, 3), {
            one: round(each[at], 3) for one, at in self.places.items() if abs(each[at]) >= LEAST_WEIGHT
        }


def labels_of(found: Sequence[Bag], logits: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Which sentences of the answers decline, (sentences,), and how much each weighs: at first as the rules say, then as the fit before."""
    labels: list[float] = []
    weights: list[float] = []
    for bag in found:
        size, at = len(bag.sentences), len(labels)
        if bag.kind is Abstention.NONE:
            own = [False] * size
        elif logits is None:
            own = [declining.declines(one, idioms=False) for one in bag.sentences]
            own = own if any(own) else [True] * size
        else:
            part = logits[at : at + size]
            own = (part > 0).tolist()
            own[int(part.argmax())] = True
            if bag.kind is Abstention.PARTIAL:
                own[int(part.argmin())] = False
        unknown = bag.kind is Abstention.PARTIAL and (size == 1 or logits is None)
        labels += map(float, own)
        weights += [0.0 if unknown else 1.0] * size
    return torch.tensor(labels), torch.tensor(weights)


def fitted(found: Sequence[Bag], negative: Sequence[str], held: Sequence[str]) -> dict[str, object]:
    """silence.json: the bias, the threshold on the sum that so many of `held` ordinary sentences pass, and the weights."""
    own = [one for bag in found for one in bag.sentences]
    fit = Fit([*own, *negative], len(own))
    logits = None
    for _ in range(ROUNDS):
        labels, weights = labels_of(found, logits)
        logits = fit.fit(
            torch.cat([labels, torch.zeros(len(negative))]),
            torch.cat([weights, torch.full((len(negative),), ORDINARY_WEIGHT)]),
        )
    bias, by_name = fit.written()
    sums = [
        bias + sum(by_name.get(one, 0.0) for one in found) if may_decline(found) else -99.0
        for found in map(features, held)
    ]
    return {"bias": bias, "threshold": round(float(np.quantile(sums, 1 - FALSE_ALARMS)), 3), "weights": by_name}


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    sentences = ordinary(args.data)
    found = [*bags(FOLDER / "abstain_trained.jsonl"), *GOLDEN_TIMES * bags(GOLDEN)]
    card = fitted(found, sentences[:ORDINARY], sentences[ORDINARY:])
    args.out.write_text(json.dumps(card, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(found)} answers, {len(sentences)} ordinary sentences, threshold {card['threshold']}: {args.out}")


if __name__ == "__main__":
    main()

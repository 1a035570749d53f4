"""The heads of answers in a few words: beside their question, and of a plain yes or no.

Fit on every other held text of training/written/short_held.jsonl and on labelled answers of a few words; measured on the other texts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sidecar.inference.base import Claim
from sidecar.inference.calibrated import Logistic, logit
from sidecar.inference.grounding.asked import ASKED_FEATURES, YES_OR_NO_FEATURES, asked_row, with_question, yes_or_no
from sidecar.inference.grounding.embedded import EmbeddedGrounder, Heads
from sidecar.inference.pairs import PairModel
from training import data
from training.logistic import Floats, card_of, fit, set_weights
from training.measure import auroc, calibration_error
from training.short_answers import SET, ShortPair, held_short, short_answers

LABELLED = "halueval_qa"
FALSE_ALARMS = 0.05
_SHORT_WORDS, _LABELLED_ROWS = 8, 240
_AT_ONCE = 12


@dataclass(frozen=True, slots=True)
class SeenShort:
    """An answer in a few words: its set and kind, the claim, the probability of its words alone, the cross-encoder's logit of them with the
    question, and its label."""

    set: str
    kind: str
    claim: Claim
    alone: float
    with_question: float
    label: int


async def _seen(
    grounder: EmbeddedGrounder, cross_encoder: PairModel, heads: Heads, of: str, pairs: Sequence[ShortPair]
) -> list[SeenShort]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(pair: ShortPair) -> SeenShort:
        claim = Claim(pair.answer, question=pair.question, short=True)
        both = [claim, with_question(claim)]
        async with gate:
            found = await grounder.read(both, pair.texts)
            alone, asked = await cross_encoder.score([(one.premise, one.claim) for one in found])
        p = heads.of_claim(found[0].rows, alone, found[0].said, found[0].contrary)
        return SeenShort(of, pair.kind, claim, p, asked, int(pair.right))

    return list(await asyncio.gather(*map(read, pairs)))


async def short_heads(
    heads: dict[str, object], claims: Heads, grounder: EmbeddedGrounder, cross_encoder: PairModel, directory: Path
) -> list[str]:
    """Both heads, and their table. `claims` are the heads of a claim alone, and its threshold."""
    blocks = short_answers("held")
    fitting = await _seen(grounder, cross_encoder, claims, SET, list(held_short(blocks[::2])))
    measured = await _seen(grounder, cross_encoder, claims, SET, list(held_short(blocks[1::2])))
    fitting += await _seen(grounder, cross_encoder, claims, LABELLED, _labelled(directory, held=False))
    measured += await _seen(grounder, cross_encoder, claims, LABELLED, _labelled(directory, held=True))
    least = claims.claim_threshold
    read = [one for one in fitting if not yes_or_no(one.claim)]
    asked = _fit(read, least, lambda one: asked_row(one.alone, one.with_question))
    bare = [one for one in fitting if yes_or_no(one.claim)]
    plain = _fit(bare, least, lambda one: np.array([[one.with_question]]))
    heads["asked"] = card_of(asked, ASKED_FEATURES, claims.claim_threshold)
    heads["yes_or_no"] = card_of(plain, YES_OR_NO_FEATURES, claims.claim_threshold)
    return _table(measured, replace(claims, asked=asked, yes_or_no=plain))


def _fit(examples: Sequence[SeenShort], threshold: float, row: Callable[[SeenShort], Floats]) -> Logistic:
    """A head, moved so that FALSE_ALARMS of the good hand-written answers that it was fit on stand below the claims' threshold, as of other
    answers."""
    y = np.array([one.label for one in examples], float)
    weight = set_weights([f"{one.set} {one.label}" for one in examples])
    rows = np.concatenate([row(one) for one in examples])
    head = fit(rows, y, weight, 1.0, products=False)
    good = np.array([one.set == SET and one.label == 1 for one in examples])
    below = float(np.quantile(head.probability(rows)[good], FALSE_ALARMS))
    return replace(head, bias=head.bias + logit(threshold) - logit(below))


def _labelled(directory: Path, *, held: bool) -> list[ShortPair]:
    rows = [
        row
        for row in data.read(directory, LABELLED)
        if row.get("question") and len(row["claim"].split()) <= _SHORT_WORDS
        if (data.held(row) if held else data.for_combiner(row))
    ]
    return [
        ShortPair("labelled", row["question"], row["claim"], (row["context"],), row["label"] == 1)
        for row in data.thin(rows, _LABELLED_ROWS)
    ]


def _table(measured: Sequence[SeenShort], claims: Heads) -> list[str]:
    """AUROC by kind of the score and of its parts, and the share of good and of bad answers below the claims' threshold."""
    lines = [
        "### Answers in a few words",
        "",
        "| kind | n | with its question | words alone | cross-encoder with the question | ECE | good below the threshold | bad below it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind in dict.fromkeys(one.kind for one in measured):
        of = [one for one in measured if one.kind == kind]
        scores = [claims.of_short(one.claim, one.alone, one.with_question) for one in of]
        y = [one.label for one in of]
        areas = [auroc(values, y) for values in (scores, [one.alone for one in of], [one.with_question for one in of])]
        below = [
            np.mean(
                [score < claims.claim_threshold for score, one in zip(scores, of, strict=True) if one.label == label]
            )
            for label in (1, 0)
        ]
        cells = [
            *(f"{area:.3f}" for area in areas),
            f"{calibration_error(scores, y):.3f}",
            *(f"{share:.3f}" for share in below),
        ]
        lines.append(f"| {kind} | {len(of)} | {' | '.join(cells)} |")
    return [*lines, ""]

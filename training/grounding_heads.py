"""The calibrated heads of grounding: support of a claim, consistency of an answer, and where the verdict's threshold stands.

Rows that the cross-encoder did not train on, since it is surer of those that it did: sets of answers and claims, contrast sets, in which
words agree and facts do not, and rows with one value changed, or written in another way (contrast.py), so that a value that disagrees
weighs what it should. The threshold is chosen on held rows of one fold, its error rates counted on the others.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sidecar.evaluate.metrics.faithfulness import expected_faithfulness
from sidecar.evaluate.text.abstain import stance_of
from sidecar.inference.base import Claim
from sidecar.inference.calibrated import Logistic, logit
from sidecar.inference.grounding.claims import answer_row
from sidecar.inference.grounding.contradiction import Contrary
from sidecar.inference.grounding.embedded import (
    ANSWER_FEATURES,
    CLAIM_FEATURES,
    EmbeddedGrounder,
    Heads,
    claim_row,
)
from sidecar.inference.grounding.features import FEATURES
from sidecar.inference.grounding.values_said import VALUE_FEATURES, Said
from sidecar.inference.pairs import PairModel
from training import contrast, data
from training.contrast import rows_of_values
from training.data import Row
from training.logistic import Floats, card_of, fit, fit_best_choice, set_weights
from training.measure import auroc, calibration_error, operating_threshold, rates, wilson
from training.pairs import MOST_QUESTION_WORDS
from training.sentences import SET as SENTENCES
from training.sentences import Stated
from training.sentences import answers as whole_answers
from training.short_heads import short_heads
from training.written import SET as WRITTEN
from training.written import Written, written

SEED = 7
CONTRAST = ("scone_nli", "condaqa_yesno_dev", "cad_snli", "infotabs_lines", "paws_wiki_dev")
OPERATING = (
    "lfqa_verification", "summac_human", "factcheckgpt", "attributionbench_train", "wice_oracle_chunks", "expertqa", "halueval_qa",
)  # fmt: skip
MADE_OF = (
    "expertqa", "factcg_synthetic", "factcheckgpt", "halueval_qa", "summac_human", "wice_oracle_chunks", "q2_wow", "foolmetwice",
)  # fmt: skip
NONE = Logistic(np.zeros(1), np.ones(1), np.zeros(2), 0.0)
# Of the good answers, as the rows that choose have it: a little less than the 5 % that are wanted, since by choosing they flatter.
MOST_ALARMS = 0.045
_ROWS, _CONTRAST_ROWS, _HELD_ROWS, _HELD_CONTRAST_ROWS = 240, 120, 220, 100
_MADE_ROWS, _MADE_HELD_ROWS = 450, 200
# Claims of texts in two versions, and how much all of them weigh, where a labelled set weighs one.
_BY_HAND_ROWS, BY_HAND = 400, 2.0
_THRESHOLD_FOLD = 8
_AT_ONCE = 12


@dataclass(frozen=True)
class Seen:
    """Features (choices of evidence, features), the cross-encoder's logit, what became of the values, and what is said to the contrary."""

    choices: Floats
    logit: float
    said: Said
    contrary: Contrary


@dataclass(frozen=True)
class Example:
    """One pair with everything that the heads look at, of the whole answer, then of each claim. `chooses`: whether it chooses the
    threshold, and so counts in no rate."""

    set: str
    label: int
    chooses: bool
    whole: Seen
    claims: list[Seen]


@dataclass(frozen=True)
class Scored:
    """Held examples with the support of their claims and the score of the answer."""

    examples: list[Example]
    supports: list[list[float]]
    scores: list[float]

    @property
    def names(self) -> list[str]:
        """The set of each."""
        return [one.set for one in self.examples]

    @property
    def labels(self) -> list[int]:
        """The label of each."""
        return [one.label for one in self.examples]

    def where(self, wanted: Callable[[Example], bool]) -> Scored:
        """Some of them."""
        kept = [n for n, one in enumerate(self.examples) if wanted(one)]
        return Scored(
            [self.examples[n] for n in kept], [self.supports[n] for n in kept], [self.scores[n] for n in kept]
        )


async def examples_of(
    grounder: EmbeddedGrounder, cross_encoder: PairModel, name: str, rows: Sequence[Row]
) -> list[Example]:
    """Each row, its claim as a whole and sentence by sentence, as the product reads it."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(row: Row) -> Example | None:
        question = (row.get("question") or "").strip()
        question = question if len(question.split()) <= MOST_QUESTION_WORDS else ""
        stance = stance_of(row["claim"])
        own = list(stance.claims) or [Claim(row["claim"])]
        claims = [Claim(stance.stated or row["claim"]), *own]
        claims = [Claim(one.text, one.context, question=question) for one in claims]
        async with gate:
            found = await grounder.read(claims, [row["context"]])
            logits = await cross_encoder.score([(one.premise, one.claim) for one in found])
        if not all(one.nearest for one in found):
            return None
        whole, *of_claims = [
            Seen(one.rows, value, one.said, one.contrary) for one, value in zip(found, logits, strict=True)
        ]
        chooses = data.held(row) and data.fold_of(row) == _THRESHOLD_FOLD
        return Example(name, int(row["label"]), chooses, whole, of_claims)

    return [one for one in await asyncio.gather(*map(read, rows)) if one is not None]


def claim_heads(training: Sequence[Example], made: Sequence[Example], by_hand: Sequence[Example]) -> Heads:
    """The heads of a claim: of its words, of labelled examples; of its words and the cross-encoder, of these and of claims of texts in two versions, of
    which words tell nothing; of its values, of labelled ones that state any, and of made ones."""

    def known(examples: Sequence[Example]) -> tuple[Floats, Floats]:
        labels = np.array([example.label for example in examples], float)
        return labels, set_weights([example.set for example in examples])

    y, weight = known(training)
    lexical = fit_best_choice([example.whole.choices for example in training], y, weight, 10.0)

    def by_words(seen: Seen) -> tuple[float, float]:
        return float(lexical.probability(seen.choices).max()), seen.logit

    of_a_set = float(weight.sum()) / len({example.set for example in training})
    both = np.concatenate([weight, np.full(len(by_hand), BY_HAND * of_a_set / max(1, len(by_hand)))])
    labels = np.array([example.label for example in (*training, *by_hand)], float)
    claim = fit(np.concatenate([claim_row(*by_words(one.whole)) for one in (*training, *by_hand)]), labels, both, 10.0)
    stating = [one for one in (*training, *made) if one.whole.said.any]
    y, weight = known(stating)
    heads = Heads(lexical, claim, NONE, NONE, NONE, NONE, 0.5, 0.5)
    before = [logit(heads.by_words(*by_words(one.whole), one.whole.said)) for one in stating]
    rows = [one.whole.said.row(value) for one, value in zip(stating, before, strict=True)]
    values = fit(np.concatenate(rows), y, weight, 1.0, products=False)
    return replace(heads, values=values)


def rows_by_hand(texts: Sequence[Written], blocks: Sequence[Stated]) -> list[Row]:
    """Claims of texts in two versions, each beside one of them, and whole answers beside their texts, as labelled rows."""
    versions = [one for text in texts for one in text.pairs()]
    whole = [(says, said, "\n".join(block.texts)) for block in blocks for says, said in block.pairs()]
    chance = random.Random(SEED)
    return [
        {"claim": claim, "context": text, "label": int(says == "yes"), "doc_cluster": text, "set": WRITTEN}
        for of in (versions, whole)
        for says, claim, text in chance.sample(of, min(_BY_HAND_ROWS, len(of)))
    ]


def supports_of(claims: Heads, example: Example) -> list[float]:
    """The support of the whole answer, then of each claim."""
    return [
        claims.of_claim(seen.choices, seen.logit, seen.said, seen.contrary) for seen in (example.whole, *example.claims)
    ]


def answer_of(supports: Sequence[float]) -> Floats:
    """What the answer's head reads of them."""
    whole, *of_claims = supports
    return answer_row(whole, min(of_claims))


def claim_threshold(answer: Logistic, threshold: float) -> float:
    """The support at which an answer of one claim stands just at the answer's threshold: claims and verdict tell one story."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if float(answer.probability(answer_row(middle, middle))[0]) < threshold else (low, middle)
        )
    return round(high, 4)


async def grounding_heads(
    heads: dict[str, object], grounder: EmbeddedGrounder, cross_encoder: PairModel, directory: Path
) -> list[str]:
    """The heads of claims and answers, thresholds and error rates, and their tables."""

    async def read(names: Sequence[str], most: int, takes: Callable[[Row], bool]) -> list[Example]:
        found: list[Example] = []
        for name in names:
            rows = (
                row
                for row in data.read(directory, name)
                if row.get("label") in (0, 1) and row.get("context") and takes(row)
            )
            found += await examples_of(grounder, cross_encoder, name, data.thin(rows, most))
            print(f"{name}: {len(found)} examples so far", flush=True)
        return found

    def made(takes: Callable[[Row], bool], most: int) -> list[Row]:
        every = [
            row for name in MADE_OF for row in data.read(directory, name) if row.get("label") in (0, 1) and takes(row)
        ]
        return rows_of_values(every, most, SEED)

    answers = await read((*data.GROUNDING, "attributionbench_train"), _ROWS, data.for_combiner)
    contrasts = await read(CONTRAST, _CONTRAST_ROWS, data.for_combiner)
    of_values = await examples_of(grounder, cross_encoder, contrast.SET, made(data.for_combiner, _MADE_ROWS))
    versions, whole = written("held"), whole_answers("held")
    by_hand = await examples_of(grounder, cross_encoder, WRITTEN, rows_by_hand(versions[::2], []))
    held_by_hand = await examples_of(grounder, cross_encoder, WRITTEN, rows_by_hand(versions[1::2], []))
    claims = claim_heads([*answers, *contrasts], of_values, by_hand)
    # Only the kinds of answers that are measured, as they come, so that the probabilities mean what they say there.
    like = [one for one in answers if one.set in OPERATING]
    rows = np.concatenate([answer_of(supports_of(claims, one)) for one in like])
    answer = fit(rows, np.array([one.label for one in like], float), np.ones(len(like)), 1.0, products=False)

    def score(examples: list[Example]) -> Scored:
        supports = [supports_of(claims, one) for one in examples]
        return Scored(examples, supports, [float(answer.probability(answer_of(one))[0]) for one in supports])

    held = score(await read((*data.GROUNDING_DEV, "expertqa"), _HELD_ROWS, data.held))
    held_contrasts = score(await read(data.CONTRAST_DEV, _HELD_CONTRAST_ROWS, data.held))
    held_values = score(await examples_of(grounder, cross_encoder, contrast.SET, made(data.held, _MADE_HELD_ROWS)))
    by_texts = score(held_by_hand)
    held_answers = score(await examples_of(grounder, cross_encoder, SENTENCES, rows_by_hand([], whole[1::2])))
    chosen = held.where(lambda one: one.chooses and one.set in OPERATING)
    threshold = operating_threshold(chosen.scores, chosen.labels, chosen.names, MOST_ALARMS)
    counted = held.where(lambda one: not one.chooses and one.set in OPERATING)
    heads["lexical"] = card_of(claims.lexical, FEATURES, 0.5)
    heads["values"] = card_of(claims.values, VALUE_FEATURES, 0.5)
    of_claims = claim_threshold(answer, threshold)
    heads["claim"] = card_of(claims.claim, CLAIM_FEATURES, of_claims)
    heads["answer"] = card_of(answer, ANSWER_FEATURES, threshold)
    heads["detector"] = rates(counted.scores, counted.labels, threshold)
    of_short = await short_heads(heads, replace(claims, claim_threshold=of_claims), grounder, cross_encoder, directory)
    return [
        *table("Groundedness", held, claims, of_claims),
        *table("Contrast", held_contrasts, claims, of_claims),
        *values_line(held_values, threshold),
        f"{WRITTEN}, other texts: n {len(held_by_hand)}, AUROC {auroc(by_texts.scores, by_texts.labels):.3f}.",
        *of_answers(held_answers, threshold),
        "",
        *operating_table(counted, threshold),
        *of_short,
    ]


def table(title: str, held: Scored, claims: Heads, threshold: float) -> list[str]:
    """AUROC by set of the answer's score and of its parts, and the calibration error. `threshold` is that of a claim."""
    columns = {
        "all together": held.scores,
        "idf coverage": [float(one.whole.choices[-1][FEATURES.index("coverage")]) for one in held.examples],
        "features alone": [float(claims.lexical.probability(one.whole.choices).max()) for one in held.examples],
        "cross-encoder alone": [min(seen.logit for seen in one.claims) for one in held.examples],
        "whole answer": [supports[0] for supports in held.supports],
        "least claim": [min(supports[1:]) for supports in held.supports],
        "supported claims": [float(np.mean([p >= threshold for p in supports[1:]])) for supports in held.supports],
        "faithfulness": [expected_faithfulness(supports[1:], threshold) for supports in held.supports],
    }
    lines = [
        f"### {title}",
        "",
        f"| set (held part) | n | {' | '.join(columns)} | ECE |",
        "|---" * (len(columns) + 3) + "|",
    ]
    means = []
    for name in dict.fromkeys(held.names):
        of = [n for n, own in enumerate(held.names) if own == name]
        known = [held.labels[n] for n in of]
        areas = [auroc([values[n] for n in of], known) for values in columns.values()]
        means.append(areas)
        error = calibration_error([held.scores[n] for n in of], known)
        lines.append(f"| {name} | {len(of)} | {' | '.join(f'{area:.3f}' for area in areas)} | {error:.3f} |")
    lines.append(f"| mean of the sets | | {' | '.join(f'{area:.3f}' for area in np.mean(means, axis=0))} | |")
    return [*lines, ""]


def operating_table(held: Scored, threshold: float) -> list[str]:
    """False alarms and what is found at the threshold, by set, with 95 % intervals."""
    lines = [
        f"### At the threshold {threshold}",
        "",
        "| set | good answers called hallucinated | bad ones found |",
        "|---|---|---|",
    ]
    means = []
    for name in dict.fromkeys(held.names):
        part = held.where(lambda one, name=name: one.set == name)  # type: ignore[misc]
        cells = []
        for label in (1, 0):
            below = [score < threshold for score, own in zip(part.scores, part.labels, strict=True) if own == label]
            low, high = wilson(sum(below), len(below))
            cells.append(
                (sum(below) / len(below), f"{sum(below) / len(below):.2f} ({low:.2f} to {high:.2f}), n {len(below)}")
            )
        means.append([share for share, _ in cells])
        lines.append(f"| {name} | {cells[0][1]} | {cells[1][1]} |")
    alarms, found = np.mean(means, axis=0)
    return [*lines, f"| mean of the sets | {alarms:.3f} | {found:.3f} |", ""]


def of_answers(held: Scored, threshold: float) -> list[str]:
    """How well whole answers with one thing wrong are told from right ones."""
    found = rates(held.scores, held.labels, threshold)
    area = auroc(held.scores, held.labels)
    return [
        f"Whole answers: n {len(held.labels)}, AUROC {area:.3f}; {found['sensitivity']:.2f} of the wrong ones are found, {found['specificity']:.2f} "
        "of the right ones pass.",
    ]


def values_line(held: Scored, threshold: float) -> list[str]:
    """How well rows with one value changed are told from those with one written in another way."""
    found = rates(held.scores, held.labels, threshold)
    area = auroc(held.scores, held.labels)
    return [
        f"{contrast.SET}: n {len(held.labels)}, AUROC {area:.3f}; of the changed {found['sensitivity']:.2f} are found, of those in another "
        f"format {found['specificity']:.2f} pass.",
        "",
    ]

"""The calibrated heads of the embedded model for Chinese, and its tables.

    python -m training.heads_zh --data DIR [--out sidecar/inference/models/embedded-zh]

After training.cross_encoder --chinese and training.export_bert cross-encoder --chinese; ten minutes on two cores. The heads are fit on texts
and folds that the cross-encoder did not read (zh_heads.jsonl, folds 6 and 7); the threshold is chosen on half of the held ones so that 5 % of
what is right stands below it, and the tables count the other half. Writes heads.json and card.json, and prints the tables of
docs/models/embedded-zh.md.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from sidecar.inference.base import Claim
from sidecar.inference.calibrated import Logistic, logit, probability
from sidecar.inference.card import Card
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.embedded_zh import (
    ASKED_FEATURES,
    CLAIM_FEATURES,
    HEADS,
    NAME,
    WORD_FOR_WORD,
    ChineseGrounder,
    Heads,
    in_few_words,
)
from sidecar.inference.grounding.han_features import CLAIM_FEATURES as LEXICAL_FEATURES
from sidecar.inference.grounding.lexical_zh import IDF, LexicalGrounder
from sidecar.inference.grounding.lexical_zh import NAME as LEXICAL
from sidecar.inference.pairs import ANSWER, CROSS_ENCODER, DOCUMENT, PairModel, Task, packaged_pairs
from sidecar.inference.relevance.embedded_zh import RELEVANCE_FEATURES, ChineseRelevance
from sidecar.inference.relevance.lexical_zh import FEATURES as LEXICAL_RELEVANCE_FEATURES
from sidecar.inference.relevance.lexical_zh import LexicalRelevance
from sidecar.inference.runtime import PACKAGED
from sidecar.observe.telemetry import Telemetry
from training import data
from training.chinese import MEASURED, PASSAGES, Text, chinese, claim_of, texts
from training.chinese_statements import Statement, answers, changed
from training.logistic import Floats, card_of, fit, set_weights
from training.measure import auroc, best_threshold, calibration_error

SEED = 7
VERSION = "1"
MAX_TOKENS = 288
FALSE_ALARMS = 0.05
_ROWS, _STATED, _MEASURED = 900, 300, 1200
_THRESHOLD_FOLD = 8
_NONE = Logistic(np.zeros(1), np.ones(1), np.zeros(2), 0.0)
_AT_ONCE = 16
_YES_OR_NO = 4
_OPERATING = {
    False: ("written", "uhgeval", "changed"),
    True: ("written, short", "answers"),
}  # of answers in a few words
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim beside a text, with what is to be said of it. `chooses`: whether it chooses the threshold, and so counts in no rate."""

    set: str
    claim: Claim
    context: str
    label: int
    chooses: bool = False


@dataclass(frozen=True, slots=True)
class AskedOf:
    """A question beside a passage or an answer, 1 where that helps with it."""

    set: str
    question: str
    text: str
    label: int


def written_claims(name: str) -> Iterator[Labelled]:
    """The claims and short answers of a file of written texts; those of every other text choose."""
    for n, one in enumerate(texts(name)):
        for kind, claim in one.claims:
            yield Labelled("written", Claim(claim), one.text, int(kind == "s"), n % 2 == 0)
        for question, answer, right in one.short:
            yield Labelled(
                "written, short", Claim(answer, question=question, short=True), one.text, int(right), n % 2 == 0
            )


def stated(directory: Path, folds: frozenset[int]) -> Iterator[Labelled]:
    """Statements made by rule, and those of UHGEval, of some folds."""
    rows = {
        name: [row for row in chinese(directory, name) if data.fold_of(row) in folds]
        for name in (*PASSAGES, "expmrc_evidence", "uhgeval_sentences")
    }
    found = [one for name in PASSAGES for one in changed(data.thin(rows[name], 3 * _STATED), seed=SEED)]
    found += answers(rows["expmrc_evidence"], seed=SEED)
    for n, one in enumerate(found):
        yield _labelled(one, chooses=n % 2 == 0)
    for row in rows["uhgeval_sentences"]:
        chooses = data.fold_of(row) == _THRESHOLD_FOLD
        yield Labelled("uhgeval", Claim(row["claim"]), row["context"], row["label"], chooses)


def _labelled(one: Statement, *, chooses: bool) -> Labelled:
    return Labelled(one.kind, claim_of(one.text, one.question), one.context, one.label, chooses)


def measured(directory: Path) -> Iterator[Labelled]:
    """Rows of sets that nothing is trained on."""
    for name, task in MEASURED.items():
        if task == "grounding" and name != "uhgeval_sentences":
            for row in data.thin(chinese(directory, name), _MEASURED):
                yield Labelled(name, claim_of(row["claim"], row.get("question") or ""), row["context"], row["label"])


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a claim: CLAIM_FEATURES (2,), its features by words (features,), and whether a sentence says it character for character."""

    row: Floats
    words: Floats
    copied: bool

    def logit(self, claim: Claim, heads: Heads) -> float:
        """Of the product's probability."""
        if self.copied:
            return logit(WORD_FOR_WORD)
        return logit(
            heads.of_asked(float(self.row[0])) if in_few_words(claim) else heads.of_claim(self.row, self.words)
        )


async def told(grounder: ChineseGrounder, model: PairModel, rows: Sequence[Labelled]) -> list[Told]:
    """What is told of each, as the product reads it."""

    async def one(row: Labelled) -> Told:
        [found] = grounder.read([row.claim], [row.context])
        [said] = [0.0] if in_few_words(row.claim) else await model.score([found.pair])
        return Told(np.array([logit(grounder.by_words([found])[0]), said]), found.row, found.copied)

    return await _few_at_once(rows, one)


async def relevance_features(relevance: ChineseRelevance, rows: Sequence[AskedOf], task: Task) -> Floats:
    """RELEVANCE_FEATURES (rows, 2) of each."""

    async def one(row: AskedOf) -> Floats:
        [found] = await relevance.rows(row.question, [row.text], task)
        own: Floats = found
        return own

    return np.stack(await _few_at_once(rows, one))


async def _few_at_once(rows: Sequence[object], one: Callable[..., Awaitable[Made]]) -> list[Made]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def gated(row: object) -> Made:
        async with gate:
            return await one(row)

    return list(await asyncio.gather(*map(gated, rows)))


def passages(directory: Path, folds: frozenset[int] | None, names: Sequence[str]) -> list[AskedOf]:
    """Questions and passages of some folds of sets; of all where there are none."""
    return [
        AskedOf(name, row["question"], row["context"], row["label"])
        for name in names
        for row in data.thin(
            (r for r in chinese(directory, name) if r.get("question") and (folds is None or data.fold_of(r) in folds)),
            _ROWS,
        )
    ]


def answered(written: Sequence[Text]) -> list[AskedOf]:
    """Right and wrong answers address their question; answers to another question of the text do not, nor do those of another text."""
    found = []
    for n, one in enumerate(written):
        questions = list(dict.fromkeys(question for question, _, _ in one.short))
        for question, answer, right in one.short:
            found.append(AskedOf("written", question, answer, 1))
            others = [other for other in questions if answer not in one.answers(other)]
            if right and others:
                found.append(AskedOf("written", others[0], answer, 0))
        elsewhere = [
            answer
            for other in (*written[n + 1 :], *written[:n])
            for _, answer, right in other.short
            if right and len(answer) > _YES_OR_NO
        ]
        found += [
            AskedOf("written", question, elsewhere[k], 0) for k, question in enumerate(questions) if elsewhere[k:]
        ]
    return found


async def train(directory: Path, out: Path) -> None:
    """Everything, in order."""
    lexical = json.loads((PACKAGED / LEXICAL / HEADS).read_text(encoding="utf-8"))
    idf = Idf.load(PACKAGED / LEXICAL / IDF)
    _write_card(out, {})
    model = packaged_pairs(
        out.parent, out.name, tokenizer=out.name, threads=2, batch_tokens=2048, telemetry=Telemetry()
    )
    card = Card.load(out)
    words = LexicalGrounder(
        idf,
        Logistic.from_card(lexical["claim"], LEXICAL_FEATURES),
        identity=card.identity(CROSS_ENCODER),
        threshold=0.5,
    )
    documents, of_answers = (
        Logistic.from_card(lexical[name], LEXICAL_RELEVANCE_FEATURES)
        for name in ("document_relevance", "answer_relevance")
    )
    by_words = LexicalRelevance(
        idf, document_model=documents, answer_model=of_answers, identity=words.identity, document_threshold=0.5, answer_threshold=0.5
    )  # fmt: skip
    await model.start()
    grounder = ChineseGrounder(words, model, heads=Heads(_NONE, _NONE, 0.5), identity=words.identity)
    relevance = ChineseRelevance(
        by_words, model, document_model=_NONE, answer_model=_NONE, asked_model=_NONE, document_threshold=0.5, answer_threshold=0.5, identity=words.identity
    )  # fmt: skip
    heads: dict[str, object] = {}
    lines = await grounding(heads, grounder, model, directory)
    lines += await relevance_heads(heads, relevance, directory)
    await model.stop()
    _write_card(out, heads)
    print("\n".join(lines))


async def grounding(
    heads: dict[str, object], grounder: ChineseGrounder, model: PairModel, directory: Path
) -> list[str]:
    """The heads of claims and of answers in a few words, the threshold, and their table."""
    trained = [*written_claims("zh_heads"), *stated(directory, data.COMBINER_FOLDS)]
    held = [*written_claims("zh_held"), *stated(directory, data.HELD_FOLDS), *measured(directory)]
    x = np.stack([one.row for one in await told(grounder, model, trained)])
    of_held = await told(grounder, model, held)
    short = np.array([in_few_words(one.claim) for one in trained])
    y = np.array([one.label for one in trained], float)
    weight = set_weights([f"{one.set}{one.label}" for one in trained])
    claim, asked = (
        fit(x[own][:, :of], y[own], weight[own], 10.0, products=False)
        for own, of in ((~short, len(CLAIM_FEATURES)), (short, len(ASKED_FEATURES)))
    )
    heads_of = Heads(claim, asked, 0.5)
    threshold, of_short = (operating_point(held, of_held, heads_of, few_words=few) for few in (False, True))
    # One threshold for both: where as many short answers that are right lie below it as other claims.
    asked = replace(asked, bias=asked.bias + logit(threshold) - logit(of_short))
    own_heads = Heads(claim, asked, threshold)
    heads["claim"], heads["asked"] = (
        card_of(claim, CLAIM_FEATURES, threshold),
        card_of(asked, ASKED_FEATURES, threshold),
    )
    count = [n for n, one in enumerate(held) if not one.chooses]
    scores = [probability(of_held[n].logit(held[n].claim, own_heads)) for n in count]
    labels, names = [held[n].label for n in count], [held[n].set for n in count]
    columns = {
        "all together": scores,
        "words alone": [float(of_held[n].row[0]) for n in count],
        "cross-encoder alone": [float(of_held[n].row[1]) for n in count],
    }
    return table("Grounding", names, columns, labels, threshold)


def operating_point(held: Sequence[Labelled], found: Sequence[Told], heads: Heads, *, few_words: bool) -> float:
    """The threshold, of 0.001 steps, under which FALSE_ALARMS of what is right lie, the mean of sets: of answers in a few words or of all other
    claims, of the rows that choose."""
    good: dict[str, list[float]] = {name: [] for name in _OPERATING[few_words]}
    for one, own in zip(held, found, strict=True):
        if one.chooses and one.label and one.set in good and in_few_words(one.claim) is few_words:
            good[one.set].append(probability(own.logit(one.claim, heads)))
    steps = (n / 1000 for n in range(1, 1000))
    return max(t for t in steps if np.mean([np.mean(np.array(p) < t) for p in good.values()]) <= FALSE_ALARMS)


async def relevance_heads(heads: dict[str, object], relevance: ChineseRelevance, directory: Path) -> list[str]:
    """The heads of documents and of answers, and their tables."""
    written, held_texts = texts("zh_heads"), texts("zh_held")
    trained_sets = (*PASSAGES, "expmrc_evidence")
    unread = [name for name, task in MEASURED.items() if task == "document" and name not in trained_sets]
    held = passages(directory, data.HELD_FOLDS, trained_sets) + passages(directory, None, unread)
    parts: tuple[tuple[str, Task, list[AskedOf], list[AskedOf]], ...] = (
        ("document_relevance", DOCUMENT, passages(directory, data.COMBINER_FOLDS, trained_sets), held),
        (
            "answer_relevance",
            DOCUMENT,
            statements(directory, data.COMBINER_FOLDS),
            statements(directory, data.HELD_FOLDS),
        ),
        ("asked_relevance", ANSWER, answered(written), answered(held_texts)),
    )
    lines = []
    made: dict[str, tuple[Logistic, float]] = {}
    for name, task, rows, kept in parts:
        x, of_kept = await relevance_features(relevance, rows, task), await relevance_features(relevance, kept, task)
        y = np.array([one.label for one in rows], float)
        model = fit(x, y, set_weights([f"{one.set}{one.label}" for one in rows]), 10.0, products=False)
        own = [float(p) for p in model.probability(x)]
        threshold = best_threshold(own, [one.label for one in rows], [one.set for one in rows])
        if name == "asked_relevance":  # one threshold for answers of both kinds
            common = made["answer_relevance"][1]
            model = replace(model, bias=model.bias + logit(common) - logit(threshold))
            threshold = common
        made[name] = model, threshold
        heads[name] = card_of(model, RELEVANCE_FEATURES, threshold)
        columns = {
            "all together": [float(p) for p in model.probability(of_kept)],
            "words alone": list(of_kept[:, 0]),
            "cross-encoder alone": list(of_kept[:, 1]),
        }
        lines += table(name, [one.set for one in kept], columns, [one.label for one in kept], threshold)
    return lines


def statements(directory: Path, folds: frozenset[int]) -> list[AskedOf]:
    """Questions and sentences, of which some answer them, of some folds."""
    name = "expmrc_evidence"
    rows = (r for r in chinese(directory, name) if r.get("question") and r.get("level") == "sentence")
    return [
        AskedOf(name, r["question"], r["context"], r["label"])
        for r in data.thin((r for r in rows if data.fold_of(r) in folds), _ROWS)
    ]


def table(
    title: str, names: Sequence[str], columns: dict[str, list[float]], labels: Sequence[int], threshold: float
) -> list[str]:
    """AUROC of each column by set; of the first the calibration error, and what passes and is found at the threshold."""
    head = f"| set | n | {' | '.join(columns)} | ECE | passed of the good | found of the bad |"
    lines = [f"### {title}", "", head, "|---" * (len(columns) + 5) + "|"]
    first = next(iter(columns.values()))
    for name in dict.fromkeys(names):
        of = [n for n, own in enumerate(names) if own == name]
        known = [labels[n] for n in of]
        if len(set(known)) < 2:
            continue
        areas = [auroc([values[n] for n in of], known) for values in columns.values()]
        shares = [
            np.mean([(first[n] >= threshold) == bool(wanted) for n in of if labels[n] == wanted]) for wanted in (1, 0)
        ]
        cells = [*areas, calibration_error([first[n] for n in of], known), *shares]
        lines.append(f"| {name} | {len(of)} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    return [*lines, "", f"Threshold {threshold}.", ""]


def _write_card(out: Path, heads: dict[str, object]) -> None:
    (out / HEADS).write_text(json.dumps(heads, indent=1) + "\n", encoding="utf-8")
    files = {
        name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in (HEADS, CROSS_ENCODER, "tokenizer.json")
    }
    card = {
        "name": NAME,
        "version": VERSION,
        "licence": "Apache-2.0",
        "source": "started from BAAI/bge-small-zh-v1.5 (MIT)",
        "languages": ["zh"],
        "max_tokens": MAX_TOKENS,
        "files": files,
        "seed": SEED,
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=PACKAGED / NAME)
    args = parser.parse_args()
    asyncio.run(train(args.data, args.out))


if __name__ == "__main__":
    main()

"""Training pairs for the cross-encoder: (evidence, claim), (passage, question), (answer, question), each with what is to be said of it.

Labelled rows of every set that may be trained on (data.py), and pairs made of them that differ in one fact, always in both
directions (changes.py): the claim as it is and in other words is supported, with one fact changed it is not; with the same fact
changed in the evidence the changed claim is supported and the true one is not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sidecar.inference.pairs import ANSWER, DOCUMENT, SUPPORT, Task
from training import data
from training.changes import NAME, Change, Spans, as_question, change, contract, in_evidence, opened, reword
from training.data import Row
from training.made_facts import made_facts
from training.selector import Selector, sentences, without_the_fact
from training.sentences import SET as SENTENCES
from training.sentences import Stated, answers, stated, trained_sentences
from training.short_answers import SET as SHORT
from training.short_answers import ShortPair, short_answers, trained_short, yes_or_no
from training.sources import SOURCES, Asks, Source
from training.written import SET as WRITTEN
from training.written import Verdict, asked, written

TASKS: Mapping[Asks, Task] = {"grounding": SUPPORT, "document": DOCUMENT, "answer": ANSWER}

SHARE_ALIKE = ("snli", "fever_dev")
MOST_QUESTION_WORDS = 40
_COPIES_OF_A_TEXT = 3
MADE_FACTS = 14_000
_EVERY = 40_000
LONG_ANSWERS = (
    "summac_human", "attributionbench_train", "factcheckgpt", "expertqa", "factcg_synthetic", "halueval_qa", "wice_oracle_chunks", "summedits",
    "begin", "faithdial_audit", "xsumfaith", "condaqa_yesno_dev",
)  # fmt: skip
_QUESTIONS_OF_CLAIMS = 6000
_TIMES_ANSWERS = 3
_SHORT_WORDS = 10
_DRAWINGS = 1
_SENTENCES, _SHORT, _LABELLED, _WRITTEN, _REST = 0.25, 0.1, 0.25, 0.1, 0.25  # of the words of the whole answers
_SAYS: dict[str, Verdict] = {
    "entailment": "yes", "neutral": "neutral", "contradiction": "contradiction", "Refutes": "contradiction", "REFUTES": "contradiction",
    "NOT ENOUGH INFO": "neutral",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair. `first` is the claim or question, `second` the evidence, passage or answer. `wrong` are the characters of a claim
    that the evidence does not bear out, empty where all are borne out, None where that is not known."""

    set: str
    kind: str
    task: Asks
    first: str
    second: str
    says: Verdict
    weight: float
    wrong: Spans | None = None


class Maker:
    """Makes the pairs of a claim that its text bears out."""

    def __init__(self, selector: Selector, names: Sequence[str], rng: random.Random) -> None:
        self._selector, self._names, self._rng = selector, names, rng

    def pair(
        self, source: str, kind: str, claim: str, text: str, says: Verdict, weight: float, wrong: Spans | None = None
    ) -> Pair:
        """The pair with evidence of a random length; now and then the claim stands behind a chat opener."""
        claim = claim.strip()
        evidence = self._selector.select(claim, text, self._rng.uniform(0.4, 1.0))
        if self._rng.random() < 0.05:
            claim, moved = opened(claim, self._rng)
            wrong = None if wrong is None else tuple((start + moved, end + moved) for start, end in wrong)
        return Pair(source, kind, "grounding", claim, evidence, says, weight, wrong)

    def around(self, source: str, claim: str, text: str, *, copied: bool) -> Iterator[Pair]:
        """Pairs around one supported claim: reworded, changed, and both with the evidence changed instead."""
        rng = self._rng
        if copied and rng.random() < 0.25:
            yield self.pair(source, "copied", claim, text, "yes", 0.4, ())
        if copied or rng.random() < 0.35:
            yield self.pair(source, "reworded", reword(claim, rng), text, "yes", 0.8, ())
        if (made := change(claim, text, rng, names=self._names)) is None:
            return
        says: Verdict = "neutral" if made.kind == "added" else "contradiction"
        yield self.pair(source, made.kind, contract(made.text, rng), text, says, 1.0, self._still(made))
        other = in_evidence(made, claim, text, sentences(text))
        if other is not None and rng.random() < 0.7:
            assert made.swap is not None
            at = claim.find(made.swap[0])
            yield self.pair(source, f"{made.kind}, both", made.text, other, "yes", 0.8, ())
            wrong = ((at, at + len(made.swap[0])),)
            yield self.pair(source, f"{made.kind}, evidence", claim, other, "contradiction", 1.0, wrong)
        yield from self._asked(source, claim, text)
        if rng.random() < 0.2 and (rest := without_the_fact(claim, text, self._selector)):
            yield self.pair(source, "fact removed", claim, rest, "neutral", 0.8)

    def _asked(self, source: str, claim: str, text: str) -> Iterator[Pair]:
        """The claim as the answer to a question: yes or no alone, or with the claim behind it; right, and the other way round."""
        found = as_question(claim)
        if found is None or self._rng.random() < 0.3:
            return
        question, positive = found
        for right in (True, False):
            word = "Yes" if positive is right else "No"
            behind = self._rng.random()
            answer = f"{word}." if behind < 0.4 or not right else f"{word}, {claim[0].lower()}{claim[1:]}"
            at = len(question) + 1
            wrong = () if right else ((at, at + len(word)),)
            yield Pair(
                source,
                "asked",
                "grounding",
                f"{question} {answer}",
                self._selector.select(claim, text, self._rng.uniform(0.4, 1.0)),
                "yes" if right else "contradiction",
                0.8,
                wrong,
            )

    @staticmethod
    def _still(made: Change) -> Spans | None:
        """The wrong characters, unless a contraction may have moved them."""
        return made.wrong if " not " not in made.text and " is " not in made.text else None


def says_of(row: Row) -> Verdict:
    """What is to be said of a labelled row."""
    if row["label"] == 1:
        return "yes"
    said = _SAYS.get(str(row.get("label3") or ""), "no")
    return "no" if said == "yes" else said


def training_pairs(directory: Path, seed: int, by_hand: int = 0, *, uncut: bool = False) -> list[Pair]:
    """All pairs, shuffled; each claim written by hand `by_hand` times beside each version of its text. `uncut`: all rows of every set."""
    rng = random.Random(seed)
    rows = {source.name: _rows(directory, replace(source, most=_EVERY) if uncut else source) for source in SOURCES}
    grounding = {source.name for source in SOURCES if source.task == "grounding"}
    selector = Selector(row["context"] for of_set in rows.values() for row in of_set if row.get("context"))
    every = [row["context"] for of_set in rows.values() for row in of_set[:300] if row.get("context")]
    names = sorted({found.group() for text in every for found in NAME.finditer(text)})
    maker = Maker(selector, names, rng)
    pairs: list[Pair] = []
    for source in SOURCES:
        for row in rows[source.name]:
            if source.name in grounding:
                pairs += _of_claim(source, row, maker, rng)
            else:
                pairs.append(_of_question(source, row, selector, rng))
        if source.texts:
            pairs += _of_texts(source, rows[source.name], maker, rng)
        if source.task == "answer":
            pairs += _of_other_answers(source, rows[source.name], selector, rng)
    pairs += _of_made_facts(rng)
    pairs += (
        Pair(WRITTEN, "by hand", "grounding", claim, selector.select(claim, evidence), says, 1.0)
        for says, claim, evidence in asked(written("trained"), by_hand, rng)
    )
    rng.shuffle(pairs)
    return pairs


def answer_pairs(directory: Path, seed: int) -> list[Pair]:
    """Pairs for weights that know the others: whole answers in a few drawings, a share of the sentences and short answers, and of what was
    learned before, so that it is not forgotten; shuffled."""
    before = training_pairs(directory, seed, 1)
    rng = random.Random(seed + 21)
    made = [one for _ in range(_DRAWINGS) for one in _stated(answers("trained"), rng)]
    words = sum(map(_words, made))
    parts = [
        (list(_stated(stated("trained"), rng)), _SENTENCES),
        (_short(directory, _QUESTIONS_OF_CLAIMS, rng), _SHORT),
        ([one for one in before if one.kind == "labelled" and one.set in LONG_ANSWERS], _LABELLED),
        ([one for one in before if one.set == WRITTEN], _WRITTEN),
        ([one for one in before if one.set != WRITTEN], _REST),
    ]
    for pairs, share in parts:
        left = share * words
        for one in rng.sample(pairs, len(pairs)):
            if left <= 0:
                break
            made.append(one)
            left -= _words(one)
    rng.shuffle(made)
    return made


def every_pair(directory: Path, seed: int) -> list[Pair]:
    """All that there is to train on, for machines that need not choose: of every set all rows, every written text and sentence once."""
    pairs = training_pairs(directory, seed, 1, uncut=True)
    rng = random.Random(seed + 21)
    pairs += _short(directory, 2 * _QUESTIONS_OF_CLAIMS, rng)
    pairs += _stated(stated("trained"), rng)
    for _ in range(_TIMES_ANSWERS):
        pairs += _stated(answers("trained"), rng)
    return pairs


def _short(directory: Path, questions: int, rng: random.Random) -> list[Pair]:
    """Answers in a few words, and yes or no to so many questions made of claims."""
    blocks = short_answers("trained")
    selector = Selector(text for block in blocks for text in block.texts)

    def pair(of: str, one: ShortPair, says: Verdict) -> Pair:
        read = selector.select(one.read, "\n".join(one.texts), rng.uniform(0.5, 1.0))
        return Pair(of, one.kind, "grounding", one.read, read, says, 1.0)

    made = [*trained_short(blocks, rng), *yes_or_no(written("trained"), questions, rng)]
    return [
        *(pair(SHORT, one, says) for one, says in made),
        *(pair("halueval_qa", *one) for one in _labelled_short(directory)),
    ]


def _stated(blocks: Sequence[Stated], rng: random.Random) -> Iterator[Pair]:
    """Sentences or answers beside their texts."""
    selector = Selector(text for block in blocks for text in block.texts)
    for says, said, texts in trained_sentences(blocks, rng):
        beside = selector.select(said, "\n".join(texts), rng.uniform(0.8, 1.6))
        yield Pair(SENTENCES, "by hand", "grounding", said, beside, says, 1.0)


def _labelled_short(directory: Path) -> Iterator[tuple[ShortPair, Verdict]]:
    for row in data.read(directory, "halueval_qa"):
        if data.for_encoder(row) and row.get("question") and len(row["claim"].split()) <= _SHORT_WORDS:
            yield (
                ShortPair("labelled", row["question"], row["claim"], (row["context"],), row["label"] == 1),
                says_of(row),
            )


def _words(pair: Pair) -> int:
    return len(f"{pair.first} {pair.second}".split())


def _of_made_facts(rng: random.Random) -> Iterator[Pair]:
    """One claim that is said and one that is not of each, now and then behind a yes or no that says nothing more."""
    for fact, evidence in made_facts(MADE_FACTS, rng):
        sides: tuple[tuple[Verdict, Sequence[str]], ...] = (
            ("yes", fact.said), ("contradiction", fact.contrary), ("neutral", fact.unsaid),
        )  # fmt: skip
        for says, claims in sides:
            if claims and (says != "neutral" or rng.random() < 0.5):
                claim = rng.choice(claims)
                if rng.random() < 0.08:
                    claim, _ = opened(claim, rng)
                yield Pair("made facts", fact.kind, "grounding", claim, evidence, says, 0.8)


def _rows(directory: Path, source: Source) -> list[Row]:
    return data.thin((row for row in data.read(directory, source.name) if data.for_encoder(row)), source.most)


def _of_claim(source: Source, row: Row, maker: Maker, rng: random.Random) -> Iterator[Pair]:
    claim, text, says = (row.get("claim") or "").strip(), row.get("context") or "", says_of(row)
    if len(claim) < 8 or not text or (source.name == "xsumfaith" and says != "yes" and rng.random() < 0.5):
        return
    question = (row.get("question") or "").strip()
    asked = (
        f"{question} {claim}"
        if question and len(question.split()) <= MOST_QUESTION_WORDS and rng.random() < 0.5
        else claim
    )
    yield maker.pair(source.name, "labelled", asked, text, says, source.weight)
    if (
        says == "yes"
        and (source.texts or source.name in ("fever_dev", "infotabs_lines"))
        and source.name != "xsumfaith"
    ):
        yield from maker.around(source.name, claim, text, copied=False)


def _of_question(source: Source, row: Row, selector: Selector, rng: random.Random) -> Pair:
    text = row["claim"] if source.task == "answer" else row["context"]
    read = selector.select(row["question"], text, rng.uniform(0.5, 1.2))
    return Pair(source.name, "labelled", source.task, row["question"], read, says_of(row), source.weight)


def _of_other_answers(source: Source, rows: Sequence[Row], selector: Selector, rng: random.Random) -> Iterator[Pair]:
    """Answers to another question of the same set, and the same question asked back."""
    for row in rng.sample(list(rows), min(len(rows), 1500)):
        other = rng.choice(rows)
        if other["question"] != row["question"]:
            read = selector.select(row["question"], other["claim"])
            yield Pair(source.name, "other answer", "answer", row["question"], read, "no", 0.6)


def _of_texts(source: Source, rows: Sequence[Row], maker: Maker, rng: random.Random) -> Iterator[Pair]:
    """Sentences copied from the texts, shortened, as claims."""
    texts = {row["context"][:200]: row["context"] for row in rows if row.get("context")}
    for text in texts.values():
        whole = [sentence for sentence in sentences(text) if 4 <= len(sentence.split()) <= 32]
        if len(text.split()) < 30:
            continue
        for sentence in rng.sample(whole, min(_COPIES_OF_A_TEXT, len(whole))):
            yield from maker.around(source.name, _shorter(sentence, rng), text, copied=rng.random() < 0.5)


def _shorter(sentence: str, rng: random.Random) -> str:
    """A sentence without brackets or a lead word, so that a copied claim is not always word for word."""
    sentence = re.sub(r"\s*\([^)]*\)", "", sentence)
    if rng.random() < 0.4:
        sentence = re.sub(r"^(?:However|But|And|So|Then|Meanwhile|In addition|Also),?\s+", "", sentence)
    parts = sentence.split(", ")
    if len(parts) > 1 and rng.random() < 0.3 and len(parts[0].split()) >= 7:
        return parts[0] + "."
    return sentence


def held_pairs(directory: Path, most: int) -> list[Pair]:
    """At most so many held pairs of each set that is measured, with evidence chosen in the same way."""
    pairs = []
    for task, names in (
        ("grounding", data.GROUNDING_DEV),
        ("grounding", data.CONTRAST_DEV),
        ("document", data.RELEVANCE_DEV),
    ):
        for name in names:
            rows = [row for row in data.read(directory, name) if row.get("label") in (0, 1) and data.held(row)]
            selector = Selector(row["context"] for row in rows)
            for row in data.thin(rows, most):
                first = row["claim"] if task == "grounding" else row["question"]
                second = selector.select(first, row["context"])
                pairs.append(Pair(name, "held", task, first, second, says_of(row), 1.0))  # type: ignore[arg-type]
    for one in written("held"):
        pairs += [Pair(WRITTEN, "held", "grounding", claim, text, says, 1.0) for says, claim, text in one.pairs()]
    blocks = stated("held")
    selector = Selector(text for block in blocks for text in block.texts)
    for block in blocks:
        pairs += [
            Pair(SENTENCES, "held", "grounding", said, selector.select(said, "\n".join(block.texts)), says, 1.0)
            for says, said in block.pairs()
        ]
    return pairs

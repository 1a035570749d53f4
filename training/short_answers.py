"""Questions with right and wrong answers of a few words, written by hand beside their texts.

A wrong answer is of the form of the right one, and most stand in the text in another role, so that only who reads question and text
together can tell. Two files, so that nothing is measured that was trained on: short_trained.jsonl and short_held.jsonl. Nothing of them is
in tests/golden/judgement. Beside them questions for yes or no are made of the claims of texts in two versions (written.py).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from training.changes import as_question
from training.written import FOLDER, SAID, Verdict, Written

SET = "short answers"
YES_OR_NO = "yes_no"
_AMONG_OTHERS = 0.25
_ELSEWHERE = 0.04
_LEFT_OUT = 0.35
_TAGGED = 0.3
_CONTRACTED = frozenset("is was has had does did could should would were are have do".split())


@dataclass(frozen=True, slots=True)
class Question:
    """A question of some `kind` (span, value, phrase, yes_no) with answers that are right and wrong beside its texts."""

    text: str
    kind: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Texts and what is asked of them."""

    texts: tuple[str, ...]
    questions: tuple[Question, ...]

    def others(self, question: Question) -> list[str]:
        """Right answers to other questions of its kind, which this one does not have."""
        right = [_bare(one) for one in question.right]
        return [
            answer
            for other in self.questions
            if other is not question and other.kind == question.kind
            for answer in other.right
            if not any(_bare(answer) in one or one in _bare(answer) for one in right)
        ]


@dataclass(frozen=True, slots=True)
class ShortPair:
    """A question with an answer behind it, the text beside it, and what that says of them."""

    kind: str
    question: str
    answer: str
    texts: tuple[str, ...]
    right: bool

    @property
    def read(self) -> str:
        """Question and answer as a model reads them."""
        return f"{self.question} {self.answer}"


def short_answers(name: str) -> list[Asked]:
    """The texts of one file, in order. Raises KeyError where a field is missing."""
    blocks = map(json.loads, (FOLDER / f"short_{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Asked(
            tuple(block["contexts"]),
            tuple(Question(one["q"], one["kind"], tuple(one["right"]), tuple(one["wrong"])) for one in block["qa"]),
        )
        for block in blocks
    ]


def held_short(blocks: Sequence[Asked]) -> Iterator[ShortPair]:
    """Each answer beside its texts."""
    for block in blocks:
        for one in block.questions:
            for right, answers in ((True, one.right), (False, one.wrong)):
                for answer in answers:
                    yield ShortPair(one.kind, one.text, answer, block.texts, right)


def trained_short(blocks: Sequence[Asked], rng: random.Random) -> Iterator[tuple[ShortPair, Verdict]]:
    """Each answer beside its texts, now and then among other texts or beside those alone, with its full stop or without; and beside them an
    answer to another question of the block."""
    for block in blocks:
        for one in block.questions:
            answers = [(True, answer) for answer in one.right] + [(False, answer) for answer in one.wrong]
            if one.kind != YES_OR_NO and (others := block.others(one)):
                answers.append((False, rng.choice(others)))
            for right, answer in answers:
                other = rng.choice(blocks)
                texts = [*block.texts]
                says: Verdict = "yes" if right else "contradiction" if one.kind == YES_OR_NO else "no"
                if other is not block and rng.random() < _AMONG_OTHERS:
                    texts.append(rng.choice(other.texts))
                if other is not block and right and rng.random() < _ELSEWHERE:
                    texts, says = [*other.texts], "neutral"
                rng.shuffle(texts)
                worded = (answer[:-1] if answer.endswith(".") else f"{answer}.") if rng.random() < 0.3 else answer
                yield ShortPair(one.kind, one.text, worded, tuple(texts), says == "yes"), says


def yes_or_no(texts: Sequence[Written], most: int, rng: random.Random) -> list[tuple[ShortPair, Verdict]]:
    """Claims of texts in two versions as questions, each with yes and with no beside one of the versions."""
    made: list[tuple[ShortPair, Verdict]] = []
    for one in texts:
        for sign, claim in one.claims:
            if (found := as_question(claim)) is None or rng.random() < _LEFT_OUT:
                continue
            question, positive = found
            version = rng.randrange(2)
            said = SAID[sign][version]
            for word in ("Yes", "No"):
                right = (said == "yes") == ((word == "Yes") == positive)
                says: Verdict = "neutral" if said == "neutral" else "yes" if right else "contradiction"
                answer = word + (_tag(question, word) if rng.random() < _TAGGED else rng.choice(("", ".", ".")))
                made.append((ShortPair(YES_OR_NO, question, answer, (one.versions[version],), says == "yes"), says))
    rng.shuffle(made)
    return made[:most]


def _tag(question: str, word: str) -> str:
    """What is said behind yes or no: ", it isn't."."""
    verb = question.split()[0].lower()
    negated = f"{verb}n't" if verb in _CONTRACTED else f"{verb} not"
    return f", it {verb if word == 'Yes' else negated}."


def _bare(answer: str) -> str:
    return re.sub(r"\W+", " ", answer.lower()).strip()

"""Whole sentences that the texts beside them bear out or not, written by hand.

Right and wrong ones are of one style and length; half of them are twins that differ in one fact, half worded each in its own way. Some answer
the questions of short_answers.py, in whole sentences by other writers (short_*.jsonl, `stated` and `misstated`), some stand beside texts of
their own (sentences_*.jsonl). Whole answers of two to four sentences, of the wrong ones of which all but one thing is right, stand in answers_*.jsonl, those of one
or two in everyday_*.jsonl.
Nothing that is measured was trained on: *_trained and *_held; nothing of them is in tests/golden/judgement.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from training.changes import opened, reword
from training.written import FOLDER, Verdict

SET = "written sentences"
_AMONG_OTHERS = 0.25
_REWORDED, _OPENED = 0.2, 0.05
_STEPS = 20
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Stated:
    """Texts, and sentences that they bear out and that they do not."""

    texts: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    def pairs(self) -> Iterator[tuple[Verdict, str]]:
        """What is said of each sentence."""
        yield from (("yes", sentence) for sentence in self.right)
        yield from (("no", sentence) for sentence in self.wrong)


def stated(name: str, of: Sequence[str] = ("short", "sentences")) -> list[Stated]:
    """The texts with sentences of `trained` or `held`, in order. Raises KeyError where a field is missing."""
    return [
        Stated(
            tuple(block["contexts"]),
            tuple(said for one in block.get("qa", [block]) for said in one["stated"]),
            tuple(said for one in block.get("qa", [block]) for said in one["misstated"]),
        )
        for kind in of
        for block in _blocks(f"{kind}_{name}.jsonl")
    ]


def answers(name: str) -> list[Stated]:
    """The texts with whole answers of `trained` or `held`, long and everyday ones."""
    return stated(name, ("answers", "everyday"))


def _blocks(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def balanced(blocks: Sequence[Stated], rng: random.Random) -> list[tuple[Verdict, str, tuple[str, ...]]]:
    """As many right sentences as wrong ones of each share of words that their texts have too, with what is said of them and their texts. Who
    writes a right sentence words it anew and who writes a wrong one leaves most words as they are, so that all of them together would teach
    to distrust what is copied."""
    sides: Mapping[Verdict, dict[int, list[tuple[str, tuple[str, ...]]]]] = {"yes": {}, "no": {}}
    for block in blocks:
        for says, sentence in block.pairs():
            step = round(_STEPS * in_common(sentence, block.texts))
            sides[says].setdefault(step, []).append((sentence, block.texts))
    kept: list[tuple[Verdict, str, tuple[str, ...]]] = []
    for step in sides["yes"].keys() & sides["no"].keys():
        most = min(len(found[step]) for found in sides.values())
        kept += ((says, *one) for says, found in sides.items() for one in rng.sample(found[step], most))
    rng.shuffle(kept)
    return kept


def in_common(sentence: str, texts: Sequence[str]) -> float:
    """The share (0..1) of a sentence's words that stand in the texts."""
    there = set(_WORD.findall(" ".join(texts).casefold()))
    words = _WORD.findall(sentence.casefold())
    return sum(word in there for word in words) / max(1, len(words))


def trained_sentences(blocks: Sequence[Stated], rng: random.Random) -> Iterator[tuple[Verdict, str, tuple[str, ...]]]:
    """Balanced sentences with what is said of them and their texts, these now and then among others, they in other words or behind a chat
    opener."""
    for says, sentence, own in balanced(blocks, rng):
        texts = [*own]
        if rng.random() < _AMONG_OTHERS:
            texts.append(rng.choice(rng.choice(blocks).texts))
        rng.shuffle(texts)
        worded = reword(sentence, rng) if rng.random() < _REWORDED else sentence
        if rng.random() < _OPENED:
            worded, _ = opened(worded, rng)
        yield says, worded, tuple(texts)

"""Training pairs (evidence, claim, label) for the cross-encoder: the labelled rows, and claims that were changed so that the text
no longer says them.

Changed claims are what a small model does not learn from labelled rows alone: a number, name, month or role swapped, a negation
put in, an antonym, or the sentence that carries the fact taken out of the evidence. Half of the copied sentences stay as they
are, so that a change and not a copy is what tells.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from training import data

SHARE_ALIKE = ("snli", "fever_dev")
SUPPORTED, NOT_SUPPORTED = 0.97, 0.03
_COPIES_OF_A_TEXT = 4

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(])|\n+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+){0,2}\b")
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|will|has|have|had|does|did|could|should|would)\b(?! not)")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_STOP = frozenset(
    "the a an of to in and or is are was were be been for on at by with as it its this that from he she they his her their has have "
    "had not but which who will would can".split()
)
_OPPOSITES = (
    "increase decrease, increased decreased, rise fall, rose fell, more less, higher lower, before after, first last, won lost, "
    "largest smallest, older younger, north south, east west, male female, support oppose, supported opposed, accepted rejected, "
    "approved denied, always never, many few, best worst, early late, success failure, good bad, high low, public private, "
    "include exclude, includes excludes, allowed forbidden, began ended, arrived left, father mother, son daughter, brother sister, "
    "husband wife, positive negative, legal illegal, possible impossible, buy sell, bought sold, open closed, above below, "
    "inside outside, alive dead, married divorced, million billion, two three, one two, three five, four six, western eastern, "
    "northern southern, morning evening, summer winter, same different, minimum maximum, without with, required optional, "
    "enabled disabled, daily weekly, monthly yearly, hours days, days weeks, free paid, all some, only also"
)
_OPPOSITE: dict[str, str] = {}
for _pair in _OPPOSITES.split(", "):
    _one, _other = _pair.split()
    _OPPOSITE.setdefault(_one, _other)
    _OPPOSITE.setdefault(_other, _one)


@dataclass(frozen=True, slots=True)
class Pair:
    """One training pair. `label` is the target probability of support, `kind` says how the pair was made."""

    set: str
    kind: str
    evidence: str
    claim: str
    label: float
    weight: float


def content_words(text: str) -> list[str]:
    """Lower-case words without stop words."""
    return [word for word in (found.lower() for found in _WORD.findall(text)) if word not in _STOP]


def sentences(text: str) -> list[str]:
    """Sentences by punctuation; enough for training pairs."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def evidence_words(claim: str) -> int:
    """How many words of evidence a claim gets."""
    return min(180, max(90, 60 + 3 * len(claim.split())))


class Selector:
    """Chooses the sentences of a text that bear on a claim, by idf-weighted coverage; each word counts less once covered."""

    def __init__(self, texts: Iterable[str]) -> None:
        unique = set(texts)
        counts: Counter[str] = Counter()
        for text in unique:
            counts.update(set(content_words(text[:3000])))
        self._counts, self._total = counts, len(unique) + 1

    def idf(self, word: str) -> float:
        """Inverse document frequency over the texts given."""
        return math.log(self._total / (self._counts[word] + 1)) + 0.1

    def select(self, claim: str, text: str) -> str:
        """At most about `evidence_words` words of the text, whole sentences in their order."""
        most = evidence_words(claim)
        if len(text.split()) <= most:
            return text
        pieces: list[str] = []
        for sentence in sentences(text):
            words = sentence.split()
            pieces.extend(" ".join(words[n : n + 60]) for n in range(0, len(words), 60))
        left = {word: self.idf(word) for word in content_words(claim)}
        has = [set(content_words(piece)) for piece in pieces]
        chosen: set[int] = set()
        size = 0
        while size < most and len(chosen) < len(pieces):

            def gain(n: int) -> float:
                near = 0.15 if n - 1 in chosen or n + 1 in chosen else 0.0
                return sum(left.get(word, 0.0) for word in has[n]) - 0.002 * len(pieces[n].split()) + near

            best = max((n for n in range(len(pieces)) if n not in chosen), key=gain)
            if size + len(pieces[best].split()) > 1.2 * most and size > 0.6 * most:
                break
            chosen.add(best)
            size += len(pieces[best].split())
            for word in has[best] & left.keys():
                left[word] *= 0.45
        return " ".join(pieces[n] for n in sorted(chosen))

    def coverage(self, claim: str, text: str) -> float:
        """Share (0..1) of the claim's content, by idf, that stands in the text."""
        words = set(content_words(claim))
        total = sum(self.idf(word) for word in words) or 1.0
        return sum(self.idf(word) for word in words & set(content_words(text))) / total


def change(claim: str, text: str, rng: random.Random) -> str | None:
    """The claim with one fact changed, so that the text does not say it; None where nothing could be changed."""
    numbers, names = _NUMBER.findall(claim), [found.group() for found in _NAME.finditer(claim)]
    ways: list[Callable[[], str | None]] = []
    if numbers:
        ways += [lambda: _other_number(claim, rng.choice(numbers), text, rng)] * 2
    if names:
        ways += [lambda: _other_name(claim, rng.choice(names), text, rng)] * 2
    if len(set(names)) > 1:
        ways.append(lambda: _swap_roles(claim, names, rng))
    if months := [month for month in _MONTHS if re.search(rf"\b{month}\b", claim)]:
        ways.append(lambda: claim.replace(one := rng.choice(months), rng.choice([m for m in _MONTHS if m != one])))
    if _AUXILIARY.search(claim):
        ways.append(lambda: _negate(claim, rng))
    if opposites := [word for word in re.findall(r"[a-z]+", claim) if word in _OPPOSITE]:
        ways += [lambda: re.sub(rf"\b{(w := rng.choice(opposites))}\b", _OPPOSITE[w], claim, count=1)] * 2
    if not ways:
        return None
    changed = rng.choice(ways)()
    return None if changed == claim else changed


def _other_number(claim: str, number: str, text: str, rng: random.Random) -> str:
    near = [one for one in sorted(set(_NUMBER.findall(text))) if one != number and abs(len(one) - len(number)) <= 1]
    if near and rng.random() < 0.5:
        put = rng.choice(near)
    else:
        at = rng.choice([n for n, char in enumerate(number) if char.isdigit()])
        put = number[:at] + rng.choice([d for d in "123456789" if d != number[at]]) + number[at + 1 :]
    return re.sub(rf"(?<![\d.,]){re.escape(number)}(?!\d)", put, claim, count=1)


def _other_name(claim: str, name: str, text: str, rng: random.Random) -> str | None:
    known = sorted({found.group() for found in _NAME.finditer(text)})
    others = [one for one in known if one not in claim and name not in one and len(one.split()) == len(name.split())]
    return claim.replace(name, rng.choice(others), 1) if others else None


def _swap_roles(claim: str, names: Sequence[str], rng: random.Random) -> str | None:
    one, other = rng.sample(sorted(set(names)), 2)
    if one in other or other in one:
        return None
    return claim.replace(one, "\0").replace(other, one).replace("\0", other)


def _negate(claim: str, rng: random.Random) -> str:
    found = rng.choice(list(_AUXILIARY.finditer(claim)))
    return f"{claim[: found.end()]} not{claim[found.end() :]}"


def without_the_fact(claim: str, text: str, selector: Selector) -> str | None:
    """The text without the sentences that bear on the claim; None where too little is left or the rest still covers it."""
    rest = [sentence for sentence in sentences(text) if selector.coverage(claim, sentence) < 0.3]
    left = " ".join(rest)
    return left if len(rest) > 1 and len(rest) < len(sentences(text)) and selector.coverage(claim, left) < 0.6 else None


def training_pairs(directory: Path, seed: int, *, share_alike: bool = True) -> list[Pair]:
    """All pairs, shuffled: rows that `data.for_encoder` admits, claims changed, sentences copied."""
    rng = random.Random(seed)
    names = [*data.GROUNDING, "attributionbench_train", *(SHARE_ALIKE if share_alike else ())]
    rows = {name: [row for row in data.read(directory, name) if data.for_encoder(row)] for name in names}
    selector = Selector(row["context"] for of_set in rows.values() for row in of_set)
    pairs: list[Pair] = []

    def add(name: str, kind: str, text: str, claim: str | None, label: float, weight: float) -> None:
        if claim and len(claim.strip()) >= 8:
            pairs.append(Pair(name, kind, selector.select(claim, text), claim.strip(), label, weight))

    texts: dict[str, tuple[str, str]] = {}
    for name, of_set in rows.items():
        for row in of_set:
            text, claim, supported = row["context"], row["claim"], row["label"] == 1
            if name == "xsumfaith" and not supported and rng.random() < 0.5:
                continue
            weight = {"xsumfaith": 0.6, "summedits": 1.5, "snli": 0.7, "fever_dev": 0.8}.get(name, 1.0)
            add(name, "labelled", text, claim, SUPPORTED if supported else NOT_SUPPORTED, weight)
            if name not in SHARE_ALIKE:
                texts.setdefault(text[:200], (name, text))
                if supported and name != "xsumfaith":
                    add(name, "changed", text, change(claim, text, rng), NOT_SUPPORTED, 1.0)
                    if rng.random() < 0.3 and (rest := without_the_fact(claim, text, selector)):
                        add(name, "fact removed", rest, claim, NOT_SUPPORTED, 0.8)
    for name, text in texts.values():
        whole = [sentence for sentence in sentences(text) if 8 <= len(sentence.split()) <= 35]
        if len(text.split()) < 30:
            continue
        for sentence in rng.sample(whole, min(_COPIES_OF_A_TEXT, len(whole))):
            claim = _shorter(sentence, rng)
            if rng.random() < 0.45:
                add(name, "copied", text, claim, SUPPORTED, 0.7)
            else:
                add(name, "changed copy", text, change(claim, text, rng), NOT_SUPPORTED, 1.0)
    rng.shuffle(pairs)
    return pairs


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
    for name in data.GROUNDING_DEV:
        rows = [row for row in data.read(directory, name) if row.get("label") in (0, 1) and data.held(row)]
        selector = Selector(row["context"] for row in rows)
        pairs += [
            Pair(name, "held", selector.select(row["claim"], row["context"]), row["claim"], row["label"], 1.0)
            for row in data.thin(rows, most)
        ]
    return pairs

"""Chinese texts as pairs of characters, values and names, and the sentences that hold most of one.

Without a dictionary: a pair of neighbouring characters is about a word, weighted by how rare it is. Values are those that values.read
reads, numerals in characters too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidecar.inference.compatible import resolved
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.text import Span
from sidecar.inference.values.compare import equal
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Hedge, Kind, Value

_HAN = re.compile(r"[\u3400-\u9fff]+")
_NAME = re.compile(r"[A-Za-z][A-Za-z\d_.+-]*")
_NUMERAL = re.compile(r"[\d零〇一二两兩三四五六七八九十百千万亿萬億]")
_SENTENCE = re.compile(r"[^。！？!?；;\n]+[。！？!?；;]*")
_NEGATES = re.compile(
    r"不(?![仅僅]|但|管|同|断|過|过|少|久|错|论|止|如|得不)|[没沒]|未(?!来|來|必)|[无無](?![论論线線数數锡錫]|人机|人機)|(?<![是])非(?!常|洲|凡)|勿|莫|禁止|避免"
)
_DENIED = re.compile(f"(?:{_NEGATES.pattern})有?([\u3400-\u9fff]{{2}})")
LONGEST = 120
MOST_SENTENCES = 4
_LEAST_SUM = 100
_HELD = 0.2  # what a pair counts once it is held


@dataclass(frozen=True, slots=True)
class Read:
    """A text: pairs of characters in order, single characters, triples, names in Latin letters, values, how often it negates, of
    how many Chinese characters it is, its values as they are written, and the pairs that stand behind a negation."""

    pairs: tuple[str, ...]
    characters: frozenset[str]
    triples: frozenset[str]
    names: frozenset[str]
    values: tuple[Value, ...]
    negations: int
    length: int
    written: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What some texts hold together."""

    pairs: frozenset[str]
    characters: frozenset[str]
    triples: frozenset[str]
    names: frozenset[str]
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence of a document."""

    document: int
    span: Span
    read: Read


def read(text: str) -> Read:
    """What a text says."""
    folded = resolved(text)
    runs = _HAN.findall(folded)
    values = tuple(one for one in read_values(folded) if one.kind is not Kind.NAME) if _has_numbers(folded) else ()
    return Read(
        pairs=tuple(run[n : n + 2] for run in runs for n in range(max(1, len(run) - 1))),
        characters=frozenset(character for run in runs for character in run),
        triples=frozenset(run[n : n + 3] for run in runs for n in range(len(run) - 2)),
        names=frozenset(name.lower().rstrip(".-") for name in _NAME.findall(folded)),
        values=values,
        negations=len(_NEGATES.findall(folded)),
        length=sum(map(len, runs)),
        written=tuple(folded[one.start : one.end] for one in values),
        denied=tuple(_DENIED.findall(folded)),
    )


def as_written(text: str, sentences: Sequence[Piece]) -> str:
    """A text with its values as sentences write them: 一千五百元 is 1500元 where they say that, and has no other characters."""
    folded = resolved(text)
    own = read(text)
    there = [pair for piece in sentences for pair in zip(piece.read.values, piece.read.written, strict=True)]
    known = {written for _, written in there}
    for value, written in sorted(zip(own.values, own.written, strict=True), key=lambda one: -one[0].start):
        other = next((said for given, said in there if equal(value, given)), None)
        if written not in known and other is not None:
            folded = folded[: value.start] + other + folded[value.end :]
    return folded


def _has_numbers(text: str) -> bool:
    return _NUMERAL.search(text) is not None


def pieces(documents: Sequence[str]) -> list[Piece]:
    """The sentences of documents, none longer than 120 characters."""
    found = []
    for number, text in enumerate(documents):
        for match in _SENTENCE.finditer(text):
            for start in range(match.start(), match.end(), LONGEST):
                end = min(match.end(), start + LONGEST)
                if text[start:end].strip():
                    found.append(Piece(number, Span(start, end), read(text[start:end])))
    return found


def choose(asked: Read, sentences: Sequence[Piece], idf: Idf) -> list[Piece]:
    """The sentences that hold most of what is asked, each for what those before it do not hold; best first."""
    left = {pair: idf.of(pair) for pair in asked.pairs}
    wanted = set(left)
    held = [(piece, wanted & set(piece.read.pairs)) for piece in sentences]
    chosen: list[Piece] = []
    while held and len(chosen) < MOST_SENTENCES:
        gains = [sum(left[pair] for pair in own) for _, own in held]
        best = int(np.argmax(gains))
        if chosen and gains[best] <= 0:
            break
        piece, own = held.pop(best)
        chosen.append(piece)
        left.update({pair: _HELD * left[pair] for pair in own})
    return chosen


def held(evidence: Sequence[Piece]) -> Held:
    """What sentences hold together."""
    return Held(
        pairs=frozenset(pair for piece in evidence for pair in piece.read.pairs),
        characters=frozenset(one for piece in evidence for one in piece.read.characters),
        triples=frozenset(one for piece in evidence for one in piece.read.triples),
        names=frozenset(one for piece in evidence for one in piece.read.names),
        values=tuple(value for piece in evidence for value in piece.read.values),
    )


def lacking(wanted: frozenset[str], there: frozenset[str]) -> float:
    """Share of some characters or names that is not there; 0 where none are wanted."""
    return len(wanted - there) / max(1, len(wanted))


def share(pairs: Sequence[str], known: frozenset[str], idf: Idf) -> float:
    """Share of the weight of some pairs that is known; 0 where there are none."""
    weights = {pair: idf.of(pair) for pair in pairs}
    return sum(weight for pair, weight in weights.items() if pair in known) / (sum(weights.values()) or 1.0)


def _same(value: Value, other: Value) -> bool:
    """Whether two values are the same one; of a sum that is said without its currency, as 3万5 is, the number."""
    kinds = {value.kind, other.kind}
    if kinds == {Kind.NUMBER, Kind.MONEY} and min(value.amount, other.amount) >= _LEAST_SUM:
        return equal(replace(value, kind=Kind.NUMBER, unit=""), replace(other, kind=Kind.NUMBER, unit=""))
    return equal(value, other)


def missing_values(wanted: Sequence[Value], there: Sequence[Value], *, bounds: bool = False) -> int:
    """How many of some values are not there, in whatever way they are written; with `bounds` at least 3 days is not at most 3 days."""

    def says(value: Value, other: Value) -> bool:
        return _same(value, other) and not (bounds and {Hedge.LEAST, Hedge.MOST} == {value.hedge, other.hedge})

    return sum(not any(says(value, other) for other in there) for value in wanted)

"""The embedded grounding model for Chinese: a small cross-encoder, beside what claim and documents have in common.

What words tell (lexical_zh.py) and what the cross-encoder makes of the claim beside its evidence are weighed by a calibrated head. Of an answer
in a few words words tell more than this cross-encoder does: they alone judge it. See docs/models/embedded-zh.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.answers.han_told import told
from sidecar.inference.base import Claim, Grounder, Support
from sidecar.inference.calibrated import FloatVector, Logistic, logit, probability
from sidecar.inference.card import Card
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.grounding.answered import answered
from sidecar.inference.grounding.contradiction import NOTHING_CONTRARY, Contrary
from sidecar.inference.grounding.han import LONGEST, Piece, as_written, pieces, read
from sidecar.inference.grounding.han_contrary import HanContraries
from sidecar.inference.grounding.han_evidence import passage
from sidecar.inference.grounding.han_features import CLAIM_FEATURES as LEXICAL_FEATURES
from sidecar.inference.grounding.han_inverted import better, both_ways
from sidecar.inference.grounding.han_worded import han_worded
from sidecar.inference.grounding.lexical_zh import (
    NOTHING_TO_READ,
    LexicalGrounder,
    between,
    claim_rows,
    lexical_grounder,
    supported,
)
from sidecar.inference.grounding.worded import as_asked
from sidecar.inference.onnx import size_of, verify
from sidecar.inference.pairs import CONTRADICTED, CROSS_ENCODER, SUPPORT, PairModel
from sidecar.inference.threads import off_loop

NAME = "embedded-zh"
HEADS = "heads.json"
CLAIM_FEATURES = ("lexical", "cross_encoder")
ASKED_FEATURES = ("lexical",)
WORD_FOR_WORD = 0.999
_LEAST_COPIED = 6
# Logits that set weights take where a claim stands there but for a value, or but for a negation: held claims of people are too few of these to
# fit it, and nothing else finds them at a threshold for few false alarms.
_LACKS_VALUE, _DENIES, _STANDS_THERE = 4.0, 2.0, 0.75
_BEST, _VALUE, _NEW, _LOST = map(
    LEXICAL_FEATURES.index, ("best_sentence", "any_value_missing", "negation_new", "negation_lost")
)


@dataclass(frozen=True, slots=True)
class Heads:
    """The calibrated models of a claim, and of an answer in a few words, and the threshold of both."""

    claim: Logistic
    asked: Logistic
    threshold: float

    def of_claim(self, row: FloatVector, words: FloatVector) -> float:
        """The probability of a claim, of its CLAIM_FEATURES (2,) and its features by words (features,)."""
        return probability(logit(float(self.claim.probability(row)[0])) - contrary(words))

    def of_asked(self, lexical: float) -> float:
        """The probability of an answer in a few words, of the logit of what words tell."""
        return float(self.asked.probability(np.array([lexical]))[0])


@dataclass(frozen=True, slots=True)
class Read:
    """A claim's features by words (features,), its nearest sentence, what the cross-encoder reads, (evidence, claim), and whether a sentence says
    the claim character for character."""

    row: FloatVector
    nearest: Piece
    pair: tuple[str, str]
    copied: bool
    contrary: Contrary = NOTHING_CONTRARY


class ChineseGrounder:
    """inference.base.Grounder."""

    languages = frozenset({"zh"})

    def __init__(
        self, lexical: LexicalGrounder, cross_encoder: PairModel, *, heads: Heads, identity: ModelIdentity
    ) -> None:
        self.identity = identity
        self.threshold = self.answer_threshold = heads.threshold
        self._lexical = lexical
        self._cross_encoder = cross_encoder
        self._heads = heads

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        asked, claims = claims, han_worded(claims, documents)
        other_way = both_ways(claims)
        supports = await self._supported([*claims, *other_way.values()], documents)
        for n, other in zip(other_way, supports[len(claims) :], strict=True):
            supports[n] = better(supports[n], other)
        supports = await off_loop(lambda: answered(supports[: len(claims)], claims, documents, told))
        return as_asked(supports, claims, asked)

    async def _supported(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        found = await off_loop(lambda: self.read(claims, documents))
        if not found:
            return [Support(NOTHING_TO_READ, None)] * len(claims)
        lexical = [logit(p) for p in self.by_words(found)]
        supports = [
            Support(WORD_FOR_WORD, _evidence(one))
            if one.copied
            else Support(
                one.contrary.weighed(self._heads.of_asked(words)), _evidence(one), conflicts=one.contrary.conflicts
            )
            for one, words in zip(found, lexical, strict=True)
        ]
        unsure = [n for n, one in enumerate(found) if not one.copied and not in_few_words(claims[n])]
        rows = await self._cross_encoder.rows([found[n].pair for n in unsure])
        for n, row in zip(unsure, rows, strict=True):
            own = np.array([lexical[n], row[SUPPORT.column]], np.float64)
            contradicted = probability(float(row[CONTRADICTED]))
            said = found[n].contrary.weighed(self._heads.of_claim(own, found[n].row))
            supports[n] = replace(supports[n], probability=said, contradicted=contradicted)
        return supports

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents, as lexical_zh.between says."""
        found = supports or await self.support([Claim(answer)], documents)
        return between([one.probability for one in found])

    def by_words(self, found: Sequence[Read]) -> list[float]:
        """What the words of each tell, as a probability. Training reads the same."""
        return [float(p) for p in supported(self._lexical.model, np.stack([one.row for one in found]))]

    def read(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Read]:
        """Each claim beside its evidence; nothing where there is nothing to read. Training reads the same."""
        sentences = pieces(documents)
        if not sentences or not claims:
            return []
        idf = self._lexical.idf
        rows, evidence = claim_rows(claims, sentences, idf)
        there = {said for one in sentences if (said := whole(one, documents))}
        contraries = HanContraries(documents, sentences, idf.of)
        return [
            Read(
                row,
                own[0],
                (self._beside(claim, sentences, documents), claim.text),
                as_it_is(claim.text) in there,
                contraries.of(claim, own),
            )
            for claim, row, own in zip(claims, rows, evidence, strict=True)
        ]

    def _beside(self, claim: Claim, sentences: Sequence[Piece], documents: Sequence[str]) -> str:
        """What the cross-encoder reads of documents beside a claim: what holds most of it, then of its question."""
        asked = [as_written(claim.text, sentences), *filter(None, [claim.question])]
        return passage([read(one) for one in asked], sentences, documents, self._lexical.idf)


def contrary(words: FloatVector) -> float:
    """Logits to take from a claim, by its features in words (features,), where its best sentence has nearly all of it but one thing."""
    if words[_BEST] < _STANDS_THERE:
        return 0.0
    return _LACKS_VALUE * float(words[_VALUE]) + _DENIES * float(words[_NEW] or words[_LOST])


def _evidence(one: Read) -> Evidence:
    return Evidence(one.nearest.document, one.nearest.span.start, one.nearest.span.end)


def whole(one: Piece, documents: Sequence[str]) -> str:
    """A sentence as it is; empty where it asks, is of a few characters, or is a part of one."""
    text = documents[one.document][one.span.start : one.span.end]
    said = as_it_is(text)
    return (
        ""
        if len(said) < _LEAST_COPIED or text.rstrip().endswith(("？", "?")) or one.span.end - one.span.start >= LONGEST
        else said
    )


def as_it_is(text: str) -> str:
    """A sentence without spaces and the marks at its end."""
    return "".join(text.split()).rstrip("。！!；;，,")


def in_few_words(claim: Claim) -> bool:
    """Whether a claim is all that an answer says, in so few words that only its question tells what it says."""
    return claim.short and bool(claim.question)


def load(dependencies: Dependencies) -> tuple[Card, dict[str, Any]]:
    """The card and the heads, verified. Raises ConfigError."""
    directory = dependencies.directory / NAME
    card = Card.load(directory)
    for name, sha256 in card.files.items():
        if name != CROSS_ENCODER:  # which its loader verifies
            verify(directory / name, sha256)
    return card, json.loads((directory / HEADS).read_text(encoding="utf-8"))


def _build(_: NoSettings, dependencies: Dependencies) -> Built[Grounder]:
    card, heads = load(dependencies)
    own = Heads(
        claim=Logistic.from_card(heads["claim"], CLAIM_FEATURES),
        asked=Logistic.from_card(heads["asked"], ASKED_FEATURES),
        threshold=heads["claim"]["threshold"],
    )
    lease = dependencies.chinese.lease()
    return Built(
        ChineseGrounder(lexical_grounder(dependencies), lease.model, heads=own, identity=card.identity(HEADS)),
        (lease,),
    )


def size(_: NoSettings, dependencies: Dependencies) -> int:
    """Bytes of its largest file."""
    return size_of(dependencies.directory / NAME / CROSS_ENCODER)


ENTRY: Entry[Grounder] = Entry(NAME, NoSettings, _build, size=size, reads=lambda _, __: ChineseGrounder.languages)

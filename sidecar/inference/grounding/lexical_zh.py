"""The grounding model for Chinese: what a claim has in common with its evidence, and a calibrated logistic model over it.

It reads words in common, values and negation, not meaning. See docs/models/lexical-zh.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.base import Claim, Grounder, Support
from sidecar.inference.calibrated import FloatVector, Logistic, logit, probability
from sidecar.inference.card import Card
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.grounding.han import Piece, as_written, choose, pieces, read
from sidecar.inference.grounding.han_features import CLAIM_FEATURES, TURNED, Question, features
from sidecar.inference.onnx import size_of, verify
from sidecar.inference.threads import off_loop

NAME = "lexical-zh"
HEADS, IDF = "heads.json", "idf.json.gz"
NOTHING_TO_READ = 0.001
# Logits. Fit among the features it would learn from negations made by rule, which are few: good and bad rows of people hold it alike often.
_DENIED = 2.0


class LexicalGrounder:
    """inference.base.Grounder."""

    languages = frozenset({"zh"})

    def __init__(self, idf: Idf, model: Logistic, *, identity: ModelIdentity, threshold: float) -> None:
        self.identity = identity
        self.threshold = self.answer_threshold = threshold
        self.idf = idf
        self.model = model

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        return await off_loop(lambda: self._supports(claims, pieces(documents)))

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents, as `between` says."""
        found = supports or await self.support([Claim(answer)], documents)
        return between([one.probability for one in found])

    def _supports(self, claims: Sequence[Claim], sentences: Sequence[Piece]) -> list[Support]:
        if not sentences or not claims:
            return [Support(NOTHING_TO_READ, None)] * len(claims)
        rows, evidence = claim_rows(claims, sentences, self.idf)
        return [
            Support(float(p), Evidence(own[0].document, own[0].span.start, own[0].span.end))
            for p, own in zip(supported(self.model, rows), evidence, strict=True)
        ]


def between(supports: Sequence[float]) -> float:
    """Of an answer, by the support of its claims (at least one): half way, in logits, between the mean claim and the least supported one."""
    return probability((float(np.mean([logit(one) for one in supports])) + logit(min(supports))) / 2)


def supported(model: Logistic, rows: FloatVector) -> FloatVector:
    """Probability (n,) of rows (n, features): of the model, less a set weight where something is denied on one side alone."""
    p = np.clip(model.probability(rows[:, :TURNED]), 1e-9, 1 - 1e-9)
    found: FloatVector = 1 / (1 + np.exp(_DENIED * rows[:, TURNED]) * (1 - p) / p)
    return found


def claim_rows(claims: Sequence[Claim], sentences: Sequence[Piece], idf: Idf) -> tuple[FloatVector, list[list[Piece]]]:
    """Features (claims, len(CLAIM_FEATURES) + 1), and the evidence of each. Training reads the same."""
    questions = {text: Question(text, sentences, idf) for text in {claim.question for claim in claims}}
    rows, evidence = [], []
    for claim in claims:
        asked = read(as_written(claim.text, sentences))
        own = choose(asked, sentences, idf)
        rows.append(features(asked, own, idf, questions[claim.question].near(asked, sentences)))
        evidence.append(own)
    return np.stack(rows), evidence


def load(dependencies: Dependencies) -> tuple[Card, dict[str, Any], Idf]:
    """The card, the heads and the table of the model, verified. Raises ConfigError."""
    directory = dependencies.directory / NAME
    card = Card.load(directory)
    for name, sha256 in card.files.items():
        verify(directory / name, sha256)
    return card, json.loads((directory / HEADS).read_text(encoding="utf-8")), Idf.load(directory / IDF)


def size(_: NoSettings, dependencies: Dependencies) -> int:
    """Bytes of its files."""
    return size_of(dependencies.directory / NAME / IDF)


def lexical_grounder(dependencies: Dependencies) -> LexicalGrounder:
    """The model, loaded. Raises ConfigError."""
    card, heads, idf = load(dependencies)
    head = heads["claim"]
    return LexicalGrounder(
        idf, Logistic.from_card(head, CLAIM_FEATURES), identity=card.identity(HEADS), threshold=head["threshold"]
    )


ENTRY: Entry[Grounder] = Entry(
    NAME,
    NoSettings,
    lambda _, given: Built(lexical_grounder(given)),
    size=size,
    reads=lambda _, __: LexicalGrounder.languages,
)

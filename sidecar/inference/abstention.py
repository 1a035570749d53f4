"""How far an answer declines, told by a small model inside the package that reads it behind its question.

It is the lower half of a cross-encoder of six layers, trained on with answers that decline and answers that look like it (training/abstention.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from exporters.result import Abstention
from exporters.text import clean
from sidecar.inference.base import FloatArray
from sidecar.inference.card import Card
from sidecar.inference.embedding.minilm import FOLDER as WORDS
from sidecar.inference.onnx import Tables
from sidecar.inference.pairs import PairModel, packaged_pairs
from sidecar.inference.turn import Slots
from sidecar.observe.telemetry import Telemetry

FOLDER = "abstention"
CLASSIFIER = "classifier.onnx"
OUTPUT = "kinds"
# The columns of the model's output.
KINDS = (Abstention.NONE, Abstention.FULL, Abstention.PARTIAL, Abstention.CLARIFICATION)
_QUESTION_CHARS = 200


def as_read(question: str, answer: str) -> tuple[str, str]:
    """What the model is given of both: the answer, and how the question begins."""
    return clean(question)[:_QUESTION_CHARS].strip(), clean(answer).strip()


class AbstentionClassifier:
    """inference.base.AbstentionModel."""

    def __init__(self, card: Card, model: PairModel) -> None:
        """`model` is the one that the card tells of. Its version has the thresholds in it: what it decides follows from them, and no result has them."""
        self.languages = card.languages
        self.threshold = float(card.data["threshold"])
        self.part_threshold = float(card.data["part_threshold"])
        version = f"{card.version}+{self.threshold:g}+{self.part_threshold:g}"
        self.identity = replace(model.identity, version=version)
        self._model = model

    async def start(self) -> None:
        """Start the batcher."""
        await self._model.start()

    async def stop(self) -> None:
        """Stop the batcher; what waits fails as retryable."""
        await self._model.stop()

    async def kinds(self, question: str, answers: Sequence[str]) -> list[dict[Abstention, float] | None]:
        """As inference.base.AbstentionModel says."""
        asked = [as_read(question, answer)[::-1] for answer in answers]
        rows = await self._model.read(asked)
        return [None if row is None else dict(zip(KINDS, map(float, _softmax(row)), strict=True)) for row in rows]


def _softmax(row: FloatArray) -> FloatArray:
    likely: FloatArray = np.exp(row - row.max())
    scaled: FloatArray = likely / likely.sum()
    return scaled


def packaged_classifier(
    directory: Path,
    *,
    threads: int,
    batch_tokens: int,
    telemetry: Telemetry,
    tables: Tables,
    slots: Slots | None = None,
) -> AbstentionClassifier:
    """That inside the package. `directory` holds its model folders. Raises ConfigError."""
    model = packaged_pairs(
        directory,
        FOLDER,
        file=CLASSIFIER,
        output=OUTPUT,
        tokenizer=WORDS,
        threads=threads,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        tables=tables,
        slots=slots,
    )
    return AbstentionClassifier(Card.load(directory / FOLDER), model)

"""Pairs of texts to probabilities, by a tokenizer, a head, and whatever computes logits: a graph in this process, or a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from tokenizers import Encoding

from exporters.result import ModelIdentity
from sidecar.inference.base import FloatArray
from sidecar.inference.batcher import Batcher
from sidecar.inference.own.graph import Graph
from sidecar.inference.own.heads import Head
from sidecar.inference.own.reader import Reader, Row
from sidecar.inference.threads import off_loop
from sidecar.observe.telemetry import Telemetry

MARKED_FROM = 0.5
Pair = tuple[str, str]
TokensMean = Literal["any", "share"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said of a (premise, hypothesis). `unsupported` are places in the hypothesis; None of a model that marks no words. `contradicted` is
    the probability of the contrary against that of neither; None of a model that does not tell these apart."""

    probability: float
    unsupported: tuple[tuple[int, int], ...] | None = None
    contradicted: float | None = None


class Judge(Protocol):
    """Judges pairs."""

    @property
    def identity(self) -> ModelIdentity: ...

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """One Judged a pair, in order. `context` are all texts that the pairs were made of: what leaves the process is
        redacted as they are. Raises InferenceError."""
        ...


class Predictor(Protocol):
    """Encodings to logits."""

    async def predict(self, batch: Sequence[Encoding]) -> list[FloatArray]:
        """Of each encoding the logits, without those of padding. Raises InferenceError."""
        ...


class LocalPredictor:
    """A graph behind a batcher."""

    def __init__(self, graph: Graph, *, name: str, by_token: bool, batch_tokens: int, telemetry: Telemetry) -> None:
        self._graph = graph
        self._by_token = by_token
        self._batcher: Batcher[Encoding, FloatArray] = Batcher(
            name, self._compute, telemetry=telemetry, tokens=len, most_tokens=batch_tokens
        )

    async def start(self) -> None:
        """Start the batcher."""
        await self._batcher.start()

    async def stop(self) -> None:
        """Stop the batcher."""
        await self._batcher.stop()

    async def predict(self, batch: Sequence[Encoding]) -> list[FloatArray]:
        """As Predictor says."""
        return await self._batcher.predict(batch)

    def _compute(self, batch: Sequence[Encoding]) -> list[FloatArray]:
        found = self._graph.run(batch)
        return [row[: len(encoding.ids)] if self._by_token else row for row, encoding in zip(found, batch, strict=True)]


class PairJudge:
    """A `Judge`. With `tokens`, the head says of each token how likely it is not supported: `any` takes the worst one of the
    hypothesis, `share` their mean. A hypothesis holds as far as its least supported window does, a window as far as its best
    window of the premise says it, and is contradicted as the window of the premise does that says the contrary most."""

    def __init__(
        self,
        reader: Reader,
        predictor: Predictor,
        head: Head,
        *,
        identity: ModelIdentity,
        calibrated: Callable[[FloatArray], FloatArray],
        tokens: TokensMean | None = None,
        contrary: Head | None = None,
    ) -> None:
        """`contrary` gives the probabilities of contradiction and of neither."""
        self.identity = identity
        self.reader = reader
        self._predictor = predictor
        self._head = head
        self._calibrated = calibrated
        self._tokens = tokens
        self._contrary = contrary

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """As Judge says."""
        read = await off_loop(lambda: [self.reader.rows(premise, hypothesis) for premise, hypothesis in pairs])
        flat = [encoding for rows in read for row in rows for encoding in row.encodings]
        logits = iter(await self._predictor.predict(flat))

        def judge() -> list[Judged]:
            return [self._one(rows, logits) for rows in read]

        return await off_loop(judge)

    def _one(self, rows: Sequence[Row], logits: Iterator[FloatArray]) -> Judged:
        read = [[next(logits)[None] for _ in row.encodings] for row in rows]
        found = [[self._head(one)[0] for one in row] for row in read]
        if self._tokens is None:
            best = [max(float(p) for p in row) for row in found]
            contradicted = self._contradicted(read[best.index(min(best))])
            return Judged(self._probability(min(best)), contradicted=contradicted)
        marked = [mark for row, each in zip(rows, found, strict=True) for mark in self._marks(row, each)]
        worst = [p for _, _, p in marked] or [0.0]
        spans = joined([(start, end) for start, end, p in marked if p >= MARKED_FROM])
        return Judged(self._probability(1 - (max(worst) if self._tokens == "any" else float(np.mean(worst)))), spans)

    def _contradicted(self, row: Sequence[FloatArray]) -> float | None:
        """By the logits of a window of the hypothesis beside each of the premise."""
        if self._contrary is None:
            return None
        contrary, neither = max((self._contrary(one)[0] for one in row), key=lambda p: float(p[0]))
        return round(float(contrary / max(contrary + neither, 1e-9)), 6)

    def _probability(self, p: float) -> float:
        return round(float(self._calibrated(np.array([p], np.float32))[0]), 6)

    def _marks(self, row: Row, each: Sequence[FloatArray]) -> Iterator[tuple[int, int, float]]:
        """Place and probability of each token of a window of the hypothesis; what one window of the premise says is said."""
        segment = self.reader.segment
        own = [[n for n, of in enumerate(one.sequence_ids) if of == segment] for one in row.encodings]
        least = np.min([p[places] for p, places in zip(each, own, strict=True)], axis=0)
        for n, p in zip(own[0], least, strict=True):
            start, end = row.encodings[0].offsets[n]
            yield row.start + start, row.start + end, float(p)


def joined(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places that touch, or have one character between them, as one; sorted."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)

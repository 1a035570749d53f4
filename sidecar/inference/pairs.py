"""Models that read two texts together: the embedded cross-encoder (claim and evidence, question and passage) and HHEM.

What is longer than the model reads is windowed, never cut: a hypothesis holds as far as its least supported window does,
and a window as far as its best window of the premise says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import FloatArray
from sidecar.inference.batcher import Batcher
from sidecar.inference.card import Card
from sidecar.inference.cpu import shared
from sidecar.inference.onnx import OnnxModel, Tables
from sidecar.inference.threads import off_loop
from sidecar.inference.turn import Slots
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError

CROSS_ENCODER = "cross_encoder.onnx"
_OVERLAP_TOKENS = 32
_LEAST_PREMISE_TOKENS = 48


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of a model: the segments of hypothesis and premise tell it, `column` of its output answers."""

    column: int
    hypothesis: int
    premise: int


SUPPORT = Task(0, 0, 1)
CONTRADICTED = 1
DOCUMENT = Task(2, 1, 0)
ANSWER = Task(3, 1, 1)


@dataclass(frozen=True, slots=True)
class Asked:
    """A pair as the model reads it."""

    ids: Sequence[int]
    types: Sequence[int]

    def __len__(self) -> int:
        return len(self.ids)


class PairModel:
    """One loaded model. With a `prompt` (names premise and hypothesis) both go in as one text; without, hypothesis and
    premise are the two segments of a BERT input. `output` is the graph's output, (batch,) or (batch, columns)."""

    def __init__(
        self,
        path: Path,
        tokenizer: Path,
        *,
        identity: ModelIdentity,
        output: str,
        max_tokens: int,
        threads: int,
        batch_tokens: int,
        telemetry: Telemetry,
        prompt: str | None = None,
        at_once: int = 1,
        tables: Tables | None = None,
        slots: Slots | None = None,
    ) -> None:
        """Load and verify. `at_once` batches run side by side, each on `threads`, in `slots` where these are given; `tables` lie outside of the
        graph. Raises ConfigError."""
        self.identity = identity
        self._model = OnnxModel(path, sha256=identity.sha256, threads=threads, tables=tables)
        try:
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises bare Exception
            raise ConfigError("inference.model_dir", f"{tokenizer}: {error}", "install the model again") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._output = output
        self._prompt = prompt
        self._max_tokens = max_tokens
        self._frame = len(self.encode("", "").ids)
        self._batcher: Batcher[Asked, FloatArray] = Batcher(
            identity.name,
            self.compute,
            telemetry=telemetry,
            tokens=len,
            most_tokens=batch_tokens,
            at_once=at_once,
            slots=slots,
        )

    async def start(self) -> None:
        """Start the batcher."""
        await self._batcher.start()

    async def stop(self) -> None:
        """Stop the batcher."""
        await self._batcher.stop()

    async def score(self, pairs: Sequence[tuple[str, str]], task: Task = SUPPORT) -> list[float]:
        """The model's answer for each (premise, hypothesis), in order. Raises InferenceError."""
        return [float(row[task.column]) for row in await self.rows(pairs, task)]

    async def rows(self, pairs: Sequence[tuple[str, str]], task: Task = SUPPORT) -> list[FloatArray]:
        """All that the model says (columns,) of each (premise, hypothesis), of the windows that decide. Raises InferenceError."""
        windows = await off_loop(lambda: [self.windows(premise, hypothesis, task) for premise, hypothesis in pairs])
        found = iter(await self._batcher.predict([asked for parts in windows for row in parts for asked in row]))

        def answer(row: FloatArray) -> float:
            return float(row[task.column])

        return [min((max((next(found) for _ in row), key=answer) for row in parts), key=answer) for parts in windows]

    async def read(self, pairs: Sequence[tuple[str, str]]) -> list[FloatArray | None]:
        """All that the model says (columns,) of each (premise, hypothesis) as a whole; None of one that is longer than it reads. Raises InferenceError."""
        encoded = await off_loop(lambda: [self.encode(premise, hypothesis) for premise, hypothesis in pairs])
        whole = [len(one) <= self._max_tokens for one in encoded]
        found = iter(await self._batcher.predict([one for one, fits in zip(encoded, whole, strict=True) if fits]))
        return [next(found) if fits else None for fits in whole]

    def windows(self, premise: str, hypothesis: str, task: Task = SUPPORT) -> list[list[Asked]]:
        """The inputs of one pair: a row for each window of the hypothesis, in it one for each window of the premise."""
        whole = self.encode(premise, hypothesis, task)
        if len(whole.ids) <= self._max_tokens:
            return [[whole]]
        room = self._max_tokens - self._frame
        rows = []
        for part in self._parts(hypothesis, room - min(_LEAST_PREMISE_TOKENS, room // 2)):
            left = room - len(self._tokenizer.encode(part, add_special_tokens=False).ids) - 2
            rows.append([self.encode(piece, part, task) for piece in self._parts(premise, max(left, 8))])
        return rows

    def encode(self, premise: str, hypothesis: str, task: Task = SUPPORT) -> Asked:
        """The tokens of a pair, of whatever length."""
        premise, hypothesis = clean(premise), clean(hypothesis)
        if self._prompt is None:
            encoding = self._tokenizer.encode(hypothesis, premise)
            return Asked(encoding.ids, [task.premise if second else task.hypothesis for second in encoding.type_ids])
        encoding = self._tokenizer.encode(self._prompt.format(premise=premise, hypothesis=hypothesis))
        return Asked(encoding.ids, encoding.type_ids)

    def compute(self, batch: Sequence[Asked]) -> list[FloatArray]:
        """Outputs (columns,) of each of one batch; blocks."""
        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, asked in enumerate(batch):
            size = len(asked)
            ids[row, :size], mask[row, :size], types[row, :size] = asked.ids, 1, asked.types
        inputs = {"input_ids": ids, "attention_mask": mask}
        if self._prompt is None:
            inputs["token_type_ids"] = types
        [outputs] = self._model.run([self._output], inputs)
        return list(outputs.reshape(len(batch), -1))

    def _parts(self, text: str, most: int) -> list[str]:
        """Substrings of at most so many tokens, with some overlap; the text itself where it fits."""
        text = clean(text)
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        if len(encoding.ids) <= most:
            return [text]
        step = max(1, most - min(_OVERLAP_TOKENS, most // 4))
        starts = range(0, len(encoding.ids) - (most - step), step)
        spans = [encoding.offsets[start : start + most] for start in starts]
        return [text[span[0][0] : span[-1][1]] for span in spans]


def packaged_pairs(
    directory: Path,
    name: str,
    *,
    tokenizer: str,
    file: str = CROSS_ENCODER,
    output: str = "logits",
    threads: int,
    batch_tokens: int,
    telemetry: Telemetry,
    tables: Tables | None = None,
    slots: Slots | None = None,
) -> PairModel:
    """A model inside the package that reads pairs, with the tokenizer of the same or another one. Raises ConfigError."""
    card = Card.load(directory / name)
    at_once, of_each = shared(threads)
    return PairModel(
        directory / name / file,
        directory / tokenizer / "tokenizer.json",
        identity=card.identity(file),
        output=output,
        max_tokens=int(card.data["max_tokens"]),
        threads=of_each,
        at_once=at_once,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        tables=tables,
        slots=slots,
    )

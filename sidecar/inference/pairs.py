"""Models that read a premise and a hypothesis together: the embedded cross-encoder and HHEM.

What is longer than the model reads is windowed, never cut: a hypothesis holds as far as its least supported window does,
and a window as far as its best window of the premise says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import FloatArray
from sidecar.inference.batcher import Batcher
from sidecar.inference.onnx import OnnxModel
from sidecar.inference.threads import off_loop
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError

_OVERLAP_TOKENS = 32
_LEAST_PREMISE_TOKENS = 48


class PairModel:
    """One loaded model. With a `prompt` (names premise and hypothesis) both go in as one text; without, hypothesis and
    premise are the two segments of a BERT input. `output` is the graph's output (batch,)."""

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
    ) -> None:
        """Load and verify. Raises ConfigError."""
        self.identity = identity
        self._model = OnnxModel(path, sha256=identity.sha256, threads=threads)
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
        self._batcher: Batcher[Encoding, float] = Batcher(
            identity.name, self.compute, telemetry=telemetry, tokens=len, most_tokens=batch_tokens
        )

    async def start(self) -> None:
        """Start the batcher."""
        await self._batcher.start()

    async def stop(self) -> None:
        """Stop the batcher."""
        await self._batcher.stop()

    async def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The model's output for each (premise, hypothesis), in order. Raises InferenceError."""
        windows = await off_loop(lambda: [self.windows(premise, hypothesis) for premise, hypothesis in pairs])
        flat = [encoding for parts in windows for row in parts for encoding in row]
        found = iter(await self._batcher.predict(flat))
        return [min(max(next(found) for _ in row) for row in parts) for parts in windows]

    def windows(self, premise: str, hypothesis: str) -> list[list[Encoding]]:
        """The inputs of one pair: a row for each window of the hypothesis, in it one for each window of the premise."""
        whole = self.encode(premise, hypothesis)
        if len(whole.ids) <= self._max_tokens:
            return [[whole]]
        room = self._max_tokens - self._frame
        rows = []
        for part in self._parts(hypothesis, room - min(_LEAST_PREMISE_TOKENS, room // 2)):
            left = room - len(self._tokenizer.encode(part, add_special_tokens=False).ids) - 2
            rows.append([self.encode(piece, part) for piece in self._parts(premise, max(left, 8))])
        return rows

    def encode(self, premise: str, hypothesis: str) -> Encoding:
        """The tokens of a pair, of whatever length."""
        premise, hypothesis = clean(premise), clean(hypothesis)
        if self._prompt is None:
            return self._tokenizer.encode(hypothesis, premise)
        return self._tokenizer.encode(self._prompt.format(premise=premise, hypothesis=hypothesis))

    def compute(self, batch: Sequence[Encoding]) -> list[float]:
        """Outputs of one batch; blocks."""
        longest = max(len(encoding.ids) for encoding in batch)
        ids = np.zeros((len(batch), longest), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, encoding in enumerate(batch):
            size = len(encoding.ids)
            ids[row, :size], mask[row, :size], types[row, :size] = encoding.ids, 1, encoding.type_ids
        inputs = {"input_ids": ids, "attention_mask": mask}
        if self._prompt is None:
            inputs["token_type_ids"] = types
        [outputs] = self._model.run([self._output], inputs)
        values: FloatArray = outputs
        return [float(value) for value in values]

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

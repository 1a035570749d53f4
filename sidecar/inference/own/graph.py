"""A batch of encodings through the graphs of a folder: logits come out, whatever the graph is called and split into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from sidecar.inference.base import FloatArray
from sidecar.inference.onnx import OpenGraph, Provider
from sidecar.inference.own.folder import EXPORT, Folder

KNOWN = frozenset({"input_ids", "attention_mask", "token_type_ids", "decoder_input_ids", "decoder_attention_mask"})
_DECODER = frozenset({"input_ids", "encoder_hidden_states", "encoder_attention_mask", "decoder_attention_mask"})
Batch = dict[str, NDArray[np.int64]]


class Graph:
    """Blocks. `run` may be called from any thread. `width` is the last dimension of what comes out, None where the graph leaves it open."""

    def __init__(self, folder: Folder, *, outputs: Sequence[str], threads: int, providers: Sequence[Provider]) -> None:
        """`outputs` are names of which the first that the graph has is taken. Raises ConfigError."""
        made = [OpenGraph(path, field=folder.field, threads=threads, providers=providers) for path in folder.graphs]
        self._encoder, self._last = made[0], made[-1]
        self._split = len(made) == 2
        self._start = int(folder.config.get("decoder_start_token_id") or 0)
        self._pad = int(folder.config.get("pad_token_id") or 0)
        strange = sorted(set(self._encoder.inputs) - KNOWN) or (
            self._split and sorted(set(self._last.inputs) - _DECODER)
        )
        if strange:
            raise folder.wrong(f"{folder.graphs[0]} asks for {', '.join(strange)}", f"a text model does not: {EXPORT}")
        found = [name for name in outputs if name in self._last.outputs]
        if not found:
            problem = f"{folder.graphs[-1]} gives {', '.join(self._last.outputs)}, and no {outputs[0]}"
            raise folder.wrong(problem, EXPORT)
        self.output = found[0]
        self.width = self._last.widths.get(self.output)

    def run(self, batch: Sequence[Encoding]) -> FloatArray:
        """What comes out, (len(batch), ...). Raises PermanentInferenceError."""
        given = padded(batch, pad=self._pad)
        start = np.full((len(batch), 1), self._start, np.int64)
        given |= {"decoder_input_ids": start, "decoder_attention_mask": np.ones_like(start)}
        [states] = self._encoder.run(
            [self._encoder.outputs[0] if self._split else self.output], _only(given, self._encoder)
        )
        if not self._split:
            return states
        asked: dict[str, NDArray[Any]] = {
            "input_ids": start,
            "encoder_attention_mask": given["attention_mask"],
            "encoder_hidden_states": states,
        }
        [logits] = self._last.run(
            [self.output], {**asked, **_only({"decoder_attention_mask": np.ones_like(start)}, self._last)}
        )
        return logits


def padded(batch: Sequence[Encoding], *, pad: int) -> Batch:
    """Ids, mask and types (len(batch), longest), int64."""
    shape = (len(batch), max(len(encoding.ids) for encoding in batch))
    ids, mask, types = np.full(shape, pad, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, encoding in enumerate(batch):
        size = len(encoding.ids)
        ids[row, :size], mask[row, :size], types[row, :size] = encoding.ids, 1, encoding.type_ids
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def _only(given: Batch, graph: OpenGraph) -> Batch:
    return {name: value for name, value in given.items() if name in graph.inputs}

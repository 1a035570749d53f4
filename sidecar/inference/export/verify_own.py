"""How far a folder's model is from another one, as after quantising, and whether a text's score depends on what shares its batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding

from sidecar.inference.base import FloatArray
from sidecar.inference.cpu import cpu_limit
from sidecar.inference.export.verify import PUBLISHED, QUANTISED, Deviation, read_pairs
from sidecar.inference.onnx import CPU
from sidecar.inference.own.folder import Folder, Task, open_folder
from sidecar.inference.own.graph import Graph

BATCHED = 1e-4
_OUTPUTS = ("logits", "sentence_embedding", "last_hidden_state", "token_embeddings")


def verify(directory: Path, *, source: Path | None = None, pairs: Path | None = None) -> list[Deviation]:
    """Largest differences of probabilities (of vectors' cosines from 1, for embeddings) over the pairs. Raises ConfigError."""
    folder = open_folder(directory, "--dir")
    asked = [(premise, hypothesis) for premise, hypothesis, _ in PUBLISHED] + (read_pairs(pairs) if pairs else [])
    tokenizer, most = folder.tokenizer(), folder.most_tokens(None)
    tokenizer.enable_truncation(most)
    encodings = [tokenizer.encode(*pair) for pair in asked]
    alone = _said(folder, [[one] for one in encodings])
    together = _said(folder, [encodings])
    table = [Deviation("a pair in a batch from the same alone", len(asked), _largest(together, alone), BATCHED)]
    if source is not None:
        other = _said(open_folder(source, "--source"), [[one] for one in encodings])
        table.append(Deviation("this model from its source", len(asked), _largest(alone, other), QUANTISED))
    return table


def _said(folder: Folder, batches: Sequence[Sequence[Encoding]]) -> list[FloatArray]:
    graph = Graph(folder, outputs=_OUTPUTS, threads=cpu_limit(), providers=CPU)
    by_token = folder.task in (Task.TOKENS, Task.STATES)
    found = []
    for batch in batches:
        for row, encoding in zip(graph.run(batch), batch, strict=True):
            own = row[: len(encoding.ids)] if by_token and row.ndim == 2 else row
            found.append(_readable(folder, own))
    return found


def _readable(folder: Folder, row: FloatArray) -> FloatArray:
    """Probabilities of logits; of states their mean, of length 1."""
    if folder.task is Task.STATES:
        mean = row.mean(axis=0) if row.ndim == 2 else row
        unit: FloatArray = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return unit
    if folder.task is not Task.GENERATION and row.shape[-1] != len(folder.labels):
        problem = f"config.json: id2label has {len(folder.labels)}, logits are {row.shape}"
        raise folder.wrong(problem, "put the config.json there that the model was saved with")
    if row.shape[-1] == 1:
        return np.asarray(1 / (1 + np.exp(-row)), np.float32)
    powers = np.exp(row - row.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def _largest(some: Sequence[FloatArray], others: Sequence[FloatArray]) -> float:
    return max(float(np.abs(one - other).max()) for one, other in zip(some, others, strict=True))

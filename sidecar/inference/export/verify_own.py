"""How far a folder's model is from another one, as after quantising, and whether a text's score depends on what shares its batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding

from sidecar.inference.base import FloatArray
from sidecar.inference.cpu import cpu_limit
from sidecar.inference.embedding.onnx import joined, pooled, pooling_of
from sidecar.inference.export.verify import PUBLISHED, QUANTISED, Deviation, read_pairs
from sidecar.inference.onnx import CPU
from sidecar.inference.own.folder import Folder, Task, open_folder
from sidecar.inference.own.graph import Graph
from sidecar.inference.own.heads import Head
from sidecar.inference.own.local import Asked, head_of, reader_of
from sidecar.inference.own.settings import GroundingConfig, check_prompt
from sidecar.record.errors import ConfigError

BATCHED = 1e-4
_OUTPUTS = ("logits", "sentence_embedding", "last_hidden_state", "token_embeddings")


def verify(
    directory: Path,
    *,
    source: Path | None = None,
    pairs: Path | None = None,
    prompt: str | None = None,
    words: tuple[str, str] | None = None,
) -> list[Deviation]:
    """Largest differences of probabilities (of the numbers of a vector of length 1, for embeddings) over the pairs, asked as the sidecar asks the
    model: in `prompt`, by `words`, pooled as the folder says. Raises ConfigError."""
    folder = open_folder(directory, "--dir")
    told = {"words": words} if words else {}
    asked = Asked("grounding", GroundingConfig.model_validate(told), _checked(prompt), hypothesis_first=False)
    texts = [(premise, hypothesis) for premise, hypothesis, _ in PUBLISHED] + (read_pairs(pairs) if pairs else [])
    encodings = list(_encoded(folder, asked, texts))
    alone = _said(folder, [[one] for one in encodings], asked)
    together = _said(folder, [encodings], asked)
    table = [Deviation("a pair in a batch from the same alone", len(texts), _largest(together, alone), BATCHED)]
    if source is not None:
        other = _said(open_folder(source, "--source"), [[one] for one in encodings], asked)
        table.append(Deviation("this model from its source", len(texts), _largest(alone, other), QUANTISED))
    return table


def _checked(prompt: str | None) -> str | None:
    try:
        return check_prompt(prompt, needs=("premise",), may=("hypothesis",))
    except ValueError as error:
        raise ConfigError("--prompt", str(error), "give the prompt of the settings") from error


def _encoded(folder: Folder, asked: Asked, pairs: Sequence[tuple[str, str]]) -> Iterator[Encoding]:
    """What the model reads of the pairs: windows of them, or, of a model that reads one text, both."""
    if folder.task is Task.STATES:
        tokenizer = folder.tokenizer()
        tokenizer.enable_truncation(folder.most_tokens(None))
        yield from (tokenizer.encode(text) for pair in pairs for text in pair)
        return
    reader = reader_of(folder, asked)
    yield from (one for pair in pairs for row in reader.rows(*pair) for one in row.encodings)


def _said(folder: Folder, batches: Sequence[Sequence[Encoding]], asked: Asked) -> list[FloatArray]:
    graph = Graph(folder, outputs=_OUTPUTS, threads=cpu_limit(), providers=CPU)
    readable = _reading(folder, asked)
    by_token = folder.task in (Task.TOKENS, Task.STATES)
    found = []
    for batch in batches:
        for row, encoding in zip(graph.run(batch), batch, strict=True):
            own = row[: len(encoding.ids)] if by_token and row.ndim == 2 else row
            found.append(readable(own))
    return found


def _reading(folder: Folder, asked: Asked) -> Head:
    """What makes comparable numbers of the logits, or states, of a row."""
    if folder.task is Task.STATES:
        pooling = pooling_of(folder, None)
        return lambda row: joined([pooled(row, pooling)], [1])
    if folder.task is Task.GENERATION:
        head = head_of(folder, asked)
        return lambda row: head(row[None])
    return lambda row: _probabilities(folder, row)


def _probabilities(folder: Folder, row: FloatArray) -> FloatArray:
    """Of all labels."""
    if row.shape[-1] != len(folder.labels):
        problem = f"config.json: id2label has {len(folder.labels)}, logits are {row.shape}"
        raise folder.wrong(problem, "put the config.json there that the model was saved with")
    if row.shape[-1] == 1:
        return np.asarray(1 / (1 + np.exp(-row)), np.float32)
    powers = np.exp(row - row.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def _largest(some: Sequence[FloatArray], others: Sequence[FloatArray]) -> float:
    return max(float(np.abs(one - other).max()) for one, other in zip(some, others, strict=True))

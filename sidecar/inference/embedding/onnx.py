"""An embedding model of one's own, out of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import orjson
from pydantic import Field
from tokenizers import Encoding

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import Embedder, FloatArray
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.own.folder import Folder, open_folder
from sidecar.inference.own.graph import Graph
from sidecar.inference.own.judge import LocalPredictor, Predictor
from sidecar.inference.own.settings import FolderConfig, OwnConfig, languages_set
from sidecar.inference.threads import off_loop

Pooling = Literal["mean", "cls"]
OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")


class OwnEmbedding(OwnConfig):
    """What is set of an embedding model of one's own, wherever it runs."""

    pooling: Pooling | None = Field(
        default=None,
        description="How token states become one vector; by default that of 1_Pooling/config.json, else mean.",
    )
    prefix: str = Field(default="", description="What stands before every text, as E5 wants `query: `.")


class OnnxEmbedding(OwnEmbedding, FolderConfig):
    """An embedding model of one's own, in this process."""


class PooledEmbedder:
    """inference.base.Embedder over whatever gives token states, or one vector a text."""

    def __init__(
        self,
        folder: Folder,
        predictor: Predictor,
        *,
        identity: ModelIdentity,
        pooling: Pooling,
        prefix: str,
        max_tokens: int,
    ) -> None:
        """Raises ConfigError."""
        self.identity = identity
        self.languages: frozenset[str] | None = None
        self._predictor = predictor
        self._pooling = pooling
        self._prefix = prefix
        self._tokenizer = folder.tokenizer()
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.enable_truncation(max_tokens)

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """As Embedder says."""
        windows = await off_loop(lambda: [self._windows(text) for text in texts])
        states = iter(await self._predictor.predict([one for parts in windows for one in parts]))
        if not texts:
            return np.zeros((0, 0), np.float32)
        return await off_loop(
            lambda: np.stack([self._joined(parts, [next(states) for _ in parts]) for parts in windows])
        )

    def _windows(self, text: str) -> list[Encoding]:
        encoding = self._tokenizer.encode(clean(self._prefix + text))
        return [encoding, *encoding.overflowing]

    def _joined(self, parts: Sequence[Encoding], states: Sequence[FloatArray]) -> FloatArray:
        return joined([pooled(one, self._pooling) for one in states], [len(part.ids) for part in parts])


def pooled(states: FloatArray, pooling: Pooling) -> FloatArray:
    """The vector of a text, of the states of its tokens; as it is where it is one already."""
    if states.ndim == 1:
        return states
    made: FloatArray = states[0] if pooling == "cls" else states.mean(axis=0)
    return made


def pooling_of(folder: Folder, asked: Pooling | None) -> Pooling:
    """What is asked for, else what sentence-transformers wrote beside the model, else the mean."""
    path: Path = folder.path / "1_Pooling" / "config.json"
    if asked is not None or not path.is_file():
        return asked or "mean"
    try:
        return "cls" if orjson.loads(path.read_bytes()).get("pooling_mode_cls_token") else "mean"
    except (ValueError, AttributeError) as error:
        raise folder.wrong(f"{path}: {type(error).__name__}", "set pooling") from error


def embedder_of(folder: Folder, identity: ModelIdentity, config: OwnEmbedding, predictor: Predictor) -> PooledEmbedder:
    """An embedder by whatever computes the states. Raises ConfigError."""
    return PooledEmbedder(
        folder,
        predictor,
        identity=identity,
        pooling=pooling_of(folder, config.pooling),
        prefix=config.prefix,
        max_tokens=folder.most_tokens(config.max_tokens),
    )


def joined(vectors: Sequence[FloatArray], lengths: Sequence[int]) -> FloatArray:
    """The vector of a text, of those of its windows; L2-normalised."""
    made = np.stack([_unit(one) for one in vectors])
    return _unit(np.average(made, axis=0, weights=np.array(lengths, np.float32)).astype(np.float32))


def _unit(vector: FloatArray) -> FloatArray:
    made: FloatArray = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
    return made


def _build(config: OnnxEmbedding, dependencies: Dependencies) -> Built[Embedder]:
    folder, host = open_folder(config.onnx, dependencies.field), dependencies.host
    graph = Graph(folder, outputs=OUTPUTS, threads=host.threads, providers=host.providers)
    predictor = LocalPredictor(
        graph,
        name=dependencies.name,
        by_token=graph.output != OUTPUTS[0],
        batch_tokens=host.batch_tokens,
        telemetry=host.telemetry,
    )
    return Built(embedder_of(folder, folder.identity(dependencies.name), config, predictor), (predictor,))


def _size(config: OnnxEmbedding, dependencies: Dependencies) -> int:
    folder = open_folder(config.onnx, dependencies.field)
    folder.most_tokens(config.max_tokens)
    return folder.size_bytes


ENTRY: Entry[Embedder] = Entry("onnx", OnnxEmbedding, _build, size=_size, reads=languages_set)

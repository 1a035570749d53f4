"""The sentence encoder inside the package as an embedding model."""

from __future__ import annotations

from sidecar.inference.base import Embedder
from sidecar.inference.embedding.minilm import DEEP, MODEL
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.onnx import size_of


def _build(_: NoSettings, dependencies: Dependencies) -> Built[Embedder]:
    model = dependencies.embedder()
    return Built(model, (model,))


def _size(_: NoSettings, dependencies: Dependencies) -> int:
    return size_of(dependencies.directory / DEEP / MODEL)


ENTRY: Entry[Embedder] = Entry(DEEP, NoSettings, _build, size=_size)

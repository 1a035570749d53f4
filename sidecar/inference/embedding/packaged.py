"""The sentence encoder inside the package as an embedding model: the one that ranks evidence, so it is there already."""

from __future__ import annotations

from sidecar.inference.base import Embedder
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.onnx import size_of


def _build(_: NoSettings, dependencies: Dependencies) -> Built[Embedder]:
    return Built(dependencies.encoder)


def _size(_: NoSettings, dependencies: Dependencies) -> int:
    return size_of(dependencies.directory / "minilm" / "model.onnx")


ENTRY: Entry[Embedder] = Entry("minilm", NoSettings, _build, size=_size)

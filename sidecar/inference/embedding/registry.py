"""Every embedding model."""

from __future__ import annotations

from sidecar.inference.base import Embedder
from sidecar.inference.embedding import onnx, packaged, remote
from sidecar.inference.entry import Entry

EMBEDDING: tuple[Entry[Embedder], ...] = (packaged.ENTRY, onnx.ENTRY, remote.ENTRY)

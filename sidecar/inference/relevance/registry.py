"""Every relevance model."""

from __future__ import annotations

from sidecar.inference.base import RelevanceModel
from sidecar.inference.entry import Entry
from sidecar.inference.relevance import embedded, onnx, remote

RELEVANCE: tuple[Entry[RelevanceModel], ...] = (embedded.ENTRY, onnx.ENTRY, remote.ENTRY)

"""Every relevance model."""

from __future__ import annotations

from sidecar.inference.base import RelevanceModel
from sidecar.inference.entry import Entry
from sidecar.inference.relevance import embedded, lexical_zh, onnx, remote

RELEVANCE: tuple[Entry[RelevanceModel], ...] = (embedded.ENTRY, lexical_zh.ENTRY, onnx.ENTRY, remote.ENTRY)

"""Every relevance model."""

from __future__ import annotations

from sidecar.inference.base import RelevanceModel
from sidecar.inference.entry import Entry
from sidecar.inference.relevance import embedded, embedded_zh, lexical_zh, onnx, remote

RELEVANCE: tuple[Entry[RelevanceModel], ...] = (
    embedded.ENTRY,
    embedded_zh.ENTRY,
    lexical_zh.ENTRY,
    onnx.ENTRY,
    remote.ENTRY,
)

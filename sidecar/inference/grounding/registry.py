"""Every grounding model. `auto` takes the first that is there."""

from __future__ import annotations

from sidecar.inference.base import Grounder
from sidecar.inference.entry import Entry
from sidecar.inference.grounding import embedded, embedded_zh, hhem, lexical_zh, onnx, remote

GROUNDING: tuple[Entry[Grounder], ...] = (
    hhem.ENTRY,
    embedded.ENTRY,
    embedded_zh.ENTRY,
    lexical_zh.ENTRY,
    onnx.ENTRY,
    remote.ENTRY,
)

"""RagSpans of one trace into RAG requests: `buffer` knows when a trace is complete, `build` what its requests are."""

from sidecar.assemble.buffer import AssembleConfig, Assembler
from sidecar.assemble.ended import Assembled

__all__ = ["AssembleConfig", "Assembled", "Assembler"]

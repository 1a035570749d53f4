"""RagSpans of one trace into RAG requests: `buffer` knows when a trace is complete, `build` what its requests are."""

from sidecar.assemble.buffer import Assembler
from sidecar.assemble.ended import Assembled
from sidecar.assemble.settings import AssembleConfig

__all__ = ["AssembleConfig", "Assembled", "Assembler"]

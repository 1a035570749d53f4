"""RAG Sidecar: scores production RAG traces from Kafka and publishes the numbers.

Read the package in the order of the pipeline: receive, decode, assemble, sample, evaluate, deliver.
The public Python API is `from sidecar import score, FrameScorer`; sidecar/api.py and sidecar/frames.py say what they do, and everything else may change with
any version.
"""

from typing import Any

__version__ = "0.1.0"
__all__ = ["FrameScorer", "__version__", "score"]


def __getattr__(name: str) -> Any:
    """The API, loaded when it is first asked for: `import sidecar` alone loads no model library."""
    module = {"score": "sidecar.api", "FrameScorer": "sidecar.frames"}.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # By name: what is below may not import what is above, and everything imports this package.
    import importlib

    return getattr(importlib.import_module(module), name)

"""The one door to onnxruntime: verified files in, arrays out.

onnxruntime sizes its pool by the host's cores and spins by default; both are set here, once, for every model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sidecar.record.errors import ConfigError, PermanentInferenceError

onnxruntime.set_default_logger_severity(3)


class OnnxModel:
    """A loaded graph. `run` blocks and may be called from any thread."""

    def __init__(self, path: Path, *, sha256: str, threads: int) -> None:
        """Load a model whose file has this sha256 (hex). Raises ConfigError naming the file and the mend."""
        data = read_verified(path, sha256)
        try:
            self._session = onnxruntime.InferenceSession(data, _options(threads), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises many types of its own; all of them mean the same here
            raise ConfigError(
                "inference.model_dir", f"{path}: {type(error).__name__}", "onnxruntime is too old for this model?"
            ) from error

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """The named outputs for int64 inputs. Raises PermanentInferenceError."""
        try:
            results: list[NDArray[np.float32]] = self._session.run(list(outputs), dict(inputs))
        except Exception as error:  # as above
            raise PermanentInferenceError("runtime", type(error).__name__) from error
        return results


def read_verified(path: Path, sha256: str) -> bytes:
    """The bytes of a file with this sha256. Raises ConfigError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError("inference.model_dir", f"{path}: {error.strerror}", "install the package again") from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        problem = f"{path}: sha256 is {found[:12]}..., the card says {sha256[:12]}..."
        raise ConfigError(
            "inference.model_dir", problem, "the file is damaged or not the one of the card: install it again"
        )
    return data


def size_of(path: Path) -> int:
    """Bytes of a file. Raises ConfigError."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise ConfigError("inference.model_dir", f"{path}: {error.strerror}", "install the package again") from error


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = True
    return options

"""The one door to onnxruntime: verified files in, arrays out.

onnxruntime sizes its pool by the host's cores and spins by default; both are set here, once, for every model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sidecar.record.errors import ConfigError, PermanentInferenceError

onnxruntime.set_default_logger_severity(3)

Tables = Mapping[str, NDArray[Any]]
Provider = Literal["CPUExecutionProvider", "CUDAExecutionProvider", "OpenVINOExecutionProvider"]
CPU: tuple[Provider, ...] = ("CPUExecutionProvider",)
_PROVIDERS = "inference.providers"
_WHEELS: Mapping[Provider, str] = {
    "CUDAExecutionProvider": "install onnxruntime-gpu in place of onnxruntime",
    "OpenVINOExecutionProvider": "install onnxruntime-openvino in place of onnxruntime",
}


class OnnxModel:
    """A loaded graph. `run` blocks and may be called from any thread."""

    def __init__(self, path: Path, *, sha256: str, threads: int, tables: Tables | None = None) -> None:
        """Load a model whose file has this sha256 (hex). `tables` are the initializers that the graph says lie outside of it, by name; those of
        several models are in memory once. Raises ConfigError naming the file and the mend."""
        verify(path, sha256)
        options = _options(threads)
        self._tables = {name: onnxruntime.OrtValue.ortvalue_from_numpy(one) for name, one in (tables or {}).items()}
        # The first call alone would copy each table into the session; the second makes it read the array, which is held for that.
        if self._tables:
            options.add_external_initializers(list(self._tables), list(self._tables.values()))
        for name, table in self._tables.items():
            options.add_initializer(name, table)
        try:
            # By its path: of a model that is given as bytes onnxruntime keeps them beside the weights that it makes of them.
            self._session = onnxruntime.InferenceSession(str(path), options, providers=list(CPU))
        except Exception as error:  # onnxruntime raises many types of its own; all of them mean the same here
            raise ConfigError(
                "inference.model_dir", f"{path}: {type(error).__name__}", "onnxruntime is too old for this model?"
            ) from error

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """The named outputs for int64 inputs. Raises PermanentInferenceError."""
        return _run(self._session, outputs, inputs)


class OpenGraph:
    """A graph that someone else exported. `inputs` are the names it asks for with their numpy types, `outputs` what it gives, `widths`
    how long the last dimension of these is, where that is fixed."""

    def __init__(self, path: Path, *, field: str, threads: int, providers: Sequence[Provider] = CPU) -> None:
        """Load it from its path, since weights may lie in files beside it. Raises ConfigError for `field`, or for the providers."""
        check_providers(providers)
        wanted = [*providers, *(one for one in CPU if one not in providers)]
        try:
            self._session = onnxruntime.InferenceSession(str(path), _options(threads), providers=wanted)
        except Exception as error:  # as above
            mend = "export it again, or install an onnxruntime that is new enough for it"
            raise ConfigError(field, f"{path}: {type(error).__name__}", mend) from error
        started = self._session.get_providers()
        for one in providers:
            if one not in started:
                raise ConfigError(
                    _PROVIDERS, f"{one} is there but does not start", "its libraries or its device are missing"
                )
        self.inputs = {one.name: np.dtype(_TYPES.get(one.type, np.int64)) for one in self._session.get_inputs()}
        self.outputs = [one.name for one in self._session.get_outputs()]
        shapes = {one.name: one.shape for one in self._session.get_outputs()}
        self.widths = {name: shape[-1] for name, shape in shapes.items() if shape and isinstance(shape[-1], int)}

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """The named outputs as float32; inputs are made of the types that the graph asks for. Raises PermanentInferenceError."""
        given = {name: value.astype(self.inputs[name], copy=False) for name, value in inputs.items()}
        return [np.asarray(one, np.float32) for one in _run(self._session, outputs, given)]


_TYPES = {
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(bool)": np.bool_,
}


def offered() -> list[str]:
    """What this onnxruntime was built to run on."""
    return list(onnxruntime.get_available_providers())


def check_providers(asked: Sequence[Provider]) -> None:
    """Raises ConfigError where one is asked for that this onnxruntime does not have."""
    there = offered()
    for one in asked:
        if one not in there:
            raise ConfigError(
                _PROVIDERS, f"{one} is not among what onnxruntime has here: {', '.join(there)}", _WHEELS.get(one, "")
            )


def read_verified(path: Path, sha256: str) -> bytes:
    """The bytes of a file with this sha256. Raises ConfigError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unread(path, error) from error
    _check(path, hashlib.sha256(data).hexdigest(), sha256)
    return data


def verify(path: Path, sha256: str) -> None:
    """Raises ConfigError unless the file has this sha256."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unread(path, error) from error
    _check(path, found, sha256)


def _unread(path: Path, error: OSError) -> ConfigError:
    return ConfigError("inference.model_dir", f"{path}: {error.strerror}", "install the package again")


def _check(path: Path, found: str, sha256: str) -> None:
    if found != sha256:
        problem = f"{path}: sha256 is {found[:12]}..., the card says {sha256[:12]}..."
        raise ConfigError(
            "inference.model_dir", problem, "the file is damaged or not the one of the card: install it again"
        )


def size_of(path: Path) -> int:
    """Bytes of a file. Raises ConfigError."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise ConfigError("inference.model_dir", f"{path}: {error.strerror}", "install the package again") from error


def _run(session: Any, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
    try:
        results: list[NDArray[np.float32]] = session.run(list(outputs), dict(inputs))
    except Exception as error:  # onnxruntime raises many types of its own
        raise PermanentInferenceError("runtime", type(error).__name__) from error
    return results


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = True
    return options

"""The Open Inference Protocol v2 as JSON: what is posted to /v2/models/NAME/infer, and what comes back.

github.com/kserve/open-inference-protocol; Triton, KServe and MLServer speak it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
import orjson
from numpy.typing import NDArray

from sidecar.inference.base import FloatArray
from sidecar.inference.remote.line import UNREADABLE
from sidecar.record.errors import PermanentInferenceError

WHOLE = frozenset({"INT32", "INT64", "UINT32", "UINT64"})


def about(model: str, version: str | None) -> str:
    """Where a server tells of a model."""
    part = f"/versions/{quote(version, safe='')}" if version else ""
    return f"/v2/models/{quote(model, safe='')}{part}"


def path_of(model: str, version: str | None) -> str:
    """Where a model is asked."""
    return f"{about(model, version)}/infer"


def tokens(inputs: Mapping[str, NDArray[np.int64]], output: str | None, types: Mapping[str, str] = {}) -> bytes:
    """A call with tensors (n, tokens) of the types that the server said of its inputs, else int64."""
    told = [
        {
            "name": name,
            "shape": list(value.shape),
            "datatype": said if (said := types.get(name)) in WHOLE else "INT64",
            "data": value.ravel().tolist(),
        }
        for name, value in inputs.items()
    ]
    return _body(told, output)


def texts(columns: Mapping[str, Sequence[str]], output: str | None) -> bytes:
    """A call with columns of texts (n, 1), UTF-8."""
    told = [
        {"name": name, "shape": [len(column), 1], "datatype": "BYTES", "data": list(column)}
        for name, column in columns.items()
    ]
    return _body(told, output)


def answer(body: bytes, output: str | None, *, rows: int) -> FloatArray:
    """The output of a call for so many rows, (rows, ...). Raises PermanentInferenceError."""
    try:
        outputs: list[dict[str, Any]] = orjson.loads(body)["outputs"]
        found = next(one for one in outputs if output is None or one["name"] == output)
        made = np.array(found["data"], np.float32).reshape([int(size) for size in found["shape"]])
    except (ValueError, TypeError, KeyError, IndexError, StopIteration) as error:
        raise PermanentInferenceError(UNREADABLE, type(error).__name__) from error
    if made.ndim == 0 or made.shape[0] != rows or not np.isfinite(made).all():
        raise PermanentInferenceError(UNREADABLE, "shape")
    return made


def _body(inputs: list[dict[str, Any]], output: str | None) -> bytes:
    return orjson.dumps({"inputs": inputs, **({"outputs": [{"name": output}]} if output else {})})

"""text-embeddings-inference: what is posted to /predict, /rerank and /embed, and what comes back.

github.com/huggingface/text-embeddings-inference, docs/openapi.json. Nothing is truncated there: what is too long is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from sidecar.inference.base import FloatArray
from sidecar.inference.remote.line import UNREADABLE
from sidecar.record.errors import PermanentInferenceError

_UNNAMED = "LABEL_0"  # what transformers calls the only label of a model that names none
_MOST_NAMES = 200  # characters


def predict(pairs: Sequence[tuple[str, str]]) -> bytes:
    """A call to /predict."""
    return orjson.dumps({"inputs": [list(pair) for pair in pairs], "raw_scores": False, "truncate": False})


def predicted(body: bytes, *, rows: int, label: str | None, called: Sequence[str]) -> list[float]:
    """The score of the wanted label of each pair; of a model with one label that it has no name for, that. Raises PermanentInferenceError."""
    found = _list(body, rows)
    try:
        return [_score(one, label, called) for one in found]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PermanentInferenceError(UNREADABLE, type(error).__name__) from error


def rerank(query: str, passages: Sequence[str]) -> bytes:
    """A call to /rerank."""
    return orjson.dumps(
        {"query": query, "texts": list(passages), "raw_scores": False, "return_text": False, "truncate": False}
    )


def reranked(body: bytes, *, rows: int) -> list[float]:
    """The score of each passage, in the order in which they were sent. Raises PermanentInferenceError."""
    found = _list(body, rows)
    try:
        by_index = {int(one["index"]): float(one["score"]) for one in found}
        return [by_index[n] for n in range(rows)]
    except (KeyError, TypeError, ValueError) as error:
        raise PermanentInferenceError(UNREADABLE, type(error).__name__) from error


def embed(texts: Sequence[str]) -> bytes:
    """A call to /embed."""
    return orjson.dumps({"inputs": list(texts), "normalize": True, "truncate": False})


def embedded(body: bytes, *, rows: int) -> FloatArray:
    """The vector of each text (rows, dimension). Raises PermanentInferenceError."""
    try:
        found = np.array(_list(body, rows), np.float32)
    except (TypeError, ValueError) as error:
        raise PermanentInferenceError(UNREADABLE, type(error).__name__) from error
    if found.ndim != 2 or not np.isfinite(found).all():
        raise PermanentInferenceError(UNREADABLE, "shape")
    return found


def _list(body: bytes, rows: int) -> list[Any]:
    try:
        found = orjson.loads(body)
    except ValueError as error:
        raise PermanentInferenceError(UNREADABLE, type(error).__name__) from error
    if not isinstance(found, list) or len(found) != rows:
        raise PermanentInferenceError(UNREADABLE, "shape")
    return found


def _score(labels: Sequence[Mapping[str, Any]], label: str | None, called: Sequence[str]) -> float:
    """Of the label that is asked for, else of one that is called so; of a model with one label without a name, that."""
    by_name = {str(one["label"]): float(one["score"]) for one in labels}
    if label is None and list(by_name) == [_UNNAMED]:
        return by_name[_UNNAMED]
    lowered = {name.lower(): score for name, score in by_name.items()}
    found = by_name.get(label) if label is not None else next((lowered[one] for one in called if one in lowered), None)
    if found is None:
        there = ", ".join(sorted(by_name))[:_MOST_NAMES]
        raise PermanentInferenceError(UNREADABLE, f"no label {label or called[0]} among {there}: set label")
    return found

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


def predict(pairs: Sequence[tuple[str, str]]) -> bytes:
    """A call to /predict."""
    return orjson.dumps({"inputs": [list(pair) for pair in pairs], "raw_scores": False, "truncate": False})


def predicted(body: bytes, *, rows: int, label: str | None, called: Sequence[str]) -> list[float]:
    """The score of the wanted label of each pair; of a model with one label, that. Raises PermanentInferenceError."""
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
    by_name = {str(one["label"]): float(one["score"]) for one in labels}
    if len(by_name) == 1 and label is None:
        return next(iter(by_name.values()))
    if label is not None:
        return by_name[label]
    lowered = {name.lower(): score for name, score in by_name.items()}
    return (
        next(lowered[word] for word in called if word in lowered) if set(called) & set(lowered) else by_name[called[0]]
    )

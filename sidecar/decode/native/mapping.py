"""A user's own names for the fields of a native record, as JMESPath expressions (jmespath.org)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

FIELDS = (
    "question", "answer", "contexts", "request_id", "trace_id", "span_id", "timestamp", "service", "provider", "model", "requested_model",
    "session_id", "user_id", "tenant", "variant", "prompt_tokens", "completion_tokens", "latency_ms", "retrieval_latency_ms",
    "generation_latency_ms", "ttft_ms", "error", "reference", "feedback",
    "reference_contexts", "reference_context_ids", "reference_tool_calls", "reference_topics", "rubrics", "messages", "kind", "origin", "persona",
    "difficulty", "source_units", "generation_params",
)  # fmt: skip
_NAMES = re.compile(r"\w+")
# Where several names mean the same, the first one wins: what is mapped goes there.
_FIRST_NAME = {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts"}


def check(mapping: Mapping[str, str]) -> None:
    """Raises ValueError naming the field that is unknown or whose expression cannot be read."""
    for field, expression in mapping.items():
        if field not in FIELDS:
            raise ValueError(f"no field {field!r}; known are {', '.join(FIELDS)}")
        try:
            jmespath.compile(expression)
        except JMESPathError as error:
            said = str(error).partition("\n")[0]
            raise ValueError(f"{field}: {expression!r} is not a JMESPath expression: {said}") from None


def apply(mapping: Mapping[str, str], data: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the mapped fields under their own names; what an expression does not find stays as it was."""
    found: dict[str, Any] = {}
    for field, expression in mapping.items():
        try:
            value = jmespath.search(expression, data)
        except JMESPathError:
            continue  # A function was given another type than it takes: as good as not found.
        if value is not None:
            found[_FIRST_NAME.get(field, field)] = value
    return {**data, **found}


def mentioned(mapping: Mapping[str, str]) -> frozenset[str]:
    """Every name that an expression mentions: what of a record a mapping may read."""
    return frozenset(name for expression in mapping.values() for name in _NAMES.findall(expression))

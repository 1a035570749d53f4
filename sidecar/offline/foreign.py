"""Exports of other tools in the words of native records: datasets of Langfuse, datasets and experiments of Phoenix.

What an item of a dataset calls its output is the expected one: a reference, never an answer. Only an experiment has answers.
Langfuse: https://api.reference.langfuse.com (DatasetItem). Phoenix: GET /v1/datasets/{id}/examples and /csv, /v1/experiments/{id}/json and /csv.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

_LANGFUSE = frozenset(
    {
        "datasetId",
        "datasetName",
        "sourceTraceId",
        "sourceObservationId",
        "dataset_id",
        "dataset_name",
        "source_trace_id",
    }
)
_PARTS = ("input", "output", "metadata")
_QUESTIONS = ("question", "query", "user_input", "input", "prompt", "text", "content", "message")
_ANSWERS = ("answer", "response", "output", "expected_output", "reference", "text", "content", "result")


class Format(enum.StrEnum):
    """Whose export a file is."""

    AUTO = "auto"
    NATIVE = "native"
    LANGFUSE = "langfuse"
    PHOENIX = "phoenix"


def native(row: object, form: Format) -> object | None:
    """A row as a native record; what is no object stays as it is. None of an archived item of Langfuse, which is left out."""
    if not isinstance(row, Mapping):
        return row
    reader = _reader(row, form)
    if reader is _langfuse and row.get("status") == "ARCHIVED":
        return None
    return row if reader is None else reader(row)


def around(whole: Mapping[str, Any], inner: Any) -> Any:
    """Rows out of what stands around them; those of a dataset of Phoenix are marked as such."""
    if isinstance(inner, list) and "version_id" in whole and "dataset_id" in whole:
        return [{**row, "dataset_version_id": whole["version_id"]} if isinstance(row, dict) else row for row in inner]
    return inner


def _reader(row: Mapping[str, Any], form: Format) -> Callable[[Mapping[str, Any]], dict[str, Any]] | None:
    if form is Format.NATIVE:
        return None
    if form is Format.PHOENIX or (form is Format.AUTO and _is_phoenix(row)):
        return _run if "reference_output" in row else _example
    if form is Format.LANGFUSE or (form is Format.AUTO and _LANGFUSE & row.keys() and "input" in row):
        return _langfuse
    return None


def _is_phoenix(row: Mapping[str, Any]) -> bool:
    if "dataset_version_id" in row and "input" in row:
        return True
    return "example_id" in row and ("reference_output" in row or any(str(name).startswith("input_") for name in row))


def _langfuse(row: Mapping[str, Any]) -> dict[str, Any]:
    expected = row.get("expectedOutput", row.get("expected_output"))
    found = {**_fields(row.get("metadata")), **_asked(row.get("input")), **_expected(expected)}
    return {**found, "id": row.get("id")}


def _example(row: Mapping[str, Any]) -> dict[str, Any]:
    parts = {part: row.get(part) for part in _PARTS}
    for part in _PARTS:  # the columns of CSV
        own = {str(name)[len(part) + 1 :]: one for name, one in row.items() if str(name).startswith(f"{part}_")}
        if parts[part] is None and own:
            parts[part] = own
    found = {**_fields(parts["metadata"]), **_asked(parts["input"]), **_expected(parts["output"])}
    return {**found, "id": row.get("example_id", row.get("id"))}


def _run(row: Mapping[str, Any]) -> dict[str, Any]:
    answered = row.get("output")
    said = answered if isinstance(answered, Mapping) else {"answer": answered}
    repetition = row.get("repetition_number")
    name = row.get("example_id")
    return {
        **_asked(row.get("input")),
        **_expected(row.get("reference_output")),
        **_named(said, "answer", _ANSWERS),
        "id": name if str(repetition) in ("1", "None") else f"{name}#{repetition}",
        "latency_ms": row.get("latency_ms"),
        "usage": {
            "prompt_tokens": row.get("prompt_token_count"),
            "completion_tokens": row.get("completion_token_count"),
        },
        "error": row.get("error") or None,
    }


def _asked(given: Any) -> dict[str, Any]:
    return _named(given, "question", _QUESTIONS) if isinstance(given, Mapping) else {"question": given}


def _expected(given: Any) -> dict[str, Any]:
    """The reference: of an object the first of its texts that may be one, and its other fields but an answer."""
    if not isinstance(given, Mapping):
        return {"reference": given}
    found = _named(given, "reference", _ANSWERS)
    return {name: value for name, value in found.items() if name not in ("answer", "response", "output")}


def _named(given: Mapping[str, Any], name: str, others: tuple[str, ...]) -> dict[str, Any]:
    """The fields of an object, the first text under one of `others` as `name`."""
    found = {str(key): value for key, value in given.items()}
    text = next((found[key] for key in (name, *others) if isinstance(found.get(key), str | list)), None)
    return {**found, name: text}


def _fields(given: Any) -> dict[str, Any]:
    return {str(key): value for key, value in given.items()} if isinstance(given, Mapping) else {}

"""The cases of a probe: what their author says, without what any system once answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.printed import own_words
from sidecar.decode.native.table import names, squeeze
from sidecar.offline import rows
from sidecar.offline.case import read_cases
from sidecar.offline.record import Source
from sidecar.record.errors import ConfigError

_KEPT = frozenset(
    squeeze(name)
    for field in (
        "question", "request_id", "reference", "reference_contexts", "reference_context_ids", "reference_tool_calls", "reference_topics",
        "rubrics", "kind", "origin", "persona", "difficulty", "source_units", "generation_params",
    )
    for name in names(field)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """One case: `told` is what the body of a request may say of it, `row` what is known of it beforehand."""

    told: Mapping[str, str]
    row: Mapping[str, Any]


def load_questions(path: Path, limits: DecodeConfig, most: int) -> tuple[Source, list[Question]]:
    """Where they come from, and the first `most`. Raises ConfigError where a row cannot be read or asks nothing."""
    source, found = rows.read(path, limits=limits)
    cases, unread = read_cases(found, limits)
    if unread:
        first = unread[0]
        raise ConfigError(
            "cases", f"{path}: {first.place}: {first.reason}: {first.detail}", "mend the row, or take it out"
        )
    questions = []
    for row, case in zip(found[:most], cases, strict=False):
        if not case.trace.question or not isinstance(row, Mapping):
            raise ConfigError("cases", f"{path}: the case {case.id} has no question", "give every case one")
        told = {
            "question": case.trace.question,
            "id": case.id,
            "reference": case.trace.reference or "",
            "kind": case.kind or "",
        }
        own = {name: value for name, value in own_words(row, limits.mapping).items() if squeeze(str(name)) in _KEPT}
        questions.append(Question(told, {**own, "request_id": case.id}))
    if not questions:
        raise ConfigError("cases", f"{path} holds no case", "give 20 to 50: docs/probe.md")
    return source, questions

"""The texts of one request as they may leave the process: after redaction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Texts:
    """Question, answer and documents; `documents` are (id, text) in rank order. Absent is None. Places in a result's claims and evidence
    point into these."""

    question: str | None
    answer: str | None
    documents: tuple[tuple[str | None, str | None], ...] = ()

"""What a writer is asked for, and what it gives: the seam between how cases are written and how they are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sidecar.offline.testset.documents import Window


@dataclass(frozen=True, slots=True)
class Task:
    """One case to be written from these windows (a negative one: that they do not answer). `asked` are questions that there are already, `attempt`
    counts from 0."""

    kind: str
    windows: tuple[Window, ...]
    asked: tuple[str, ...] = ()
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A case that nobody has checked yet. `statement` is what documents would say that answer a negative one, where the writer knows it."""

    question: str
    reference: str
    statement: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


class RejectedError(Exception):
    """No case of this. `reason` is one of a few words, never a text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StoppedError(RejectedError):
    """No case of this, nor of any other from now on."""


class Writer(Protocol):
    """Writes drafts. `origin` is what their cases say of where they come from, `kinds` what it can write."""

    origin: str
    kinds: frozenset[str]

    async def write(self, task: Task) -> Draft:
        """A draft. Raises RejectedError."""
        ...

    async def answered(self, question: str, found: tuple[str, ...]) -> bool:
        """Whether these texts answer a question, as far as the writer can tell; False where it cannot. Raises RejectedError."""
        ...

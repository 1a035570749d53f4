"""What the judge has said for a set that is not made yet, kept beside it, so that a stop costs nothing that was paid for.

Rounds ask the same where replies are the same, so that replies are all there is to keep: the local checks are made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from sidecar.offline.journal import Journal
from sidecar.offline.record import Record
from sidecar.offline.testset.draft import Draft, RejectedError, Task, Writer

# Of a reply that was whole. For other reasons the judge had none, and is asked again.
_WHOLE = frozenset({"empty", "pseudonym"})


class Reply(Record):
    """To one question, by a hash of what was asked: a draft, why there is none, or whether documents answer a question."""

    digest: str
    question: str = ""
    reference: str = ""
    params: Mapping[str, Any] = {}
    rejected: str | None = None
    answered: bool = False

    @property
    def failed(self) -> bool:
        """Failures are not kept."""
        return False


class KeptWriter:
    """offline.testset.draft.Writer: what `writer` says, asked once over all runs of a set. The journal is to be open. `asked` are the digests of what
    this run asked."""

    def __init__(self, writer: Writer, journal: Journal[Reply]) -> None:
        self.origin = writer.origin
        self.kinds = writer.kinds
        self.journal = journal
        self.asked: set[str] = set()
        self._writer = writer

    def left(self, tasks: Iterable[Task]) -> list[Task]:
        """Those that are not written yet."""
        return [task for task in tasks if _of_task(task) not in self.journal.done]

    async def write(self, task: Task) -> Draft:
        """Raises RejectedError, as the writer did or does."""
        self.asked.add(key := _of_task(task))
        known = self.journal.done.get(key)
        if known is not None:
            if known.rejected is not None:
                raise RejectedError(known.rejected)
            return Draft(known.question, known.reference, params=known.params)
        try:
            draft = await self._writer.write(task)
        except RejectedError as error:
            if error.reason in _WHOLE:
                self.journal.add(Reply(digest=key, rejected=error.reason))
            raise
        self.journal.add(
            Reply(digest=key, question=draft.question, reference=draft.reference, params=dict(draft.params))
        )
        return draft

    async def answered(self, question: str, found: tuple[str, ...]) -> bool:
        """Raises RejectedError."""
        self.asked.add(key := _hash("answered", question, found))
        known = self.journal.done.get(key)
        if known is not None:
            return known.answered
        answered = await self._writer.answered(question, found)
        self.journal.add(Reply(digest=key, answered=answered))
        return answered


def _of_task(task: Task) -> str:
    return _hash("write", task.kind, [one.text for one in task.windows], task.asked, task.attempt)


def _hash(*parts: object) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]

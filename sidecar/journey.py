"""A trace and its requests on the way from assembling to their outcome, and what is to be called when they have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.assemble import Assembled
from sidecar.record.request import RagTrace
from sidecar.sample import Decision


class Journey:
    """One ended trace on its way: settled when each of its requests has finished."""

    __slots__ = ("_left", "_settle", "assembled")

    def __init__(self, assembled: Assembled, settle: Callable[[Assembled], None]) -> None:
        self.assembled = assembled
        self._settle = settle
        self._left = len(assembled.requests)
        if not self._left:
            settle(assembled)

    def finished(self) -> None:
        """One of its requests has its outcome and is delivered."""
        self._left -= 1
        if not self._left:
            self._settle(self.assembled)


@dataclass(slots=True)
class Job:
    """One request on its way. `size` is what it holds of the budget while it waits for scoring."""

    trace: RagTrace
    decision: Decision
    journey: Journey
    size: int = 0
    ended: bool = False

    def finish(self) -> None:
        """It has its outcome and is delivered; calls after the first do nothing."""
        if not self.ended:
            self.ended = True
            self.journey.finished()

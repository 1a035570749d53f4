"""From documents to cases: drafts are written, checked, and made again where they fail, in rounds, so that the same seed and the same replies give the same set
whatever comes first."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sidecar.inference.base import ModelSource
from sidecar.offline.case import NEGATIVE
from sidecar.offline.testset.checks import Checked, Checks, is_near
from sidecar.offline.testset.documents import Window
from sidecar.offline.testset.draft import Draft, RejectedError, StoppedError, Task, Writer
from sidecar.offline.testset.found import Search
from sidecar.offline.testset.plan import MULTI_HOP

# Of one case, before it is given up.
ATTEMPTS = 6
_NEAR_WINDOWS = 5
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be made: how many of each kind, from windows, with which seed, how many at once."""

    sizes: Mapping[str, int]
    windows: Sequence[Window]
    seed: int
    concurrency: int = 8


@dataclass(slots=True)
class Made:
    """The cases in their order as native records, and what became of the drafts: `rejected` by (kind, reason), `unchecked` by (kind, reason)."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    by_kind: Counter[str] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    unchecked: Counter[tuple[str, str]] = field(default_factory=Counter)
    stopped: str | None = None


@dataclass(slots=True)
class _Slot:
    """A case that is wanted: `number` is its place among those of its kind."""

    kind: str
    number: int
    attempt: int = 0
    task: Task | None = None
    checked: Checked | None = None


class Maker:
    """Makes one set."""

    def __init__(self, plan: Plan, writer: Writer, models: ModelSource) -> None:
        self._plan = plan
        self._writer = writer
        self._search = Search([one.text for one in plan.windows])
        self._checks = Checks(models, plan.windows, self._search, writer)
        # Each kind goes through all windows before one comes again.
        self._orders = {kind: _shuffled(len(plan.windows), plan.seed, kind) for kind in plan.sizes}

    def tasks(self) -> Iterable[Task]:
        """The first attempt at each case."""
        return [self._task(slot, {}) for slot in self._slots()]

    async def make(self, progress: Progress) -> Made:
        """`progress` is told of each case that is made. What the writer has no money for any more is left out."""
        made = Made()
        slots = self._slots()
        asked: dict[Window, list[str]] = {}
        for _ in range(ATTEMPTS):
            left = [slot for slot in slots if slot.checked is None]
            if not left or made.stopped is not None:
                break
            await self._round(left, made, asked)
            self._accept(left, [slot for slot in slots if slot not in left], made, asked)
            progress(sum(slot.checked is not None for slot in slots))
        for slot in slots:
            if slot.checked is not None and slot.task is not None:
                made.cases.append(_case(slot.task, slot.checked, self._writer.origin, self._plan.seed))
                made.by_kind[slot.kind] += 1
                if slot.checked.unchecked is not None:
                    made.unchecked[slot.kind, slot.checked.unchecked] += 1
        return made

    def _slots(self) -> list[_Slot]:
        return [_Slot(kind, number) for kind, count in self._plan.sizes.items() for number in range(count)]

    async def _round(self, left: Sequence[_Slot], made: Made, asked: Mapping[Window, Sequence[str]]) -> None:
        room = asyncio.Semaphore(self._plan.concurrency)

        async def one(slot: _Slot) -> None:
            slot.task = self._task(slot, asked)
            slot.attempt += 1
            async with room:
                try:
                    slot.checked = await self._checks.check(slot.task, await self._writer.write(slot.task))
                except RejectedError as error:
                    made.rejected[slot.kind, error.reason] += 1
                    if isinstance(error, StoppedError):
                        made.stopped = error.reason

        async with asyncio.TaskGroup() as group:
            for slot in left:
                group.create_task(one(slot))

    def _accept(self, new: Sequence[_Slot], old: Sequence[_Slot], made: Made, asked: dict[Window, list[str]]) -> None:
        """Of what came at the same time the first of two that ask for the same stays."""
        kept = [slot.checked for slot in old if slot.checked is not None]
        for slot in new:
            if slot.checked is None or slot.task is None:
                continue
            for window in slot.task.windows:
                asked.setdefault(window, []).append(slot.checked.draft.question)
            if any(is_near(slot.checked, other) for other in kept):
                made.rejected[slot.kind, "duplicate"] += 1
                slot.checked = None
            else:
                kept.append(slot.checked)

    def _task(self, slot: _Slot, asked: Mapping[Window, Sequence[str]]) -> Task:
        order = self._orders[slot.kind]
        place = order[(slot.number + slot.attempt * self._plan.sizes[slot.kind]) % len(order)]
        first = self._plan.windows[place]
        own = (first, self._near(place, slot)) if slot.kind == MULTI_HOP else (first,)
        known = dict.fromkeys(question for window in own for question in asked.get(window, ()))
        return Task(slot.kind, own, tuple(known), slot.attempt)

    def _near(self, place: int, slot: _Slot) -> Window:
        """A window of another document that speaks of the same things: one of the nearest, else any."""
        windows = self._plan.windows
        own = windows[place].document
        same = frozenset(n for n, one in enumerate(windows) if one.document == own)
        near = self._search.best(windows[place].text, _NEAR_WINDOWS, but=same)
        near = near or [n for n in range(len(windows)) if n not in same]
        return windows[near[(slot.number + slot.attempt) % len(near)]]


def _shuffled(count: int, seed: int, kind: str) -> list[int]:
    order = list(range(count))
    random.Random(f"{seed}/{kind}").shuffle(order)  # noqa: S311 - which window comes first guards nothing
    return order


def _case(task: Task, checked: Checked, origin: str, seed: int) -> dict[str, Any]:
    """The case as a native record."""
    draft: Draft = checked.draft
    digest = hashlib.sha256(f"{draft.question}\0{draft.reference}".encode()).hexdigest()[:12]
    found: dict[str, Any] = {
        "id": f"{task.kind}-{digest}",
        "question": draft.question,
        "reference": draft.reference,
        "kind": task.kind,
        "origin": origin,
    }
    if task.kind != NEGATIVE:
        found["reference_contexts"] = [one.text for one in task.windows]
        found["reference_context_ids"] = [one.document for one in task.windows]
    found["source_units"] = [{"document": one.document, "start": one.start, "end": one.end} for one in task.windows]
    told = {**draft.params, "seed": seed, "attempt": task.attempt + 1}
    if checked.support is not None:
        told["support"] = round(checked.support, 4)
    if checked.unchecked is not None:
        told["unchecked"] = checked.unchecked
    return {**found, "generation_params": told}

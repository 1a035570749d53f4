"""Labels from the page: the random queue, answers that somebody picked, and the store that `rag-sidecar label` writes to as well."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from exporters.serialize import Json, result_to_json, rfc3339
from sidecar.labels.facts import facts_of
from sidecar.labels.record import Draw, Facts, Label, label
from sidecar.labels.store import Store
from sidecar.page.answers import claim, claims_of, documents
from sidecar.page.shelf import Kept
from sidecar.page.watch import Watch

logger = logging.getLogger(__name__)

# So long what others labelled meanwhile may be asked about again.
_FRESH_SECONDS = 60.0


class Given(BaseModel):
    """What is posted: `picked` by somebody, or asked about by the queue."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    result: str = Field(min_length=1, max_length=256)
    verdict: Literal["grounded", "hallucinated", "abstained", "skipped"]
    wrong_claims: tuple[int, ...] = Field(default=(), max_length=1000)
    who: str | None = Field(default=None, max_length=100, pattern=r"^[\w .@+-]+$")
    picked: bool


class RefusedError(Exception):
    """A label that cannot be taken; the message says why, without user text."""


@dataclass(slots=True)
class _Known:
    """What the store holds: results that were drawn and labelled, those that were picked, and the draw that goes on."""

    draw: Draw
    read_at: float = float("-inf")
    drawn: set[str] = field(default_factory=set)
    picked: set[str] = field(default_factory=set)


class Labelling:
    """Asks about answers of the watch, and keeps what people say."""

    def __init__(self, watch: Watch, store: Store) -> None:
        self._watch = watch
        self._store = store
        self._known = _Known(watch.draw)
        self._reading = asyncio.Lock()

    async def next(self, service: str | None, *, but: str | None = None) -> dict[str, Json]:
        """The next answer of the queue, as whoever is to judge it may see it: without what evaluators say. `but` names one to come last.
        Raises what the store raises."""
        known = await self._read()
        left = [
            kept
            for kept in self._watch.shelf.of(service, "random")
            # Below the same number of each service, so that a busy one, of which less is kept, counts no less than its share.
            if kept.number < self._watch.shelf.whole_below
            and known.draw.takes(kept.result.id)
            and kept.result.id not in known.drawn
            and _labelable(kept)
        ]
        left.sort(key=lambda kept: (kept.result.id == but, known.draw.number(kept.result.id)))
        return {
            "left": len(left),
            "labelled": len(known.drawn),
            "rate": known.draw.rate,
            "seed": known.draw.seed,
            "answer": _blind(left[0]) if left else None,
        }

    def said_of(self, result_id: str) -> str | None:
        """Whether an answer was labelled already: `drawn`, `picked`, or None."""
        if result_id in self._known.drawn:
            return "drawn"
        return "picked" if result_id in self._known.picked else None

    async def add(self, given: Given, *, user: str | None) -> Label:
        """Keep a label, and say so in the log. Raises RefusedError, and what the store raises."""
        known = await self._read()
        kept = self._watch.shelf.get(given.result)
        facts = None if kept is None else _facts(kept)
        if kept is None or facts is None:
            raise RefusedError("this answer is not kept any more, or nothing was said of it")
        if not given.picked:
            if not known.draw.takes(given.result):
                raise RefusedError("this answer is not one that the draw takes")
            facts = facts.model_copy(update={"draw": known.draw})
        made = _label(given, facts, claims=len(claims_of(kept.result.evaluations)), user=user)
        await asyncio.to_thread(self._store.add, [made])
        (known.picked if given.picked else known.drawn).add(given.result)
        logger.info(
            "a label was given on the page by %s (login %s): result %s, %s",
            given.who or user or "somebody",
            user or "none",
            given.result,
            "picked" if given.picked else "drawn",
        )
        return made

    async def _read(self) -> _Known:
        async with self._reading:
            now = self._watch.now()
            if now - self._known.read_at >= _FRESH_SECONDS:
                labels = await asyncio.to_thread(self._store.read)
                self._known = _Known(
                    self._going_on(labels),
                    now,
                    {one.about.result for one in labels if one.drawn},
                    {one.about.result for one in labels if not one.drawn},
                )
            return self._known

    def _going_on(self, labels: list[Label]) -> Draw:
        """The draw; one of this seed that was begun goes on at its own rate. Raises RefusedError."""
        draw = self._watch.draw
        rates = {one.about.draw.rate for one in labels if one.about.draw and one.about.draw.seed == draw.seed}
        if len(rates) > 1:
            raise RefusedError(
                "there are labels of this seed at several rates: begin another draw with status_page.label_seed"
            )
        return Draw(seed=draw.seed, rate=rates.pop()) if rates else draw


def _label(given: Given, facts: Facts, *, claims: int, user: str | None) -> Label:
    wrong = sorted(set(given.wrong_claims))
    if wrong and (given.verdict != "hallucinated" or wrong[0] < 1 or wrong[-1] > claims):
        raise RefusedError("wrong_claims are numbers of claims, from 1, and go with hallucinated only")
    who = given.who or user
    return label(facts, given.verdict, wrong=wrong, who=None if who is None else who[:100], at=datetime.now(UTC))


def _labelable(kept: Kept) -> bool:
    return kept.texts is not None and bool(kept.texts.answer) and _facts(kept) is not None


def _facts(kept: Kept) -> Facts | None:
    try:
        return facts_of(result_to_json(kept.result, with_text=False))
    except (KeyError, TypeError, ValueError):
        return None


def _blind(kept: Kept) -> dict[str, Json]:
    """An answer without any word of the evaluators: seen first they are followed."""
    texts = kept.texts
    return {
        "id": kept.result.id,
        "service": kept.result.service,
        "timestamp": rfc3339(kept.result.timestamp),
        "question": None if texts is None else texts.question,
        "answer": None if texts is None else texts.answer,
        "documents": documents(kept, said=False),
        "claims": [claim(one, said=False) for one in claims_of(kept.result.evaluations)],
    }

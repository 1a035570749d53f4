"""What every result is shown to on its end: it is added to the numbers of its service, and the answer is kept where it belongs.

Beside ours come the results of other replicas, out of the results topic. Their answers have no texts and lie on a shelf of their own, so that they
take no place from ours. What requests took and cost is counted of ours alone, for the topic has only those that were sampled.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from heapq import merge
from types import MappingProxyType

from exporters.result import Outcome, Result, standing
from exporters.text import clean
from sidecar.inference.grounding.detector import Anchor
from sidecar.labels.record import Draw
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.page.erased import Erased
from sidecar.page.numbers import Numbers
from sidecar.page.reading import Reading
from sidecar.page.settings import StatusPageConfig
from sidecar.page.shelf import Cut, Kept, List, Shelf
from sidecar.record.clock import Clock
from sidecar.record.request import RagTrace
from sidecar.record.texts import Texts

logger = logging.getLogger(__name__)

_MEGABYTE = 1_000_000
# Of the memory for answers, for those of other replicas: they have no texts.
_OTHERS_SHARE = 0.25
# Longer ones are cut: a page is read by people. Claims and evidence beyond are told, and not marked.
MOST_CHARS = 20_000
MOST_DOCUMENTS = 50
_REMEMBERED = 20_000
_SWEEP_SECONDS = 30.0
# What is silent for longer than numbers are kept is forgotten.
_IDLE_SECONDS = 3 * 86_400.0
# As long as a service's name may be where it is read (sidecar/decode).
_LONGEST_NAME = 256


class Watch:
    """Keeps what the page shows. `anchors` are what labels say of the verdict, by service; `alone` is that no results of others are read.
    Everything is called on the event loop; nothing waits or raises."""

    def __init__(
        self,
        config: StatusPageConfig,
        *,
        telemetry: Telemetry,
        clock: Clock,
        anchors: Mapping[str, Anchor] = MappingProxyType({}),
        alone: bool = True,
    ) -> None:
        self.config = config
        self.draw = Draw(seed=config.label_seed, rate=config.label_rate)
        #: From when on, seconds since the epoch, all answers are in the numbers: our start, or as far back as the results topic was read; later where some of it was missed.
        self.started = self.whole_since = clock.now()
        self.left_out = 0
        self.services: dict[str, Numbers] = {}
        self.reading: Reading | None = None
        self._erased = Erased()
        self.shelf = self._new_shelf(1.0 if alone else 1 - _OTHERS_SHARE)
        self.others = self._new_shelf(_OTHERS_SHARE)
        self._anchors = anchors
        self._clock = clock
        self._broken = Broken(logger, telemetry, clock)
        self._seen: OrderedDict[str, bool] = OrderedDict()
        self._swept = clock.monotonic()

    @property
    def with_texts(self) -> bool:
        """Whether texts are kept and shown."""
        return self.config.show_text

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock.now()

    def take(self, trace: RagTrace, result: Result, texts: Texts | None) -> None:
        """A result of this replica, with the redacted texts of its request."""
        self._guarded(lambda: self._take(result, texts, user=trace.user))

    def take_read(self, result: Result, *, at: float, replica: str) -> None:
        """A result that was written to the results topic at a time, by another replica or by one before us."""
        self._guarded(lambda: self._take_read(result, at=at, replica=replica))

    def get(self, result_id: str) -> Kept | None:
        """An answer by the id of its result."""
        return self.shelf.get(result_id) or self.others.get(result_id)

    def listed(self, service: str | None, name: List) -> list[Kept]:
        """A list of ours and of others together, in its order."""

        def order(kept: Kept) -> tuple[float, ...]:
            return kept.key(name) or ()

        return list(merge(self.shelf.of(service, name), self.others.of(service, name), key=order))

    def session(self, session: str) -> list[Kept]:
        """The answers of a session that are kept, in the order of time."""
        own = [kept for shelf in (self.shelf, self.others) for kept in shelf if kept.result.session == session]
        return sorted(own, key=lambda kept: (kept.result.timestamp, kept.result.id))

    def found(self, *, trace_id: str | None = None, user: str | None = None, session: str | None = None) -> list[Kept]:
        """The answers of a trace, of a user or of a session; of results out of the topic no user is known."""
        asked = {"trace_id": trace_id, "user": user, "session": session}
        return self.shelf.found(**asked) + self.others.found(**asked)

    def erase(self, *, trace_id: str | None = None, user: str | None = None, session: str | None = None) -> list[Kept]:
        """Forget what is `found`, and keep none of it that comes again. What there was."""
        asked = {"trace_id": trace_id, "user": user, "session": session}
        gone = self.found(**asked)
        self._erased.add(**asked)
        for one in gone:
            self.shelf.drop(one.result.id)
            self.others.drop(one.result.id)
        return gone

    def sweep(self) -> None:
        """Forget what is too old, now and then."""
        now = self._clock.monotonic()
        if now - self._swept >= _SWEEP_SECONDS:
            self._swept = now
            for shelf in (self.shelf, self.others):
                shelf.expire(self.now())
            for name in [name for name, one in self.services.items() if self.now() - one.last_seen > _IDLE_SECONDS]:
                del self.services[name]

    def _guarded(self, take: Callable[[], None]) -> None:
        try:
            take()
        except Exception as error:  # noqa: BLE001 - a page may never cost a result
            self._broken.tell("status_page", error)

    def _take(self, result: Result, texts: Texts | None, *, user: str | None) -> None:
        self.sweep()
        now = self.now()
        numbers = self._numbers(result.service, now)
        if numbers is None:
            return
        known = self._seen.get(result.id)
        if known is None:
            numbers.add_answer(result, now)
        if not known:
            numbers.add_request(result, now)
        self._remember(result.id, ours=True)
        if result.outcome.evaluated:
            self.others.drop(result.id)
            kept = self._kept(result, now)
            if texts is not None and self.with_texts:
                shown, cut = _cut(texts)
                kept = replace(kept, texts=shown, cut=cut)
            self.shelf.put(replace(kept, user=self._erased.user_digest(user)))

    def _take_read(self, result: Result, *, at: float, replica: str) -> None:
        self.sweep()
        if at < self.now() - _IDLE_SECONDS:
            return
        numbers = self._numbers(result.service, at)
        if numbers is None:
            return
        if result.id not in self._seen:
            numbers.add_answer(result, at)
            self._remember(result.id, ours=False)
        if at >= self.now() - self.config.keep_hours * 3600 and self.shelf.get(result.id) is None:
            before = self.others.get(result.id)
            if before is None or completeness(result) >= completeness(before.result):
                self.others.put(replace(self._kept(result, at), replica=replica))

    def _kept(self, result: Result, at: float) -> Kept:
        shown = result if self.with_texts else _without_texts(result)
        return Kept(result=shown, texts=None, at=at, number=self.draw.number(result.id))

    def _numbers(self, service: str, at: float) -> Numbers | None:
        found = self.services.get(service)
        if found is None and len(self.services) < self.config.most_services and len(service) <= _LONGEST_NAME:
            found = self.services[service] = Numbers(at, self._anchors.get(service))
        if found is None:
            self.left_out += 1
        return found

    def _remember(self, result_id: str, *, ours: bool) -> None:
        """A replay brings a result again, and one that was read may come through us yet: each is counted once."""
        self._seen[result_id] = ours
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    def _new_shelf(self, share: float) -> Shelf:
        config = self.config
        return Shelf(
            most_answers=config.keep_answers,
            most_bytes=int(share * config.keep_megabytes * _MEGABYTE),
            seconds=config.keep_hours * 3600,
            erased=self._erased,
        )


def completeness(result: Result) -> tuple[bool, int, int]:
    """Of two results with one id the one of the greater value is kept, and of two equal ones the later (docs/results.md)."""
    spans, seen = (result.trace.spans, result.trace.root_seen) if result.trace else (0, False)
    scored = sum(one.outcome is Outcome.SCORED for one in result.evaluations)
    return standing(root_seen=seen, spans=spans, scored=scored)


def _cut(texts: Texts) -> tuple[Texts, Cut | None]:
    """What is kept of texts, and how much is not; None where all is."""

    def kept(text: str | None) -> str | None:
        return None if text is None else clean(text[:MOST_CHARS])

    def over(text: str | None) -> int:
        return max(0, len(text or "") - MOST_CHARS)

    shown = texts.documents[:MOST_DOCUMENTS]
    cut = Cut(
        over(texts.question),
        over(texts.answer),
        tuple(over(text) for _, text in shown),
        len(texts.documents) - len(shown),
    )
    documents = tuple((kept(name), kept(text)) for name, text in shown)
    whole = not any((cut.question, cut.answer, cut.documents, *cut.texts))
    return Texts(kept(texts.question), kept(texts.answer), documents), None if whole else cut


def _without_texts(result: Result) -> Result:
    """The result without what quotes the answer."""
    bare = tuple(
        replace(one, explanation=None, claims=tuple(replace(claim, text="") for claim in one.claims))
        for one in result.evaluations
    )
    return replace(result, evaluations=bare)

"""What every result is shown to on its end: it is added to the numbers of its service, and the answer is kept where it belongs."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from exporters.result import Result
from exporters.text import clean
from sidecar.inference.grounding.detector import Anchor
from sidecar.labels.record import Draw
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.page.numbers import Numbers
from sidecar.page.settings import StatusPageConfig
from sidecar.page.shelf import Kept, Shelf
from sidecar.record.clock import Clock
from sidecar.record.request import RagTrace
from sidecar.record.texts import Texts

logger = logging.getLogger(__name__)

_MEGABYTE = 1_000_000
# Longer ones are cut: a page is read by people. Claims and evidence beyond are told, and not marked.
MOST_CHARS = 20_000
MOST_DOCUMENTS = 50
_REMEMBERED = 20_000
_SWEEP_SECONDS = 30.0
# What is silent for longer than numbers are kept is forgotten.
_IDLE_SECONDS = 3 * 86_400.0
_LONGEST_NAME = 128


class Watch:
    """Keeps what the page shows. Everything is called on the event loop; nothing waits or raises."""

    def __init__(
        self,
        config: StatusPageConfig,
        *,
        telemetry: Telemetry,
        clock: Clock,
        anchors: Mapping[str, Anchor] = MappingProxyType({}),
    ) -> None:
        """`anchors` are what labels say of the verdict, by service."""
        self.config = config
        self._anchors = anchors
        self.draw = Draw(seed=config.label_seed, rate=config.label_rate)
        self.started = clock.now()
        self.left_out = 0
        self.services: dict[str, Numbers] = {}
        self.shelf = Shelf(
            most_answers=config.keep_answers,
            most_bytes=config.keep_megabytes * _MEGABYTE,
            seconds=config.keep_hours * 3600,
        )
        self._clock = clock
        self._broken = Broken(logger, telemetry, clock)
        self._seen: OrderedDict[str, None] = OrderedDict()
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
        self._guarded(result, texts, user=trace.user)

    def sweep(self) -> None:
        """Forget what is too old, now and then."""
        now = self._clock.monotonic()
        if now - self._swept >= _SWEEP_SECONDS:
            self._swept = now
            self.shelf.expire(self.now())
            for name in [name for name, one in self.services.items() if self.now() - one.last_seen > _IDLE_SECONDS]:
                del self.services[name]

    def _guarded(self, result: Result, texts: Texts | None, *, user: str | None) -> None:
        try:
            self._take(result, texts, user=user)
        except Exception as error:  # noqa: BLE001 - a page may never cost a result
            self._broken.tell("status_page", error)

    def _take(self, result: Result, texts: Texts | None, *, user: str | None) -> None:
        self.sweep()
        now = self.now()
        numbers = self._numbers(result.service, now)
        if numbers is None:
            self.left_out += 1
            return
        if self._is_new(result.id):
            numbers.add(result, now)
        if result.outcome.evaluated:
            self.shelf.put(
                Kept(
                    result=result if self.with_texts else _without_texts(result),
                    texts=None if texts is None or not self.with_texts else _cut(texts),
                    at=now,
                    number=self.draw.number(result.id),
                    user=self.shelf.user_digest(user),
                )
            )

    def _numbers(self, service: str, now: float) -> Numbers | None:
        found = self.services.get(service)
        if found is None and len(self.services) < self.config.most_services and len(service) <= _LONGEST_NAME:
            found = self.services[service] = Numbers(now, self._anchors.get(service))
        return found

    def _is_new(self, result_id: str) -> bool:
        """Whether this result was not counted: a replay brings it again."""
        if result_id in self._seen:
            return False
        self._seen[result_id] = None
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return True


def _cut(texts: Texts) -> Texts:
    def cut(text: str | None) -> str | None:
        return None if text is None else clean(text[:MOST_CHARS])

    documents = tuple((cut(name), cut(text)) for name, text in texts.documents[:MOST_DOCUMENTS])
    return Texts(cut(texts.question), cut(texts.answer), documents)


def _without_texts(result: Result) -> Result:
    """The result without what quotes the answer."""
    bare = tuple(
        replace(one, explanation=None, claims=tuple(replace(claim, text="") for claim in one.claims))
        for one in result.evaluations
    )
    return replace(result, evaluations=bare)

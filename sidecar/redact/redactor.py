"""The redactor: all detectors that the settings want, for one request after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from sidecar.redact.detect import Detector
from sidecar.redact.personal import PERSONAL
from sidecar.redact.presidio import open_presidio
from sidecar.redact.secrets import SECRETS
from sidecar.redact.session import Session
from sidecar.redact.settings import RedactConfig

BUILTIN = (*SECRETS, *PERSONAL)
Made = TypeVar("Made")
# A text of so many characters takes about 5 ms, which the event loop can spare.
_MOST_ON_THE_LOOP = 20_000


def redactor_of(config: RedactConfig) -> Redactor | None:
    """The redactor that the settings want; None where it is off. Raises ConfigError."""
    return Redactor(config) if config.enabled else None


class Redactor:
    """Every text that leaves the process passes here once; see docs/security.md for the doors."""

    def __init__(self, config: RedactConfig, more: Sequence[Detector] = ()) -> None:
        """`more` are detectors beside those of the settings. Raises ConfigError where Presidio is wanted and cannot be had."""
        presidio = [open_presidio(config.presidio)] if config.presidio.enabled else []
        own: Sequence[Detector] = config.own()
        self._detectors: tuple[Detector, ...] = (
            *own,
            *(one for one in BUILTIN if one.name not in config.off),
            *presidio,
            *more,
        )
        self._slow = bool(presidio or more)

    def session(self, texts: Sequence[str]) -> Session:
        """What redacts the texts of one request: question, documents in their order, answer, so that pseudonyms are the same everywhere."""
        return Session(self._detectors, texts)

    async def run(self, work: Callable[[Session], Made], texts: Sequence[str]) -> Made:
        """`work` with the session of `texts`: in a thread where that takes long."""

        def whole() -> Made:
            return work(self.session(texts))

        if self._slow or sum(map(len, texts)) > _MOST_ON_THE_LOOP:
            return await asyncio.to_thread(whole)
        return whole()

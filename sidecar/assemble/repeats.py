"""Whole requests that come again under an id that is remembered: replays, which do no harm, and others, which are lost."""

from __future__ import annotations

import hashlib
import logging

from sidecar.observe.said import RateLimited
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.request import RagTrace

logger = logging.getLogger(__name__)

MEND = (
    "ids must be unique within assemble.remember_seconds: leave the id out of the records, "
    "or say by decode.mapping which field is unique (docs/native.md)"
)
_DIGEST_BYTES = 8


def digest(request: RagTrace) -> bytes:
    """What a request says, in short. Its time is no part of it, for a record without one has that of Kafka; nothing of one without its
    texts, for they may be dropped of one copy alone."""
    if request.text_dropped:
        return b""
    told = (request.tokens, request.durations, request.error_class, request.response_id, request.feedback)
    documents = (part for one in request.documents for part in (one.id, one.text))
    found = hashlib.blake2b(repr(told).encode(), digest_size=_DIGEST_BYTES)
    for text in (request.question, request.answer, *documents):
        found.update(b"\0" + (text or "").encode("utf-8", "surrogatepass"))
    return found.digest()


class Repeats:
    """Counts them, and tells of those that say something else than the one that was taken."""

    def __init__(self, clock: Clock, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._said = RateLimited(logger, clock)

    def dropped(self, first: bytes, second: bytes) -> None:
        """A request was dropped, since its id was taken. The digests of the one that took it and of this one; empty is unknown."""
        if first == second or not (first and second):
            self._telemetry.count("rag_sidecar_duplicate_spans_total")
            return
        self._telemetry.count("rag_sidecar_conflicting_requests_total")
        self._said.warn(("conflict",), "a native record has the id of another one of its service, but other content, and is not scored; %s", MEND)  # fmt: skip

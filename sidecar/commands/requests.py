"""The requests that results are about, read again from where they came from: results hold no questions, answers and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from exporters.text import many
from sidecar.assemble import Assembler
from sidecar.commands.inspect import read_files
from sidecar.config import Config
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.ids import MEND, NO_TIME, Nameless, digest_of
from sidecar.record.clock import SystemClock
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.results import result_id, texts_in

UNSURE = f"give what was scored, with the same `redact`; {MEND}"


@dataclass(frozen=True, slots=True)
class Texts:
    """What a request says. `documents` are (id, text) in rank order; the places in a result point into them."""

    question: str
    answer: str
    documents: tuple[tuple[str, str], ...]

    def quote(self, document: int, start: int, end: int) -> str | None:
        """Characters of a document; None where there is no such place."""
        text = self.documents[document][1] if 0 <= document < len(self.documents) else ""
        return text[start:end].strip() or None


@dataclass(frozen=True, slots=True)
class Made:
    """Which request a result was made of, as far as the result tells. `digest` is a hash of its texts, redacted where the result is."""

    result: str
    trace_id: str
    digest: str | None = None
    redacted: bool = False


def read_request_file(path: Path, settings: Config) -> list[RagTrace]:
    """The requests of a file as `score` or `inspect` reads it, with the ids that `score` gives them. Raises ConfigError."""
    return read_requests([replace(one, timestamp=NO_TIME) for one in read_files(path, None)], settings)


def read_requests(records: Sequence[Record], settings: Config) -> list[RagTrace]:
    """The requests that records hold, whole ones with those that repeat an id; what cannot be read is passed over."""
    decoder, assembler = (
        Decoder(settings.decode, Telemetry()),
        Assembler(settings.assemble, SystemClock(), Telemetry()),
    )
    spans, whole, nameless = [], list[RagTrace](), Nameless()
    for record in records:
        try:
            decoded = decoder.decode(record)
        except DecodeError:
            continue
        spans.extend(decoded.spans)
        whole.extend(map(nameless.named, decoded.requests))
    ended = [*assembler.add(spans), *assembler.flush()]
    return [*whole, *(request for one in ended for request in one.requests)]


class Requests:
    """Finds the request of a result: by the result's id, else by its trace id. Of several that have it, and of one that comes with other texts than were
    scored, it is told by the hash that the result has; where that cannot be told there is none, and `others` has the result's id."""

    def __init__(self, requests: Sequence[RagTrace], redactor: Callable[[], Redactor]) -> None:
        self._redactor = redactor
        self._by_result: dict[str, dict[str, RagTrace]] = {}
        self._by_trace: dict[str, dict[str, RagTrace]] = {}
        self.others: set[str] = set()
        for one in requests:
            digest = digest_of(one.question, one.answer, (document.text for document in one.documents))
            self._by_result.setdefault(result_id(one), {})[digest] = one
            self._by_trace.setdefault(one.trace_id, {})[digest] = one

    def of(self, made: Made) -> RagTrace | None:
        """The request that a result was made of, or None."""
        same = self._by_result.get(made.result)
        found = self._one(same or self._by_trace.get(made.trace_id, {}), made)
        if same and found is None:
            self.others.add(made.result)
        return found

    def has(self, made: Made) -> bool:
        """Whether there is any request with its id."""
        return made.result in self._by_result or made.trace_id in self._by_trace

    def _one(self, same: Mapping[str, RagTrace], made: Made) -> RagTrace | None:
        only = next(iter(same.values())) if len(same) == 1 else None
        if made.digest is None or (only is not None and not (only.question or only.answer)):
            return only  # What came without its texts says nothing else.
        if not made.redacted:
            return same.get(made.digest)
        return next((one for one in same.values() if self._redacted(one) == made.digest), None)

    def _redacted(self, trace: RagTrace) -> str:
        texts = texts_of(trace, self._redactor)
        return digest_of(texts.question, texts.answer, (text for _, text in texts.documents))

    def told(self) -> str | None:
        """What is to be known of the results that had requests and none that is surely theirs."""
        if not self.others:
            return None
        return (
            f"{many(len(self.others), 'result')} without a request: what has the id says something else than was scored, or it is not known "
            f"which of several it was: {UNSURE}"
        )


def repeated(count: int) -> str | None:
    """What to say of results of a file that have the id of another one, and are not shown."""
    if not count:
        return None
    have, are = ("has", "is") if count == 1 else ("have", "are")
    return f"{many(count, 'result')} {have} the id of another one and {are} not shown: of each id the most complete one is, of equal ones the last"


def texts_of(trace: RagTrace, redactor: Callable[[], Redactor] | None) -> Texts:
    """The texts of a request; with a redactor as they are after that, which is where the places of a redacted result point."""
    texts = [trace.question or "", *(document.text or "" for document in trace.documents), trace.answer or ""]
    if redactor is not None:
        session = redactor().session(texts_in(trace))
        texts = [session.redact(text).text if text else text for text in texts]
    question, *documents, answer = texts
    ids = [document.id or "" for document in trace.documents]
    return Texts(question, answer, tuple(zip(ids, documents, strict=True)))

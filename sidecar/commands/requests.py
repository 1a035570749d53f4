"""The requests that results are about, read again from where they came from: results hold no questions, answers and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidecar.assemble import Assembler
from sidecar.config import Config
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.results import result_id


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


def read_requests(records: Sequence[Record], settings: Config) -> list[RagTrace]:
    """The requests that records hold; what cannot be read is passed over."""
    decoder, assembler = (
        Decoder(settings.decode, Telemetry()),
        Assembler(settings.assemble, SystemClock(), Telemetry()),
    )
    spans, whole = [], []
    for record in records:
        try:
            decoded = decoder.decode(record)
        except DecodeError:
            continue
        spans.extend(decoded.spans)
        whole.extend(decoded.requests)
    ended = [*assembler.take(whole), *assembler.add(spans), *assembler.flush()]
    return [request for one in ended for request in one.requests]


class Requests:
    """Finds the request of a result: by the result's id, else by its trace id where only one request has it."""

    def __init__(self, requests: Sequence[RagTrace]) -> None:
        self._by_result = {result_id(one): one for one in requests}
        self._by_trace: dict[str, list[RagTrace]] = {}
        for one in requests:
            self._by_trace.setdefault(one.trace_id, []).append(one)

    def of(self, result: str, trace_id: str) -> RagTrace | None:
        """The request of the result with that id, or None."""
        found = self._by_result.get(result)
        if found is None and len(same := self._by_trace.get(trace_id, [])) == 1:
            found = same[0]
        return found


def texts_of(trace: RagTrace, redactor: Callable[[], Redactor] | None) -> Texts:
    """The texts of a request; with a redactor as they are after that, which is where the places of a redacted result point."""
    texts = [trace.question or "", *(document.text or "" for document in trace.documents), trace.answer or ""]
    if redactor is not None:
        session = redactor().session([text for text in texts if text])
        texts = [session.redact(text).text if text else text for text in texts]
    question, *documents, answer = texts
    ids = [document.id or "" for document in trace.documents]
    return Texts(question, answer, tuple(zip(ids, documents, strict=True)))

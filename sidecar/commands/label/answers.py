"""The answers that were scored, out of results; and the requests that they were given to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import ValidationError

from exporters.result import SCHEMA
from sidecar.assemble import Assembler
from sidecar.config import Config
from sidecar.decode.decoder import Decoder
from sidecar.labels.facts import facts_of
from sidecar.labels.record import Draw, Facts
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.results import result_id


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the answer; `evidence` is (index of the document, start, end), None where there is none."""

    text: str | None
    evidence: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that evaluators looked at. `redacted`: its claims were, and places point into redacted texts."""

    facts: Facts
    timestamp: str | None
    claims: tuple[Claim, ...]
    redacted: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer with its texts, as a person is shown it. `documents` are (id, text) in rank order."""

    answer: Answer
    question: str
    text: str
    documents: tuple[tuple[str, str], ...]

    def claims(self) -> list[tuple[str, str | None]]:
        """Each claim with the sentence of the documents that is nearest to it."""
        return [(one.text or "", self._quoted(one)) for one in self.answer.claims]

    def _quoted(self, claim: Claim) -> str | None:
        if claim.evidence is None:
            return None
        document, start, end = claim.evidence
        text = self.documents[document][1] if 0 <= document < len(self.documents) else ""
        return text[start:end].strip() or None


def read_answers(lines: Iterable[bytes], source: str) -> list[Answer]:
    """The answers of results, one JSON object a line; of two results of one request the more complete one (docs/results.md). Requests that no
    deciding evaluator looked at, such as those without an answer, are passed over. Raises ConfigError naming the line."""
    found: dict[str, tuple[tuple[Any, ...], Answer]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _object(line, source, number)
        try:
            answer = _answer(row)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{source}, line {number}: a result that cannot be read ({_what(error)})"
            raise ConfigError("RESULTS", problem, "give results as `score` or the results topic have them") from error
        if answer is not None:
            known = found.get(answer.facts.result)
            if known is None or _completeness(row) >= known[0]:
                found[answer.facts.result] = (_completeness(row), answer)
    return [answer for _, answer in found.values()]


def drawn(answers: Sequence[Answer], draw: Draw) -> list[Answer]:
    """The answers that a draw takes, in an order that is random too: whoever stops early has labelled a random part."""
    taken = [one for one in answers if draw.takes(one.facts.result)]
    return [
        replace(one, facts=one.facts.model_copy(update={"draw": draw}))
        for one in sorted(taken, key=lambda one: draw.number(one.facts.result))
    ]


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
    """Finds the request of an answer: by the id of its result, else by its trace id where only one request has it."""

    def __init__(self, requests: Sequence[RagTrace]) -> None:
        self._by_result = {result_id(one): one for one in requests}
        self._by_trace: dict[str, list[RagTrace]] = {}
        for one in requests:
            self._by_trace.setdefault(one.trace_id, []).append(one)

    def of(self, facts: Facts) -> RagTrace | None:
        """The request of an answer, or None."""
        found = self._by_result.get(facts.result)
        if found is None and len(same := self._by_trace.get(facts.trace_id, [])) == 1:
            found = same[0]
        return found


def shown(answer: Answer, requests: Requests, redactor: Callable[[], Redactor]) -> Shown | None:
    """An answer with its texts, redacted where its result was; None where its request or its texts are not there."""
    trace = requests.of(answer.facts)
    if trace is None or not trace.answer:
        return None
    texts = [trace.question or "", *(document.text or "" for document in trace.documents), trace.answer]
    if answer.redacted:
        session = redactor().session([text for text in texts if text])
        texts = [session.redact(text).text if text else text for text in texts]
    question, *documents, text = texts
    ids = [document.id or "" for document in trace.documents]
    return Shown(answer, question, text, tuple(zip(ids, documents, strict=True)))


def _answer(row: Mapping[str, Any]) -> Answer | None:
    facts, evaluations = facts_of(row), row["evaluations"]
    if facts is None:
        return None
    claims: list[Mapping[str, Any]] = next(
        (one["claims"] for one in evaluations if one["claims"] and one["evaluator"] == "faithfulness"), []
    )
    return Answer(
        facts, row.get("timestamp"), tuple(_claim(one) for one in claims), redacted=row.get("redacted") is not None
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    evidence = row.get("evidence")
    place = None if evidence is None else (evidence["document"], evidence["start"], evidence["end"])
    return Claim(row.get("text"), place)


def _completeness(row: Mapping[str, Any]) -> tuple[Any, ...]:
    trace = row.get("trace") or {}
    scored = sum(one["outcome"] == "scored" for one in row["evaluations"])
    return (bool(trace.get("root_seen")), trace.get("spans") or 0, scored)


def _object(line: bytes, source: str, number: int) -> Mapping[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ConfigError("RESULTS", f"{source}, line {number}: no JSON", "one result a line") from error
    if not isinstance(row, dict) or row.get("schema") != SCHEMA:
        raise ConfigError("RESULTS", f"{source}, line {number}: no result", f"the schema of each is {SCHEMA}")
    return row


def _what(error: Exception) -> str:
    """Where a result is wrong, without what stands there."""
    if isinstance(error, ValidationError):
        return ".".join(map(str, error.errors()[0]["loc"]))
    return str(error) if isinstance(error, KeyError) else type(error).__name__

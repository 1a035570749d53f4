"""`rag-sidecar testset --from-results`: results of production, and the requests that they are about, into cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from exporters.text import clean, safe
from sidecar.commands.common import errors
from sidecar.commands.requests import UNSURE, repeated
from sidecar.commands.results.read import Collected, Row, Wanted
from sidecar.commands.results.source import Source, TextsOf, open_source
from sidecar.offline.render import words
from sidecar.offline.testset.sampled import Drawn, Sample, Told, draw
from sidecar.record.errors import ConfigError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor, redactor_of
from sidecar.settings.input_file import refusal

_CAPTURE = "switch the capture of texts on in the service (README.md, Send it traces), or give requests that have texts"


@dataclass(frozen=True, slots=True)
class Results:
    """Where results are, and the requests that they are of, as `rag-sidecar results` takes them."""

    file: Path | None
    topic: str | None
    requests: Path | None
    received: bool
    config: Path | None
    records: int


def draw_cases(place: Results, wanted: Wanted, count: int, seed: int) -> Sequence[Mapping[str, Any]]:
    """Cases, redacted as `redact` says. Raises ConfigError where there are no texts, naming what would give them; BrokerError."""
    if place.requests is None and not place.received:
        raise ConfigError(
            "--from-results",
            "results hold no question, answer and documents",
            "give a file of the requests with --requests, or --received for the topics of receive.topics",
        )
    source = open_source(place.file, place.topic, place.records, place.requests, place.received, place.config)
    collected = Collected()
    read = collected.read(source.lines())
    rows = {row.record.id: row for row in read if wanted.takes(row)}
    if collected.unread:
        errors.print(f"{words.many(collected.unread, 'line')} unread", soft_wrap=True)
    if place.file is not None and (said := repeated(collected.repeated)) is not None:
        errors.print(said, soft_wrap=True)
    if not read:
        raise _no_results(place.file, source.topic, collected.unread)
    if not rows:
        raise ConfigError("--from-results", "none of the results is one of those that were asked for", "ask for others")
    texts = source.texts()
    drawn = draw([_sample(row) for row in rows.values()], _texts(source, texts, rows), count, seed)
    if not drawn.cases:
        raise _no_texts(drawn, texts, "--received" if place.received else "--requests")
    _show(drawn)
    if (said := texts.told()) is not None:
        errors.print(said, markup=False, soft_wrap=True)
    return drawn.cases


def _no_results(file: Path | None, topic: str, unread: int) -> ConfigError:
    """Of a file or a topic that holds nothing, or nothing but lines that are no results."""
    problem = f"holds no result, but {words.many(unread, 'other line')}" if unread else "holds no result"
    if file is None:
        return ConfigError("--topic", f"{topic} {problem}", "give the topic that the sidecar writes its results to")
    return refusal(file, problem, "give what `rag-sidecar score` wrote", "--from-results")


def _sample(row: Row) -> Sample:
    record = row.record
    verdict = "none" if record.verdict is None else str(record.verdict)
    return Sample(clean(record.id), clean(record.service), verdict, row.score(None), record.inclusion_probability)


def _texts(source: Source, texts: TextsOf, rows: Mapping[str, Row]) -> Callable[[Sample], Told | None]:
    """The texts of a sample, redacted."""
    redactor = redactor_of(source.settings.redact)
    if redactor is None:
        errors.print("redact.enabled is off: the cases hold personal data as it came", soft_wrap=True)

    def told(sample: Sample) -> Told | None:
        trace = texts.request(rows[sample.id])
        return None if trace is None else _told(trace, redactor)

    return told


def _told(trace: RagTrace, redactor: Redactor | None) -> Told:
    plain = [trace.question, *(one.text for one in trace.documents), trace.answer, trace.reference]
    session = None if redactor is None else redactor.session([text for text in plain if text])

    def of(text: str | None) -> str:
        return clean(text or "") if session is None or not text else session.redact(text).text

    def named(own: str | None) -> str:
        return clean(own or "") if session is None or not own else session.redact_id(own)

    documents = tuple((named(one.id), of(one.text)) for one in trace.documents)
    return Told(of(trace.question), of(trace.answer), documents, of(trace.reference) if trace.reference else None)


def _no_texts(drawn: Drawn, texts: TextsOf, where: str) -> ConfigError:
    if texts.told() is not None:
        return ConfigError(where, "the requests of these results are not surely theirs", UNSURE)
    if set(drawn.left_out) == {"no_request"}:
        return ConfigError(
            where, "none of the requests of these results is there", "give those that the results are of"
        )
    return ConfigError(where, "the requests hold no question and answer", _CAPTURE)


def _show(drawn: Drawn) -> None:
    """What there is of each service and verdict, of how many, and why others are left out."""
    table = Table("service", "verdict", "results", "cases", box=SIMPLE, pad_edge=False)
    for stratum in sorted(drawn.of):
        table.add_row(*(Text(safe(name)) for name in stratum), str(drawn.of[stratum]), str(drawn.taken[stratum]))
    errors.print(table)
    if drawn.left_out:
        errors.print(f"left out: {words.counts(drawn.left_out)}", markup=False, soft_wrap=True)
    errors.print("metrics by reference run on the cases that somebody writes a reference to", soft_wrap=True)

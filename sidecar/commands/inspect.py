"""`rag-sidecar inspect`: what is understood of recorded spans, what is missing, and which switch would supply it."""

from __future__ import annotations

import asyncio
import codecs
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.tree import Tree

from exporters.text import safe
from sidecar import config
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.assemble.missing import no_request
from sidecar.assemble.probes import without_probes
from sidecar.assemble.repeats import digest
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.commands.idle import refuse_idle
from sidecar.commands.output import refuse_overwriting
from sidecar.commands.unread import Fault, Unread
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.native.fields import NAME as NATIVE
from sidecar.decode.native.printed import request_to_json
from sidecar.decode.wire.parse import load_json
from sidecar.decode.wire.sniff import otlp_in
from sidecar.kafka.peek import peek
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.record.span import RagSpan
from sidecar.settings.input_file import ending, read_input

cli = new_cli()

_MOST_SHOWN = 300
# Between two JSON objects, and never within one.
_BETWEEN = re.compile(rb"(?<=\})\s*\n(?=\{)")


@cli.command()
def inspect(
    context: typer.Context,
    source: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Spans: OTLP .pb or .json, or native JSON lines; - is standard input."),
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Read the latest records of this topic instead of a file.")] = None,
    records: Annotated[int, typer.Option(min=1, max=100_000, help="How many records of the topic.")] = 100,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Brokers as host:port, if not in the settings.")] = None,
    logs: Annotated[Path | None, typer.Option(help="OTLP log records of the same traces.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per RAG request.")] = False,
    config_file: ConfigOption = None,
) -> None:
    """Print what is understood of spans, what is missing, and which switch would supply it."""
    if (source is None) == (topic is None):
        raise ConfigError(
            "inspect", "give a file or --topic, exactly one of them", "for example `inspect --topic otlp_spans`"
        )
    refuse_overwriting((source, logs, config_file), None)
    if source is not None:
        refuse_idle(
            context, ("records", "bootstrap_servers"), "a file is read, and no topic", "leave it out, or give --topic"
        )
        settings = config.load(config_file, kafka=False)
        found = read_files(source, logs)
    else:
        refuse_idle(
            context, ("logs",), "a topic is read, and no file", "leave it out: log records of the topic are read"
        )
        settings = config.load_for_topic(config_file, servers=bootstrap_servers)
        found = asyncio.run(_peek(settings, str(topic), records))
    place = _line if topic is None else _offset
    told = inspect_records(found, place, as_json=as_json, decode=settings.decode, assemble=settings.assemble)
    raise typer.Exit(told)


async def _peek(settings: config.Config, topic: str, count: int) -> list[Record]:
    return await peek(settings.receive, topic, count, setting="--topic")


def read_files(source: Path, logs: Path | None) -> list[Record]:
    """The records of a file of spans, and of one of log records. Raises ConfigError where a file cannot be opened."""
    now = time.time()
    found = [(path, *one) for path in (source, logs) if path is not None for one in _records(path)]
    # As of Kafka no two have one time: two records without an id and a time that say the same are two.
    return [
        Record(str(path), 0, number, now + place / 1e6, None, value)
        for place, (path, number, value) in enumerate(found)
    ]


def _line(record: Record) -> str:
    return f"{record.topic}, line {record.offset}" if record.offset else record.topic


def _offset(record: Record) -> str:
    return f"{record.topic}[{record.partition}], record {record.offset}"


def inspect_records(
    records: Sequence[Record],
    place: Callable[[Record], str],
    *,
    as_json: bool,
    decode: DecodeConfig,
    assemble: AssembleConfig,
) -> int:
    """Print what the records hold, and in which place one is unreadable or has a field that is passed over; 0 where at least one RAG request was understood and nothing of that is told,
    else 1."""
    telemetry = Telemetry()
    decoder = Decoder(decode, telemetry)
    spans: list[RagSpan] = []
    whole: list[RagTrace] = []
    problems: list[Fault] = []
    unread = Unread(decode, telemetry)
    for record in records:
        failure: DecodeError | None = None
        try:
            decoded = decoder.decode(record)
            spans.extend(decoded.spans)
            whole.extend(decoded.requests)
        except DecodeError as error:
            failure = error
        problems.extend(one.at(place(record)) for one in unread.of(record, failure))
    firsts: dict[tuple[str, str], RagTrace] = {}
    lost = sum(digest(firsts.setdefault((one.service, one.trace_id), one)) != digest(one) for one in whole)
    assembler = Assembler(assemble, SystemClock(), Telemetry())
    ended = [
        without_probes(one) for one in (*assembler.take(firsts.values()), *assembler.add(spans), *assembler.flush())
    ]
    requests = sorted((request for one in ended for request in one.requests), key=lambda r: r.timestamp)
    notes = unread.told(lost)
    ignored = {one.trace_id: one.ignored_reason for one in ended if one.ignored_reason}
    if as_json:
        for request in requests:
            sys.stdout.write(orjson.dumps(request_to_json(request)).decode() + "\n")
        for said in (*(one.said for one in problems), *_unanswered(spans, ignored), *notes):
            sys.stderr.write(said + "\n")
    else:
        _print(spans, requests, ignored, problems)
        for said in notes:
            sys.stdout.write(said + "\n")
    return 0 if requests and not problems else 1


def _unanswered(spans: Iterable[RagSpan], ignored: Mapping[str, str]) -> Iterator[str]:
    """Traces without a request in which something holds an answer, and why it is not taken for one."""
    for trace_id, own in _by_trace(spans).items():
        if trace_id in ignored and (said := no_request(own)):
            yield f"trace {safe(trace_id)}: no request of its own: {ignored[trace_id]}; missing {said}"


def _by_trace(spans: Iterable[RagSpan]) -> dict[str, list[RagSpan]]:
    found: dict[str, list[RagSpan]] = {}
    for span in spans:
        found.setdefault(span.trace_id, []).append(span)
    return found


def _records(path: Path) -> list[tuple[int, bytes]]:
    """The records of a file, or of standard input, with their lines: one of protobuf or one JSON document, whose line is 0, one JSON object a line, or objects of
    several lines one after another, as the SDK prints spans."""
    data = read_input(path, "give a readable file of spans").removeprefix(codecs.BOM_UTF8)
    if ending(path) == ".jsonl" or (data[:1] == b"{" and _is_lines(data)):
        return [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    if data[:1] == b"[":
        return [(0, one) for one in _exports(data) or [data]]
    starts = [0, *(found.end() for found in _BETWEEN.finditer(data))] if data[:1] == b"{" else [0]
    if len(starts) == 1:
        return [(0, data)]
    records, number = [], 1
    for start, end in pairwise([*starts, len(data)]):
        records.append((number, data[start:end]))
        number += data.count(b"\n", start, end)
    return records


def _exports(data: bytes) -> list[bytes]:
    """The exports of a list of them; none where it is a list of something else."""
    try:
        items = load_json(data)
    except DecodeError:
        return []
    are = isinstance(items, list) and any(otlp_in(one) is not None for one in items)
    return [orjson.dumps(one) for one in items] if are else []


def _is_lines(data: bytes) -> bool:
    first, _, rest = data.partition(b"\n")
    return bool(rest.strip()) and first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")


def _print(
    spans: Sequence[RagSpan], requests: Sequence[RagTrace], ignored: Mapping[str, str], problems: Sequence[Fault]
) -> None:
    console = Console(highlight=False, markup=False)
    whole: dict[str, list[RagSpan]] = {request.trace_id: [] for request in requests if request.convention == NATIVE}
    for trace_id, own in {**whole, **_by_trace(spans)}.items():
        tree = Tree(f"trace {safe(trace_id)}", guide_style="dim")
        _branch(tree, own)
        console.print(tree)
        for request in (r for r in requests if r.trace_id == trace_id):
            _print_request(console, request)
        if trace_id in ignored:
            console.print(f"  no request of its own: {ignored[trace_id]}")
            if said := no_request(own):
                console.print(f"    missing {said}", style="yellow", soft_wrap=True)
        console.print()
    for problem in problems:
        said, style = (problem.said, "yellow") if problem.passed_over else (f"unreadable: {problem.said}", "red")
        console.print(safe(said), style=style, soft_wrap=True)
    if not requests:
        console.print(
            "No RAG request was understood. Are these spans of a RAG service, and is its instrumentation one of those in docs/?"
        )


def _branch(tree: Tree, spans: Sequence[RagSpan]) -> None:
    """The tree of spans, each with its kind and the convention that claimed it."""
    places: dict[str, Tree] = {}
    known = {span.span_id for span in spans}
    todo = sorted(spans, key=lambda s: s.start_ns)
    while todo:
        left = []
        for span in todo:
            parent = (
                span.parent_span_id if span.parent_span_id in known and span.parent_span_id != span.span_id else None
            )
            if parent is not None and parent not in places and not span.is_log:
                left.append(span)
                continue
            at = places.get(span.span_id if span.is_log else parent or "", tree)
            seconds = (span.end_ns - span.start_ns) / 1e9
            label = f"{span.kind}  {safe(span.name)}  [{span.convention}]  {seconds:.3f} s" + (
                "  ERROR" if span.error else ""
            )
            branch = at.add(("log  " if span.is_log else "") + label)
            if not span.is_log:
                places[span.span_id] = branch
        if len(left) == len(todo):
            for span in left:
                tree.add(f"{span.kind}  {safe(span.name)}  [{span.convention}]  (its parents form a loop)")
            return
        todo = left


def _print_request(console: Console, request: RagTrace) -> None:
    durations, tokens = request.durations, request.tokens
    rows = (
        ("service", request.service),
        ("question", request.question),
        ("answer", request.answer),
        (
            "documents",
            f"{len(request.documents)}, {sum(bool(d.text) for d in request.documents)} with text, from {request.context_source}",
        ),
        (
            "model",
            " / ".join(part for part in (request.provider, request.model_requested, request.model_answered) if part),
        ),
        (
            "tokens",
            f"input {tokens.input}, cached {tokens.cached_input}, output {tokens.output}, reasoning {tokens.reasoning}",
        ),
        (
            "seconds",
            f"total {durations.total}, retrieval {durations.retrieval}, generation {durations.generation}, "
            f"first token {durations.time_to_first_token}",
        ),
        ("error", request.error_class),
        ("who", ", ".join(f"{k} {v}" for k in ("session", "user", "tenant", "variant") if (v := getattr(request, k)))),
        ("marks", ", ".join(request.partial)),
    )
    console.print(f"  request ({request.kind}, {request.convention})", style="bold")
    for name, value in rows:
        if value:
            shown = safe(value) if len(value) <= _MOST_SHOWN else safe(value[:_MOST_SHOWN]) + "…"
            console.print(f"    {name:<10} {shown}")
    for document in request.documents[:5]:
        text = safe((document.text or "(no text)").replace("\n", " "))[:120]
        console.print(
            f"      {document.rank:>3}. {safe(document.id or '-')}  {'' if document.score is None else f'{document.score:.3f}'}  {text}"
        )
    for one in request.missing:
        console.print(f"    missing {one.field}: {one.why}", style="yellow")


__all__ = ["inspect_records", "read_files"]

"""`rag-sidecar results`: the worst answers, the latest ones, or one of them, claim by claim."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import orjson
import typer
from rich.text import Text

from exporters.text import clean
from sidecar.commands.common import ConfigOption, ExitCode, WholeHelp, errors, new_cli
from sidecar.commands.requests import repeated
from sidecar.commands.results import options, show
from sidecar.commands.results.read import Collected, Row, Wanted, latest, named, plain, since, worst
from sidecar.commands.results.source import Source, TextsOf, open_source, refuse_records
from sidecar.offline.render import words
from sidecar.record.errors import ConfigError
from sidecar.settings.environment import near

cli = new_cli(
    cls=WholeHelp,
    help="Read results, of a file or the results topic: the worst answers, the latest ones, or one of them, claim by claim.",
    no_args_is_help=True,
)


@cli.command("worst")
def worst_command(
    context: typer.Context,
    file: options.File = None,
    count: options.Count = 10,
    by: options.By = None,
    service: options.Service = None,
    model: options.Model = None,
    variant: options.Variant = None,
    verdict: options.OfVerdict = None,
    ended_since: options.Since = None,
    requests: options.RequestsFile = None,
    received: options.Received = False,
    topic: options.Topic = None,
    records: options.Records = 10_000,
    claims: options.Claims = True,
    as_json: options.AsJson = False,
    config_file: ConfigOption = None,
) -> None:
    """Show the worst answers: hallucinated ones first, then those of the lowest score.

    The score is that which decides the verdict. Of two results of one request the more complete one is shown (docs/results.md). Answers without a score
    are not among the worst.
    """
    refuse_records(context, file, received=received)
    source = open_source(file, topic, records, requests, received, config_file)
    wanted = Wanted(service, model, variant, verdict, since(ended_since))
    collected = Collected()
    rows = collected.read(source.lines())
    _known(by, rows)
    found = worst(filter(wanted.takes, rows), count, by)
    texts = _print(found, source, every=rows, by=by, claims=claims, as_json=as_json)
    _end(collected, source, texts, of=len(found))


@cli.command("tail")
def tail_command(
    context: typer.Context,
    file: options.File = None,
    count: options.Count = 10,
    follow: options.Follow = False,
    service: options.Service = None,
    model: options.Model = None,
    variant: options.Variant = None,
    verdict: options.OfVerdict = None,
    ended_since: options.Since = None,
    requests: options.RequestsFile = None,
    received: options.Received = False,
    topic: options.Topic = None,
    records: options.Records = 10_000,
    claims: options.Claims = True,
    as_json: options.AsJson = False,
    config_file: ConfigOption = None,
) -> None:
    """Show the latest answers, oldest first; with --follow also those that come."""
    refuse_records(context, file, received=received)
    source = open_source(file, topic, records, requests, received, config_file)
    wanted = Wanted(service, model, variant, verdict, since(ended_since))
    if follow:
        if file is not None:
            raise ConfigError("--follow", "a file does not go on", "leave it out, or read the topic")
        asyncio.run(_follow(source, wanted, count, as_json=as_json))
    collected = Collected()
    rows = [row for row in collected.read(source.lines()) if wanted.takes(row)]
    texts = _print(latest(rows, count), source, every=rows, claims=claims, as_json=as_json)
    _end(collected, source, texts, of=len(rows))


@cli.command("show")
def show_command(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="ID", help="Of a result (its beginning will do), a trace, or the request's own id.")
    ],
    file: options.File = None,
    requests: options.RequestsFile = None,
    received: options.Received = False,
    topic: options.Topic = None,
    records: options.Records = 100_000,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object: the result, and the texts that were found.")
    ] = False,
    config_file: ConfigOption = None,
) -> None:
    """Show one answer: each claim, the sentence that it was held against, and what every evaluator says."""
    refuse_records(context, file, received=received)
    source = open_source(file, topic, records, requests, received, config_file)
    collected = Collected()
    every = collected.read(source.lines())
    rows = named(every, name)
    texts, console = _texts(source, every), show.new_console()
    for row in rows:
        if as_json:
            _write({**plain(row), "texts": _plain_texts(row, texts)})
        else:
            console.print(show.whole(row.record, texts(row)))
    _end(collected, source, texts, of=len(rows))


async def _follow(source: Source, wanted: Wanted, count: int, *, as_json: bool) -> None:
    """Claim by claim, as they come; the latest `count` of those that are there first."""
    texts, console = await asyncio.to_thread(source.texts), show.new_console()
    collected, first = Collected(), True
    async for lines in source.batches():
        rows = [row for row in collected.take(lines) if wanted.takes(row)]
        for row in latest(rows, count) if first else rows:
            if as_json:
                _write(plain(row))
            else:
                console.print(show.answer(row.record, texts(row)), Text(), sep="\n")
        first = False


def _print(
    rows: Sequence[Row], source: Source, *, every: Sequence[Row], by: str | None = None, claims: bool, as_json: bool
) -> TextsOf | None:
    """Show them; gives back the texts, where they were asked for."""
    if as_json:
        for row in rows:
            _write(plain(row))
        return None
    texts, console = _texts(source, every), show.new_console()
    if rows:
        console.print(show.table([row.record for row in rows], by))
    for row in rows if claims else ():
        console.print()
        console.print(show.answer(row.record, texts(row)))
    return texts


def _texts(source: Source, every: Sequence[Row]) -> TextsOf:
    """The texts of requests. Raises ConfigError where a file of them has none of these results."""
    texts = source.texts()
    if source.requests is not None and every and not any(map(texts.has, every)):
        problem = f"{source.requests} has no request of these results"
        raise ConfigError("--requests", problem, "give those that were scored")
    return texts


def _known(by: str | None, rows: Sequence[Row]) -> None:
    """Raises ConfigError where no result has the evaluator."""
    names = sorted({one.evaluator for row in rows for one in row.record.evaluations})
    if by is not None and names and by not in names:
        raise ConfigError("--by", "no result is of such an evaluator", near(by, names))


def _plain_texts(row: Row, texts: TextsOf) -> dict[str, object] | None:
    """Question, answer and documents, and each claim with what it was held against; None where the request was not read."""
    found = texts(row)
    if found is None:
        return None
    documents = [{"id": clean(name), "text": clean(text)} for name, text in found.documents]
    claims = [asdict(show.quoted(claim, found)) for claim in row.record.claims]
    return {"question": clean(found.question), "answer": clean(found.answer), "documents": documents, "claims": claims}


def _write(value: object) -> None:
    sys.stdout.write(orjson.dumps(value).decode() + "\n")
    sys.stdout.flush()


def _end(collected: Collected, source: Source, texts: TextsOf | None, *, of: int) -> None:
    """Say what is not to be seen, on standard error."""
    if not of:
        errors.print("no result is one of those that were asked for", markup=False)
    for note in (repeated(collected.repeated) if source.file is not None else None, texts and texts.told()):
        if note:
            errors.print(note, markup=False, soft_wrap=True)
    if collected.failed:
        said = f"{words.many(collected.failed.total(), 'request')} could not be read ({words.counts(collected.failed)})"
        errors.print(said, markup=False, soft_wrap=True)
    if one := collected.no_results:
        said = "line is no result and was" if one == 1 else "lines are no results and were"
        errors.print(f"{one:,} {said} passed over", markup=False)
    if collected.unread:
        raise typer.Exit(ExitCode.NOT_ALL_WELL)

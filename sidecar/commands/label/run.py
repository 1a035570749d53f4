"""`rag-sidecar label`: people say of randomly drawn answers whether they are made up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sidecar import config
from sidecar.commands.common import ConfigOption, errors, new_cli
from sidecar.commands.idle import given, refuse_idle
from sidecar.commands.label.answers import Answer, Shown, drawn, read_answers, shown
from sidecar.commands.label.exchange import export as write_reviews
from sidecar.commands.label.exchange import import_reviews, not_yet
from sidecar.commands.label.terminal import ask
from sidecar.commands.output import lines_to, refuse_overwriting, refuse_unwritable
from sidecar.commands.requests import Requests, read_request_file, read_requests, repeated
from sidecar.config import Config
from sidecar.kafka.peek import peek, standing
from sidecar.labels.record import Draw, Label, label
from sidecar.labels.store import Store, Topic, read_labels
from sidecar.offline.render.words import many
from sidecar.record.errors import ConfigError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.settings.input_file import read_file, refusal

cli = new_cli()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which answers are asked about: those of a draw of `rate` (None: of as many as give about `count`), or picked ones."""

    count: int
    rate: float | None
    seed: str
    service: str | None
    picked: tuple[str, ...]


@cli.command("label")
def label_command(
    context: typer.Context,
    results: Annotated[
        Path | None,
        typer.Argument(metavar="RESULTS.jsonl", help="Results of `score`; without it those of the results topic."),
    ] = None,
    requests: Annotated[
        Path | None,
        typer.Option(
            help="The requests with their texts, as `score` or `inspect` reads them; by default received topics."
        ),
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="File of labels; more are added to it.")] = None,
    count: Annotated[int, typer.Option(min=1, help="About so many answers of a first draw.")] = 100,
    rate: Annotated[
        float | None, typer.Option(min=1e-9, max=1, help="In place of --count: the probability of each answer.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Names the draw; another one draws other answers.")] = "1",
    service: Annotated[str | None, typer.Option(help="Answers of this service alone.")] = None,
    pick: Annotated[
        list[str] | None,
        typer.Option(help="Trace id of an answer to label in place of drawn ones; such labels stand for nothing else."),
    ] = None,
    who: Annotated[str | None, typer.Option(help="Pseudonym of whoever says it.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the queue to this file in place of asking.")] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Take the verdicts that were written into such a file.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write all labels there are to this file, beside those that it holds, and end.")
    ] = None,
    results_topic: Annotated[str | None, typer.Option(help="In place of results.topic.")] = None,
    labels_topic: Annotated[str | None, typer.Option(help="In place of labels.topic.")] = None,
    records: Annotated[int, typer.Option(min=1, max=10_000_000, help="Latest records read of each topic.")] = 100_000,
    config_file: ConfigOption = None,
) -> None:
    """Have people judge answers that are drawn at random with a known probability.

    Shows one answer after the other and takes what is typed: good, hallucinated (with numbers of claims, if you like), abstained, skip. Labels go
    to a file, the labels topic or both. The same command goes on where it was left. `rag-sidecar calibrate` reads the file; what a topic holds
    --save writes into one.
    """
    _refuse_idle(context)
    settings = config.load(config_file, kafka=False)
    labels_topic = labels_topic or settings.labels.topic
    if labels_topic or (results is None and import_ is None and save is None):
        settings = config.load(config_file)
    kept = labels or settings.labels.file
    _refuse_outputs(export, save, reads=(results, requests, import_, config_file), labels=kept)
    store = _store(kept, labels_topic, settings)
    if save is not None:
        _save(store, save, asked=labels)
        return
    if import_ is not None:
        new = not_yet(import_reviews(import_, who=who, at=datetime.now(UTC)), store.read())
        store.add(new)
        errors.print(f"{many(len(new), 'label')} taken over", markup=False)
        return
    wanted = Wanted(count, rate, seed, service, tuple(pick or ()))
    answers, texts = _read(settings, results, requests, results_topic=results_topic, records=records)
    queue = _queue(answers, texts, settings, wanted, store.read())
    if export is not None:
        write_reviews(queue, export)
        return
    _ask(queue, store, who)


def _refuse_idle(context: typer.Context) -> None:
    """Raises ConfigError for what names a draw where none is made, and for a count beside a probability."""
    if given(context, "pick"):
        refuse_idle(context, ("count", "rate", "seed"), "answers that --pick names are not drawn")
    if given(context, "rate"):
        refuse_idle(context, ("count",), "the probability of each answer is given by --rate", "give one of them")


def _refuse_outputs(
    export: Path | None, save: Path | None, *, reads: Sequence[Path | None], labels: Path | None
) -> None:
    """Raises ConfigError for an output that cannot be written or would replace what is read. --save adds to a file of labels."""
    refuse_unwritable(export, option="--export")
    refuse_unwritable(save, option="--save")
    if export is not None:
        refuse_overwriting((*reads, labels), export)
    if save is not None:
        refuse_overwriting(reads, save)


def _store(file: Path | None, topic: str | None, settings: Config) -> Store:
    if file is None and topic is None:
        raise ConfigError("--labels", "labels have nowhere to go", "name a file, or set labels.file or labels.topic")
    refuse_unwritable(file, option="--labels")
    return Store(file, None if topic is None else Topic(topic, settings.receive))


def _save(store: Store, target: Path, *, asked: Path | None) -> None:
    """Write the labels there are behind those of the target, which may have no copy. Raises ConfigError where the file that was `asked` for is not there."""
    missing = store.file is not None and not store.file.exists()
    if missing and (asked is not None or store.topic is None):
        raise refusal(store.file or target, "there is no such file", "give the file that holds the labels", "--labels")
    known = {one.line() for one in read_labels(target, "--save")} if target.is_file() else set()
    there = read_file(target, "give a readable file", "--save").splitlines() if known else []
    new = [line for line in dict.fromkeys(one.line() for one in store.read()) if line not in known]
    if new or not there:
        with lines_to(target) as write:
            for line in (*there, *new):
                write(line)
    beside = f" beside the {len(there)} that stood there" if there else ""
    errors.print(f"{many(len(new), 'label')} written{beside}", markup=False)


def _read(
    settings: Config, results: Path | None, requests: Path | None, *, results_topic: str | None, records: int
) -> tuple[list[Answer], list[RagTrace]]:
    """The answers there are, and the requests. Raises ConfigError, BrokerError."""
    if results is not None:
        if requests is None:
            raise ConfigError("--requests", "results hold no questions and documents", "name the file that was scored")
        answers = read_answers(read_file(results, "give a readable file of results").splitlines(), str(results))
        if (said := repeated(sum(one.others for one in answers))) is not None:
            errors.print(said, markup=False, soft_wrap=True)
    else:
        answers = _answers_of(settings, results_topic, records)
    if requests is not None:
        return answers, read_request_file(requests, settings)
    if not settings.receive.topic_names:
        raise ConfigError("--requests", "receive.topics names no topic to read them from", "name a file")
    return answers, read_requests(asyncio.run(_latest(settings, records)), settings)


def _answers_of(settings: Config, named: str | None, records: int) -> list[Answer]:
    topic, named_by = named or settings.results.topic, "--results-topic" if named else "results.topic"
    if topic is None:
        raise ConfigError("results", "none are named", "give a file, results.topic or --results-topic")
    found = asyncio.run(peek(settings.receive_results, topic, records, setting=named_by))
    return read_answers(standing(found), topic)


async def _latest(settings: Config, records: int) -> list[Record]:
    return [record for topic in settings.receive.topic_names for record in await peek(settings.receive, topic, records)]


def _queue(
    answers: Sequence[Answer], traces: Sequence[RagTrace], settings: Config, wanted: Wanted, known: Sequence[Label]
) -> list[Shown]:
    """What is to be asked. An answer that was picked before is asked about again when it is drawn: left out, it would be missing among the drawn."""
    own = [one for one in answers if wanted.service in (None, one.facts.service)]
    if wanted.picked:
        taken = _picked(own, wanted.picked)
        done = {one.about.result for one in known}
    else:
        draw = _draw(wanted, len(own), known)
        errors.print(
            f"{many(len(own), 'answer')}, each drawn with probability {draw.rate:g}, seed {draw.seed}", markup=False
        )
        taken = drawn(own, draw)
        done = {one.about.result for one in known if one.drawn}
    left = [one for one in taken if one.facts.result not in done]
    redactor = cache(partial(Redactor, settings.redact))
    requests = Requests(traces, redactor)
    found = [text for one in left if (text := shown(one, requests, redactor)) is not None]
    errors.print(
        f"{len(taken)} taken, {len(taken) - len(left)} labelled already, {len(found)} to ask about", markup=False
    )
    if missing := len(left) - len(found) - len(requests.others):
        said = f"{missing} have no request with texts among those read: are these the requests that were scored?"
        errors.print(said, markup=False)
    if (told := requests.told()) is not None:
        errors.print(told, markup=False, soft_wrap=True)
    return found


def _picked(answers: Sequence[Answer], picked: Sequence[str]) -> list[Answer]:
    """The answers of these traces. Raises ConfigError where one of them is of none."""
    unknown = [one for one in picked if all(answer.facts.trace_id != one for answer in answers)]
    if unknown:
        problem = f"none of {many(len(answers), 'answer')} is of trace {', '.join(unknown)}"
        raise ConfigError("--pick", problem, "give the trace id of a result; --records reads more of a topic")
    return [one for one in answers if one.facts.trace_id in picked]


def _draw(wanted: Wanted, answers: int, known: Sequence[Label]) -> Draw:
    """The draw that is named; the rate of one that was begun stays, whatever came to the answers since. Raises ConfigError."""
    begun = {one.about.draw.rate for one in known if one.about.draw is not None and one.about.draw.seed == wanted.seed}
    if not begun:
        return Draw(seed=wanted.seed, rate=wanted.rate or min(1.0, wanted.count / max(1, answers)))
    if len(begun) > 1 or (wanted.rate is not None and wanted.rate not in begun):
        rates = ", ".join(f"{one:.12g}" for one in sorted(begun))
        problem = f"the labels there were drawn by seed {wanted.seed} with rate {rates}"
        raise ConfigError("--rate", problem, "leave it out to go on, or begin another draw with --seed")
    return Draw(seed=wanted.seed, rate=begun.pop())


def _ask(queue: Sequence[Shown], store: Store, who: str | None) -> None:
    """Ask one after the other; each label is kept before the next answer is shown."""
    console, said = Console(highlight=False), 0
    for number, one in enumerate(queue, 1):
        reply = ask(one, number=number, of=len(queue), console=console)
        if reply is None:
            break
        store.add([label(one.answer.facts, reply.said, wrong=reply.wrong, who=who, at=datetime.now(UTC))])
        said += 1
    left = len(queue) - said
    errors.print(
        f"{said} labelled, {left} left" + (": the same command goes on from here" if left else ""), markup=False
    )

"""`rag-sidecar testset`: cases with references, made from documents, or out of production."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.from_results import Results, draw_cases
from sidecar.commands.idle import refuse_idle
from sidecar.commands.output import lines_to, refuse_overwriting, refuse_unwritable
from sidecar.commands.price import tell_price
from sidecar.commands.results import options
from sidecar.commands.results.read import Wanted as Chosen
from sidecar.commands.results.read import since
from sidecar.commands.results.source import refuse_records
from sidecar.commands.score import stop_on_signals
from sidecar.config import Config
from sidecar.offline.case import Unread
from sidecar.offline.journal import Journal, beside
from sidecar.offline.record import Judged
from sidecar.offline.render import words
from sidecar.offline.run import Runner, Wanted, running
from sidecar.offline.testset.documents import Window, files_of, read_documents, windows
from sidecar.offline.testset.draft import Writer
from sidecar.offline.testset.judged import JudgeWriter
from sidecar.offline.testset.kept import KeptWriter, Reply
from sidecar.offline.testset.make import Made, Maker, Plan
from sidecar.offline.testset.plan import MULTI_HOP, read_shares, sizes
from sidecar.offline.testset.price import foresee
from sidecar.offline.testset.ruled import RuleWriter
from sidecar.record.errors import ConfigError

cli = new_cli()

_COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())

# Parameters that one of the two ways takes alone.
_OF_RESULTS = ("records", "requests", "received", "service", "verdict", "ended_since")
_OF_DOCUMENTS = ("share", "window", "concurrency", "most_usd", "resume")

_Documents = Annotated[
    list[Path] | None, typer.Argument(metavar="DOCUMENTS", help="Folders and files of .txt, .md and .jsonl (id, text).")
]
_Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="CASES.jsonl", help="Standard output by default.")
]
_Share = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND=SHARE",
        help="Shares of kinds, as simple=1; by default simple .3, reasoning .3, multi_hop .2, negative .2.",
    ),
]
_Window = Annotated[
    int,
    typer.Option(
        min=200,
        max=20_000,
        help="Characters of a window that a question is made from: near the size of your chunks, metrics by chunk say most.",
    ),
]
_MostUsd = Annotated[
    float | None, typer.Option(min=0.0, help="Most US dollars for the judge; by default `judge.budget_usd_per_day`.")
]
_Resume = Annotated[
    bool,
    typer.Option(
        help="Go on where a run of the same documents and settings was stopped: the judge is not asked again."
    ),
]
_FromResults = Annotated[
    Path | None,
    typer.Option(
        metavar="RESULTS.jsonl",
        help="Draw cases from results of production instead, with --requests or --received; - is standard input.",
    ),
]


@cli.command()
def make(
    context: typer.Context,
    documents: _Documents = None,
    output: _Output = None,
    cases: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 100,
    share: _Share = None,
    window: _Window = 2000,
    seed: Annotated[int, typer.Option(help="The same seed, documents and replies give the same cases.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Questions to the judge at the same time.")] = 8,
    most_usd: _MostUsd = None,
    resume: _Resume = True,
    from_results: _FromResults = None,
    topic: Annotated[str | None, typer.Option(help="Draw cases from the results of this topic instead.")] = None,
    records: options.Records = 10_000,
    requests: Annotated[
        Path | None, typer.Option(help="The requests of the results, as `score` or `inspect` reads them.")
    ] = None,
    received: options.Received = False,
    service: options.Service = None,
    verdict: options.OfVerdict = None,
    ended_since: options.Since = None,
    config_file: ConfigOption = None,
) -> None:
    """Make test cases with references from documents: by the judge, or without one by rule.

    Cases are checked by the local models, and made again where they fail (docs/testset.md). With --from-results or --topic they are what users asked in
    production, redacted, each question once. Exit code 1: fewer than were asked for.
    """
    refuse_unwritable(output)
    job: _Job | None = None
    given = sum((bool(documents), from_results is not None, topic is not None))
    if given != 1:
        raise ConfigError("testset", "give documents, --from-results or --topic, one of them", "see docs/testset.md")
    _refuse_idle(context, of_documents=bool(documents))
    if documents:
        settings = config.load(config_file, kafka=False)
        refuse_overwriting((*files_of(documents), config_file), output)
        shares = read_shares(share or ())
        found, unread = read_documents(documents)
        own = windows(found, window)
        _tell_documents(len(found), own, unread)
        journal = beside(output) if resume else None
        job = _Job(settings, Wanted(concurrency, most_usd), own, cases, shares, seed, journal)
        made, all_well = _made(job), not unread
    else:
        refuse_overwriting((from_results, requests, config_file), output)
        refuse_records(context, from_results, received=received)
        place = Results(from_results, topic, requests, received, config_file, records)
        made, all_well = (
            draw_cases(place, Chosen(service, verdict=verdict, since=since(ended_since)), cases, seed),
            True,
        )
    try:
        if made:  # Else what was there before stays.
            with lines_to(output) as write:
                for case in made:
                    write(orjson.dumps(case))
        if job is not None:
            _end(job)
    finally:
        if job is not None:
            _tell(job)
    if len(made) < cases or not all_well:
        raise typer.Exit(ExitCode.NOT_ALL_WELL)


def _refuse_idle(context: typer.Context, *, of_documents: bool) -> None:
    """Raises ConfigError for an option of the other way to make cases."""
    if of_documents:
        refuse_idle(context, _OF_RESULTS, "cases are made from documents, and no results are read")
    else:
        refuse_idle(context, _OF_DOCUMENTS, "cases are drawn from results, and nothing is made from documents")


def _made(job: _Job) -> Sequence[Mapping[str, Any]]:
    try:
        made = asyncio.run(_run(job))
    except asyncio.CancelledError:
        job.whole = False
        _end(job)
        raise KeyboardInterrupt from None
    job.made = made
    return made.cases


def _tell(job: _Job) -> None:
    """What was made, and what the judge took: when the cases stand, for who reads this may leave."""
    for one in job.spent:
        errors.print(
            f"the judge was asked {words.many(one.questions, 'time')}: {words.many(one.tokens, 'token')}, {words.dollars(one.cost_usd)}"
        )
    if job.made is not None:
        show(job.made, job.wanted_sizes, errors)


def _end(job: _Job) -> None:
    """What the judge said is not needed any more where the set is whole, and it said nothing for a larger one; else another run goes on with it."""
    if job.kept is None:
        return  # A run without a judge wrote none; what stands there is of another, which goes on with it.
    journal = job.kept.journal
    if job.whole:
        journal.forget(job.kept.asked)
    elif journal.path.exists():
        errors.print(f"not all is done; the same command goes on from {journal.path}", markup=False, soft_wrap=True)


@dataclass(slots=True)
class _Job:
    settings: Config
    wanted: Wanted
    windows: Sequence[Window]
    cases: int
    shares: Mapping[str, float]
    seed: int
    journal: Path | None = None
    kept: KeptWriter | None = None
    wanted_sizes: Mapping[str, int] = field(default_factory=dict)
    whole: bool = True
    made: Made | None = None
    spent: Sequence[Judged] = ()


async def _run(job: _Job) -> Made:
    stop_on_signals()
    async with running(job.settings, job.wanted) as runner:
        writer = _writer(runner, job)
        kept = job.kept
        job.wanted_sizes = sizes(job.cases, _possible(job, writer))
        plan = Plan(job.wanted_sizes, job.windows, job.seed, job.wanted.concurrency)
        maker = Maker(plan, writer, runner.runtime.router)
        if runner.judge is not None:
            left = maker.tasks() if kept is None else kept.left(maker.tasks())
            foreseen = foresee(left, runner.judge.config, runner.prices)
            tell_price(runner.judge.identity.name, foreseen, runner.most_usd, mend="raise it, or make fewer --cases")
        with Progress(*_COLUMNS, console=errors, transient=True, disable=not errors.is_terminal) as bar:
            task = bar.add_task("making cases", total=job.cases)
            with nullcontext() if kept is None else kept.journal.open():
                made = await maker.make(lambda done: bar.update(task, completed=done))
        # Where the judge failed, another run may find it well, and then what it said before is wanted.
        job.whole = len(made.cases) >= job.cases or not any(why.startswith("judge_") for _, why in made.rejected)
        job.spent = runner.spent()
        return made


def _writer(runner: Runner, job: _Job) -> Writer:
    """Who writes. It is `job.kept` where its replies are kept."""
    if runner.judge is not None:
        judge = JudgeWriter(runner.judge)
        if job.journal is None:
            return judge
        job.kept = KeptWriter(judge, Journal(job.journal, f"{runner.identity} {judge.identity}", Reply))
        if done := job.kept.journal.done:
            errors.print(f"{words.many(len(done), 'question')} to the judge answered by the run before")
        return job.kept
    errors.print(
        "no judge is set (judge.url): questions are made by rule, out of gaps in sentences and of questions that the documents ask themselves; "
        "their origin says synthetic_by_rule, and there are none that take reasoning or two documents",
        soft_wrap=True,
    )
    return RuleWriter(one.text for one in job.windows)


def _possible(job: _Job, writer: Writer) -> Mapping[str, float]:
    """Shares of the kinds that can be made of this. Raises ConfigError where none can."""
    kinds = set(writer.kinds)
    if len({one.document for one in job.windows}) < 2 and MULTI_HOP in kinds and job.shares.get(MULTI_HOP):
        errors.print("there is one document only: no multi_hop cases, which take two", soft_wrap=True)
        kinds.discard(MULTI_HOP)
    found = {kind: share for kind, share in job.shares.items() if kind in kinds and share > 0}
    if not found:
        raise ConfigError("--share", "none of these kinds can be made here", "set judge.url, or give other kinds")
    return found


def _tell_documents(count: int, own: Sequence[Window], unread: Sequence[Unread]) -> None:
    errors.print(f"{words.many(count, 'document')}, {words.many(len(own), 'window')}", soft_wrap=True)
    for reason, number in Counter(one.reason for one in unread).items():
        first = next(one for one in unread if one.reason == reason)
        errors.print(f"{words.many(number, 'document')} unread, {reason}: {first.detail}", markup=False, soft_wrap=True)


def show(made: Made, wanted: Mapping[str, int], console: Console) -> None:
    """What was made of what was asked for, and why drafts were turned away."""
    table = Table("kind", "wanted", "made", "rejected drafts, by reason", "not checked", box=SIMPLE, pad_edge=False)
    for kind, count in wanted.items():
        table.add_row(
            kind, str(count), str(made.by_kind[kind]), _of(made.rejected, kind) or "-", _of(made.unchecked, kind) or "-"
        )
    console.print(table)
    if made.stopped is not None:
        console.print(f"stopped before the end: {made.stopped}", markup=False, soft_wrap=True)
    console.print(
        "look at the cases before they become a gate: what passed the checks may still be a poor question",
        soft_wrap=True,
    )


def _of(counted: Counter[tuple[str, str]], kind: str) -> str:
    return words.counts({reason: count for (own, reason), count in counted.most_common() if own == kind})

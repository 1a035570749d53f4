"""`rag-sidecar evaluate`: a set of cases through the evaluators that the service runs, and a report of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from exporters.serialize import rfc3339
from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.decide import DecideOption, deciding
from sidecar.commands.idle import refuse_idle
from sidecar.commands.output import refuse_overwriting, refuse_same_file, refuse_unwritable, write_and_show
from sidecar.commands.price import tell_price
from sidecar.commands.score import stop_on_signals
from sidecar.config import Config
from sidecar.decode.native.misspelt import Misspelt
from sidecar.offline import rows
from sidecar.offline.case import Case, Unread, read_cases
from sidecar.offline.compare import DECLINED, MARGIN, compare, held, nothing_could_be_shown, unmatched
from sidecar.offline.foreign import Format
from sidecar.offline.gate import GateFile, check, known_metrics, load_gate, refuse_senseless
from sidecar.offline.journal import Journal, beside
from sidecar.offline.record import CaseRecord, Comparison, Effort, Report, Source
from sidecar.offline.render import words
from sidecar.offline.render.forms import FORMS, form_of
from sidecar.offline.render.terminal import show
from sidecar.offline.report import load, report_of
from sidecar.offline.run import Runner, Wanted, running
from sidecar.offline.sessions import joined
from sidecar.record.errors import ConfigError
from sidecar.settings.input_file import refusal

cli = new_cli()

_SHOWN = 3
_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TextColumn("{task.fields[cost]}"),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)


@cli.command()
def evaluate(
    context: typer.Context,
    cases: Annotated[
        Path,
        typer.Argument(
            metavar="CASES", help="The cases: .jsonl, .json, .csv, .parquet, a Hugging Face folder, - for stdin."
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Where the report goes, by its ending: .json, .html, .md, or .xml (JUnit); - is JSON on standard output. May be given more than once.",
        ),
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format", help="Whose export it is; auto tells datasets of Langfuse and Phoenix by their fields."
        ),
    ] = Format.AUTO,
    gate: Annotated[
        Path | None, typer.Option(metavar="GATE.yaml", help="Limits that must be kept: docs/offline.md.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="REPORT.json", help="A stored run of the same cases that must not be better.")
    ] = None,
    decide: DecideOption = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Cases at the same time.")] = 8,
    most: Annotated[int | None, typer.Option(min=1, help="Only the first so many cases.")] = None,
    most_usd: Annotated[
        float | None,
        typer.Option(min=0.0, help="Most US dollars for the judge; by default `judge.budget_usd_per_day`."),
    ] = None,
    texts: Annotated[bool, typer.Option(help="Questions, answers and contexts in the report.")] = True,
    sessions: Annotated[
        bool,
        typer.Option(
            "--sessions", help="Cases of one session as one conversation: topics, goals and tool calls over all of it."
        ),
    ] = False,
    resume: Annotated[bool, typer.Option(help="Go on where a run of the same cases and settings was stopped.")] = True,
    config_file: ConfigOption = None,
) -> None:
    """Score a set of cases with the evaluators of the service, and report means with intervals, groups, latency and cost.

    Cases are native records (docs/offline.md). What a stopped run had scored is kept beside the first report and not scored again. Where the gate
    or the stored run says no, the exit code is 5.
    """
    settings = config.load(config_file, kafka=False)
    targets = {target: form_of(target, FORMS) for target in output or ()}
    _refuse_idle(context, settings, targets)
    limits, stored = _limits(gate, settings), _stored(against, decide, settings)
    refuse_unwritable(*targets)
    _refuse_what_is_read(targets, cases, against, (gate, config_file))
    source, own, unread, misspelt = _read(cases, form, settings)
    chosen = (joined(own) if sessions else own)[:most]
    journal = _journal_path(list(targets)) if resume else None
    run = _run(_Job(settings, Wanted(concurrency, most_usd, texts), chosen, tuple(unread), source, journal))
    report = _judged(run.report, limits, stored)
    whole = write_and_show(report, targets, partial(_show, stored, misspelt), run.forget)
    if (code := _code(report, whole=whole)) is not None:
        raise typer.Exit(code)


def _refuse_idle(context: typer.Context, settings: Config, targets: Iterable[Path]) -> None:
    if settings.judge.url is None:
        refuse_idle(context, ("most_usd",), "no judge is asked", "leave it out, or set judge.url")
    if context.params["resume"] and _journal_path(list(targets)) is None:
        refuse_idle(context, ("resume",), "no report is written that a run could be kept beside", "give a file with -o")


def _refuse_what_is_read(
    targets: Iterable[Path], cases: Path, against: Path | None, others: Iterable[Path | None]
) -> None:
    refuse_overwriting((cases, *others), *targets)
    for target in targets:
        if against is not None:
            refuse_same_file(against, target, read_as="the stored run of --against")


def _read(path: Path, form: Format, settings: Config) -> tuple[Source, list[Case], list[Unread], Misspelt]:
    """Raises ConfigError where there is no case."""
    source, found = rows.read(path, form, settings.decode)
    own, unread = read_cases(found, settings.decode)
    misspelt = Misspelt(settings.decode, values=True)
    for row in found:
        misspelt.add(row)
    if found.blank:
        said = f"{words.many(found.blank.total(), 'cell')} saying NaN, None or null taken as empty"
        errors.print(f"{said}: {words.counts(dict(found.blank.most_common()))}", markup=False, soft_wrap=True)
    if not own:
        _tell_misspelt(misspelt)
        mend = (
            "give native records"
            if form in (Format.AUTO, Format.NATIVE)
            else f"give one of {form}, or leave --format out"
        )
        raise refusal(path, "holds no case" + _first(unread), f"{mend}: docs/offline.md")
    for one in unread[:_SHOWN]:
        errors.print(f"{one.place} is no case: {one.reason}: {one.detail}", markup=False, soft_wrap=True)
    if len(unread) > _SHOWN:
        errors.print(f"and {words.many(len(unread) - _SHOWN, 'other row')}", soft_wrap=True)
    return source, own, unread, misspelt


def _tell_misspelt(misspelt: Misspelt) -> None:
    for line in misspelt.told():
        errors.print(line, markup=False, soft_wrap=True)


def _limits(path: Path | None, settings: Config) -> GateFile | None:
    """Raises ConfigError for a wrong file, and for one that asks nothing or what these settings do not know."""
    if path is None:
        return None
    gate = load_gate(path)
    refuse_senseless(gate, settings.evaluate.metrics)
    return gate


@dataclass(frozen=True, slots=True)
class _Stored:
    """The run that this one is held against, and the metrics that decide; none: all."""

    report: Report
    decide: Sequence[str]


def _stored(path: Path | None, decide: Sequence[str] | None, settings: Config) -> _Stored | None:
    """Raises ConfigError for what is no report, and for metrics that nothing is called or that have nothing to decide."""
    if path is None and decide:
        raise ConfigError(
            "--decide", "there is no stored run to hold this one against", "give it, --against REPORT.json"
        )
    names = deciding(decide, (*known_metrics(settings.evaluate.metrics), DECLINED))
    return None if path is None else _Stored(load(path, "--against"), names)


def _against(stored: _Stored, report: Report) -> tuple[Comparison, ...]:
    return held(compare(stored.report.results, report.results, stored.decide), stored.decide)


def _code(report: Report, *, whole: bool) -> ExitCode | None:
    """What the process ends with, of a report that was written and shown as a `whole`; None where all is well."""
    if _refused(report):
        return ExitCode.REFUSED
    failed = any(said.outcome == "failed" for one in report.results for said in one.evaluations)
    return ExitCode.NOT_ALL_WELL if report.unread or failed or not whole else None


def _judged(report: Report, gate: GateFile | None, stored: _Stored | None) -> Report:
    """The report with what the gate and the stored run say of it."""
    return report.model_copy(
        update={
            "gate": None if gate is None else check(report, gate),
            "regression": None if stored is None else _against(stored, report),
        }
    )


def _show(stored: _Stored | None, misspelt: Misspelt, report: Report, console: Console) -> None:
    """The report, after what is to be known of the stored run."""
    if stored is not None:
        _tell_left_out(stored.report, report)
    compared = report.regression or ()
    if compared and not _comparable(compared):
        errors.print("--against: nothing of the stored run can be compared with this one", soft_wrap=True)
    elif nothing_could_be_shown(compared):
        fewest = next(one.fewest_pairs for one in compared if one.fewest_pairs is not None)
        said = f"too few cases to show any difference, however large: {fewest} at least"
        errors.print(f"--against: {said}; what is lower by more than {MARGIN:g} is no pass", soft_wrap=True)
    show(report, console)
    _tell_misspelt(misspelt)


def _tell_left_out(stored: Report, report: Report) -> None:
    """A case that one of them lacks is in no comparison: somebody may have taken out what failed. A copy is in none either."""
    for name, run in (("the stored run", stored), ("this run", report)):
        if said := words.not_counted(run):
            errors.print(f"--against: of {name} {said}", soft_wrap=True)
    only_stored, only_here = unmatched(stored.results, report.results)
    if only_stored or only_here:
        said = f"{words.many(only_stored, 'case')} of the stored run alone and {only_here} of this one alone"
        errors.print(f"--against: {said} are not compared", soft_wrap=True)


def _refused(report: Report) -> bool:
    """A stored run of which nothing can be compared, as it was scored in another way, holds nothing against this one: that is no pass."""
    compared = report.regression
    worse = compared is not None and (not _comparable(compared) or any(one.stands == "worse" for one in compared))
    return worse or (report.gate is not None and not report.gate.passed)


def _comparable(compared: Sequence[Comparison]) -> bool:
    return any(one.delta is not None for one in compared)


@dataclass(frozen=True, slots=True)
class _Job:
    settings: Config
    wanted: Wanted
    cases: Sequence[Case]
    unread: tuple[Unread, ...]
    source: Source
    journal: Path | None


@dataclass(frozen=True, slots=True)
class _Run:
    report: Report
    journal: Journal[CaseRecord] | None

    def forget(self) -> None:
        """All reports stand: what is kept of the run goes, unless something failed and is to be asked again."""
        if self.journal is not None and not any(one.failed for one in self.report.results):
            self.journal.forget({one.digest for one in self.report.results})


def _run(job: _Job) -> _Run:
    async def work() -> _Run:
        stop_on_signals()
        async with running(job.settings, job.wanted) as runner:
            return await _evaluate(runner, job)

    try:
        return asyncio.run(work())
    except asyncio.CancelledError:
        if job.journal is not None and job.journal.exists():
            errors.print(f"stopped; the same command goes on from {job.journal}", markup=False, soft_wrap=True)
        raise KeyboardInterrupt from None


async def _evaluate(runner: Runner, job: _Job) -> _Run:
    identity = runner.identity
    journal = None if job.journal is None else Journal(job.journal, identity, CaseRecord)
    done = {} if journal is None else journal.done
    left = [case for case in job.cases if case.digest not in done]
    others = len(done.keys() - {case.digest for case in job.cases})
    _tell(runner, left, reused=len(job.cases) - len(left), others=others)
    started = time.perf_counter()
    with Progress(*_COLUMNS, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("evaluating", total=len(left), cost="")

        def progress(record: CaseRecord) -> None:
            if record.digest not in done:
                spent = sum(one.cost_usd or 0.0 for one in runner.spent())
                bar.update(task, advance=1, cost=words.dollars(spent) if spent else "")

        if journal is None:
            records = await runner.run(job.cases, None, progress)
        else:
            with journal.open():
                records = await runner.run(job.cases, journal, progress)
    seconds = time.perf_counter() - started
    rate = len(left) / seconds if left and seconds > 0 else None
    report = report_of(
        records,
        source=job.source,
        settings=identity,
        created=rfc3339(time.time()) or "",
        effort=Effort(seconds=seconds, cases_per_second=rate, judge=runner.spent()),
        unread=job.unread,
        reused=len(job.cases) - len(left),
    )
    return _Run(report, journal)


def _tell(runner: Runner, cases: Sequence[Case], *, reused: int, others: int) -> None:
    """What is to come, and its price. Raises ConfigError where that is beyond the limit."""
    if reused:
        errors.print(f"{words.many(reused, 'case')} taken from the run before", soft_wrap=True)
    if others:
        errors.print(f"{words.many(others, 'other case')} of the run before kept for it", soft_wrap=True)
    if runner.judge is None:
        return
    tell_price(
        runner.judge.identity.name,
        runner.foresee(cases),
        runner.most_usd,
        mend="raise it, or take fewer cases with --most",
    )


def _journal_path(targets: Sequence[Path]) -> Path | None:
    file = next((target for target in targets if str(target) != "-"), None)
    return beside(file)


def _first(unread: Sequence[Unread]) -> str:
    return f": {unread[0].place}: {unread[0].reason}: {unread[0].detail}" if unread else ""

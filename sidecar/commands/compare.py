"""`rag-sidecar compare`: two runs over the same cases, or two variants in production: which one is better, or is it chance?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from exporters.text import clean
from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.decide import DecideOption, deciding
from sidecar.commands.idle import refuse_idle
from sidecar.commands.output import refuse_overwriting, refuse_unwritable, write_and_show
from sidecar.kafka.peek import peek, standing
from sidecar.offline.arms import OnlineResult, Variant, compare_arms, refuse_unknown, variant_of
from sidecar.offline.compare import DECLINED, needed, unmatched
from sidecar.offline.compare import compare as compare_runs
from sidecar.offline.prometheus import Asked, Prometheus
from sidecar.offline.record import Compared
from sidecar.offline.render import terminal, words
from sidecar.offline.render.forms import COMPARED_FORMS, form_of
from sidecar.offline.report import is_report, load
from sidecar.record.errors import ConfigError
from sidecar.settings.input_file import read_input, refusal

cli = new_cli()

_TWO = "give two: --variant A --variant B"


@cli.command()
def compare(
    context: typer.Context,
    a: Annotated[
        Path | None, typer.Argument(metavar="A", help="A report of `evaluate` as JSON, or a file of results.")
    ] = None,
    b: Annotated[Path | None, typer.Argument(metavar="B", help="The report that it is compared with.")] = None,
    variant: Annotated[
        list[str] | None, typer.Option(help="Of results or Prometheus: the variants, A and then B.")
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(help="Read the latest results of this topic, of the brokers of the results, instead of a file."),
    ] = None,
    last: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many results of the topic.")] = 10_000,
    prometheus: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask Prometheus, as http://prometheus:9090, instead of a file.")
    ] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with a bearer token for Prometheus.")] = None,
    window: Annotated[str, typer.Option(help="Of Prometheus: how far back, as PromQL writes it.")] = "1d",
    service: Annotated[str | None, typer.Option(help="Only this service.")] = None,
    share_a: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Share of the traffic of both that was to go to A.")
    ] = 0.5,
    decide: DecideOption = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where it is written too, by its ending: .json, .html or .md."
        ),
    ] = None,
    config_file: ConfigOption = None,
) -> None:
    """Say which of two systems is better, or what the sample could have shown.

    Two reports of the same cases are compared case by case; two variants in production by their weighted means (docs/offline.md). Exit code 1:
    there was nothing to compare.
    """
    sources = [one for one in (a, b) if one is not None]
    targets = {target: form_of(target, COMPARED_FORMS) for target in output or ()}
    refuse_unwritable(*targets)
    refuse_overwriting((*sources, token_file, config_file), *targets)
    if sum((bool(sources), topic is not None, prometheus is not None)) != 1:
        raise ConfigError("compare", "give files, --topic or --prometheus, one of them", "see docs/offline.md")
    _refuse_idle(context, topic=topic, prometheus=prometheus, reports=len(sources) == 2)
    if len(sources) == 1 and not variant:
        mend = "give two reports of `evaluate`; of one file of results the variants, --variant A --variant B"
        raise refusal(sources[0], "there is no second report to compare it with", mend)
    if len(sources) == 2:
        _refuse_of_results(variant, service)
        found = _reports(sources[0], sources[1], decide)
    else:
        own = _lines(sources[0]) if sources else []
        names = _names(variant)
        if prometheus is not None:
            both = asyncio.run(_prometheus(prometheus, token_file, names, Asked(service, window)))
        else:
            lines = own if topic is None else asyncio.run(_topic(config_file, topic, last))
            both = _variants(lines, names, service)
        chosen = deciding(decide, tuple(dict.fromkeys(metric for one in both for metric in one.arms)))
        found = compare_arms(*both, share_a=share_a, decide=chosen)
    whole = write_and_show(found, targets, terminal.show_compared)
    if not whole or not any(one.delta is not None for one in found.comparisons):
        raise typer.Exit(ExitCode.NOT_ALL_WELL)


def _refuse_idle(context: typer.Context, *, topic: str | None, prometheus: str | None, reports: bool) -> None:
    """Raises ConfigError for an option that says nothing of what is compared."""
    if prometheus is None:
        mend = "leave it out, or give --prometheus URL"
        refuse_idle(context, ("window", "token_file"), "Prometheus is not asked", mend)
    if topic is None:
        refuse_idle(context, ("last",), "no topic is read", "leave it out, or give --topic")
    if reports:
        refuse_idle(context, ("share_a",), "two files are reports of the same cases, whose split is no traffic's")


def _refuse_of_results(variant: Iterable[str] | None, service: str | None) -> None:
    """Raises ConfigError for what chooses among results, where reports are compared: all their cases would be, without a word."""
    for option, given, what in (("--variant", variant, "variants"), ("--service", service, "services")):
        if given:
            raise ConfigError(option, f"two files are reports, which have no {what}", "leave it out")


def _reports(a: Path, b: Path, decide: Iterable[str] | None) -> Compared:
    first, second = load(a), load(b)
    there = dict.fromkeys(said.evaluator for run in (first, second) for one in run.results for said in one.evaluations)
    comparisons = compare_runs(first.results, second.results, deciding(decide, (*there, DECLINED)))
    only_a, only_b = unmatched(first.results, second.results)
    for name, run in (("A", first), ("B", second)):
        if said := words.not_counted(run):
            errors.print(f"{name}: {said}", soft_wrap=True)
    return Compared(
        a=clean(str(a)),
        b=clean(str(b)),
        paired=True,
        only_a=only_a,
        only_b=only_b,
        comparisons=comparisons,
        needed=needed(comparisons),
    )


def _names(given: Iterable[str] | None) -> tuple[str, str]:
    names = list(given or ())
    if len(names) != 2 or names[0] == names[1]:
        raise ConfigError("--variant", "two variants are compared", _TWO)
    return names[0], names[1]


def _lines(path: Path) -> list[bytes]:
    content = read_input(path, "give a readable file of results")
    if is_report(content):
        mend = "give two reports without --variant, or a file of results as `rag-sidecar score` writes them"
        raise refusal(path, "a report of `evaluate`, which has no variants", mend)
    return content.splitlines()


async def _topic(config_file: Path | None, topic: str, last: int) -> list[bytes]:
    settings = config.load_for_topic(config_file)
    return standing(await peek(settings.receive_results, topic, last, setting="--topic"))


def _variants(lines: Iterable[bytes], names: tuple[str, str], service: str | None) -> tuple[Variant, Variant]:
    results, unread = [], 0
    for line in lines:
        if line.strip():
            try:
                results.append(OnlineResult.model_validate_json(line))
            except ValidationError:
                unread += 1
    if unread:
        errors.print(f"{words.many(unread, 'result')} could not be read, left out", soft_wrap=True)
    own = [one for one in results if service is None or one.service == service]
    refuse_unknown(names, Counter(one.variant or "none" for one in own), service)
    return variant_of(names[0], own), variant_of(names[1], own)


async def _prometheus(
    url: str, token_file: Path | None, names: tuple[str, str], asked: Asked
) -> tuple[Variant, Variant]:
    try:
        token = None if token_file is None else token_file.read_text(encoding="utf-8").strip()  # noqa: ASYNC240 - once, before anything runs
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("--token-file", f"{token_file}: {type(error).__name__}", "give a readable file") from error
    return await Prometheus(url, token).variants(names, asked)

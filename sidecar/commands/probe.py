"""`rag-sidecar probe`: gated cases to a RAG service, on a schedule or once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, new_cli
from sidecar.commands.output import refuse_overwriting, refuse_unwritable, write_and_show, write_forms
from sidecar.commands.score import stop_on_signals
from sidecar.observe.logs import set_up_logs
from sidecar.offline.gate import refuse_senseless
from sidecar.offline.record import Report
from sidecar.offline.render.forms import FORMS, form_of
from sidecar.offline.render.terminal import show
from sidecar.probe.cases import load_questions
from sidecar.probe.serve import Probe
from sidecar.probe.settings import load_probe

cli = new_cli()


@cli.command()
def probe(
    probe_file: Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML file of the probe: docs/probe.md.")],
    once: Annotated[bool, typer.Option("--once", help="One round, and an exit code: 5 where the gate failed.")] = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Where the report of each round goes, by its ending: .json, .html, .md or .xml (JUnit); - is JSON on standard output.",
        ),
    ] = None,
    config_file: ConfigOption = None,
) -> None:
    """Send cases with references to a RAG service, score its answers by the evaluators of the sidecar, and hold them against a gate.

    Without --once it stays, with a round every `every_seconds` and rag_probe_* on /metrics. What it sends is marked, so that the sidecar does not count
    it as traffic.
    """
    own = load_probe(probe_file)
    settings = config.load(config_file, kafka=False)
    refuse_senseless(own.gate, settings.evaluate.metrics, "gate")
    targets = {target: form_of(target, FORMS) for target in output or ()}
    refuse_unwritable(*targets)
    refuse_overwriting((own.cases, probe_file, config_file), *targets)
    source, questions = load_questions(own.cases, settings.decode, own.most_cases)
    made = Probe(own, settings, source, questions)
    if not once:
        set_up_logs(own.log)
        _stay(made, targets)
        return
    try:
        report = asyncio.run(_once(made))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    whole = write_and_show(report, targets, show)
    if report.gate is None or not report.gate.passed:
        raise typer.Exit(ExitCode.REFUSED)
    failed = any(said.outcome == "failed" for one in report.results for said in one.evaluations)
    if failed or report.cases < len(questions) or not whole:
        raise typer.Exit(ExitCode.NOT_ALL_WELL)


async def _once(made: Probe) -> Report:
    stop_on_signals()
    return await made.once()


def _stay(made: Probe, targets: Mapping[Path, Callable[[Report], str]]) -> None:
    async def work() -> None:
        stop_on_signals()
        await made.run(lambda report: write_forms(report, targets))

    try:
        asyncio.run(work())
    except asyncio.CancelledError:
        return  # A stop was asked for, which is the only end of it.

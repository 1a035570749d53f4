"""The command line: run, check, score, inspect, calibrate, models, demo, version.

Exit codes: 0 done; 1 done, but not all of it was well (a line unread, a check failed, nothing scored);
2 wrong usage or configuration; 3 Kafka out of reach or refusing; 130 stopped by the user.
"""

from __future__ import annotations

import asyncio
import enum
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from sidecar import __version__, config
from sidecar.inference.grounding.hhem import HHEM_DIR, at_home
from sidecar.record.errors import BrokerError, ConfigError, SidecarError
from sidecar.record.trace import Record

WRONG_USAGE = 2
NO_BROKER = 3
INTERRUPTED = 130

cli = typer.Typer(
    name="rag-sidecar",
    help="Online monitoring of production RAG services: traces in from Kafka, scores out to Prometheus.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 not all of it was well, 2 wrong usage or configuration, 3 Kafka out of reach, 130 interrupted.",
    rich_markup_mode=None,
)
models = typer.Typer(help="Export and verify grounding models that are not in the package.", no_args_is_help=True)
cli.add_typer(models, name="models")
errors = Console(stderr=True, highlight=False)

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", envvar="RAG_SIDECAR_CONFIG", help="YAML file with the settings; the environment wins over it."
    ),
]


@cli.command()
def run(config_file: ConfigOption = None) -> None:
    """Consume traces, score them and export the numbers, until SIGTERM."""
    from sidecar.app import App
    from sidecar.observe.logs import set_up_logs

    async def serve() -> None:
        settings = config.load(config_file)
        set_up_logs(settings.log)
        async with App(settings) as app:
            app.stop_on_signals()
            await app.run()

    asyncio.run(serve())


@cli.command()
def check(config_file: ConfigOption = None) -> None:
    """Validate the settings, load the models, reach the brokers, and say what to mend."""
    from sidecar.commands.check import check_all

    raise typer.Exit(asyncio.run(check_all(config_file)))


@cli.command()
def score(
    source: Annotated[
        Path, typer.Argument(metavar="IN.jsonl", help="Native records, one JSON object a line; - is standard input.")
    ],
    target: Annotated[
        Path | None, typer.Argument(metavar="[OUT.jsonl]", help="Where results go; standard output by default.")
    ] = None,
    config_file: ConfigOption = None,
) -> None:
    """Score a file of native records without Kafka: one result a line, in the order of the input."""
    from sidecar.commands.score import score_file

    settings = config.load(config_file, kafka=False)
    size = source.stat().st_size if source.is_file() else None
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=not errors.is_terminal) as bar:
        task = bar.add_task("scoring", total=size)
        unread = asyncio.run(
            score_file(source, target, settings=settings, progress=lambda read: bar.update(task, completed=read))
        )
    if unread:
        lines = "1 line" if unread == 1 else f"{unread} lines"
        errors.print(f"{lines} could not be read; the output says why in each place")
        raise typer.Exit(1)


@cli.command()
def inspect(
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Spans: OTLP .pb or .json, or native JSON lines.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Read the latest records of this topic instead of a file.")] = None,
    records: Annotated[int, typer.Option(min=1, max=100_000, help="How many records of the topic.")] = 100,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Brokers as host:port, if not in the settings.")] = None,
    logs: Annotated[Path | None, typer.Option(help="OTLP log records of the same traces.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per RAG request.")] = False,
    config_file: ConfigOption = None,
) -> None:
    """Print what is understood of spans, what is missing, and which switch would supply it."""
    from sidecar.commands.inspect import inspect_records, read_files

    if (source is None) == (topic is None):
        raise ConfigError(
            "FILE", "give a file or --topic, exactly one of them", "for example `inspect --topic otlp_spans`"
        )
    if source is not None:
        settings = config.load(config_file, kafka=False)
        found = read_files(source, logs)
    else:
        servers = {"bootstrap_servers": bootstrap_servers} if bootstrap_servers else {}
        settings = config.load(config_file, receive={"topics": [topic], "topic_pattern": None, **servers})
        found = asyncio.run(_peek(settings, str(topic), records))
    raise typer.Exit(inspect_records(found, as_json=as_json, decode=settings.decode, assemble=settings.assemble))


async def _peek(settings: config.Config, topic: str, count: int) -> list[Record]:
    from sidecar.kafka.peek import peek

    return await peek(settings.receive, topic, count)


@cli.command()
def calibrate(
    source: Annotated[
        Path, typer.Argument(metavar="IN.jsonl", help='Native records with "label": "grounded" or "hallucinated".')
    ],
    config_file: ConfigOption = None,
) -> None:
    """Measure how often the verdict is right on your own labelled requests, and print the settings that correct for it."""
    from sidecar.commands.calibrate import calibrate as measure

    found = asyncio.run(measure(source, config.load(config_file, kafka=False)))
    typer.echo("\n".join(found.lines()))


@cli.command()
def demo(
    seconds: Annotated[float | None, typer.Option(envvar="DEMO_SECONDS", help="End after this many seconds.")] = None,
) -> None:
    """Run the real sidecar on an embedded broker and natural traffic, and watch the scores move."""
    from sidecar.commands.demo.run import run_demo

    raise typer.Exit(run_demo(seconds))


class Exportable(enum.StrEnum):
    """Models that can be exported."""

    HHEM = "hhem"


@models.command("export")
def export_model(
    model: Annotated[Exportable, typer.Argument(help="hhem: Vectara HHEM-2.1-Open.")],
    source: Annotated[
        str,
        typer.Argument(
            help="A directory with config.json, model.safetensors and flan-t5-base's tokenizer, or a hub id."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Where the ONNX files go; where inference.hhem_dir looks by default.")
    ] = HHEM_DIR,
    tokenizer: Annotated[
        Path | None, typer.Option(help="Where tokenizer.json or spiece.model is, if not in SOURCE.")
    ] = None,
) -> None:
    """Turn a downloaded model into ONNX, fp32 and int8, and pin it in a card. Needs the extra `export`, not PyTorch."""
    export = _extra("sidecar.inference.export.hhem")
    assert model is Exportable.HHEM
    export.export(source, at_home(out), tokenizer=tokenizer, say=typer.echo)


@models.command("verify")
def verify_model(
    model: Annotated[Exportable, typer.Argument(help="hhem: Vectara HHEM-2.1-Open.")],
    directory: Annotated[Path, typer.Option("--dir", help="What `models export` wrote.")] = HHEM_DIR,
    source: Annotated[
        Path | None, typer.Option(help="The snapshot: compares with the reference implementation (extra `train`).")
    ] = None,
    pairs: Annotated[Path | None, typer.Option(help='More pairs: one {"premise", "hypothesis"} a line.')] = None,
    published: Annotated[bool, typer.Option(help="Compare with the scores that the model card publishes.")] = True,
) -> None:
    """Measure an exported model against its reference; exit 1 where a deviation is beyond tolerance."""
    verify = _extra("sidecar.inference.export.verify")
    assert model is Exportable.HHEM
    rows = verify.verify(at_home(directory), source=source, pairs=pairs, published=published)
    table = Table("largest deviation of", "pairs", "measured", "allowed", "")
    for row in rows:
        verdict = "well" if row.well else "beyond tolerance"
        table.add_row(row.what, str(row.pairs), f"{row.largest:.6f}", f"{row.allowed:.6f}", verdict)
    Console(highlight=False).print(table)
    raise typer.Exit(0 if all(row.well for row in rows) else 1)


def _extra(module: str) -> ModuleType:
    """A module that needs the extra `export`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError("models", f"{error.name} is not installed", "pip install 'rag-sidecar[export]'") from error


@cli.command()
def version() -> None:
    """Print the version."""
    sys.stdout.write(f"rag-sidecar {__version__}\n")


def main() -> NoReturn:
    """Run a command and turn our own errors into a line on standard error and an exit code."""
    try:
        cli()
    except ConfigError as error:
        errors.print(f"[bold red]error[/] {_escape(error)}", soft_wrap=True)
        sys.exit(WRONG_USAGE)
    except BrokerError as error:
        errors.print(f"[bold red]Kafka[/] {_escape(error)}", soft_wrap=True)
        sys.exit(NO_BROKER)
    except SidecarError as error:
        errors.print(f"[bold red]error[/] {_escape(error)}", soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(0)


def _escape(error: SidecarError) -> str:
    return str(error).replace("[", "\\[")


if __name__ == "__main__":
    main()

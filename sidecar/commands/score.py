"""`rag-sidecar score`: the evaluators over a file of native records, without Kafka.

One result a line, in the order of the input. A line that cannot be read keeps its place, with the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.output import lines_to, refuse_overwriting, refuse_unwritable
from sidecar.commands.summary import Summary
from sidecar.config import Config
from sidecar.offline.scorer import IN_FLIGHT, Line, OfflineScorer
from sidecar.offline.whole import Whole
from sidecar.settings.input_file import FAULTS, fault, lines, open_input, refusal, unpacked

cli = new_cli()

_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    TaskProgressColumn(),
    TextColumn("{task.fields[lines]} lines"),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)
_READABLE = "give a readable file of JSON lines"


@cli.command()
def score(
    source: Annotated[
        Path, typer.Argument(metavar="IN.jsonl", help="Native records, one JSON object a line; - is standard input.")
    ],
    target: Annotated[
        Path | None, typer.Argument(metavar="OUT.jsonl", help="Where results go; standard output by default.")
    ] = None,
    config_file: ConfigOption = None,
) -> None:
    """Score a file of native records without Kafka: one result a line, in the order of the input."""
    settings = config.load(config_file, kafka=False)
    refuse_overwriting((source, config_file), target)
    refuse_unwritable(target)
    to_terminal = (target is None or str(target) == "-") and sys.stdout.isatty()
    with Progress(*_COLUMNS, console=errors, transient=True, disable=to_terminal or not errors.is_terminal) as bar:
        task = bar.add_task("scoring", total=_size(source), lines=0)

        async def run() -> Summary:
            stop_on_signals()
            return await score_file(
                source,
                target,
                settings=settings,
                progress=lambda lines, read: bar.update(task, completed=read, lines=lines),
            )

        try:
            summary = asyncio.run(run())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
    summary.print(errors)
    if summary.unread or summary.broken:
        raise typer.Exit(ExitCode.NOT_ALL_WELL)


def _size(source: Path) -> int | None:
    """How many bytes will be read, where that is known: of what is packed it is not."""
    return source.stat().st_size if source.is_file() and source.suffix.lower() != ".gz" else None


def stop_on_signals() -> None:
    """Cancel the present task on SIGINT and SIGTERM, so that nothing is left half done; in the background too, where a shell has SIGINT ignored."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)


async def score_file(
    source: Path,
    target: Path | None,
    *,
    settings: Config,
    progress: Callable[[int, int], None],
) -> Summary:
    """Score `source` into `target` (None or "-": standard output).

    `progress` is called with the lines and the bytes of input whose results are written. Raises ConfigError where a file cannot be
    opened or holds no record, OutputError where the results cannot be written.
    """
    scorer = OfflineScorer(settings)
    summary, whole = Summary(), Whole()
    stream = open_input(source, _READABLE)
    with lines_to(target) as write:
        async with scorer:
            async for line, (text, result) in scorer.in_order(
                _lines(source, stream, settings.decode.most_record_bytes)
            ):
                write(text)
                whole.add(line.text)
                summary.add(result)
                progress(line.number, line.end)
        if not summary.lines:
            raise refusal(source, "holds no record", "give native records, one JSON object a line: docs/native.md")
    summary.notes = [*(whole.told() or scorer.misspelt.told()), *scorer.repeated.told()]
    return summary


async def _lines(source: Path, stream: BinaryIO, most: int) -> AsyncIterator[Line]:
    """The lines that are not empty; of one over `most` bytes no text. Read in a thread that nobody waits for: a pipe may say nothing for hours, and a stop must not."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Line | Exception | None] = asyncio.Queue(IN_FLIGHT)

    def hand_over(item: Line | Exception | None) -> None:
        put = queue.put(item)
        try:
            asyncio.run_coroutine_threadsafe(put, loop).result()
        except RuntimeError:  # The loop has ended.
            put.close()
            raise CancelledError from None

    def read() -> None:
        end = 0
        with contextlib.suppress(CancelledError), stream:  # Cancelled: nobody wants more.
            try:
                for number, (size, line) in enumerate(lines(unpacked(stream), most), 1):
                    end += size
                    if line is None:
                        hand_over(Line(number, end, b"", size))
                    elif line.strip():
                        hand_over(Line(number, end, line))
            except FAULTS as error:
                hand_over(error)
            hand_over(None)

    threading.Thread(target=read, name="score-read", daemon=True).start()
    while (item := await queue.get()) is not None:
        if isinstance(item, Exception):
            raise fault(source, item, _READABLE) from item
        yield item

"""`rag-sidecar backfill`: score again what the topics hold between two times."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Annotated

import orjson
import typer

from exporters.base import Exporter, PermanentExportError, RetryableExportError
from exporters.kafka import BACKFILL, KafkaResultsExporter
from exporters.result import Result
from exporters.serialize import result_to_json
from sidecar import config
from sidecar.backfill import Backfill
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.output import refuse_overwriting, refuse_unwritable
from sidecar.config import Config
from sidecar.observe.logs import set_up_logs, watch_loop
from sidecar.record.clock import SystemClock
from sidecar.record.errors import ConfigError, OutputError

cli = new_cli()

_LINE_SECONDS = 5.0


class FileExporter:
    """Appends results to a file, one JSON object a line. A run that goes on may write some of them again, with the same ids. Once something could
    not be written, `failure` says why, and nothing more is taken."""

    name = "file"
    every_trace = False
    local = False

    def __init__(self, path: Path, *, with_text: bool, redact: Sequence[str] = ()) -> None:
        self._path = path
        self._with_text = with_text
        self._redact = [re.compile(pattern) for pattern in redact]
        self._stream: FileIO | None = None
        self.failure: OutputError | None = None

    async def start(self) -> None:
        """Open the file. Raises OutputError."""
        try:
            self._stream = self._path.open("ab", buffering=0)
        except OSError as error:
            raise OutputError(f"{self._path}: {error.strerror}") from error

    async def export(self, results: Sequence[Result]) -> None:
        """Write all of them, or leave the file as it was. Raises RetryableExportError: another run writes them."""
        if self._stream is None:
            raise PermanentExportError("closed", error_type="closed")
        if self.failure is not None:
            raise RetryableExportError("the file cannot be written", error_type="OSError")
        lines = [
            orjson.dumps(result_to_json(one, with_text=self._with_text, redact=self._redact)) + b"\n" for one in results
        ]
        try:
            _append(self._stream, b"".join(lines))
        except OSError as error:
            self.failure = OutputError(f"{self._path}: {error.strerror}: the same command goes on from here")
            raise RetryableExportError("the file cannot be written", error_type=type(error).__name__) from error

    async def stop(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def _append(stream: FileIO, data: bytes) -> None:
    """Write all of it, or, where the file can be cut, none. Raises OSError."""
    end, left = stream.seek(0, os.SEEK_END) if stream.seekable() else 0, memoryview(data)
    try:
        while left:
            left = left[stream.write(left) or 0 :]
    except OSError:
        with contextlib.suppress(OSError):
            stream.truncate(end)
        raise


@cli.command()
def backfill(
    begin: Annotated[str, typer.Option("--from", metavar="TIME", help="ISO 8601; UTC where no zone is given.")],
    end: Annotated[str, typer.Option("--to", metavar="TIME", help="The same; requests that ended before it.")],
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="NAME", help="Group that keeps the place; by default made of the two times."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Append results to this file, not to results.topic.")
    ] = None,
    config_file: ConfigOption = None,
) -> None:
    """Score again the requests that ended between two times, into the results topic or a file.

    Nothing is counted in Prometheus and nothing sent over OTLP, so that nothing pages. It ends by itself. A run that was stopped goes on
    from its place when it is called again with the same times.
    """
    first, last = moment("--from", begin), moment("--to", end)
    if not first < last <= time.time():
        raise ConfigError("--to", "must be after --from, and not in the future", "for example 2026-01-31T12:00:00Z")
    refuse_unwritable(output, option="--output")
    if output is not None:
        refuse_overwriting((config_file,), output)
    settings = config.load(config_file)
    set_up_logs(settings.log)
    raise typer.Exit(asyncio.run(_run(settings, output, begin=first, end=last, group=group)))


def moment(option: str, text: str) -> float:
    """A time in seconds since the epoch. Raises ConfigError naming the option."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(option, f"{text!r} is no time", "for example 2026-01-31T12:00:00Z") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


async def _run(settings: Config, output: Path | None, *, begin: float, end: float, group: str | None) -> ExitCode:
    watch_loop(asyncio.get_running_loop())
    own = group or f"{settings.receive.group_id}-backfill-{begin:.0f}-{end:.0f}"
    if own == settings.receive.group_id:
        raise ConfigError("--group", f"{own} is the group of the service", "name another, or leave it out")
    receive = settings.receive.model_copy(update={"group_id": own})
    sink = _sink(settings, output)
    work = Backfill(
        settings.model_copy(update={"receive": receive}),
        sink,
        SystemClock(),
        begin=begin,
        end=end,
        failure=lambda: sink.failure if isinstance(sink, FileExporter) else None,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, work.stop)
    line = _Line(work)
    ended = await work.run(line.tell)
    line.say("done" if ended else "stopped; the same command goes on from here")
    if not ended:
        return ExitCode.INTERRUPTED
    window = work.window
    if window.read_before:
        errors.print(f"backfill: {_read_before(own)}", markup=False, soft_wrap=True)
    if window.unreadable or window.lost:
        errors.print(f"backfill: passed over: {window.unreadable} unreadable records, {window.lost} deleted ones")
    failed = work.telemetry.value("rag_sidecar_requests_total", outcome="failed") + window.unreadable + window.lost
    # Who asked for a file and has none of its results is told so; into the topic they were written before.
    empty = window.read_before and _is_empty(output)
    return ExitCode.NOT_ALL_WELL if failed or empty else ExitCode.DONE


def _is_empty(output: Path | None) -> bool:
    return output is not None and output.stat().st_size == 0


def _read_before(group: str) -> str:
    return f"nothing was read, for the group {group} has read these times to their end before; --group with a new name reads them again"


def _sink(settings: Config, output: Path | None) -> Exporter:
    if output is not None:
        return FileExporter(output, with_text=settings.results.include_text, redact=settings.results.redact)
    if settings.results.topic is None:
        raise ConfigError("results.topic", "is not set", "name the topic, or write to a file with --output")
    return KafkaResultsExporter(settings.results, settings.receive.brokers, writer=BACKFILL)


class _Line:
    """The line of progress: on a terminal over itself, else one every few seconds."""

    def __init__(self, work: Backfill) -> None:
        self._work = work
        self._said_at = 0.0

    def tell(self) -> None:
        """Say where we are, unless that was just said."""
        now = time.monotonic()
        if now - self._said_at >= (0.5 if sys.stderr.isatty() else _LINE_SECONDS):
            self._said_at = now
            self.say("", end="\r" if sys.stderr.isatty() else "\n")

    def say(self, word: str, *, end: str = "\n") -> None:
        """Say where we are."""
        passed, whole = self._work.window.progress
        outcomes = {
            labels["outcome"]: int(value) for labels, value in self._work.telemetry.values("rag_sidecar_requests_total")
        }
        scored = outcomes.get("scored", 0)
        # One outside the window is counted there before its outcome is.
        others = max(0, sum(outcomes.values()) - scored - self._work.outside)
        text = f"{passed} of {whole} records, {scored} requests scored, {others} not"
        errors.print(f"backfill: {text}{', ' if word else ''}{word}", end=end, markup=False, soft_wrap=True)

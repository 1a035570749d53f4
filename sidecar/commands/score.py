"""`rag-sidecar score`: the evaluators over a file of native records, without Kafka.

One result a line, in the order of the input. A line that cannot be read keeps its place, with the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

import orjson
import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from exporters.result import SCHEMA, WHOLE, Outcome, Result
from exporters.serialize import result_to_json
from exporters.text import clean
from sidecar import config
from sidecar.commands.common import ConfigOption, ExitCode, errors, new_cli
from sidecar.commands.output import lines_to, refuse_same_file
from sidecar.commands.summary import Summary
from sidecar.config import Config
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.mapping import apply
from sidecar.decode.native.reader import read_native_line
from sidecar.decode.wire.parse import load_json
from sidecar.evaluate.engine import Engine
from sidecar.inference.runtime import ModelRuntime
from sidecar.judging import judge_of
from sidecar.observe.telemetry import Telemetry
from sidecar.price import Pricer
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.redact.redactor import Redactor, redactor_of
from sidecar.results import make_result, redact

cli = new_cli()

_IN_FLIGHT = 64
_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    TaskProgressColumn(),
    TextColumn("{task.fields[lines]} lines"),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)


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
    refuse_same_file(source, target)
    to_terminal = (target is None or str(target) == "-") and sys.stdout.isatty()
    with Progress(*_COLUMNS, console=errors, transient=True, disable=to_terminal or not errors.is_terminal) as bar:
        task = bar.add_task("scoring", total=source.stat().st_size if source.is_file() else None, lines=0)

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
    if summary.unread:
        raise typer.Exit(ExitCode.NOT_ALL_WELL)


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
    opened, OutputError where the results cannot be written.
    """
    runtime = ModelRuntime(settings.inference, Telemetry(), redactor=partial(redactor_of, settings.redact))
    redactor = Redactor(settings.redact) if settings.redact.enabled and settings.redact.score_files else None
    judge = judge_of(
        settings.judge, settings.price, Telemetry(), redactor=cache(partial(redactor_of, settings.redact)), paced=False
    )
    engine = Engine(settings.evaluate, runtime.router, judge=judge)
    scoring = _Scoring(engine, Pricer(settings.price), settings.decode, redactor)
    summary = Summary()
    with ExitStack() as stack:
        stream = _open(source)
        write = stack.enter_context(lines_to(target))
        await runtime.start()
        try:
            if judge is not None:
                await judge.start()
            async for line, (text, result) in _in_order(_lines(stream), scoring):
                write(text)
                summary.add(result)
                progress(line.number, line.end)
        finally:
            if judge is not None:
                await judge.stop()
            await runtime.stop()
    return summary


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the input: its number from 1, and how many bytes were read when it ended."""

    number: int
    end: int
    text: bytes


_Scored: TypeAlias = tuple[bytes, Result | None]


async def _in_order(lines: AsyncIterator[_Line], scoring: _Scoring) -> AsyncIterator[tuple[_Line, _Scored]]:
    waiting: deque[tuple[_Line, asyncio.Task[_Scored]]] = deque()
    try:
        async for line in lines:
            waiting.append((line, asyncio.create_task(scoring.score(line))))
            if len(waiting) >= _IN_FLIGHT:
                first, task = waiting.popleft()
                yield first, await task
        while waiting:
            first, task = waiting.popleft()
            yield first, await task
    finally:
        for _, task in waiting:
            task.cancel()


@dataclass(frozen=True, slots=True)
class _Scoring:
    """From a line to its result as JSON."""

    engine: Engine
    pricer: Pricer
    limits: DecodeConfig
    redactor: Redactor | None

    async def score(self, line: _Line) -> _Scored:
        own = _request_id(line.text, self.limits)
        try:
            trace = read_native_line(line.text, self.limits, fallback_timestamp=time.time())
        except DecodeError as error:
            return orjson.dumps({**_unread(line.number, error), "request_id": own}), None
        evaluated = await self.engine.evaluate_all(trace)
        said = await redact(evaluated, trace, self.redactor)
        result = make_result(
            trace,
            pricer=self.pricer,
            completed_at=time.time(),
            outcome=evaluated.outcome,
            reason=evaluated.reason,
            evaluated=said.evaluated,
            redacted=said.redacted,
            session=said.session,
            completeness=WHOLE,
        )
        return orjson.dumps({**result_to_json(result, with_text=True), "request_id": own}), result


def _request_id(line: bytes, limits: DecodeConfig) -> str | None:
    """The caller's own id, under the name that native records have for it."""
    try:
        data = load_json(line)
    except DecodeError:
        return None
    for name, value in (apply(limits.mapping, data) if isinstance(data, dict) else {}).items():
        if name.lower().replace("_", "").replace("-", "") == "requestid" and isinstance(value, str | int):
            return clean(str(value))
    return None


def _unread(number: int, error: DecodeError) -> dict[str, object]:
    """The result that keeps the place of a line that could not be read."""
    return {
        "schema": SCHEMA,
        "id": None,
        "trace_id": None,
        "line": number,
        "outcome": Outcome.FAILED,
        "reason": error.reason,
        "detail": error.detail,
        "verdict": None,
        "evaluations": [],
    }


def _open(source: Path) -> BinaryIO:
    try:
        # A stream of our own: closing Python's while it is read would wait for the next line.
        return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if str(source) == "-" else source.open("rb")
    except OSError as error:
        raise ConfigError("IN", f"{source}: {error.strerror}", "give a readable file of JSON lines") from error


async def _lines(stream: BinaryIO) -> AsyncIterator[_Line]:
    """The lines that are not empty. They are read in a thread that nobody waits for: a pipe may say nothing for hours, and a stop must not."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[_Line | OSError | None] = asyncio.Queue(_IN_FLIGHT)

    def hand_over(item: _Line | OSError | None) -> None:
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
                for number, line in enumerate(stream, 1):
                    end += len(line)
                    if line.strip():
                        hand_over(_Line(number, end, line))
            except OSError as error:
                hand_over(error)
            hand_over(None)

    threading.Thread(target=read, name="score-read", daemon=True).start()
    while (item := await queue.get()) is not None:
        if isinstance(item, OSError):
            raise ConfigError(
                "IN", item.strerror or type(item).__name__, "give a readable file of JSON lines"
            ) from item
        yield item

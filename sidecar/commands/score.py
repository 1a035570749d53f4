"""`rag-sidecar score`: the evaluators over a file of native records, without Kafka.

One result a line, in the order of the input. A line that cannot be read keeps its place, with the reason.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, BinaryIO

import orjson
import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from exporters.result import SCHEMA, Outcome
from exporters.serialize import result_to_json
from sidecar import config
from sidecar.commands.common import ConfigOption, errors, new_cli
from sidecar.config import Config
from sidecar.decode.decoder import DecodeConfig
from sidecar.decode.native.native import read_native_line
from sidecar.evaluate.engine import Engine
from sidecar.inference.runtime import ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.price import Pricer
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.results import make_result

cli = new_cli()

_IN_FLIGHT = 64


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


async def score_file(
    source: Path,
    target: Path | None,
    *,
    settings: Config,
    progress: Callable[[int], None],
) -> int:
    """Score `source` into `target` (None or "-": standard output). `progress` is called with the bytes read so far.

    Returns how many lines could not be read. Raises ConfigError where a file cannot be opened.
    """
    runtime = ModelRuntime(settings.inference, Telemetry())
    engine = Engine(settings.evaluate, runtime.router)
    pricer = Pricer(settings.price)
    unread = 0
    with ExitStack() as stack:
        lines = _lines(stack, source, progress)
        out = _output(stack, target)
        await runtime.start()
        try:
            waiting: deque[asyncio.Task[tuple[bytes, bool]]] = deque()
            for number, line in lines:
                waiting.append(
                    asyncio.create_task(_score(number, line, engine=engine, pricer=pricer, limits=settings.decode))
                )
                if len(waiting) >= _IN_FLIGHT:
                    unread += await _write(out, waiting.popleft())
            while waiting:
                unread += await _write(out, waiting.popleft())
        finally:
            await runtime.stop()
    return unread


async def _write(out: BinaryIO, task: asyncio.Task[tuple[bytes, bool]]) -> int:
    text, read = await task
    out.write(text + b"\n")
    out.flush()
    return 0 if read else 1


async def _score(
    number: int, line: bytes, *, engine: Engine, pricer: Pricer, limits: DecodeConfig
) -> tuple[bytes, bool]:
    try:
        trace = read_native_line(line, limits, fallback_timestamp=time.time())
    except DecodeError as error:
        return orjson.dumps(_unread(number, error)), False
    evaluated = await engine.evaluate(trace)
    result = make_result(
        trace,
        pricer=pricer,
        completed_at=time.time(),
        outcome=evaluated.outcome,
        reason=evaluated.reason,
        evaluated=evaluated,
    )
    return orjson.dumps(result_to_json(result, with_text=True)), True


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


def _lines(stack: ExitStack, source: Path, progress: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    try:
        stream = sys.stdin.buffer if str(source) == "-" else stack.enter_context(source.open("rb"))
    except OSError as error:
        raise ConfigError("IN", f"{source}: {error.strerror}", "give a readable file of JSON lines") from error

    def numbered() -> Iterator[tuple[int, bytes]]:
        read = 0
        for number, line in enumerate(stream, 1):
            read += len(line)
            if line.strip():
                yield number, line
            progress(read)

    return numbered()


def _output(stack: ExitStack, target: Path | None) -> BinaryIO:
    if target is None or str(target) == "-":
        return sys.stdout.buffer
    try:
        return stack.enter_context(target.open("wb"))
    except OSError as error:
        raise ConfigError("OUT", f"{target}: {error.strerror}", "give a writable path") from error

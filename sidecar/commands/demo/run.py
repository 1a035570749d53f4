"""The demo: embedded broker, natural traffic, the real sidecar, a scripted judge, a screen."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from sidecar import config
from sidecar.app import App
from sidecar.commands.common import new_cli
from sidecar.commands.demo.broker import TOPICS, EmbeddedBroker
from sidecar.commands.demo.corpus import Corpus
from sidecar.commands.demo.judge import MODEL, ScriptedJudge
from sidecar.commands.demo.producer import DemoProducer
from sidecar.commands.demo.screen import live_view, plain_line, summary
from sidecar.commands.demo.watch import Watcher
from sidecar.record.errors import ConfigError

cli = new_cli()

RATE = 10.0
_JUDGED = 0.1
_TURN_WITHOUT_LIMIT = 60.0
_LINE_SECONDS = 2.0


@cli.command()
def demo(
    seconds: Annotated[float | None, typer.Option(envvar="DEMO_SECONDS", help="End after this many seconds.")] = None,
) -> None:
    """Run the real sidecar on an embedded broker and natural traffic, and watch the scores move."""
    if seconds is not None and not 0 < seconds < math.inf:
        raise ConfigError("--seconds", "must be a number above 0", "leave it out to run until it is stopped")
    raise typer.Exit(run_demo(seconds))


def run_demo(seconds: float | None) -> int:
    """Run for `seconds`, or until interrupted; 0 where something was scored and the outcomes add up, else 1."""
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    return asyncio.run(_run(seconds))


async def _run(seconds: float | None) -> int:
    console = Console(highlight=False)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    turn = seconds / 2 if seconds else _TURN_WITHOUT_LIMIT
    watcher = Watcher(learning_seconds=turn / 2)
    _ask_directly()
    with EmbeddedBroker() as broker, ScriptedJudge(Corpus()) as judge, TemporaryDirectory() as folder:
        settings = _settings(broker.bootstrap_servers, judge.url, Path(folder))
        async with App(settings, more_exporters=[watcher]) as app:
            running = asyncio.create_task(app.run(), name="app")
            await _until_ready(app, running, stop)
            producer = DemoProducer(broker, rate=RATE, turn_seconds=turn)
            producing = asyncio.create_task(producer.run(), name="producer")
            address = f"http://127.0.0.1:{app.admin.port}/"
            await _show(console, watcher, producer, stop=stop, seconds=seconds, address=address)
            producing.cancel()
            await asyncio.gather(producing, return_exceptions=True)
            broker.flush()
            await _until_done(watcher, producer.sent)
            app.stop(flush=True)
            await running
        well = summary(console, watcher, producer)
    return 0 if well else 1


def _ask_directly() -> None:
    """Let no proxy of the environment stand between us and the judge on this machine."""
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), "127.0.0.1")))


def _settings(servers: str, judge: str, folder: Path) -> config.Config:
    return config.build(
        {
            "receive": {
                "bootstrap_servers": servers,
                "topics": list(TOPICS),
                "group_id": "demo",
                "auto_offset_reset": "earliest",
            },
            "assemble": {"quiet_seconds": 1, "quiet_without_root_seconds": 3},
            "judge": {
                "url": judge,
                "model": MODEL,
                "budget_usd_per_hour": None,
                "budget_usd_per_day": None,
                "redact": False,
            },
            "evaluate": {"groundedness": {"by": "both", "judge_rate": _JUDGED}},
            "admin": {"host": "127.0.0.1", "port": 0},
            "status_page": {"show_text": True, "label_rate": 0.2},
            "labels": {"file": str(folder / "labels.jsonl")},
        }
    )


async def _until_ready(app: App, running: asyncio.Task[None], stop: asyncio.Event) -> None:
    for _ in range(300):
        if app.receiver.ready or running.done() or stop.is_set():
            return
        await asyncio.sleep(0.1)


async def _until_done(watcher: Watcher, sent: int) -> None:
    """Wait for what is on its way: quiet times, then scoring."""
    deadline = time.monotonic() + 20
    while sum(watcher.outcomes.values()) < sent and time.monotonic() < deadline:  # noqa: ASYNC110 - counters, not events
        await asyncio.sleep(0.1)


async def _show(
    console: Console,
    watcher: Watcher,
    producer: DemoProducer,
    *,
    stop: asyncio.Event,
    seconds: float | None,
    address: str,
) -> None:
    watcher.begin()
    started = watcher.started

    def over() -> bool:
        return stop.is_set() or (seconds is not None and time.monotonic() - started >= seconds)

    if not console.is_terminal:
        console.print(f"status page {address}, metrics {address}metrics", soft_wrap=True)
        while not over():
            line = plain_line(watcher, producer, seconds=time.monotonic() - started, address=address)
            console.print(line, soft_wrap=True)
            await asyncio.sleep(min(_LINE_SECONDS, seconds or _LINE_SECONDS))
        return
    with Live(console=console, screen=False, auto_refresh=False) as live:
        while not over():
            passed = time.monotonic() - started
            view = live_view(watcher, producer, seconds=passed, address=address, width=console.width)
            live.update(view, refresh=True)
            await asyncio.sleep(0.25)

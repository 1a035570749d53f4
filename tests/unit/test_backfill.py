"""What `rag-sidecar backfill` refuses before it reads anything, and what it leaves out."""

from __future__ import annotations

import asyncio
import gc
import resource
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from exporters.base import RetryableExportError
from exporters.result import Evaluation, Outcome
from sidecar import config
from sidecar.backfill import Backfill, quiet
from sidecar.commands.backfill import FileExporter, cli, moment
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError, ConfigError, OutputError
from tests.unit.exporters.samples import SCORED

SETTINGS = {"receive": {"bootstrap_servers": "127.0.0.1:1", "topics": ["spans"], "group_id": "service"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "config.yaml"
    target.write_text("receive: {bootstrap_servers: '127.0.0.1:1', topics: [spans], group_id: service}\n")
    return target


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--from", "yesterday", "--to", "2026-01-02"], "--from: 'yesterday' is no time"),
        (["--from", "2026-01-02", "--to", "2026-01-01"], "--to: must be after --from"),
        (["--from", "2026-01-02", "--to", "2999-01-01"], "--to: must be after --from, and not in the future"),
        (["--from", "2026-01-01", "--to", "2026-01-02"], "results.topic: is not set"),
        (["--from", "2026-01-01", "--to", "2026-01-02", "--group", "service"], "--group: service is the group of the"),
    ],
)
def test_a_wrong_call_is_refused_with_its_option(path: Path, words: list[str], message: str) -> None:
    run = CliRunner().invoke(cli, [*words, "-c", str(path)])
    assert isinstance(run.exception, ConfigError)
    assert message in str(run.exception)


def test_a_time_without_a_zone_is_utc() -> None:
    assert moment("--to", "2026-01-01T12:00:00") == moment("--to", "2026-01-01T13:00:00+01:00") == 1767268800


def test_nothing_is_shed_and_no_span_is_sent() -> None:
    made = quiet(config.build({**SETTINGS, "sample": {"rate": 0.25}}))
    assert (made.sample.rate, made.sample.budget.enabled, made.otlp.traces) == (0.25, False, False)


async def test_out_of_reach_nothing_is_left_open(tmp_path: Path) -> None:
    left: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: left.append(context["message"]))
    sink = FileExporter(tmp_path / "results.jsonl", with_text=False)
    work = Backfill(config.build(SETTINGS), sink, SystemClock(), begin=0.0, end=1.0)
    with pytest.raises(BrokerError, match=r"127\.0\.0\.1:1: no connection"):
        await work.run(lambda: None)
    del work
    gc.collect()
    assert left == []


async def test_a_file_is_appended_to_and_one_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    target = tmp_path / "results.jsonl"
    for _ in range(2):
        exporter = FileExporter(target, with_text=False)
        await exporter.start()
        await exporter.export([SCORED])
        await exporter.stop()
        await exporter.stop()
    assert len(target.read_bytes().splitlines()) == 2
    with pytest.raises(OutputError, match="no/such/folder"):
        await FileExporter(Path("no/such/folder/file"), with_text=False).start()


async def test_a_full_disk_costs_no_result_and_leaves_no_part_of_one(tmp_path: Path) -> None:
    target = tmp_path / "results.jsonl"
    exporter = FileExporter(target, with_text=False)
    await exporter.start()
    await exporter.export([SCORED])
    whole = target.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) * 3 // 2, limits[1]))
    try:
        with pytest.raises(RetryableExportError):
            await exporter.export([SCORED])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_bytes() == whole
    assert "results.jsonl: File too large" in str(exporter.failure)
    # The run is over by then: what comes late is for the next one.
    with pytest.raises(RetryableExportError):
        await exporter.export([SCORED])
    await exporter.stop()


async def test_results_that_a_file_does_not_take_are_not_done() -> None:
    exporter = FileExporter(Path("/dev/full"), with_text=False)
    telemetry = Telemetry()
    deliverer = Deliverer(
        DeliverConfig(linger_seconds=0), [exporter], telemetry=telemetry, clock=SystemClock(), required=["file"]
    )
    await deliverer.start()
    done: list[str] = []
    await deliverer.deliver(SCORED, done=lambda: done.append(SCORED.id))
    async with asyncio.timeout(10):
        while exporter.failure is None:  # noqa: ASYNC110 - a state, not an event
            await asyncio.sleep(0.01)
    await deliverer.stop(0)
    assert done == []
    assert telemetry.value("rag_sidecar_exports_total", outcome="abandoned") == 1
    assert str(exporter.failure).startswith("/dev/full: No space left on device")


async def test_texts_in_a_file_are_redacted_as_in_the_topic(tmp_path: Path) -> None:
    target = tmp_path / "results.jsonl"
    evaluation = Evaluation(evaluator="e", outcome=Outcome.SCORED, score=1.0, explanation="by order A-4711")
    exporter = FileExporter(target, with_text=True, redact=[r"A-\d+"])
    await exporter.start()
    await exporter.export([replace(SCORED, evaluations=(evaluation,))])
    await exporter.stop()
    (found,) = orjson.loads(target.read_bytes())["evaluations"]
    assert found["explanation"] == "by order [redacted]"

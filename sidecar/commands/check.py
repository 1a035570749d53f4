"""`rag-sidecar check`: is everything there that `run` needs? Each step says what it saw, or what to mend."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console

from exporters.base import DestinationError, ExportError, PermanentExportError
from exporters.langfuse import LangfuseExporter
from exporters.otlp import OtlpConfig, OtlpExporter, destination
from exporters.phoenix import PhoenixExporter
from exporters.result import Outcome
from sidecar import config
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.judged.base import Rated
from sidecar.inference.judge.judge import Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.onnx import offered
from sidecar.inference.runtime import ModelRuntime, mend_of
from sidecar.judging import judge_of
from sidecar.kafka.client import check_brokers, check_results
from sidecar.kafka.consume.tail import Tail
from sidecar.kafka.peek import follow
from sidecar.labels.store import Topic
from sidecar.observe.telemetry import Telemetry
from sidecar.page.build import reads_others
from sidecar.record.clock import SystemClock
from sidecar.record.errors import ConfigError, InferenceError, SidecarError
from sidecar.record.request import Document, RagTrace
from sidecar.redact.redactor import redactor_of

_REQUEST = RagTrace(
    trace_id="check",
    service="rag-sidecar",
    convention="native",
    timestamp=0.0,
    question="How tall is the Eiffel Tower?",
    answer="The Eiffel Tower is 330 metres tall.",
    documents=(Document(rank=1, text="The Eiffel Tower in Paris is 330 metres tall and was finished in 1889."),),
)
_EXAMPLE = {
    "documents": [{"number": 1, "text": "The Eiffel Tower in Paris is 330 metres tall and was finished in 1889."}],
    "question": "How tall is the Eiffel Tower?",
    "answer": "The Eiffel Tower is 330 metres tall.",
}


cli = new_cli()

_MOST_SECONDS = 5.0
_GLANCES = 3
_OTLP_MEND = "start the receiver, or correct the address, otlp.protocol (http/protobuf is usual on port 4318, grpc on 4317) or otlp.headers"

EXAMPLE = Path(__file__).parent / "example.yaml"


@cli.command()
def check(
    config_file: ConfigOption = None,
    example: Annotated[bool, typer.Option("--example", help="Print a configuration to start with, and end.")] = False,
) -> None:
    """Validate the settings, load the models, reach the brokers, and say what to mend."""
    if example:
        sys.stdout.write(EXAMPLE.read_text(encoding="utf-8"))
        raise typer.Exit
    raise typer.Exit(asyncio.run(check_all(config_file)))


async def check_all(path: Path | None) -> int:
    """Run every step even where one fails; 0 when all is well, else 1. Raises ConfigError for wrong settings."""
    console = Console(highlight=False, soft_wrap=True)
    try:
        settings = config.load(path)
    except ConfigError as error:
        return await _check_without_kafka(console, path, error)
    console.print(
        f"[green]ok[/]    settings: {len(type(settings).model_fields)} sections, {path or 'environment alone'}"
    )
    console.print(
        f"[green]ok[/]    stop: at most {settings.pipeline.whole_stop_seconds:g} s; a pod's terminationGracePeriodSeconds "
        "must be longer"
    )
    note = partial(_note, console)
    well = await _step(console, "models", lambda: check_models(settings, note))
    well &= await _step(console, "kafka", lambda: check_brokers(settings.receive))
    if settings.evaluate.anchors:
        well &= await _step(console, "anchors", lambda: check_anchors(settings, now=time.time()))
    if settings.judge.url is not None:
        well &= await _step(console, "judge", lambda: ask_judge(settings))
    results = settings.results
    if results.topic is not None:
        topic, brokers = results.topic, results.brokers(settings.receive.brokers)
        well &= await _step(console, "results", lambda: check_results(settings.receive, brokers, topic))
        if reads_others(settings.status_page, results):
            await _step(console, "status page", lambda: read_results(settings, topic), needed=False)
    if settings.labels.topic is not None:
        labels = Topic(settings.labels.topic, settings.receive)
        well &= await _step(console, "labels", lambda: check_labels(labels))
    if settings.otlp.wanted:
        well &= await _step(console, "otlp", lambda: reach_otlp(settings.otlp))
    for section, exporter in backends(settings):
        well &= await _step(console, section, partial(reach_backend, section, exporter))
    return 0 if well else 1


async def _check_without_kafka(console: Console, path: Path | None, error: ConfigError) -> int:
    """Of settings without `receive`, as of a file that names just models, see what is said of models; 1, since `run` needs the rest.
    Raises `error` where there is no file, or more is wrong."""
    if path is None or config.names_kafka(path):
        raise error
    try:
        settings = config.load(path, kafka=False)
    except ConfigError:
        raise error from None
    console.print(f"[red]mend[/]  settings: {_plain(error)}")
    note = partial(_note, console)
    await _step(console, "models", lambda: check_models(settings, note))
    note("kafka", "neither it nor what scores go to was looked at")
    return 1


async def check_anchors(settings: config.Config, *, now: float) -> list[str]:
    """Until when the labels of each service anchor. Raises ConfigError naming those that are too old `now`, seconds since the epoch."""
    days = settings.evaluate.anchors_expire_days
    ends = {service: one.expiry(days) for service, one in settings.evaluate.anchors.items()}
    old = [service for service, end in ends.items() if end is not None and end <= now]
    if old:
        problem = f"labelled more than {days} days ago, so that they anchor nothing: {', '.join(old)}"
        raise ConfigError("evaluate.anchors", problem, "label anew (docs/labels.md)")
    return [
        f"{service}: labels anchor "
        + ("for ever" if end is None else f"until {datetime.fromtimestamp(end, UTC):%Y-%m-%d}")
        for service, end in ends.items()
    ]


def backends(settings: config.Config) -> list[tuple[str, PhoenixExporter | LangfuseExporter]]:
    """Exporters of scores that are on, by their section."""
    found: list[tuple[str, PhoenixExporter | LangfuseExporter]] = []
    if settings.phoenix.url is not None:
        found.append(("phoenix", PhoenixExporter(settings.phoenix)))
    if settings.langfuse.url is not None:
        found.append(("langfuse", LangfuseExporter(settings.langfuse)))
    return found


async def reach_backend(section: str, exporter: PhoenixExporter | LangfuseExporter) -> list[str]:
    """Whether a trace backend takes scores from us; it is sent none. Raises ConfigError."""
    await exporter.start()
    try:
        await exporter.check()
    except PermanentExportError as error:
        mend = f"correct {section}.url, and its key and rights"
        raise ConfigError(f"{section}.url", f"{error} ({error.error_type})", mend) from error
    except ExportError as error:
        raise ConfigError(
            f"{section}.url", f"{error} ({error.error_type})", "start it, or correct the address"
        ) from error
    finally:
        await exporter.stop()
    return ["takes scores from us; none was sent"]


async def read_results(settings: config.Config, topic: str) -> list[str]:
    """Whether the status page may read the results of other replicas; without it scoring misses nothing. Raises BrokerError or ConfigError."""
    brokers = settings.results.brokers(settings.receive.brokers)
    tail = Tail(settings.receive, brokers, topic, back_seconds=0, most_back=0, clock=SystemClock())
    try:
        await tail.open()
        for _ in range(_GLANCES):  # A refusal comes with the first answer to a question for records.
            await tail.next()
    finally:
        await tail.close()
    return [f"may read {topic}, so that it shows the answers of all replicas"]


async def check_labels(topic: Topic) -> list[str]:
    """Whether labels can be written to their topic and read from it; none is written. Raises BrokerError or ConfigError."""
    lines = await check_results(topic.receive, topic.receive.brokers, topic.name, section="labels")
    async with contextlib.aclosing(follow(topic.receive, topic.name, 1, setting="labels.topic")) as reading:
        for _ in range(_GLANCES):
            await anext(reading)
    return [f"{line}, readable" for line in lines]


async def reach_otlp(settings: OtlpConfig) -> list[str]:
    """Whether the receiver takes requests from us; there is nothing in them. Raises ConfigError."""
    soon = settings.model_copy(update={"timeout_seconds": min(settings.timeout_seconds, _MOST_SECONDS)})
    exporter = OtlpExporter(soon)
    try:
        url = destination(soon, grpc=soon.used_protocol == "grpc", signal=soon.signals[0]).url
        where = f"{urlsplit(url if '//' in url else f'//{url}').netloc.rpartition('@')[2]} ({soon.used_protocol})"
        await exporter.start()
        await exporter.check()
    except DestinationError as error:
        raise ConfigError("otlp", str(error)) from error
    except ExportError as error:
        raise ConfigError("otlp.endpoint", f"{where}: {error} ({error.error_type})", _OTLP_MEND) from error
    finally:
        await exporter.stop()
    return [f"{where} takes requests from us; there was nothing in them"]


async def ask_judge(settings: config.Config) -> list[str]:
    """Ask the judge one question about an example, and say what it costs. Raises ConfigError or InferenceError."""
    telemetry = Telemetry()
    judge = judge_of(
        settings.judge, settings.price, telemetry, redactor=lambda: redactor_of(settings.redact), paced=False
    )
    assert judge is not None
    await judge.start()
    try:
        started = time.perf_counter()
        question = Question("check", load("grounded_whole"), _EXAMPLE, Rated)
        said = await judge.ask(question)
        took = time.perf_counter() - started
    except InferenceError as error:
        problem = f"{settings.judge.endpoint.partition('?')[0]}: {error}"
        raise ConfigError(
            "judge", problem, "docs/runbooks/RagSidecarEvaluationsFailing.md says what each reason wants"
        ) from error
    finally:
        await judge.stop()
    tokens = telemetry.value("rag_sidecar_judge_tokens_total")
    unpriced = telemetry.value("rag_sidecar_judge_unpriced_tokens_total")
    uncounted = telemetry.value("rag_sidecar_judge_estimated_tokens_total")
    dollars = telemetry.value("rag_sidecar_judge_cost_usd_total")
    cost = "has no known price (set price.models)" if unpriced else f"cost {dollars:.6f} USD"
    asked = ", ".join(f"{name} at {rate:g}" for name, rate in settings.evaluate.judged.items()) or "no evaluator"
    return [
        f"{settings.judge.model} rated an example {said.rating} of 2 in {took:.1f} s",
        f"one question of {tokens:.0f} tokens {cost}; longer texts cost more",
        *(
            ["its replies do not count their tokens: tokens, cost and budget go by the length of the texts"]
            if uncounted
            else []
        ),
        f"asked by {asked}",
    ]


async def _step(console: Console, name: str, step: Callable[[], Awaitable[list[str]]], *, needed: bool = True) -> bool:
    try:
        lines = await step()
    except SidecarError as error:
        word = "[red]mend[/]  " if needed else "[yellow]note[/]  "
        console.print(f"{word}{name}: {_plain(error)}")
        return False
    for line in lines:
        console.print(f"[green]ok[/]    {name}: {line}")
    return True


def _note(console: Console, name: str, line: str) -> None:
    console.print(f"[yellow]note[/]  {name}: {_plain(line)}")


def _plain(error: SidecarError | str) -> str:
    return str(error).replace("[", r"\[")


async def check_models(settings: config.Config, note: Callable[[str, str], None]) -> list[str]:
    """Load every model and score an example request; what to tell. `note` is told where what a model says of examples looks wrong. Raises ConfigError."""
    runtime = ModelRuntime(settings.inference, Telemetry(), redactor=partial(redactor_of, settings.redact))
    engine = Engine(settings.evaluate, runtime.router)
    await runtime.start()
    try:
        await runtime.ask_defaults()
        started = time.perf_counter()
        evaluated = await engine.evaluate(_REQUEST)
        took = time.perf_counter() - started
        away = runtime.away()
        others = await runtime.ask_others()
    finally:
        await runtime.stop()
    for doubt in runtime.doubts:
        note("models", f"{doubt} See docs/models/own.md")
    if away:
        problem = "; ".join(away)
        mend = mend_of(problem, "start the server, or correct its address, model and version")
        raise ConfigError("inference.models", problem, mend)
    broken = [f"{e.evaluator} of an example: {e.reason}" for e in evaluated.evaluations if e.outcome is Outcome.FAILED]
    if broken:
        raise ConfigError(
            "inference.models",
            "; ".join(broken),
            "the model does not answer as its settings say: see docs/models/own.md",
        )
    lines = [
        f"{role}: {identity.name} {identity.version} sha256 {identity.sha256[:12]}"
        for role, identity in [*runtime.infos(), *others]
    ]
    scores = ", ".join(f"{e.evaluator} {e.score:.2f}" for e in evaluated.evaluations if e.score is not None)
    lines.append(
        f"own models run on {', '.join(settings.inference.providers)}; onnxruntime here has {', '.join(offered())}"
    )
    return [*lines, f"an example request scored in {took * 1000:.0f} ms: {scores}"]

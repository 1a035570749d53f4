"""`python -m tests.unit.observe.canary_job FORMAT OTLP_URL`: the pipeline, with a canary wherever a user's text can stand, and with parts
that break and quote it. test_canary.py reads what it wrote."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from exporters.base import PermanentExportError, RetryableExportError
from exporters.otlp import OtlpConfig
from exporters.result import Evaluation, Result, Subject
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoded, Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.evaluate.base import Lane
from sidecar.evaluate.case import Case
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.logs import LogConfig, set_up_logs, watch_loop
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import SystemClock
from sidecar.record.record import Record
from tests.unit.evaluate.fakes import models
from tests.unit.test_pipeline import ListSource, build

CANARY = "Zaphod-Beeblebrox-4711"
GOLDEN = Path(__file__).parents[2] / "golden/decode"
NATIVE = (
    "question", "answer", "contexts", "service", "provider", "model", "requested_model", "variant", "timestamp", "span_id", "usage", "tokens",
    "cost", "durations", "error", "status", "feedback", "tags", "metadata", "attributes", "messages", "documents", "inputs", "outputs", CANARY,
)  # fmt: skip
PLAIN: dict[str, Any] = {"request_id": "1", "question": "What?", "answer": "It is blue.", "contexts": ["It is blue."]}


class BreaksOnSome(Decoder):
    """Breaks on every tenth record, and quotes it."""

    def decode(self, record: Record) -> Decoded:
        if record.offset % 10 == 9:
            raise ValueError(f"cannot read {record.value!r} {CANARY}")
        return super().decode(record)


class Quotes:
    """An evaluator that raises what it read."""

    name = "faithfulness"
    version = "1"
    method = "quotes"
    subject = Subject.ANSWER
    needs = ()
    decides = True
    lane = Lane.LOCAL

    def languages(self, case: Case) -> frozenset[str] | None:
        return None

    async def evaluate(self, case: Case) -> Evaluation:
        try:
            raise KeyError(CANARY)
        except KeyError as error:
            raise RuntimeError(f"{case.question} {case.answer} {CANARY}") from error


class Refuses:
    """An exporter that fails in a new way each time, quoting."""

    name = "refuses"
    every_trace = True
    local = False

    def __init__(self) -> None:
        self._errors: Iterator[Exception] = iter(
            [
                RetryableExportError(CANARY, error_type="away"),
                PermanentExportError(CANARY, error_type="refused"),
                ValueError(CANARY),
                ExceptionGroup(CANARY, [OSError(CANARY)]),
            ]
        )

    async def start(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None:
        raise next(self._errors, RuntimeError(CANARY))

    async def stop(self) -> None:
        raise RuntimeError(CANARY)


class WithHeaders(ListSource):
    """Every record has a key and headers with the canary in them."""

    async def poll(self, *, paused: bool) -> list[Taken]:
        return [_with_headers(taken) for taken in await super().poll(paused=paused)]


def _with_headers(taken: Taken) -> Taken:
    record = taken.record
    said = CANARY.encode()
    whole = Record(
        "t", 0, record.offset, record.timestamp, said, record.value, ((CANARY, said), ("content-type", said))
    )
    return replace(taken, record=whole)


def values() -> list[bytes]:
    """Native records with the canary in one field after the other, in every type; text that is no JSON; and every recorded trace."""
    found = [
        orjson.dumps({**PLAIN, "request_id": f"{NATIVE.index(name)}-{n}", name: said})
        for name in NATIVE
        for n, said in enumerate((CANARY, [CANARY], {CANARY: CANARY}, [{"text": CANARY, CANARY: 1}]))
    ]
    found += [
        CANARY.encode(),
        b'{"question": "' + CANARY.encode(),
        b'{"question": "\xff' + CANARY.encode() + b'"}',
        b"\x0a\xff" + CANARY.encode(),
    ]
    for path in sorted(GOLDEN.glob("*.pb")):
        for whole in (True, False):
            request = ExportTraceServiceRequest.FromString(path.read_bytes())
            _fill(request, whole=whole)
            found += [request.SerializeToString(), json_format.MessageToJson(request).encode()]
    return found


def _fill(message: Message, *, whole: bool) -> None:
    """The canary in the place of every text, or behind it."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for one in value if field.is_repeated else [value]:
                _fill(one, whole=whole)
        elif field.type == FieldDescriptor.TYPE_STRING and not field.is_repeated and field.name not in ("key", "name"):
            setattr(message, field.name, CANARY if whole else f"{value} {CANARY}")


async def work(url: str) -> None:
    """Everything at once."""
    watch_loop(asyncio.get_running_loop())
    telemetry, clock = Telemetry(), SystemClock()
    tracing = Tracing(OtlpConfig(endpoint=url))
    source = WithHeaders(values())
    deliverer = Deliverer(DeliverConfig(most_attempts=1), [Refuses()], telemetry=telemetry, clock=clock)
    setting = build(
        [],
        parts={
            "source": source,
            "decoder": BreaksOnSome(DecodeConfig(), telemetry),
            "assembler": Assembler(AssembleConfig(), clock, telemetry),
            "engine": Engine(EvaluateConfig(), models(), evaluators=[Quotes()]),
            "deliverer": deliverer,
            "tracing": tracing,
        },
    )
    setting.source = source
    await deliverer.start()
    await setting.run(seconds=60)
    await deliverer.stop(5.0)
    await asyncio.to_thread(tracing.stop)
    await _break_the_loop()


async def _break_the_loop() -> None:
    async def lost(said: str) -> None:
        raise ValueError(said)

    def called(said: str) -> None:
        raise LookupError(said)

    task = asyncio.create_task(lost(CANARY))
    asyncio.get_running_loop().call_soon(called, CANARY)
    await asyncio.sleep(0.01)
    del task
    gc.collect()
    await asyncio.sleep(0)


class Unraisable:
    def __del__(self) -> None:
        raise ArithmeticError(CANARY)


def libraries() -> None:
    """What libraries may say."""
    theirs = logging.getLogger("httpx")
    theirs.error(f"cannot send {CANARY}")
    theirs.error("cannot send %s, %d times", CANARY, 3)
    theirs.error("cannot send %(what)s", {"what": CANARY})
    theirs.error("too few %s %s", CANARY)
    try:
        raise UnicodeError(CANARY)
    except UnicodeError as error:
        theirs.exception("cannot send")
        logging.getLogger("sidecar.some").exception("cannot send: %s", error)
    warnings.warn(CANARY, UserWarning, stacklevel=1)
    thread = threading.Thread(target=lambda: int(CANARY))
    thread.start()
    thread.join()
    Unraisable()


if __name__ == "__main__":
    set_up_logs(LogConfig.model_validate({"format": sys.argv[1], "level": "DEBUG"}))
    libraries()
    asyncio.run(work(sys.argv[2]))
    raise RuntimeError(CANARY)

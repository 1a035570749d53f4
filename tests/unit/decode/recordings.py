"""The recordings under tests/golden/decode, and what they are known to carry."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.assemble import AssembleConfig, Assembler
from sidecar.commands.demo.spans import to_otlp_json
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.record import Record
from sidecar.record.request import RagTrace

FOLDER = Path(__file__).parents[2] / "golden" / "decode"
NAMES = sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json"))


@dataclass(frozen=True, slots=True)
class Expected:
    """What the application did, and which of it the spans carry."""

    truth: dict[str, Any]
    carried: dict[str, Any]


def expected(name: str) -> list[Expected]:
    """The expectations of a recording, one a request."""
    data = json.loads((FOLDER / f"{name}.expected.json").read_text(encoding="utf-8"))
    return [Expected(record["truth"], record["carried"]) for record in data["records"]]


def record(value: bytes | None, *, topic: str = "otlp_spans") -> Record:
    """A Kafka record."""
    return Record(topic, 0, 0, 1_760_000_000.0, None, value)


def values(name: str, encoding: str) -> list[bytes]:
    """The messages of a recording: its spans in the encoding, then its log records where there are some."""
    proto = (FOLDER / f"{name}.pb").read_bytes()
    logs = FOLDER / f"{name}.logs.json"
    spans = proto if encoding == "proto" else to_otlp_json(TracesData.FromString(proto))
    return [spans, *([logs.read_bytes()] if logs.exists() else [])]


def understood(messages: list[bytes]) -> list[RagTrace]:
    """The requests that decoder and assembler make of some messages."""
    decoder = Decoder(DecodeConfig(), Telemetry())
    assembler = Assembler(AssembleConfig(), ManualClock(), Telemetry())
    ended = []
    for value in messages:
        found = decoder.decode(record(value))
        ended += [*assembler.take(found.requests), *assembler.add(found.spans)]
    return [request for one in [*ended, *assembler.flush()] for request in one.requests]


def squeezed(text: str | None) -> str | None:
    """Text with white space folded."""
    return None if text is None else re.sub(r"\s+", " ", text).strip()

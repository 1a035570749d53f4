"""Numbered RAG requests, each over several records: every one can be asked for by its number afterwards."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import orjson
from confluent_kafka import KafkaError, Message, Producer
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.commands.demo.spans import to_otlp_json

Encoding = Literal["otlp_proto", "otlp_json", "native"]
DOCUMENTS = 3
SPANS = 3
_PLACES = ("Rotterdam", "Lyon", "Malmö", "Porto", "Gdansk", "Bilbao", "Tampere")


@dataclass(frozen=True, slots=True)
class Numbered:
    """One request: its trace id, and its records as (seconds after the first, value)."""

    trace_id: str
    records: tuple[tuple[float, bytes], ...]


def numbered(number: int, *, encoding: Encoding, gap: float, now: float) -> Numbered:
    """The request of a number. `gap` is the time in seconds between its records; a native request is one record."""
    trace_id = f"{0xC0DE:08x}{number:024x}"
    place = _PLACES[number % len(_PLACES)]
    texts = [f"Warehouse {number} is in {place} and opens at {8 + n} in the morning." for n in range(DOCUMENTS)]
    question, answer = f"Where is warehouse {number}?", f"Warehouse {number} is in {place}."
    if encoding == "native":
        request = {
            "request_id": trace_id, "timestamp": now, "service": f"chaos-{number % 3}", "model": "m", "question": question,
            "answer": answer, "contexts": texts, "latency_ms": 700,
        }  # fmt: skip
        return Numbered(trace_id, ((0.0, orjson.dumps(request)),))
    spans = (
        _span(trace_id, 2, 1, now, "retriever", {"input.value": question, **_documents(texts)}),
        _span(trace_id, 3, 1, now, "llm", {"input.value": question, "output.value": answer, "llm.model_name": "m"}),
        _span(trace_id, 1, 0, now, "chain", {"input.value": question, "output.value": answer}),
    )
    # The documents come first and alone: a half that is seen without them can only be scored poorly.
    made = [_data(number, spans[:1]), _data(number, spans[1:])]
    values = [one.SerializeToString() if encoding == "otlp_proto" else to_otlp_json(one) for one in made]
    return Numbered(trace_id, tuple((gap * n, value) for n, value in enumerate(values)))


class Sender(threading.Thread):
    """Sends numbers 0, 1, ... at a rate until `stop`; `book.whole` are those of which the broker has every record. `scattered`: the records
    of a request lie in any partitions."""

    def __init__(
        self,
        servers: str,
        topic: str,
        *,
        rate: float,
        gap: float,
        encodings: Sequence[Encoding],
        scattered: bool = False,
    ) -> None:
        super().__init__(name="chaos-sender", daemon=True)
        self._rate, self._gap, self._encodings, self._topic = rate, gap, encodings, topic
        self._scattered = scattered
        self._done = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "enable.idempotence": True,
                "message.timeout.ms": 300_000,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self.book = Book()

    def run(self) -> None:
        """Send until told to stop, then what is left of the requests that were begun."""
        started = time.monotonic()
        waiting: list[tuple[float, str, bytes]] = []
        number = 0
        while not self._done.is_set() or waiting:
            now = time.monotonic()
            while not self._done.is_set() and number < (now - started) * self._rate:
                one = numbered(
                    number, encoding=self._encodings[number % len(self._encodings)], gap=self._gap, now=time.time()
                )
                self.book.begun[one.trace_id] = len(one.records)
                waiting += [(now + after, one.trace_id, value) for after, value in one.records]
                number += 1
            due = [one for one in waiting if one[0] <= now]
            waiting = [one for one in waiting if one[0] > now]
            for _, trace_id, value in due:
                key = random.randbytes(8) if self._scattered else trace_id.encode()
                self._producer.produce(self._topic, value=value, key=key, on_delivery=self._delivered(trace_id))
            self._producer.poll(0.02)
        self._producer.flush(300)

    def stop(self) -> None:
        """End, with every record at the broker."""
        self._done.set()
        self.join()

    def _delivered(self, trace_id: str) -> Callable[[KafkaError | None, Message[bytes, bytes]], None]:
        def said(error: KafkaError | None, _message: Message[bytes, bytes]) -> None:
            if error is None:
                self.book.arrived[trace_id] = self.book.arrived.get(trace_id, 0) + 1
            else:
                self.book.refused.append(str(error))

        return said


@dataclass(slots=True)
class Book:
    """What was sent: records begun and arrived by trace id."""

    begun: dict[str, int] = field(default_factory=dict)
    arrived: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    @property
    def whole(self) -> frozenset[str]:
        """Requests of which the broker has every record."""
        return frozenset(one for one, count in list(self.begun.items()) if self.arrived.get(one, 0) >= count)


def _documents(texts: Sequence[str]) -> dict[str, str]:
    return {f"retrieval.documents.{n}.document.content": text for n, text in enumerate(texts)}


def _span(
    trace_id: str, number: int, parent: int, now: float, kind: str, attributes: dict[str, str]
) -> dict[str, object]:
    start = int(now * 1e9) + number * 1_000_000
    return {
        "trace_id": bytes.fromhex(trace_id), "span_id": number.to_bytes(8, "big"), "name": kind, "start_time_unix_nano": start,
        "parent_span_id": parent.to_bytes(8, "big") if parent else b"", "end_time_unix_nano": start + 500_000_000,
        "attributes": [_attribute(key, value) for key, value in {"openinference.span.kind": kind.upper(), **attributes}.items()],
    }  # fmt: skip


def _data(number: int, spans: Sequence[dict[str, object]]) -> TracesData:
    data = TracesData()
    resource = data.resource_spans.add()
    resource.resource.attributes.append(_attribute("service.name", f"chaos-{number % 3}"))
    scope = resource.scope_spans.add()
    scope.scope.name = "openinference.instrumentation.test"
    for one in spans:
        scope.spans.add(**one)
    return data


def _attribute(key: str, value: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=value))

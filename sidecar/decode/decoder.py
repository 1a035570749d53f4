"""One Kafka record into RagSpans or whole requests: find the encoding, read the wire, let the conventions read the spans."""

from __future__ import annotations

import codecs
import fnmatch
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sidecar.decode.config import DecodeConfig, Encoding
from sidecar.decode.native.reader import read_native, unread
from sidecar.decode.spans import SpanReader
from sidecar.decode.wire.json_spans import json_logs, json_spans
from sidecar.decode.wire.parse import load_json
from sidecar.decode.wire.proto import proto_logs
from sidecar.decode.wire.sniff import is_bare, otlp_in, said_of_bare, spans_or_logs
from sidecar.decode.wire.split import Part, split_json, split_proto
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.record.span import RagSpan, RawSpan, SpanKind

OWN_SCOPE = "rag_sidecar"
OWN_SERVICE = "rag-sidecar"


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one record holds: spans that are yet to be put together, or whole requests (native JSON)."""

    spans: list[RagSpan] = field(default_factory=list)
    requests: list[RagTrace] = field(default_factory=list)


class Decoder:
    """Decodes records. Pure but for the counters; `decode` may be called from any thread."""

    def __init__(
        self,
        config: DecodeConfig,
        telemetry: Telemetry,
        *,
        keep_text: Callable[[str, str], bool] = lambda trace_id, service: True,
    ) -> None:
        """`keep_text(trace_id, service)` says whether the texts of a trace may be needed."""
        self._config = config
        self._telemetry = telemetry
        self._keep_text = keep_text
        self._reader = SpanReader(config, telemetry, keep_text)

    def decode(self, record: Record) -> Decoded:
        """What a record holds; a tombstone holds nothing. Raises DecodeError where nothing could be read; what could not be
        read of a record that was otherwise fine is counted in rag_sidecar_decode_errors_total."""
        value = record.value
        if not value:
            return Decoded()
        if len(value) > self._config.most_record_bytes:
            raise DecodeError(
                "too_large", f"{len(value)} bytes, decode.most_record_bytes is {self._config.most_record_bytes}"
            )
        bad: dict[str, int] = {}
        found = self._decoded(value, record, bad)
        for reason, amount in bad.items():
            self._telemetry.count("rag_sidecar_decode_errors_total", amount, topic=record.topic, reason=reason)
        if not (found.spans or found.requests) and bad and "log_without_span" not in bad:
            raise DecodeError(next(iter(bad)), "no part of the record could be read")
        names = (span.convention for span in found.spans)
        for convention, amount in Counter((*names, *(one.convention for one in found.requests))).items():
            self._telemetry.count("rag_sidecar_spans_total", amount, convention=convention)
        return found

    def split(self, record: Record) -> list[Part] | None:
        """The record as one (key, value) a trace, to be brought together by key; None where it holds whole requests (native JSON)
        or nothing. What belongs to no trace is counted as `decode` counts it. Raises DecodeError."""
        bad: dict[str, int] = {}
        parts = self._split(record, bad)
        if parts:
            for reason, amount in bad.items():
                self._telemetry.count("rag_sidecar_decode_errors_total", amount, topic=record.topic, reason=reason)
        return parts

    def _split(self, record: Record, bad: dict[str, int]) -> list[Part] | None:
        """The parts; without any the record goes on to `decode`, which counts what is wrong with it itself."""
        value = record.value
        if not value:
            return None
        if len(value) > self._config.most_record_bytes:
            limit = self._config.most_record_bytes
            raise DecodeError("too_large", f"{len(value)} bytes, decode.most_record_bytes is {limit}")
        encoding = self._encoding(record)
        if encoding in ("otlp_proto", "otlp_logs_proto") or (encoding == "sniff" and value[:1] == b"\n"):
            return split_proto(value, bad) or None
        data = otlp_in(load_json(value)) if encoding != "native_json" else None
        return None if data is None else split_json(data, bad) or None

    def read(self, raw: Iterable[RawSpan]) -> list[RagSpan]:
        """RagSpans of RawSpans; our own and evaluators' are left out."""
        ours = (span for span in raw if span.scope != OWN_SCOPE and span.resource.get("service.name") != OWN_SERVICE)
        return [found for span in ours if (found := self._reader.read(span)).kind is not SpanKind.EVALUATOR]

    def _decoded(self, value: bytes, record: Record, bad: dict[str, int]) -> Decoded:
        encoding = self._encoding(record)
        first = value.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
        if encoding == "otlp_logs_proto":
            return Decoded(self.read(proto_logs(value, bad)))
        if encoding == "otlp_proto" or (encoding == "sniff" and value[:1] == b"\n" and first not in (b"{", b"[")):
            return Decoded(self.read(spans_or_logs(value, bad)))
        if encoding in ("otlp_json", "native_json") or first in (b"{", b"[") or is_bare(first, value):
            return self._json(value, encoding, record, bad)
        raise DecodeError(
            "unknown_format", "neither OTLP protobuf nor JSON; set decode.encoding if it is something else"
        )

    def _encoding(self, record: Record) -> Encoding:
        patterns = self._config.topics.items()
        return next((e for topic, e in patterns if fnmatch.fnmatchcase(record.topic, topic)), self._config.encoding)

    def _json(self, value: bytes, encoding: Encoding, record: Record, bad: dict[str, int]) -> Decoded:
        data = load_json(value)
        if isinstance(data, dict) and encoding != "native_json":
            if (otlp := otlp_in(data)) is not None:
                spans = "resourceSpans" in otlp or "resource_spans" in otlp
                return Decoded(self.read((json_spans if spans else json_logs)(otlp, bad)))
            if encoding == "otlp_json":
                raise DecodeError("missing_field", "resourceSpans")
        if isinstance(data, dict):
            return Decoded(requests=[self._request(data, record, bad)])
        if not isinstance(data, list):
            raise DecodeError("not_an_object", said_of_bare(data))
        return Decoded(requests=list(self._requests(data, record, bad)))

    def _requests(self, items: Iterable[object], record: Record, bad: dict[str, int]) -> Iterator[RagTrace]:
        """The requests of a list; what could not be read of it is counted in `bad`."""
        for item in items:
            try:
                if not isinstance(item, dict):
                    raise DecodeError("not_an_object")
                yield self._request(item, record, bad)
            except DecodeError as error:
                bad[error.reason] = bad.get(error.reason, 0) + 1

    def _request(self, data: Mapping[str, object], record: Record, bad: dict[str, int]) -> RagTrace:
        left_out: list[str] = []
        trace = read_native(data, self._config, fallback_timestamp=record.timestamp, dropped=left_out.append)
        for reason in left_out:
            bad[reason] = bad.get(reason, 0) + 1
        if amount := len(unread(data, self._config)):
            self._telemetry.count("rag_sidecar_native_fields_unread_total", amount, topic=record.topic)
        return trace if self._keep_text(trace.trace_id, trace.service) else trace.without_text()

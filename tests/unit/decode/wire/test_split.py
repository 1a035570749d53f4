"""A record of many traces cut by trace: decoded part by part it says what it said as a whole."""

from __future__ import annotations

from collections.abc import Callable

import orjson
import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record
from sidecar.record.span import RagSpan
from tests.unit.decode.recordings import FOLDER

NAMES = ("oi_langchain_ok", "tl_langchain_ok", "otel_genai_ok", "langfuse_langchain_ok", "haystack_native_ok")


def record(value: bytes | None) -> Record:
    return Record("t", 0, 0, 1.76e9, None, value)


def together() -> TracesData:
    data = TracesData()
    for name in NAMES:
        data.MergeFromString((FOLDER / f"{name}.pb").read_bytes())
    return data


def as_json(data: TracesData) -> bytes:
    made = MessageToDict(data)
    return orjson.dumps(made)


@pytest.mark.parametrize("encode", [TracesData.SerializeToString, as_json], ids=["proto", "json"])
def test_parts_say_what_the_whole_says(encode) -> None:  # type: ignore[no-untyped-def]
    decoder = Decoder(DecodeConfig(), Telemetry())
    value = encode(together())
    whole = decoder.decode(record(value)).spans
    parts = decoder.split(record(value))
    assert parts is not None
    assert len(parts) == len({span.trace_id for span in whole}) >= len(NAMES)
    seen: list[RagSpan] = []
    for key, part in parts:
        spans = decoder.decode(record(part)).spans
        assert {span.trace_id for span in spans} == {key.decode()}
        seen += spans

    def order(span: RagSpan) -> tuple[str, str]:
        return span.trace_id, span.span_id

    assert sorted(seen, key=order) == sorted(whole, key=order)


def test_one_trace_goes_on_as_it_came() -> None:
    value = (FOLDER / "otel_genai_ok.pb").read_bytes()
    [(key, part)] = Decoder(DecodeConfig(), Telemetry()).split(record(value)) or []
    assert part == value
    assert len(key) == 32


def test_log_records_are_split_too() -> None:
    decoder = Decoder(DecodeConfig(), Telemetry())
    for name, value in ((p.name, p.read_bytes()) for p in sorted(FOLDER.glob("*logs*"))):
        parts = decoder.split(record(value))
        assert parts, name
        spans = [span for _, part in parts for span in decoder.decode(record(part)).spans]
        assert len(spans) == len(decoder.decode(record(value)).spans), name


@pytest.mark.parametrize("value", [None, b"", b'{"question": "?", "answer": "!"}', b'[{"answer": "!"}]'])
def test_whole_requests_and_tombstones_are_not_split(value: bytes | None) -> None:
    assert Decoder(DecodeConfig(), Telemetry()).split(record(value)) is None


@pytest.mark.parametrize("value", [b"{not json", b"\x0a\xff\xff"])
def test_what_cannot_be_read_is_said(value: bytes) -> None:
    with pytest.raises(DecodeError):
        Decoder(DecodeConfig(), Telemetry()).split(record(value))


@pytest.mark.parametrize("encode", [TracesData.SerializeToString, as_json], ids=["proto", "json"])
def test_spans_that_belong_to_no_trace_are_counted(encode: Callable[[TracesData], bytes]) -> None:
    data = together()
    data.resource_spans[0].scope_spans[0].spans.add(name="lost", span_id=b"\2" * 8)
    data.resource_spans[1].scope_spans[0].spans.add(name="lost too", trace_id=b"\0" * 16)
    telemetry = Telemetry()
    parts = Decoder(DecodeConfig(), telemetry).split(record(encode(data)))
    assert len(parts or []) >= len(NAMES)
    assert telemetry.value("rag_sidecar_decode_errors_total", reason="no_trace_id") == 2


def test_a_trace_beside_lost_spans_goes_on_without_them() -> None:
    data = TracesData.FromString((FOLDER / "otel_genai_ok.pb").read_bytes())
    data.resource_spans[0].scope_spans[0].spans.add(name="lost")
    telemetry = Telemetry()
    decoder = Decoder(DecodeConfig(), telemetry)
    [(_, part)] = decoder.split(record(data.SerializeToString())) or []
    decoder.decode(record(part))
    assert telemetry.value("rag_sidecar_decode_errors_total") == 1


def test_a_record_without_any_trace_is_left_to_the_decoder_which_refuses_it() -> None:
    data = TracesData()
    data.resource_spans.add().scope_spans.add().spans.add(name="lost")
    telemetry = Telemetry()
    decoder = Decoder(DecodeConfig(), telemetry)
    assert decoder.split(record(data.SerializeToString())) is None
    with pytest.raises(DecodeError):
        decoder.decode(record(data.SerializeToString()))
    assert telemetry.value("rag_sidecar_decode_errors_total") == 1

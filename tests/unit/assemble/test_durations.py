"""What spans say of how long a request took, and where they cannot."""

from __future__ import annotations

import pytest

from sidecar.assemble.request import build_requests
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import Durations
from sidecar.record.span import RawSpan

SECOND = 1_000_000_000


def span(number: int, kind: str, begin: float, end: float) -> RawSpan:
    return RawSpan(
        trace_id="01" * 16,
        span_id=f"{number:016x}",
        parent_span_id=None if number == 1 else f"{1:016x}",
        name=kind,
        start_ns=int((1000 + begin) * SECOND),
        end_ns=int((1000 + end) * SECOND),
        attributes={"openinference.span.kind": kind, "output.value": "Two years."},
        resource={"service.name": "kb"},
    )


@pytest.mark.parametrize(
    ("backwards", "expected"),
    [
        ("", Durations(total=3.0, retrieval=1.0, generation=1.5)),
        ("CHAIN", Durations(total=None, retrieval=1.0, generation=1.5)),
        ("RETRIEVER", Durations(total=3.0, retrieval=None, generation=1.5)),
        ("LLM", Durations(total=3.0, retrieval=1.0, generation=None)),
    ],
)
def test_a_span_that_ends_before_it_starts_says_nothing_of_how_long_it_took(
    backwards: str, expected: Durations
) -> None:
    said = {"CHAIN": (0.0, 3.0), "RETRIEVER": (0.5, 1.5), "LLM": (1.5, 3.0)}
    spans = [
        span(number, kind, *((end, begin) if kind == backwards else (begin, end)))
        for number, (kind, (begin, end)) in enumerate(said.items(), 1)
    ]
    [request] = build_requests(Decoder(DecodeConfig(), Telemetry()).read(spans))
    assert request.durations == expected

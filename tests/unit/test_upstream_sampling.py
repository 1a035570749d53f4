"""From `ot=th:` on a span to the weight of a result: what the source left out is counted where it is known, and never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from exporters.result import Outcome
from exporters.serialize import result_to_json
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.weight import MOST, Weights, adjusted_count
from sidecar.observe.telemetry import Telemetry
from sidecar.price import PriceConfig, Pricer
from sidecar.record.record import Record
from sidecar.results import make_result
from tests.unit.decode.spans import message, one, span
from tests.unit.decode.test_specification import CHAT, RETRIEVAL


@pytest.mark.parametrize(
    ("state", "count"),
    [
        ("ot=th:0", 1.0),
        ("ot=th:8", 2.0),
        ("ot=th:c", 4.0),
        ("ot=th:c0", 4.0),
        ("vendor=1,ot=rv:abcdefabcdefab;th:e8", 1 / (1 - 0xE8 / 256)),
        ("ot=th:ffffffffffffff", 2.0**56),
        (" ot=th:8 , x=y", 2.0),
        ("", None),
        ("ot=rv:abcdefabcdefab", None),
        ("ot=th:", None),
        ("ot=th:xyz", None),
        ("ot=th:000000000000000", None),
        ("vendor=th:8", None),
        ("ot=p:8;r:2", None),
    ],
)
def test_the_threshold_becomes_an_adjusted_count(state: str, count: float | None) -> None:
    assert adjusted_count(state) == (None if count is None else pytest.approx(count))


@pytest.mark.parametrize(
    ("root", "model", "count"),
    [
        ("ot=th:c", "", 4.0),
        ("", "ot=th:8", 2.0),
        ("ot=th:c", "ot=th:8", 4.0),
        ("", "", None),
        ("ot=rv:ab", "x=y", None),
    ],
)
def test_the_count_reaches_the_result_and_its_weight(root: str, model: str, count: float | None) -> None:
    chain = {"openinference.span.kind": "CHAIN", "input.value": "How long?"}
    request = one(message(
        span("GET /ask", {}, number=1, lasts=9, traceState=root), span("chain", chain, number=2, parent=1, lasts=8),
        span("retrieve", RETRIEVAL, number=3, parent=2), span("chat", CHAT, number=4, parent=2, at=2, traceState=model),
    ))  # fmt: skip
    pricer = Pricer(PriceConfig())
    result = make_result(
        request, pricer=pricer, completed_at=1.0, outcome=Outcome.SAMPLED_OUT, inclusion_probability=0.5
    )
    assert json.loads(json.dumps(result_to_json(result, with_text=False)))["upstream_adjusted_count"] == count
    assert result.weight == 2.0 * (count or 1.0)


@pytest.mark.parametrize(
    ("state", "rate", "count"),
    [("", 8, 8.0), ("", "20", 20.0), ("ot=th:8", 8, 2.0), ("", 0, None), ("", "often", None), ("", None, None)],
)
def test_a_configured_attribute_says_the_count_where_the_trace_state_does_not(
    state: str, rate: object, count: float | None
) -> None:
    data = message(span("chat", {**CHAT, **({} if rate is None else {"SampleRate": rate})}, number=1, traceState=state))
    decoder = Decoder(DecodeConfig(weight_attribute="SampleRate"), Telemetry())
    [found] = decoder.decode(Record("spans", 0, 0, 0.0, None, data)).spans
    assert found.upstream_adjusted_count == count


@pytest.mark.parametrize(
    ("state", "rate", "count", "source"),
    [
        ("ot=th:ffffffffffffff", None, None, "tracestate"),
        ("ot=th:ffffffffffffff", 8, 8.0, None),
        ("ot=th:fffff", None, None, "tracestate"),
        ("ot=th:ffff", None, 65536.0, None),
        ("", 1e200, None, "attribute"),
        ("", MOST * 1.01, None, "attribute"),
        ("", MOST, MOST, None),
        ("", float("inf"), None, "attribute"),
        ("", float("nan"), None, "attribute"),
        ("", -3, None, "attribute"),
        ("", 0, None, "attribute"),
        ("", "often", None, "attribute"),
        ("", 8, 8.0, None),
        ("", None, None, None),
    ],
)
def test_a_weight_that_cannot_be_is_unknown_counted_and_marked(
    state: str, rate: object, count: float | None, source: str | None
) -> None:
    telemetry = Telemetry()
    weights, partial = Weights("SampleRate", telemetry), list[str]()
    attributes: Any = {} if rate is None else {"SampleRate": rate}
    assert weights.read(state, attributes, partial) == count
    assert partial == ([] if source is None else ["unknown_weight"])
    found = {labels["source"]: n for labels, n in telemetry.values("rag_sidecar_unknown_weights_total")}
    assert found == ({} if source is None else {source: 1.0})


def test_the_mark_of_an_unknown_weight_reaches_the_request() -> None:
    chain = {"openinference.span.kind": "CHAIN", "input.value": "How long?"}
    request = one(message(
        span("chain", chain, number=2, lasts=8), span("retrieve", RETRIEVAL, number=3, parent=2),
        span("chat", CHAT, number=4, parent=2, at=2, traceState="ot=th:ffffffffffffff"),
    ))  # fmt: skip
    assert request.upstream_adjusted_count is None
    assert "unknown_weight" in request.partial

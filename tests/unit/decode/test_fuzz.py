"""A short run of the fuzzer with every commit; `python -m tests.fuzz` is the long one."""

from __future__ import annotations

import orjson
import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.cut import salvage, without_cut_values
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from sidecar.record.record import AttributeValue
from tests.fuzz.run import fuzz
from tests.unit.decode.recordings import record


def test_no_mutation_of_a_recording_breaks_the_decoder() -> None:
    report = fuzz(inputs=2000, seed=11, most_seeds=100)
    assert (report.crashes, report.slow, report.uncounted) == ([], [], [])
    assert report.decoded + report.refused + report.empty == report.inputs == 2000
    assert report.decoded > 500
    assert report.steps > 1000


def test_the_same_seed_makes_the_same_run() -> None:
    first, second = (fuzz(inputs=100, seed=5, most_seeds=20) for _ in range(2))
    assert (first.decoded, first.refused, first.kept) == (second.decoded, second.refused, second.kept)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"resourceSpans":[{"a":'])
def test_ten_thousand_levels_of_json_are_refused(opening: bytes) -> None:
    with pytest.raises(DecodeError, match=r"too_deep|bad_json"):
        Decoder(DecodeConfig(), Telemetry()).decode(record(opening * 10_000))


def test_ten_thousand_levels_within_an_attribute_are_text_that_says_nothing() -> None:
    pairs = [
        {"key": key, "value": {"stringValue": '{"a":' * 10_000}} for key in ("input.value", "output.value", "metadata")
    ]
    pairs.append({"key": "openinference.span.kind", "value": {"stringValue": "CHAIN"}})
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "attributes": pairs}
    value = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    [found] = Decoder(DecodeConfig(), Telemetry()).decode(record(value)).spans
    assert (found.said.question, found.said.answer) == (None, None)


def test_a_hundred_megabytes_are_refused_by_their_size_alone() -> None:
    # No JSON at all: whoever tried to parse it would say so instead.
    value = b'{"question": "' + b"x" * 100_000_000
    with pytest.raises(DecodeError, match="too_large"):
        Decoder(DecodeConfig(), Telemetry()).decode(record(value))
    with pytest.raises(DecodeError, match="too_large"):
        Decoder(DecodeConfig(), Telemetry()).split(record(value))


WHOLE = {
    "role": "user",
    "parts": [{"type": "text", "content": 'a "quoted" text, [with] {brackets}'}, {"n": -1.5e3, "t": [True, None, {}]}],
}


@pytest.mark.parametrize("length", range(1, len(orjson.dumps([WHOLE, WHOLE]))))
def test_json_cut_anywhere_is_saved_without_a_text_that_was_not_there(length: int) -> None:
    text = orjson.dumps([WHOLE, WHOLE]).decode()
    saved = salvage(text[:length])
    found = orjson.loads(saved) if saved is not None else None

    def part_of(cut: object, whole: object) -> bool:
        if isinstance(cut, dict) and isinstance(whole, dict):
            return all(key in whole and part_of(value, whole[key]) for key, value in cut.items())
        if isinstance(cut, list) and isinstance(whole, list):
            return len(cut) <= len(whole) and all(map(part_of, cut, whole))
        return cut == whole

    assert saved is None or part_of(found, [WHOLE, WHOLE])


def test_a_text_at_the_limit_is_left_out_and_a_shorter_one_is_kept() -> None:
    attributes: dict[str, AttributeValue] = {
        "a": "x" * 64,
        "b": "y" * 63,
        "c": 5,
        "d": '[{"text": "one"}, {"text": "' + "z" * 36,
    }
    assert without_cut_values(attributes, 64) == {"b": "y" * 63, "c": 5, "d": '[{"text": "one"},{}]'.replace(",", ", ")}

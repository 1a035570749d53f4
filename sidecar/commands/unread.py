"""What `inspect` tells of records that could not be read, or not all of them: which field, how many parts, and what they are instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from exporters.text import many, safe
from sidecar.assemble.repeats import MEND
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.misspelt import Misspelt
from sidecar.decode.native.reader import misshapen_in, read_native, unread
from sidecar.decode.wire.parse import load_json
from sidecar.decode.wire.sniff import otlp_in
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from sidecar.record.record import Record

_MOST_NAMES = 20
# A log record of something else is none of ours.
_NO_LOSS = "log_without_span"
_MEANS = {
    "bad_attributes": " (`attributes` is neither a list of keys and values nor an object)",
    "bad_time": " (a time such as `startTimeUnixNano` is neither nanoseconds since the epoch nor ISO 8601)",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record, in words that go behind its place; `passed_over` where it is a field without which the record is read."""

    said: str
    passed_over: bool = False

    def at(self, place: str) -> Fault:
        """The same behind the place of its record."""
        return Fault(place + self.said, self.passed_over)


class Unread:
    """Takes each record behind its decoder; `telemetry` is that of the decoder."""

    def __init__(self, config: DecodeConfig, telemetry: Telemetry) -> None:
        self._config = config
        self._telemetry = telemetry
        self._counted: Counter[str] = Counter()
        self._names: dict[str, None] = {}
        self._misspelt = Misspelt(config)

    def of(self, record: Record, failure: DecodeError | None) -> list[Fault]:
        """What could not be read of a record. `failure`: of the whole of it."""
        items, is_list = _native(record.value)
        for item in items:
            self._misspelt.add(item)
            if failure is None and isinstance(item, dict):
                self._names |= dict.fromkeys(unread(item, self._config))
        before, self._counted = self._counted, self._reasons()
        if failure is not None:
            return [Fault(f": {failure}")]
        lost = self._counted - before
        if lost and items:
            return list(self._faults(items, record.timestamp, is_list))
        return [
            Fault(f": {reason}: {many(count, 'part')} of the record could not be read{_MEANS.get(reason, '')}")
            for reason, count in lost.items()
            if reason != _NO_LOSS
        ]

    def told(self, lost: int) -> list[str]:
        """What is said at the end; `lost` are records that share an id and differ."""
        shown = ", ".join(safe(name)[:80] for name in islice(self._names, _MOST_NAMES))
        notes = [f"fields that are not read (docs/native.md has those that are): {shown}"] if shown else []
        notes += self._misspelt.told()
        if lost:
            notes.append(f"records with the id of another one and other content, which are not scored: {lost}; {MEND}")
        return notes

    def _reasons(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for labels, value in self._telemetry.values("rag_sidecar_decode_errors_total"):
            found[labels["reason"]] += int(value)
        return found

    def _faults(self, items: list[Any], timestamp: float, is_list: bool) -> Iterator[Fault]:
        """Records that cannot be read, or a field of theirs: the decoder takes what is left of them, and counts it."""
        for number, item in enumerate(items, 1):
            place = f", record {number} of its list: " if is_list else ": "
            for one in self._of_one(item, timestamp):
                yield one.at(place)

    def _of_one(self, item: Any, timestamp: float) -> Iterator[Fault]:
        try:
            if not isinstance(item, dict):
                raise DecodeError("not_an_object")
            read_native(item, self._config, fallback_timestamp=timestamp)
        except DecodeError as error:
            yield Fault(str(error))
        if isinstance(item, dict):
            yield from (Fault(f"{said}: passed over", True) for said in misshapen_in(item, self._config))


def _native(value: bytes | None) -> tuple[list[Any], bool]:
    """The native record that a value is, or those of its list, and whether it is one; none of what is OTLP or no JSON."""
    try:
        data = load_json(value or b"[]")
    except DecodeError:
        return [], False
    if isinstance(data, list):
        return data, True
    return ([data] if isinstance(data, dict) and otlp_in(data) is None else []), False


__all__ = ["Fault", "Unread"]

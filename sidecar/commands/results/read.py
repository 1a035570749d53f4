"""Results out of a file or a topic, each once, and those that were asked for."""

from __future__ import annotations

import re
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import orjson

from exporters.record import ResultRecord, parse
from exporters.result import Verdict
from exporters.text import many
from sidecar.commands.backfill import moment
from sidecar.record.errors import ConfigError

# What decides the verdict, in the order of who is asked first.
_DECIDING = ("groundedness", "groundedness_judge", "faithfulness")
_AGO = re.compile(r"(\d{1,9})([smhd])")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,40}")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LEAST_PREFIX = 4
_REMEMBERED = 100_000
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


Completeness: TypeAlias = tuple[bool, int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A result, and the line that it was read from."""

    record: ResultRecord
    line: bytes

    @property
    def timestamp(self) -> datetime:
        """End of the request; long ago where that is not known."""
        return self.record.timestamp or _LONG_AGO

    def score(self, by: str | None) -> float | None:
        """The score that the worst are found by: of the evaluator named, else of what decides the verdict."""
        for name in (by,) if by else _DECIDING:
            said = self.record.evaluation(name)
            if said is not None and said.score is not None:
                return said.score
        return None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which results are asked for; None is any. `since` is seconds since the epoch."""

    service: str | None = None
    model: str | None = None
    variant: str | None = None
    verdict: Verdict | None = None
    since: float | None = None

    def takes(self, row: Row) -> bool:
        """Whether a result is one of them."""
        record = row.record
        own = (record.service, record.model, record.variant, record.verdict)
        asked = (self.service, self.model, self.variant, self.verdict)
        if any(want is not None and want != have for want, have in zip(asked, own, strict=True)):
            return False
        return self.since is None or row.timestamp.timestamp() >= self.since


class Collected:
    """Takes lines and keeps of each id the more complete result (docs/results.md). `no_results` counts lines that are none, `failed` by reason
    those that keep the place of a request that `score` could not read, `repeated` results that `read` has another one of the id for."""

    def __init__(self) -> None:
        self._best: OrderedDict[str, Completeness] = OrderedDict()
        self.no_results = 0
        self.failed: Counter[str] = Counter()
        self.repeated = 0

    @property
    def unread(self) -> int:
        """Lines of either kind."""
        return self.no_results + self.failed.total()

    def take(self, lines: Iterable[bytes]) -> Iterator[Row]:
        """Read lines in their order; what is new or better is given back as it comes. The latest ids are remembered, not all."""
        for row in self._parsed(lines):
            known = self._best.get(row.record.id)
            if known is None or row.record.completeness > known:
                self._best[row.record.id] = row.record.completeness
                if len(self._best) > _REMEMBERED:
                    self._best.popitem(last=False)
                yield row

    def read(self, lines: Iterable[bytes]) -> list[Row]:
        """All results there are, each once."""
        rows: dict[str, Row] = {}
        for row in self._parsed(lines):
            known = rows.get(row.record.id)
            self.repeated += known is not None
            if known is None or row.record.completeness >= known.record.completeness:
                rows[row.record.id] = row
        return list(rows.values())

    def _parsed(self, lines: Iterable[bytes]) -> Iterator[Row]:
        for line in lines:
            if not line.strip():
                continue
            try:
                record = parse(line)
            except ValueError:
                self.no_results += 1
                continue
            if record is None:
                self.failed[_reason(line)] += 1
            else:
                yield Row(record, line)


def _reason(line: bytes) -> str:
    """Why the request was not read, where that is a word: nothing else of a file is told."""
    found = orjson.loads(line).get("reason")
    return found if isinstance(found, str) and _WORD.fullmatch(found) else "unknown"


def worst(rows: Iterable[Row], count: int, by: str | None = None) -> list[Row]:
    """The worst first: hallucinated before all others, then by score, of equal ones the latest. Without a score there is no worst."""
    scored = [(row, score) for row in rows if (score := row.score(by)) is not None]

    def order(one: tuple[Row, float]) -> tuple[bool, float, float]:
        row, score = one
        first = by is None and row.record.verdict is Verdict.HALLUCINATED
        return (not first, score, -row.timestamp.timestamp() if row.record.timestamp else 0.0)

    return [row for row, _ in sorted(scored, key=order)[:count]]


def latest(rows: Iterable[Row], count: int) -> list[Row]:
    """The latest, oldest first."""
    return sorted(rows, key=lambda row: row.timestamp)[-count:]


def named(rows: Sequence[Row], name: str) -> list[Row]:
    """The results of an id, of its beginning, of a trace id, or of a native record's own id. Raises ConfigError where there are none or
    the beginning is of several."""
    exact = [row for row in rows if name in (row.record.id, row.record.trace_id, row.record.request_id)]
    if exact:
        return latest(exact, len(exact))
    begun = [row for row in rows if len(name) >= _LEAST_PREFIX and row.record.id.startswith(name)]
    if not begun:
        raise ConfigError(
            name,
            f"none of {many(len(rows), 'result')} has it",
            f"give the id of a result (its first {_LEAST_PREFIX} characters do) or of a trace; --records reads more of a topic",
        )
    if len(begun) > 1:
        several = ", ".join(row.record.id for row in begun[:3])
        raise ConfigError(name, f"{len(begun)} results begin so", f"write more of it: {several}")
    return begun


def since(text: str | None) -> float | None:
    """A time, or how long ago: 90s, 30m, 2h, 7d. Raises ConfigError naming the option."""
    if text is None:
        return None
    ago = _AGO.fullmatch(text)
    return time.time() - int(ago[1]) * _UNITS[ago[2]] if ago else moment("--since", text)


def plain(row: Row) -> dict[str, object]:
    """A result as it was read, with fields that we do not know."""
    found: dict[str, object] = orjson.loads(row.line)
    return found

"""A case: one request of a test set, with what an author knows of it beside what the system said."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from exporters.text import clean
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.fields import MOST_ID_CHARS
from sidecar.decode.native.printed import record_of
from sidecar.decode.native.reader import Limits, read_native
from sidecar.decode.native.table import names
from sidecar.evaluate.base import Needs
from sidecar.offline.ids import NO_TIME
from sidecar.offline.rows import Rows
from sidecar.record.errors import DecodeError
from sidecar.record.request import RagTrace

NEGATIVE = "negative"
# Why there is no score where the system gave nothing: an answer and documents are what it was asked for.
SILENT = frozenset({Needs.ANSWER.reason, Needs.CONTEXT.reason})
_OWN_ID = ("request_id", "case_id", "example_id", *names("request_id"))
# Of the fields of a request, what does not change what is said of it.
_NO_CONTENT = frozenset({"timestamp", "missing", "partial", "probe", "spans"})


@dataclass(frozen=True, slots=True)
class Case:
    """`id` names it in reports, `key` is the same for the same case in another run, `digest` is a hash of all that it holds.

    kind    simple, reasoning, multi_hop, negative, or a word of the author's
    origin  synthetic, human or production, or a word of the author's
    """

    id: str
    key: str
    digest: str
    kind: str | None
    origin: str | None
    trace: RagTrace

    @property
    def negative(self) -> bool:
        """Whether the documents cannot answer it: the right answer then is to say so."""
        return self.kind == NEGATIVE


@dataclass(frozen=True, slots=True)
class Unread:
    """A row that is no case: its place from 1 and the line that it begins in, where the file has lines, and why."""

    row: int
    reason: str
    detail: str
    line: int | None = None

    @property
    def place(self) -> str:
        """Where it is to be found."""
        return place(self.row, self.line)


def place(row: int, line: int | None) -> str:
    """Where a row is to be found, in words."""
    return f"row {row}" if line is None else f"line {line}"


def read_cases(rows: Iterable[object], limits: DecodeConfig) -> tuple[list[Case], list[Unread]]:
    """The cases of a file's rows, in their order, and the rows that are none. A row that is a DecodeError says what it lacks by itself."""
    cases: list[Case] = []
    unread: list[Unread] = []
    seen: Counter[str] = Counter()
    lines = rows.lines if isinstance(rows, Rows) else ()
    for number, (row, line) in enumerate(zip_longest(rows, lines), 1):
        try:
            cases.append(_case(_object(row), limits, seen))
        except DecodeError as error:
            unread.append(Unread(number, error.reason, error.detail, line))
        except (TypeError, ValueError, RecursionError) as error:
            why = f"a value of a kind that no case has ({type(error).__name__})"
            unread.append(Unread(number, "bad_row", why, line))
    return cases, unread


def _object(row: object) -> Mapping[str, Any]:
    if isinstance(row, DecodeError):
        raise row
    if not isinstance(row, Mapping):
        raise DecodeError("not_an_object", "a case is one object")
    return row


def _case(row: Mapping[str, Any], limits: DecodeConfig, seen: Counter[str]) -> Case:
    trace = read_native(row, limits, fallback_timestamp=NO_TIME)
    own = own_id(row, limits)
    own = own and own.strip()[:MOST_ID_CHARS]
    kind, origin = (None, None) if trace.authored is None else (trace.authored.kind, trace.authored.origin)
    key = own or _hash(trace.question or "", trace.reference or "")
    seen[key] += 1
    if seen[key] > 1:
        of_key = key
        while seen[key := f"{of_key}#{seen[of_key]}"]:
            seen[of_key] += 1
        seen[key] += 1
    content = {name: value for name, value in asdict(trace).items() if name not in _NO_CONTENT}
    digest = _hash(json.dumps([key, content], default=str, sort_keys=True))
    word = None if kind is None else kind.strip().lower().replace("-", "_").replace(" ", "_")
    return Case(clean(own or key[:16]), clean(key), digest, word, origin, trace)


def own_id(data: Mapping[str, Any], limits: Limits) -> str | None:
    """The author's own id of a record as it stands there, under any of the names that one has; None where there is none."""
    for value in record_of(data, limits.mapping).values(*_OWN_ID):
        if (isinstance(value, str) and value.strip()) or (
            isinstance(value, int | float) and not isinstance(value, bool)
        ):
            return str(value)
    return None


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(map(clean, parts)).encode()).hexdigest()[:32]


# The key of a case that has neither an id nor a question and a reference to make one of.
NAMELESS = _hash("", "")

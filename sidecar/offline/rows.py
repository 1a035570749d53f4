"""Rows of a file of cases: JSON lines, JSON, CSV, Parquet, and the folders that Hugging Face writes."""

from __future__ import annotations

import ast
import codecs
import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from exporters.text import clean
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.fields import holds_text
from sidecar.decode.native.reader import Limits, too_large
from sidecar.decode.native.table import is_scalar, names, squeeze, text_field
from sidecar.decode.wire.parse import load_text
from sidecar.offline import foreign
from sidecar.offline.foreign import Format
from sidecar.offline.record import Source
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.settings.input_file import (
    FAULTS,
    Stream,
    ending,
    fault,
    lines,
    open_input,
    read_file,
    read_input,
    refusal,
    rest,
    starts,
    unpacked,
)

Placed: TypeAlias = tuple[int | None, object]
"""A row, and the line that it begins in, where the file has lines."""
See: TypeAlias = Callable[[bytes], object]
"""Is shown all of a content, piece by piece."""

# What pandas and str() write where nothing is. Of other fields it may be what is meant.
_NOTHING = frozenset({"NaN", "nan", "None", "null", "NULL"})
_MOST_CELL = 50_000_000
_READABLE = "give a readable file"
_LIMITS = DecodeConfig()
# What is no file of lines by its name.
_TABLES = (".csv", ".tsv")
_WHOLE = (".json", *_TABLES, ".parquet", ".arrow")
_INSTALL = "install the extra `parquet` (pyarrow), or write JSON lines"
# What stands around the rows in an export.
AROUND = ("cases", "test_cases", "examples", "samples", "items", "rows", "records", "results", "data")


class Rows(list[object]):
    """Rows of a file, `lines` where each of them begins; `blank` counts by field the cells of a table that say in words that nothing is there."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int | None] = []
        self.blank: Counter[str] = Counter()

    def take(self, placed: Iterable[Placed], form: Format, *, table: bool) -> Rows:
        """Add what a file has, in the words of native records."""
        for line, given in placed:
            if (row := foreign.native(given, form)) is not None:
                self.append(self._without_blank(row) if table and isinstance(row, dict) else row)
                self.lines.append(line)
        return self

    def _without_blank(self, row: dict[str, Any]) -> dict[str, Any]:
        blank = [
            name for name, value in row.items() if isinstance(value, str) and value in _NOTHING and _may_be_blank(name)
        ]
        self.blank.update(blank)
        return {name: value for name, value in row.items() if name not in blank} if blank else row


def _may_be_blank(name: str) -> bool:
    return text_field(name) in ("question", "answer") or squeeze(name) in map(squeeze, names("contexts"))


def read(path: Path, form: Format = Format.AUTO, limits: Limits = _LIMITS) -> tuple[Source, Rows]:
    """Where the cases come from ("-" is standard input: JSON or JSON lines), and the file's rows in the words of native records: an object each, or the DecodeError that says why not.
    A line over `limits` is one of these too, and never held. Raises ConfigError where the file as a whole cannot be read."""
    most, digest = limits.most_record_bytes, hashlib.sha256()
    try:
        if path.is_dir() or str(path) == "-" or ending(path) in _WHOLE:
            found = Rows().take(_seen(_content(path), path, most, digest.update), form, table=ending(path) in _TABLES)
        else:
            with open_input(path, _READABLE) as stream:
                found = Rows().take(_streamed(path, unpacked(stream), most, digest.update), form, table=False)
    except FAULTS as error:
        raise fault(path, error, _READABLE) from error
    except DecodeError as error:
        raise refusal(path, str(error), "give JSON lines, JSON, CSV or Parquet") from error
    name = "standard input" if str(path) == "-" else clean(path.name or str(path))
    return Source(name=name, sha256=digest.hexdigest()), found


def _content(path: Path) -> bytes:
    if path.is_dir():
        parts = sorted(path.glob("*.arrow"))
        if not parts:
            raise refusal(path, "a folder without *.arrow", "give a file, or what `save_to_disk` wrote")
        return b"".join(read_file(part, _READABLE) for part in parts)
    return read_input(path, _READABLE).removeprefix(codecs.BOM_UTF8)


def _seen(content: bytes, path: Path, most: int, see: See) -> Iterable[Placed]:
    see(content)
    return _rows(path, content, most)


def _streamed(path: Path, stream: Stream, most: int, see: See) -> Iterable[Placed]:
    """The rows of a file of lines, as they are read; one that begins as a list is read whole."""
    if starts(stream).startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    if starts(stream).lstrip()[:1] == b"[":
        return _seen(rest(path, stream), path, most, see)
    return _lines(stream, most, see)


def _rows(path: Path, content: bytes, most: int) -> Iterable[Placed]:
    form = ".json" if str(path) == "-" else ending(path)
    if path.is_dir():
        parts = sorted(path.glob("*.arrow"))
        return [(None, row) for part in parts for row in _table(read_file(part, _READABLE), ".arrow")]
    if form in (".parquet", ".arrow"):
        return [(None, row) for row in _table(content, form)]
    if form in _TABLES:
        return _csv(content, "\t" if form == ".tsv" else _delimiter(content))
    # A file of one object is JSON lines as well.
    listed = content.lstrip()[:1] == b"["
    if form == ".json":
        return _json(content) if listed or _one(content) is not None else _lines(io.BytesIO(content), most)
    # A list in one line is no case, and the lines behind it are some.
    whole = listed and (_one(content) is not None or not _any_object(content))
    return _json(content) if whole else _lines(io.BytesIO(content), most)


def _any_object(content: bytes) -> bool:
    """Whether a line of it is an object by itself."""
    return any(isinstance(_one(line), dict) for line in content.splitlines() if line.startswith(b"{"))


def _lines(stream: Stream, most: int, see: See = len) -> Iterator[Placed]:
    for number, (size, line) in enumerate(lines(stream, most, see), 1):
        if line is None:
            yield number, too_large(size, most)
        elif line.strip():
            try:
                yield number, load_text(line)
            except DecodeError as error:
                yield number, error


def _one(content: bytes) -> object | None:
    """A file's content as one JSON value; None where it is more, or none."""
    try:
        found: object = load_text(content)
    except DecodeError:
        return None
    return found


def _json(content: bytes) -> Iterable[Placed]:
    found = load_text(content)
    for _ in range(2):  # {"data": {"examples": [...]}}
        if isinstance(found, dict):
            inner = next((found[name] for name in AROUND if isinstance(found.get(name), list | dict)), None)
            if inner is None:
                return [(None, found)]
            found = foreign.around(found, inner)
    return [(None, row) for row in (found if isinstance(found, list) else [found])]


def _delimiter(content: bytes) -> str:
    """Spreadsheets write a semicolon where the comma stands in numbers."""
    head = content.partition(b"\n")[0]
    return ";" if b";" in head and b"," not in head else ","


def _csv(content: bytes, delimiter: str) -> Iterator[Placed]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError("bad_encoding", "CSV must be UTF-8: save it so") from error
    csv.field_size_limit(_MOST_CELL)
    lines = _Lines(text)
    rows = csv.reader(lines, delimiter=delimiter)
    columns = [name.strip() for name in next(rows, [])]
    if columns and lines.ended:
        yield 1, _never_closed(columns, lines)
    elif (twice := next((name for name, count in Counter(columns).items() if name and count > 1), None)) is not None:
        raise DecodeError(
            "bad_columns", f"column {clean(twice)[:80]!r} stands there twice: keep one, or name the other otherwise"
        )
    begins = lines.read + 1
    for cells in rows:
        if cells and lines.ended:
            yield begins, _never_closed(cells, lines)
        elif len(cells) > len(columns):
            yield begins, DecodeError("bad_row", "more cells than columns")
        elif cells:
            own = dict(zip(columns, cells, strict=False))
            yield begins, {name: _cell(name, value) for name, value in own.items() if value != ""}
        begins = lines.read + 1


class _Lines:
    """The lines of a text. Who got a row and finds `ended` had it cut short by the end: whole rows come before that is seen."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.read = 0
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.read += 1
            yield line
        self.ended = True


def _never_closed(cells: Sequence[str], lines: _Lines) -> DecodeError:
    """Of a row whose last cell has all the rest of the file."""
    swallowed = max(1, sum(1 for _ in io.StringIO(cells[-1], newline="")))
    return DecodeError("bad_row", f"the quote opened in line {lines.read - swallowed + 1} is never closed")


def _cell(name: str, value: str) -> Any:
    """A list or an object where a cell holds one: as JSON, or as Python writes it, which Ragas and pandas do. What is a text stays one, though it be JSON."""
    text = value.strip()
    if text[:1] not in ("[", "{") or text[-1:] not in ("]", "}") or is_scalar(name):
        return value
    for load in (json.loads, ast.literal_eval):
        try:
            found = load(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if _is_meant(name, found) else value
    return value


def _is_meant(name: str, found: Any) -> bool:
    """Whether a column means the list or the object that its cell holds: that of a text only where it is a conversation, several references, or has the text inside."""
    field = text_field(name)
    if field is None:
        return True
    if isinstance(found, list):
        kind = {"question": dict, "reference": str}.get(field)
        return kind is not None and bool(found) and all(isinstance(one, kind) for one in found)
    return isinstance(found, dict) and holds_text(name, found)


def _table(content: bytes, form: str) -> list[object]:
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError as error:
        raise ConfigError("pyarrow", f"is not installed, and {form} takes it", _INSTALL) from error
    source = pyarrow.BufferReader(content)
    try:
        table = parquet.read_table(source) if form == ".parquet" else ipc.open_stream(source).read_all()
    except pyarrow.ArrowException as error:
        raise DecodeError(f"bad_{form[1:]}", type(error).__name__) from error
    return [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]

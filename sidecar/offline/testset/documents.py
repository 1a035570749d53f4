"""The documents that a test set is made from: folders and files of text, Markdown and JSON lines, cut into windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from exporters.text import clean
from sidecar.decode.wire.parse import load_json
from sidecar.inference.embedding.text import sentences
from sidecar.offline.case import Unread
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.settings.input_file import read_file

ENDINGS = (".txt", ".md", ".markdown", ".jsonl")
_MOST_BYTES = 500_000_000
_IDS = ("id", "document_id", "_id", "doc_id")
_TEXTS = ("text", "content", "page_content", "body")
# Of a window: what is left at the end of a document and shorter than this goes with the window before it.
_LEAST_PART = 0.25
_MEND = "give a folder or files of .txt, .md or .jsonl (id, text)"


@dataclass(frozen=True, slots=True)
class Text:
    """A document."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """Whole sentences of a document that stand together: `text` is its characters `start` to `end`."""

    document: str
    start: int
    end: int
    text: str


def read_documents(paths: Iterable[Path]) -> tuple[list[Text], list[Unread]]:
    """Every document in its order, and what could not be read; a file's id is its path below the folder that was given. Raises ConfigError
    where there is none, or more than 500 MB."""
    found: dict[str, Text] = {}
    unread: list[Unread] = []
    size = 0
    for name, path in _files(paths):
        size += path.stat().st_size
        if size > _MOST_BYTES:
            raise ConfigError("documents", f"more than {_MOST_BYTES // 1_000_000} MB", "give a part of them")
        for number, one in _texts(name, path):
            if isinstance(one, Text) and one.id in found:
                one = DecodeError("id_twice", f"{name}: another document has the id of row {number}")
            if isinstance(one, Text):
                found[one.id] = one
            else:
                unread.append(Unread(number, one.reason, one.detail))
    if not found:
        why = f": {unread[0].reason}: {unread[0].detail}" if unread else ""
        raise ConfigError("documents", f"none has text{why}", _MEND)
    return list(found.values()), unread


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files that are read. Raises ConfigError for one that is not there or no document."""
    return [path for _, path in _files(paths)]


def _files(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    for path in paths:
        if path.is_dir():
            for inner in sorted(one for one in path.rglob("*") if one.suffix.lower() in ENDINGS and one.is_file()):
                own = inner.relative_to(path)
                if not any(part.startswith(".") for part in own.parts):
                    yield own.as_posix(), inner
        elif not path.exists():
            raise ConfigError(str(path), "there is no such file", _MEND)
        elif path.suffix.lower() not in ENDINGS:
            raise ConfigError(str(path), "cannot be read as text", _MEND)
        else:
            yield path.name, path


def _texts(name: str, path: Path) -> Iterator[tuple[int, Text | DecodeError]]:
    content = read_file(path, "give readable files", any_encoding=True)
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(content.splitlines(), 1):
            if line.strip():
                yield number, _row(name, number, line)
        return
    try:
        text = clean(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield 1, DecodeError("bad_encoding", f"{name}: must be UTF-8")
        return
    yield 1, Text(name, text) if text.strip() else DecodeError("empty", f"{name}: holds no text")


def _row(name: str, number: int, line: bytes) -> Text | DecodeError:
    try:
        row = load_json(line)
    except DecodeError as error:
        return DecodeError(error.reason, f"{name}: row {number}: {error.detail}")
    if not isinstance(row, dict):
        return DecodeError("not_an_object", f"{name}: row {number}")
    text = next((row[key] for key in _TEXTS if isinstance(row.get(key), str) and row[key].strip()), None)
    own = next((row[key] for key in _IDS if isinstance(row.get(key), str | int) and row[key] != ""), None)
    if text is None:
        return DecodeError("missing_field", f"{name}: row {number} needs a text")
    return Text(clean(str(own)) if own is not None else f"{name}#{number}", clean(text))


def windows(documents: Sequence[Text], most: int) -> list[Window]:
    """All of every document, in windows of at most about so many characters: whole sentences, none of them twice."""
    return [window for document in documents for window in _of_one(document, most)]


def _of_one(document: Text, most: int) -> Iterator[Window]:
    places = [part for span in sentences(document.text) for part in _cut(span.start, span.end, most)]
    bounds: list[tuple[int, int]] = []
    for start, end in places:
        if bounds and end - bounds[-1][0] <= most:
            bounds[-1] = (bounds[-1][0], end)
        else:
            bounds.append((start, end))
    if len(bounds) > 1 and bounds[-1][1] - bounds[-1][0] < _LEAST_PART * most:
        last = bounds.pop()
        bounds[-1] = (bounds[-1][0], last[1])
    for start, end in bounds:
        yield Window(document.id, start, end, document.text[start:end])


def _cut(start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """A sentence in pieces that fit: one without spaces may be of any length."""
    for at in range(start, end, most):
        yield at, min(at + most, end)

"""A file of lines that is one JSON value instead: printed over several lines, or a list in one. Told with how to make lines of it, for no line of it is a record, or
a few by chance."""

from __future__ import annotations

import codecs
import json

from pydantic_core import from_json

from sidecar.decode.native.elsewhere import elsewhere_of
from sidecar.decode.wire.parse import load_json
from sidecar.offline.rows import AROUND
from sidecar.record.errors import DecodeError

_MOST_BYTES = 1 << 16
_RECORD = "and one JSON object a line is read"


class Whole:
    """Is shown the lines from the first on, and keeps as many as tell what they are the beginning of."""

    def __init__(self) -> None:
        self._head: bytes | None = None
        self._first = 0

    def add(self, line: bytes) -> None:
        """The next line that is not empty."""
        if self._head is None:
            line = line.removeprefix(codecs.BOM_UTF8).strip()
            self._head, self._first = (line, len(line)) if _may_be_whole(line) else (b"", 0)
        elif self._head and len(self._head) < _MOST_BYTES:
            self._head += b"\n" + line[:_MOST_BYTES]

    def told(self) -> list[str]:
        """What the file is, in one line; empty where it is one of lines. Holds no text of it."""
        begin = _beginning((self._head or b"").decode("utf-8", "ignore"), self._first)
        if (said := elsewhere_of(begin)) is not None:
            return [f"the file is one JSON value over several lines: {said}"]
        if isinstance(begin, list):
            found = f"the file is a JSON list, {_RECORD}: `jq -c '.[]' FILE` makes lines of it"
            return [f"{found}; `evaluate` reads it as it is"]
        if isinstance(begin, dict):
            around = next((name for name in AROUND if isinstance(begin.get(name), list)), None)
            path = "." if around is None else f"'.{around}[]'"
            return [f"the file is a JSON object over several lines, {_RECORD}: `jq -c {path} FILE` makes lines of it"]
        return []


def _may_be_whole(line: bytes) -> bool:
    """Whether a first line is a list of records, or begins a value that goes on in the next."""
    if line[:1] not in (b"[", b"{"):
        return False
    try:
        found = load_json(line)
    except DecodeError:
        return True
    return isinstance(found, list) and elsewhere_of(found) is None


def _beginning(text: str, first: int) -> object:
    """The list that a text begins with, or the object that takes more than its `first` characters, as far as it is there; None where there is none."""
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        try:
            return from_json(text, allow_partial=True)
        except ValueError:
            return None
    except RecursionError:
        return None
    return found if isinstance(found, list) or end > first else None

"""An answer that is JSON as what it says: each key with its value, an object of a list, or of several in a row, as one row."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sidecar.evaluate.text.envelope import is_about_reply, wraps_reply
from sidecar.evaluate.text.marked import Marked

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]++')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
_NUMBER = re.compile(r"-?\d[\d.,]*")
_UNITS = (
    {one.lower(): one for one in "kg mg ml km cm ms KB MB GB TB kW kWh USD EUR GBP JPY CHF CNY INR".split()}
    | {one: one for one in "seconds minutes hours days weeks months years".split()}  # "birth_year" is none
    | {"pct": "%", "percent": "%"}
)
_RATES = frozenset("per every each".split())  # "requests_per_minute": 100
_PROSE_WORDS = 4
_MOST_OF_ONE = 12
_DIGIT = re.compile(r"\d")
_MOST_CHARACTERS = 20_000
_MOST_DEPTH = 8
_MOST_TRIES = 50
_OPENS = re.compile(r"(?:^|[:：])[ \t]*+(?=[{\[])", re.MULTILINE)
_REST_OF_LINE = re.compile(r"(?<![ \t\r])[ \t\r]*+(?:\n|\Z)")
_LABEL = re.compile(
    r"(?:\A|\n)[ \t]{0,8}(?:[-*•] |\d{1,2}[.)] )?\*{0,2}(?P<label>[^\W\d_][\w '’-]{1,40})\*{0,2}:\*{0,2}[ \t]{0,3}\Z"
)
_OF_THE_REPLY = re.compile(
    r"\b(?:here|json|answers?|results?|outputs?|data|response|following|object|format|summary|below|details|values?|info|information|is|are|was|were|costs?)\b",
    re.IGNORECASE,
)
_LONGEST_LABEL, _MOST_WORDS_OF_A_LABEL = 80, 4
_DECODER = json.JSONDecoder()


class Said(NamedTuple):
    """What a value says; `prose` where it is text of its own, `item` where it has no key."""

    text: Marked
    prose: bool
    item: bool = False


def read_json(text: Marked, label: str = "") -> list[Said] | None:
    """What a JSON object, several, or an array of objects or texts says; None where the text is no such JSON. `label` is what stands before it in its line,
    as a key of it."""
    stripped = text.cut(0)
    if len(stripped.text) > _MOST_CHARACTERS:
        return None
    values, end = _decoded(stripped.text)
    if not values or end < len(stripped.text):
        return None
    of_one = len(values) == 1 and _is_of_one(values[0])
    rows = len(values) > 1 or of_one
    said = list(_Walk(stripped, label, rows=rows, of_one=of_one).said())
    return said or list(_Walk(stripped, label, rows=rows, of_one=of_one, beside=False).said())


def _is_of_one(value: object) -> bool:
    """Whether an object is of one thing that it names first, with figures: {"plan": "Basic", "price": "$10"}."""
    if not isinstance(value, dict) or not 2 <= len(value) <= _MOST_OF_ONE:
        return False
    first, *others = value.values()
    plain = all(isinstance(one, int | float) or (isinstance(one, str) and not _is_prose(one)) for one in others)
    named = isinstance(first, str) and not _is_prose(first) and not _DIGIT.search(first)
    return named and plain and any(_DIGIT.search(str(one)) for one in others)


def label_of(text: str) -> str:
    """What the line that ends a text calls what follows it, "Basic plan:", "" where that names nothing: "Here is the JSON:"."""
    found = _LABEL.search(text[-_LONGEST_LABEL:])
    label = found["label"] if found else ""
    return "" if _OF_THE_REPLY.search(label) or len(label.split()) > _MOST_WORDS_OF_A_LABEL else label


def find_json(text: str) -> Iterator[tuple[int, int]]:
    """Where JSON stands in prose: at the beginning of a line or behind a colon, up to the end of a line."""
    at = tries = 0
    while tries < _MOST_TRIES and (opens := _OPENS.search(text, at)):
        start = opens.end()
        values, end = _decoded(text[start : start + _MOST_CHARACTERS])
        if values:
            yield start, start + end
            at = start + end
        else:
            at, tries = start + 1, tries + 1


def _decoded(text: str) -> tuple[list[object], int]:
    """The objects that a text begins with, each on lines of its own, or the array of objects or texts, and where they end."""
    found: list[object] = []
    end = begin = 0
    while text.startswith("{", begin) or (text.startswith("[", begin) and not found):
        try:
            value, begin = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            break
        rest = _REST_OF_LINE.match(text, begin)
        if rest is None or not (isinstance(value, dict) or any(isinstance(one, dict | str) for one in value)):
            break
        found.append(value)
        end = begin
        begin = len(text) - len(text[rest.end() :].lstrip())
    return found, end


@dataclass(slots=True)
class _Frame:
    """An object or array that is open. `path` are the keys that lead to it, `row` what an object of a list says."""

    array: bool
    path: tuple[str, ...]
    key: str = ""
    row: list[Marked] | None = None


@dataclass(slots=True)
class _Walk:
    """One pass over the tokens of valid JSON, which keeps their places. `rows` where objects follow each other or what there is is `of_one` thing,
    `beside` as of `is_about_reply`."""

    text: Marked
    label: str = ""
    rows: bool = False
    of_one: bool = False
    beside: bool = True
    wrapped: bool = False
    open: list[_Frame] = field(default_factory=list)

    def said(self) -> Iterator[Said]:
        """Each value with its key."""
        tokens = list(_TOKEN.finditer(self.text.text))
        keys = (json.loads(one[0]) for one, after in itertools.pairwise(tokens) if after[0] == ":")
        self.wrapped = wraps_reply(map(str, keys))
        for n, match in enumerate(tokens):
            token = match[0]
            if token in ("{", "["):
                self._enter(mark=token)
            elif token in ("}", "]"):
                yield from self._leave()
            elif token[0] == '"' and n + 1 < len(tokens) and tokens[n + 1][0] == ":":
                self.open[-1].key = str(json.loads(token))
            elif token not in (",", ":"):
                yield from self._value(match)

    def _enter(self, *, mark: str) -> None:
        above = self.open[-1] if self.open else None
        path = above.path + ((above.key,) if above.key else ()) if above else (self.label,) if self.label else ()
        in_list = above.array if above else self.rows
        row: list[Marked] | None = [] if mark == "{" and in_list else None
        self.open.append(_Frame(mark == "[", path, row=row))

    def _leave(self) -> Iterator[Said]:
        frame = self.open.pop()
        if frame.row and self.of_one and len(frame.row) > 1:
            name, *others = frame.row
            yield from (Said(_row([name, one]), prose=False) for one in others)
        elif frame.row:
            yield Said(_row(frame.row), prose=False)

    def _value(self, match: re.Match[str]) -> Iterator[Said]:
        frame = self.open[-1]
        keys = [*frame.path, frame.key] if frame.key else [*frame.path]
        quoted = match[0][0] == '"'
        value = match[0].strip('"')
        if len(keys) > _MOST_DEPTH or (match[0] == "null" or not value) or self._is_about_reply(keys, value):
            return
        own = self.text.cut(match.start() + quoted, match.end() - quoted)
        own = _unescaped(own) if quoted else own
        if quoted and _is_prose(own.text):
            yield Said(own, prose=True, item=not keys)
            return
        rows = [one.row for one in self.open if one.row is not None]
        depth = max((n for n, one in enumerate(self.open) if one.row is not None), default=None)
        named = _named(keys[len(self.open[depth].path) :] if depth is not None else keys, own)
        if rows:
            rows[-1].append(named)
        else:
            yield Said(named, prose=not keys, item=not keys)

    def _is_about_reply(self, keys: list[str], value: str) -> bool:
        return any(is_about_reply(key, value, wrapped=self.wrapped, beside=self.beside) for key in keys)


def _is_prose(text: str) -> bool:
    return len(text.split()) >= _PROSE_WORDS or text.endswith(("。", ".", "！"))


def _unescaped(value: Marked) -> Marked:
    """A string with each escape as the character that it stands for."""
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(value.text):
        character = str(json.loads(f'"{match[0]}"'))[:1]
        pieces += [value.text[at : match.start()], character]
        places += [*value.places[at : match.start()], value.places[match.start()]]
        at = match.end()
    return Marked("".join([*pieces, value.text[at:]]), [*places, *value.places[at:]])


def _named(keys: list[str], value: Marked) -> Marked:
    """A value after its keys in plain words, a number before the unit that ends them: "revenue_usd": 4200000000."""
    words = [word for key in keys for word in _CAMEL.sub(" ", key).lower().split()]
    counts = len(words) > 1 and words[-2] not in _RATES and _NUMBER.fullmatch(value.text)
    unit = _UNITS.get(words[-1], "") if counts else ""
    name = " ".join(words[:-1] if unit else words)
    if not name or not value.text:
        return value
    behind = f" {unit}" if unit else ""
    places = [value.places[0]] * (len(name) + 2) + list(value.places) + [value.places[-1]] * len(behind)
    return Marked(f"{name}: {value.text}{behind}", places)


def _row(parts: list[Marked]) -> Marked:
    places: list[int] = []
    for n, part in enumerate(parts):
        places += [part.places[0]] * (2 if n else 0) + list(part.places)
    return Marked("; ".join(part.text for part in parts), places)

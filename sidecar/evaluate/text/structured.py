"""An answer that is JSON as what it says: each key with its value, an object of a list as one row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sidecar.evaluate.text.marked import Marked

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]++')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
_NOT_SAID = frozenset(
    """
    source sources citation citations reference references confidence score scores id ids url urls link links document documents doc_ids
    document_ids chunk_ids chunks metadata language type status format version
    """.split()
)
_NUMBER = re.compile(r"-?\d[\d.,]*")
_UNITS = (
    {one.lower(): one for one in "kg mg ml km cm ms KB MB GB TB kW kWh USD EUR GBP JPY CHF CNY INR".split()}
    | {one: one for one in "seconds minutes hours days weeks months years".split()}  # "birth_year" is none
    | {"pct": "%", "percent": "%"}
)
_RATES = frozenset("per every each".split())  # "requests_per_minute": 100
_PROSE_WORDS = 4
_MOST_CHARACTERS = 20_000
_MOST_DEPTH = 8
Said = tuple[Marked, bool]


def read_json(text: Marked) -> list[Said] | None:
    """What a JSON object or array says: (text, whether it is prose); None where the text is no JSON."""
    stripped = text.cut(0)
    if not stripped.text.startswith(("{", "[")) or len(stripped.text) > _MOST_CHARACTERS:
        return None
    try:
        value = json.loads(stripped.text)
    except (ValueError, RecursionError):
        return None
    return list(_Walk(stripped).said()) if isinstance(value, dict) or (value and isinstance(value[0], dict)) else None


@dataclass(slots=True)
class _Frame:
    """An object or array that is open. `path` are the keys that lead to it, `row` what an object of a list says."""

    array: bool
    path: tuple[str, ...]
    key: str = ""
    row: list[Marked] | None = None


@dataclass(slots=True)
class _Walk:
    """One pass over the tokens of valid JSON, which keeps their places."""

    text: Marked
    open: list[_Frame] = field(default_factory=list)

    def said(self) -> Iterator[Said]:
        """Each value with its key."""
        tokens = list(_TOKEN.finditer(self.text.text))
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
        path = above.path + ((above.key,) if above.key else ()) if above else ()
        row: list[Marked] | None = [] if mark == "{" and above is not None and above.array else None
        self.open.append(_Frame(mark == "[", path, row=row))

    def _leave(self) -> Iterator[Said]:
        frame = self.open.pop()
        if frame.row:
            yield _row(frame.row), False

    def _value(self, match: re.Match[str]) -> Iterator[Said]:
        frame = self.open[-1]
        keys = [*frame.path, frame.key] if frame.key else [*frame.path]
        if len(keys) > _MOST_DEPTH or any(key.lower() in _NOT_SAID for key in keys) or match[0] in ("null", '""'):
            return
        quoted = match[0][0] == '"'
        own = self.text.cut(match.start() + quoted, match.end() - quoted)
        own = _unescaped(own) if quoted else own
        prose = quoted and (len(own.text.split()) >= _PROSE_WORDS or own.text.endswith(("。", ".", "！")))
        if prose:
            yield own, True
            return
        rows = [one.row for one in self.open if one.row is not None]
        depth = max((n for n, one in enumerate(self.open) if one.row is not None), default=None)
        named = _named(keys[len(self.open[depth].path) :] if depth is not None else keys, own)
        if rows:
            rows[-1].append(named)
        else:
            yield named, False


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

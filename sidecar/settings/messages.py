"""What pydantic says of wrong values, in the words of one who writes a file or an environment: each with its place and its mend."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from sidecar.record.errors import ConfigError
from sidecar.settings import shapes
from sidecar.settings.environment import how_to_list, near

Location = tuple[int | str, ...]

_NO_NUMBER = "must be a number"
_NO_MAP = "must be a map: `name: value` lines below it"
_NO_TEXT = "must be a text (put it in quotes)"
_NO_DATE = "must be a date, as 2026-01-31"
_NO_TIME = "must be a time with its zone, as 2026-01-31T12:00:00Z"
_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is not known",
    "int_parsing_size": "must be a whole number, and not so large",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": _NO_NUMBER,
    "float_type": _NO_NUMBER,
    "finite_number": "must be a finite number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": _NO_TEXT,
    "string_unicode": _NO_TEXT,
    "invalid_key": "names in it must be texts (put them in quotes)",
    "json_invalid": "is no JSON",
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"), _NO_DATE
    ),
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "timezone_aware"), _NO_TIME),
    "path_type": "must be a path",
    "dict_type": _NO_MAP,
    "mapping_type": _NO_MAP,
    "model_type": _NO_MAP,
    "model_attributes_type": _NO_MAP,
    "greater_than": "must be over {gt:.15g}",
    "greater_than_equal": "must be at least {ge:.15g}",
    "less_than": "must be under {lt:.15g}",
    "less_than_equal": "must be at most {le:.15g}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "union_tag_not_found": "must say its {discriminator}",
}
_PATTERNS = {
    "^[a-z]{2}$": "must be a code of two letters (ISO 639-1), as en or zh",
    "^[^:]*$": "must hold no colon",
    "^[0-9a-f]{8}$": "must have 8 digits of 0-9 and a-f",
    "^[a-zA-Z0-9._-]{1,249}$": "must be the name of a topic: at most 249 letters, digits, dots, _ and -",
}
# Of these what stands there is said too: numbers, dates, and words of a set.
_SHOWN = re.compile(
    r"(int|float|bool)_(type|parsing|from_float|parsing_size)|finite_number|(greater|less)_than(_equal)?"
    r"|literal_error|enum|date(time)?_\w+|timezone_aware"
)
# Below these names a text may be a secret, whatever it should be; so may be a long one, or one with a login, of any name.
_SECRET = re.compile(r"key|token|password|secret|headers?|credentials?|authorization", re.IGNORECASE)
_NO_WORD = re.compile(r"[^a-zA-Z0-9]+")
_MOST_SHOWN = 40
_MOST_NUMBER = 10**18
_LISTS = dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), "must be a list")


@dataclass(frozen=True, slots=True)
class Given:
    """Where values came from: all of them, those of the environment, and which variable set which path."""

    values: Mapping[str, Any]
    environment: Mapping[str, Any]
    variables: Mapping[tuple[str, ...], str]

    def place(self, path: Location) -> str:
        """The variable that holds what is wrong, with the path where it holds more than that; else the path."""
        dotted = ".".join(map(str, path)) or "config"
        known = path if _reaches(self.values, path) else path[:-1]
        if not _reaches(self.environment, known):
            return dotted
        for end in range(len(known), 0, -1):
            variable = self.variables.get(tuple(map(str, path[:end])))
            if variable is not None:
                return variable if end == len(path) else f"{variable} ({dotted})"
        return dotted


def explain(error: ValidationError, model: type[BaseModel], *, prefix: str, given: Given) -> ConfigError:
    """Every wrong setting on a line of its own, by its variable where the environment gave it, else by its path."""
    told: dict[Location, list[tuple[bool, _Said]]] = {}
    for item in error.errors(include_url=False):
        types, path = shapes.at(model, item["loc"])
        of_a_part = len(path) < len(item["loc"]) or item["type"] == "too_short"  # what is wrong below is told there
        said = _Said(_said(item, model, types=types, prefix=prefix), _got(item, path), _meant(item))
        told.setdefault(path, []).append((of_a_part, said))
    lines = []
    for path, all_said in told.items():
        deeper = any(len(other) > len(path) and other[: len(path)] == path for other in told)
        kept = [said for of_a_part, said in all_said if not (of_a_part and deeper)]
        if kept:
            lines.append((given.place(path), _joined(kept)))
    first, *others = lines
    return ConfigError(first[0], first[1] + "".join(f"\n{place}: {message}" for place, message in others))


@dataclass(frozen=True, slots=True)
class _Said:
    """What should stand there, what does (with a comma before it), and what may have been meant."""

    wanted: str
    got: str
    meant: str


def _joined(kept: Sequence[_Said]) -> str:
    """What a place should hold in one way or another, and once what it holds."""
    got = next((said.got for said in kept if said.got), "")
    return " or ".join(dict.fromkeys(said.wanted for said in kept)) + got + "".join({said.meant: None for said in kept})


def _got(item: Any, path: Location) -> str:
    """What stands there; nothing of what may be a secret."""
    found = _shown(item["input"], path) if _SHOWN.fullmatch(item["type"]) else None
    return "" if found is None else f", got {found}"


def _shown(value: Any, path: Location) -> str | None:
    """A value as a short text, None where it is not to be shown."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping | list | tuple):
        return "a map" if isinstance(value, Mapping) else "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.15g}" if isinstance(value, float) or abs(value) < _MOST_NUMBER else None
    if not isinstance(value, str):
        return None
    words = {word for part in path for word in _NO_WORD.split(str(part))}
    if len(value) > _MOST_SHOWN or "@" in value or any(_SECRET.fullmatch(word) for word in words):
        return None
    return repr(value) if value else "nothing"


def _reaches(values: Any, path: Location) -> bool:
    for part in path:
        inside = isinstance(values, list | tuple) and isinstance(part, int) and part < len(values)
        if not inside and not (isinstance(values, Mapping) and part in values):
            return False
        values = values[part]
    return True


def _said(item: Any, model: type[BaseModel], *, types: list[Any], prefix: str) -> str:
    kind, location = item["type"], item["loc"]
    if kind == "extra_forbidden":
        siblings, _ = shapes.at(model, location[:-1])
        return f"no such setting ({near(str(location[-1]), shapes.names(siblings))})"
    if kind == "missing":
        _, path = shapes.at(model, location)
        by_variable = prefix and not any(isinstance(part, int) for part in path)
        return f"is required ({_set_it(path, prefix)})" if by_variable else "is required"
    if kind in _LISTS:
        return f"{_LISTS[kind]} ({how_to_list(shapes.items(types) or [str])})"
    return plain(item)


def plain(item: Any) -> str:
    """What is wrong, of one of pydantic's errors, in our words and without what stands there."""
    kind = item["type"]
    if kind in ("literal_error", "enum"):
        return f"must be one of {item['ctx']['expected']}"
    if kind == "string_pattern_mismatch":
        pattern = item["ctx"]["pattern"]
        return _PATTERNS.get(pattern, f"must be written as the regular expression {pattern} says")
    if kind in _WORDS or kind in _LISTS:
        return (_WORDS | _LISTS)[kind].format(**item.get("ctx", {}))
    message: str = item["msg"]
    return message.removeprefix("Value error, ").replace("Input should be", "must be")


def plain_of_setting(item: Any) -> str:
    """The same of a setting, with what stands there where that is no secret."""
    return plain(item) + _got(item, item["loc"]) + _meant(item)


def first_of(error: ValidationError, *, top: str = "", inside: str = "") -> str:
    """The first of what is wrong with something that is no file of settings, with its place; `top` is what the whole of it is called, `inside` the field that it is."""
    first = error.errors(include_url=False)[0]
    place = ".".join([*([inside] if inside else []), *map(str, first["loc"])]) or top
    said = plain(first) + _meant(first)
    return f"{place}: {said}" if place else said


def _set_it(path: Location, prefix: str) -> str:
    return f"set it in the file, or as {prefix}{'__'.join(map(str, path)).upper()}"


def _meant(item: Any) -> str:
    if item["type"] not in ("literal_error", "enum"):
        return ""
    given, expected = (
        item["input"],
        [word.strip("' ") for word in item["ctx"]["expected"].replace(" or ", ", ").split(",")],
    )
    close = difflib.get_close_matches(given, expected, n=1) if isinstance(given, str) else []
    return f" (did you mean {close[0]}?)" if close else ""

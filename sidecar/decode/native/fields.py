"""The fields of a native record under any of their names: matched without regard to case, `_` and `-`, one level down too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from sidecar.decode.native.table import INSIDE, names, squeeze, text_field
from sidecar.decode.values.scalars import number, text_of

NAME = "native"
MOST_ID_CHARS = 256


class NativeRecord:
    """A record with its names squeezed."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._top = {squeeze(key): value for key, value in data.items()}
        self._inner = [
            {squeeze(key): value for key, value in inner.items()}
            for name in INSIDE
            if isinstance(inner := self._top.get(squeeze(name)), dict)
        ]
        self._levels = (self._top, *self._inner)

    def values(self, *names: str) -> Iterator[Any]:
        """Values under any of the names, in the order of the names, the top level first."""
        wanted = _squeezed(names)
        for level in self._levels:
            for name in wanted:
                value = level.get(name)
                if value is not None:
                    yield value

    def there(self) -> Iterator[tuple[str, Any]]:
        """All names that are there, squeezed, with their values, the top level first."""
        for level in self._levels:
            yield from level.items()

    def number(self, squeezed: str) -> float | None:
        """The first number under a name that is squeezed already."""
        for level in self._levels:
            found = number(level[squeezed]) if squeezed in level else None
            if found is not None:
                return found
        return None

    def text(self, *names: str) -> str | None:
        """The first text."""
        for value in self.values(*names):
            text = text_in(value)
            if text:
                return text
        return None

    def short(self, *names: str) -> str | None:
        """The first short text or number, as a text."""
        for value in self.values(*names):
            if isinstance(value, str) and value.strip():
                return value.strip()[:MOST_ID_CHARS]
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return None

    def mapping(self, *names: str) -> Mapping[str, Any]:
        """The first object."""
        return next((value for value in self.values(*names) if isinstance(value, dict)), {})


def text_in(value: Any) -> str | None:
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, dict):
        return next(
            (
                text
                for key in ("content", "text", "answer", "output", "query", "question", "input")
                if (text := text_of(value.get(key)))
            ),
            None,
        )
    return None


def scalar_in(value: Any) -> str | None:
    """A number or a truth value as JSON writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) and math.isfinite(value) else None


def holds_text(name: str, value: Mapping[str, Any]) -> bool:
    """Whether an object under the name of a text has that inside, or, where objects are looked into, fields of a record."""
    inside = squeeze(name) in map(squeeze, INSIDE) and any(text_field(key) or key in names("contexts") for key in value)
    return inside or text_in(value) is not None


@lru_cache(maxsize=256)
def _squeezed(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(squeeze, names))

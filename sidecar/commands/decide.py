"""The option --decide of what compares two systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from sidecar.record.errors import ConfigError
from sidecar.settings.environment import near

DecideOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC", help="A metric that decides, more with commas; the others are told. Else all decide."
    ),
]


def deciding(given: Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The metrics of --decide. Raises ConfigError for one that is none of the known."""
    names = tuple(name.strip() for one in given or () for name in one.split(","))
    for name in names:
        if name not in known:
            raise ConfigError("--decide", f"no metric is called {name!r}", near(name, known))
    return names

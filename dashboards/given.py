"""Numbers of an installation of your own: a file that the variable DASHBOARDS_OBJECTIVES names, YAML, a name of objectives.py and its number a line.

They are read once, before any rule is made of them, so that `DASHBOARDS_OBJECTIVES=mine.yaml python -m dashboards.generate --output FOLDER` writes rules,
panels and texts that agree.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Mapping
from pathlib import Path

import yaml

VARIABLE = "DASHBOARDS_OBJECTIVES"
# What is budgeted, and how many times faster than that somebody is told.
_BURNS = {
    "HALLUCINATION_BUDGET": ("FAST_BURN", "SLOW_BURN", "TICKET_BURN", "LONG_TICKET_BURN"),
    "REQUEST_BUDGET": ("FAST_BURN",),
    "FIRST_TOKEN_BUDGET": ("FAST_BURN",),
}


class ObjectivesError(SystemExit):
    """A file that cannot be taken; the message names the line's field and the mend."""


def given(defaults: Mapping[str, object], edges: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    """What stands in place of numbers among `defaults`; nothing without the variable. Those named in `edges` have to be one of these: a share is
    counted by the buckets of a histogram. Raises ObjectivesError."""
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    known = {name: value for name, value in defaults.items() if name.isupper() and isinstance(value, int | float)}
    found = {name: _number(path, name, value, known, edges) for name, value in _read(path).items()}
    _refuse_what_never_fires(path, {**known, **found})
    return found


def _refuse_what_never_fires(path: str, numbers: Mapping[str, float]) -> None:
    """No share is above 1, so that an alert on one above 1 would be silent for ever. Raises ObjectivesError."""
    for name, burns in _BURNS.items():
        burn = max(burns, key=lambda one: numbers[one])
        limit = numbers[burn] * numbers[name]
        if limit >= 1:
            largest = (math.ceil(10_000 / numbers[burn]) - 1) / 10_000
            raise ObjectivesError(
                f"{path}: {name}: {burn} ({numbers[burn]:g}) times {numbers[name]:g} is {limit:g}, and no share is above 1, so that the alert could never fire: "
                f"give {largest:g} at the most, or a smaller {burn}"
            )


def _read(path: str) -> dict[str, object]:
    try:
        found = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ObjectivesError(f"{VARIABLE}: {path}: {type(error).__name__}: give a readable YAML file") from error
    if not isinstance(found, dict):
        raise ObjectivesError(f"{VARIABLE}: {path}: a name and a number a line are wanted")
    return {str(name): value for name, value in found.items()}


def _number(
    path: str, name: str, value: object, known: Mapping[str, float], edges: Mapping[str, tuple[float, ...]]
) -> float:
    def refuse(why: str) -> ObjectivesError:
        return ObjectivesError(f"{path}: {name}: {why}")

    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        raise refuse(f"no such objective; {f'did you mean {close[0]}?' if close else 'docs/alerts.md lists them'}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise refuse("give a number above 0")
    if isinstance(known[name], int) and not isinstance(value, int):
        raise refuse("give a whole number")
    if known[name] < 1 <= value:
        raise refuse("it is a share: give one under 1")
    if name in edges and float(value) not in edges[name]:
        raise refuse(f"give an edge of the buckets: {', '.join(f'{edge:g}' for edge in edges[name])}")
    return value

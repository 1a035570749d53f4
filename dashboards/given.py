"""Numbers of an installation of your own: a file that the variable DASHBOARDS_OBJECTIVES names, YAML, a name of objectives.py and its number a line.

They are read once, before any rule is made of them, so that `DASHBOARDS_OBJECTIVES=mine.yaml python -m dashboards.generate --output FOLDER` writes rules,
panels and texts that agree.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

import yaml

VARIABLE = "DASHBOARDS_OBJECTIVES"


class ObjectivesError(SystemExit):
    """A file that cannot be taken; the message names the line's field and the mend."""


def given(defaults: Mapping[str, object], edges: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    """What stands in place of numbers among `defaults`; nothing without the variable. Those named in `edges` have to be one of these: a share is
    counted by the buckets of a histogram. Raises ObjectivesError."""
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    known = {name: value for name, value in defaults.items() if name.isupper() and type(value) in (int, float)}
    return {name: _number(path, name, value, known, edges) for name, value in _read(path).items()}


def _read(path: str) -> dict[str, object]:
    try:
        found = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ObjectivesError(f"{VARIABLE}: {path}: {type(error).__name__}: give a readable YAML file") from error
    if not isinstance(found, dict):
        raise ObjectivesError(f"{VARIABLE}: {path}: a name and a number a line are wanted")
    return {str(name): value for name, value in found.items()}


def _number(
    path: str, name: str, value: object, known: Mapping[str, object], edges: Mapping[str, tuple[float, ...]]
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
    if name in edges and float(value) not in edges[name]:
        raise refuse(f"give an edge of the buckets: {', '.join(f'{edge:g}' for edge in edges[name])}")
    return value

"""Which settings take effect while the sidecar runs. docs/configuration.md marks them, the chart restarts pods for all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from pydantic import BaseModel

# Parts of the path; `*` is any one name. What is not here is part of what is built at the start: connections, queues, models, label sets.
LIVE = (
    ("sample", "rate"),
    ("sample", "rules"),
    ("sample", "always_keep"),
    ("sample", "min_rate"),
    ("sample", "budget", "enabled"),
    ("sample", "budget", "*_fill"),
    ("evaluate", "most_*"),
    ("evaluate", "timeout_seconds"),
    ("evaluate", "*", "threshold"),
    ("evaluate", "*", "thresholds"),
    ("evaluate", "*", "judge_threshold"),
    ("evaluate", "*", "judge_rate"),
    ("price", "*"),
    ("log", "level"),
)


def is_live(path: Sequence[str]) -> bool:
    """Whether a setting takes effect while the sidecar runs."""
    return any(len(path) == len(one) and all(map(fnmatchcase, path, one)) for one in LIVE)


def changed(old: BaseModel, new: BaseModel) -> list[tuple[str, ...]]:
    """The paths of the settings that differ. A list or a map of sections is one setting."""
    return [path for path, (before, after) in _pairs(old, new, ()) if before != after]


def _pairs(
    old: BaseModel, new: BaseModel, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[object, object]]]:
    for name in type(old).model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if isinstance(before, BaseModel) and type(before) is type(after):
            yield from _pairs(before, after, (*path, name))
        else:
            yield (*path, name), (before, after)

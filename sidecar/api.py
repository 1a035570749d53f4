"""The public Python API: `from sidecar import score`.

    results = score([{"question": "How long is the warranty?", "answer": "Two years.", "contexts": ["The warranty is two years."]}])
    results[0]["verdict"]  # "grounded"

The numbers are those of `rag-sidecar score` over the same records: the same code, models and settings.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, overload

import orjson

from sidecar import config as configuration
from sidecar.config import Config
from sidecar.offline.plain import as_json
from sidecar.offline.scorer import Line, OfflineScorer

Settings: TypeAlias = Mapping[str, Any] | str | Path | None


class Frame(Protocol):
    """What is used of a pandas DataFrame, which the sidecar does not depend on."""

    @property
    def columns(self) -> Any: ...

    @property
    def index(self) -> Any: ...

    @property
    def to_dict(self) -> Any: ...


_Frame = TypeVar("_Frame", bound=Frame)


@overload
def score(records: Iterable[Mapping[str, Any]], *, config: Settings = None) -> list[dict[str, Any]]: ...


@overload
def score(records: _Frame, *, config: Settings = None) -> _Frame: ...


def score(records: Any, *, config: Settings = None) -> Any:
    """Score requests with the evaluators of the sidecar, without Kafka.

    `records` are native records (docs/native.md): mappings with `question`, `answer` and `contexts`, or a pandas frame with such columns.
    `config` is a path of a YAML file, or a mapping of the same shape; the environment wins over it, as for the commands.

    Returns one result a record, in their order. For mappings it is the object that `rag-sidecar score` writes (docs/results.md): every score
    lies in 0..1, 1 is good, and what could not be scored has `score` None and a `reason`. For a frame it is a frame with the same index and the
    columns `outcome`, `reason`, `verdict` and one a evaluator with its score, NaN where there is none. A record that cannot be read keeps its
    place, with `outcome` "failed" and the reason.

    Blocks until all are scored, also inside a running event loop; models are loaded anew by each call, so score many records at once.
    Raises ConfigError for wrong settings, TypeError naming the record that is no mapping or holds what JSON cannot say.
    """
    settings = settings_of(config)
    if isinstance(records, Mapping | str | bytes):
        raise TypeError("records must be a list of mappings or a pandas DataFrame, not a single record")
    is_frame = hasattr(records, "columns")
    rows = records.to_dict("records") if is_frame else records
    results = _run([Line(number, 0, as_json(number, row)) for number, row in enumerate(rows, 1)], settings)
    return _frame(results, records.index) if is_frame else results


def settings_of(given: Settings) -> Config:
    """The settings of a mapping, of a file, or of none, and the environment. Raises ConfigError."""
    if isinstance(given, Mapping):
        return configuration.build(given, kafka=False)
    return configuration.load(None if given is None else Path(given), kafka=False)


def _run(lines: list[Line], settings: Config) -> list[dict[str, Any]]:
    """Score in a thread of its own, so that a notebook's running event loop is no hindrance."""
    with ThreadPoolExecutor(1, thread_name_prefix="score") as pool:
        return pool.submit(lambda: asyncio.run(_score(lines, settings))).result()


async def _score(lines: list[Line], settings: Config) -> list[dict[str, Any]]:
    async with OfflineScorer(settings) as scorer:
        return [orjson.loads(text) async for _, (text, _) in scorer.in_order(_each(lines))]


async def _each(lines: list[Line]) -> AsyncIterator[Line]:
    for line in lines:
        yield line


def _frame(results: list[dict[str, Any]], index: Any) -> Any:
    import pandas as pd

    names = dict.fromkeys(one["evaluator"] for result in results for one in result["evaluations"])
    rows = []
    for result in results:
        scores = {one["evaluator"]: one["score"] for one in result["evaluations"]}
        said = {name: result[name] for name in ("outcome", "reason", "verdict")}
        rows.append(said | {name: math.nan if (value := scores.get(name)) is None else value for name in names})
    return pd.DataFrame(rows, index=index, columns=["outcome", "reason", "verdict", *names])

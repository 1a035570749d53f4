"""Where one machine is not enough: pandas frames of cases to frames of scores, batch after batch, on as many workers as Spark or Ray has.

    scorer = FrameScorer("config.yaml")
    cases.mapInPandas(scorer.frames, scorer.schema)                                  # Spark
    cases.map_batches(FrameScorer, fn_constructor_args=("config.yaml",), batch_format="pandas", concurrency=2, batch_size=64)    # Ray Data

The numbers are those of `rag-sidecar evaluate` over the same cases: the same code, models and settings.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hashlib
import os
import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import orjson
from pydantic import SecretStr

from sidecar.api import Settings, settings_of
from sidecar.config import Config
from sidecar.decode.wire.parse import load_json
from sidecar.evaluate.settings import names_of
from sidecar.offline.case import Case, read_cases
from sidecar.offline.plain import as_json
from sidecar.offline.record import CaseRecord
from sidecar.offline.run import Runner, Wanted, running
from sidecar.offline.turns import with_turns
from sidecar.record.errors import DecodeError

_ABOUT = ("id", "outcome", "reason", "verdict")
_DETAILS = "evaluations"
_CLOSING_SECONDS = 5.0


class FrameScorer:
    """Scores frames of native records (docs/native.md), a row each. It can be pickled: it holds settings, those of where it was made, and each process
    that scores with it loads the models once.

    A row comes out in its place, with the index it had: `id`, `outcome`, `reason`, `verdict`, and a column an evaluator with its score, NaN where there is
    none. A row that cannot be read has `outcome` "failed" and the reason. Every process has the judge's budget by itself.
    """

    def __init__(self, config: Settings = None, *, details: bool = False) -> None:
        """`config` as for `sidecar.score`; `details` adds the column `evaluations`, as in results, as JSON. Raises ConfigError."""
        self._settings = settings_of(config)
        self._evaluators = names_of(with_turns(self._settings.evaluate)[0])
        self._details = details

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the frames that come out."""
        return (*_ABOUT, *self._evaluators, *((_DETAILS,) if self._details else ()))

    @property
    def schema(self) -> str:
        """The same as Spark writes it (DDL)."""
        return ", ".join(f"`{one}` {'double' if one in self._evaluators else 'string'}" for one in self.columns)

    def frames(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Each frame with its scores: what `mapInPandas` takes."""
        for frame in frames:
            yield self(frame)

    def __call__(self, frame: Any) -> Any:
        """One frame. Blocks until all of it is scored. Raises ConfigError where models or judge cannot be had."""
        import pandas as pd

        rows = [_row(number, row) for number, row in enumerate(frame.to_dict("records"), 1)]
        cases, unread = read_cases(rows, self._settings.decode)
        bad = {one.row: one.reason for one in unread}
        records = iter(_engine(self._settings).run(cases) if cases else ())
        told = [_unread(bad[n]) if n in bad else self._told(next(records)) for n in range(1, len(rows) + 1)]
        made = {
            name: pd.Series(
                [one.get(name) for one in told], frame.index, dtype="float64" if name in self._evaluators else object
            )
            for name in self.columns
        }
        return pd.DataFrame(made, index=frame.index)

    def _told(self, record: CaseRecord) -> dict[str, Any]:
        scores = {one.evaluator: one.score for one in record.evaluations}
        about = {name: getattr(record, name) for name in _ABOUT}
        details = orjson.dumps([one.model_dump(mode="json") for one in record.evaluations]).decode()
        return {**about, **scores, _DETAILS: details}


def _row(number: int, row: Mapping[Hashable, Any]) -> Mapping[str, Any] | DecodeError:
    """A row as a native record, without what is empty; or why it can be none. One bad value among millions of rows must not end a job."""
    try:
        return {name: value for name, value in load_json(as_json(number, row)).items() if value is not None}
    except TypeError as error:
        return DecodeError("bad_row", str(error))
    except DecodeError as error:
        return error


def _unread(reason: str) -> dict[str, Any]:
    return {"outcome": "failed", "reason": reason}


class _Engine:
    """A runner in a thread with an event loop of its own, for as long as the process lives."""

    def __init__(self, settings: Config) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="frames", daemon=True).start()
        self._stack = AsyncExitStack()
        try:
            self._runner: Runner = self._wait(self._stack.enter_async_context(running(settings, Wanted())))
        except BaseException:
            self._loop.call_soon_threadsafe(self._loop.stop)
            raise

    def run(self, cases: Sequence[Case]) -> list[CaseRecord]:
        """The records of cases, in their order."""
        found: list[CaseRecord] = self._wait(self._runner.run(cases, None, lambda _: None))
        return found

    def close(self) -> None:
        """Stop models and judge as the process ends, so that it says nothing of work that was under way."""
        with contextlib.suppress(Exception):
            self._wait(self._stack.aclose(), seconds=_CLOSING_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _wait(self, work: Any, *, seconds: float | None = None) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)


_engines: dict[str, _Engine] = {}
# Of the process that this one was forked from. Never let go: what ends them would act on the parent's loop.
_inherited: list[_Engine] = []
_making = threading.Lock()


def _engine(settings: Config) -> _Engine:
    """The one of these settings in this process: workers are used again for one task after the other."""
    key = _key(settings)
    with _making:
        if key not in _engines:
            _engines[key] = _Engine(settings)
            atexit.register(_engines[key].close)
        return _engines[key]


def _key(settings: Config) -> str:
    """The same for the same settings, secrets among them, which it does not tell."""
    told = orjson.dumps([settings.model_dump_json(), list(_secrets(settings.model_dump()))])
    return hashlib.sha256(told).hexdigest()


def _secrets(value: Any) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _secrets(one)


def _forget() -> None:
    """A forked child has the engines of its parent without their threads: who waited for one would wait for ever."""
    global _making
    _making = threading.Lock()
    for one in _engines.values():
        atexit.unregister(one.close)
    _inherited.extend(_engines.values())
    _engines.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

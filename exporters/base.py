"""What an exporter is, and the two kinds of failure it may show.

ExportError
├── RetryableExportError    try the same results again later
└── PermanentExportError    these results will never be taken; drop and count them
DestinationError            the destination is set wrongly or out of reach at start-up
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from exporters.result import Result


class ExportError(Exception):
    """An exporter could not take a batch. `error_type` is bounded and never holds user text."""

    def __init__(self, message: str, *, error_type: str) -> None:
        super().__init__(message)
        self.error_type = error_type


class RetryableExportError(ExportError):
    """The same batch may be taken later; `retry_after_seconds` is when, where the destination says so."""

    def __init__(self, message: str, *, error_type: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(message, error_type=error_type)
        self.retry_after_seconds = retry_after_seconds


class PermanentExportError(ExportError):
    """The same batch will never be taken. `rejected` is how many of it were refused while the others were taken;
    None means all of them. `closed`: nothing is wrong with the batch, the destination takes none from us until someone
    changes something (rights, a login, an address). `mend` is what to do so that it takes the next ones."""

    def __init__(
        self, message: str, *, error_type: str, rejected: int | None = None, closed: bool = False, mend: str = ""
    ) -> None:
        super().__init__(message, error_type=error_type)
        self.rejected = rejected
        self.closed = closed
        self.mend = mend


class DestinationError(Exception):
    """`start` found a setting wrong. `field` is its dotted path, `problem` what is wrong, `mend` what to do. No secrets.
    `passing`: the setting may well be right, and the destination not up yet; `start` may be called again."""

    def __init__(self, field: str, problem: str, mend: str = "", *, passing: bool = False) -> None:
        super().__init__(f"{field}: {problem}" + (f" ({mend})" if mend else ""))
        self.field = field
        self.problem = problem
        self.mend = mend
        self.passing = passing


class Exporter(Protocol):
    """Pushes results to one destination. Queue, retry, timeout and telemetry are wrapped around it by deliver.

    name         bounded word for labels and logs
    every_trace  False: `export` sees only results whose outcome is `evaluated`; True: all of them
    local        True: `export` never waits for anything outside the process, so it is called without a queue

    `start` may raise DestinationError naming the field: a wrong destination fails at start-up, one that may pass is waited for where
    the exporter is required, else its `export` connects.
    `export` may raise RetryableExportError or PermanentExportError and nothing else; it is safe to call twice with
    the same results (ids are deterministic); returning means that the destination took them, not that anyone read them.
    `stop` flushes within the caller's deadline, never raises, and may be called twice.
    """

    name: str
    every_trace: bool
    local: bool

    async def start(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None: ...

    async def stop(self) -> None: ...

"""Logs: one line a record on standard error, starts, stops and changes of state only, never user text.

What others write into their messages is not ours to trust: of libraries the words that stand in their source are kept, and numbers. Of
an exception types and places are, never its message. The same holds for warnings, for exceptions that nobody took, and for those that end
the process.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import sys
import threading
import time
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TextIO

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sidecar.observe.places import place, places
from sidecar.record.errors import SidecarError

logger = logging.getLogger(__name__)

_OURS = ("sidecar", "exporters")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class LogConfig(BaseModel):
    """Settings of the logs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO",
        description="Least level that is written, in capitals or not.",
        json_schema_extra={"enum": [word for level in _LEVELS for word in (level, level.lower())]},
    )
    format: Literal["json", "text"] = Field(default="json", description="One JSON object a line, or plain text.")

    @field_validator("level", mode="before")
    @classmethod
    def _in_capitals(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value


class _Formatter(logging.Formatter):
    """What both formats have in common: what may be said of a record."""

    def said(self, record: logging.LogRecord) -> str:
        """The message, on one line."""
        template = str(record.msg)
        if record.name.split(".")[0] not in _OURS and not _is_written_in(template, record.pathname):
            template, arguments = "(withheld)", ()
        else:
            arguments = self._arguments(record)
        try:
            text = template % arguments if arguments else template
        except (TypeError, ValueError):
            text = template
        return " ".join(text.split())

    def _arguments(self, record: logging.LogRecord) -> Any:
        ours = record.name.split(".")[0] in _OURS
        if isinstance(record.args, dict):
            return {name: _argument(value, ours=ours) for name, value in record.args.items()}
        return tuple(_argument(value, ours=ours) for value in record.args or ())


class JsonFormatter(_Formatter):
    """One JSON object a line: time (RFC 3339), level, logger, message, and the type and the places of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _stamp(record),
            "level": record.levelname,
            "logger": record.name,
            "message": self.said(record),
        }
        if (error := _error(record)) is not None:
            line |= {"error_type": type(error).__name__, "error_places": places(error)}
        return json.dumps(line, ensure_ascii=False)


class TextFormatter(_Formatter):
    """Time, level, logger and message, and below it a line for the type and the places of each exception."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{_stamp(record)} {record.levelname} {record.name}: {self.said(record)}"
        error = _error(record)
        return line if error is None else "\n  ".join([line, *places(error)])


def set_up_logs(config: LogConfig) -> None:
    """Send our logs to standard error; those of the libraries only from WARNING on. Whatever else would write there is logged too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if config.format == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    # A handler that fails would print the message and its arguments.
    logging.raiseExceptions = False
    # aiokafka logs an error for every try and user names at INFO; what matters of it the receiver says itself.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    set_level(config)
    warnings.showwarning = _warned
    sys.excepthook = _uncaught
    sys.unraisablehook = lambda given: _nobody_took(given.exc_value)
    threading.excepthook = lambda given: _nobody_took(given.exc_value)


def set_level(config: LogConfig) -> None:
    """Write our own records from that level on."""
    for name in _OURS:
        logging.getLogger(name).setLevel(config.level)


def watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Have exceptions that nobody took logged by us: asyncio's own line holds their repr, and that of arguments."""
    loop.set_exception_handler(lambda _, context: _nobody_took(context.get("exception"), context.get("future")))


def _nobody_took(error: object, task: object = None) -> None:
    name = task.get_name() if isinstance(task, asyncio.Task) else "no task"
    known = error if isinstance(error, BaseException) else None
    logger.error("an exception that nobody took (%s)", name, exc_info=known)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    logger.warning("%s at %s:%d", category.__name__, Path(filename).name, lineno)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logger.critical("the process ends: %s", place(error), exc_info=(kind, error, trace))


def _error(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if record.exc_info else None


def _argument(value: object, *, ours: bool) -> object:
    if isinstance(value, BaseException):
        return value if isinstance(value, SidecarError) else type(value).__name__  # ours quote no one
    return value if ours or value is None or isinstance(value, int | float) else "..."


@functools.lru_cache(maxsize=256)
def _is_written_in(text: str, path: str) -> bool:
    """Whether the source file has these words, so that they are no one's but the author's."""
    try:
        return text in Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _stamp(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"

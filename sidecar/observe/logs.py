"""Logs: one JSON object a line on standard error, starts, stops and changes of state only, never user text."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

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


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time (RFC 3339), level, logger, message, and the type of an exception, never its text."""

    def format(self, record: logging.LogRecord) -> str:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"
        line = {"time": stamp, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            line["error_type"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(config: LogConfig) -> None:
    """Send our logs to standard error; those of the libraries only from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter()
        if config.format == "json"
        else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    # aiokafka logs an error for every try and user names at INFO; what matters of it the receiver says itself.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    for name in ("sidecar", "exporters"):
        logging.getLogger(name).setLevel(config.level)

"""JSON as senders write it: invalid UTF-8 and lone surrogates are mended, depth is bounded."""

from __future__ import annotations

import codecs
import re
from typing import Any

import orjson

from sidecar.record.errors import DecodeError

_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def load_text(value: bytes) -> Any:
    """JSON of a file, in which nothing is mended that is no UTF-8: a sender cuts texts, a file is in another encoding. Raises DecodeError: bad_encoding, bad_json,
    too_deep."""
    try:
        value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError("bad_encoding", "must be UTF-8: save the file so") from error
    return load_json(value)


def load_json(value: bytes) -> Any:
    """JSON, with invalid UTF-8 and lone surrogates replaced, behind a byte order mark or none. Raises DecodeError: bad_json, too_deep."""
    value = value.removeprefix(codecs.BOM_UTF8)
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            raise DecodeError("too_deep", "nested more than 1024 levels") from error
    text = _SURROGATE.sub(r"\\ufffd", value.decode("utf-8", "replace"))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        # The one line of a record may be any line of its file.
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        raise DecodeError("bad_json", f"{line}column {error.colno}") from error

"""Times, durations, token counts and feedback of a native record."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from sidecar.decode.conventions.langfuse import usage_details
from sidecar.decode.native.fields import NAME, NativeRecord
from sidecar.decode.native.table import names as field_names
from sidecar.decode.native.table import squeeze
from sidecar.decode.values.scalars import count, first_count, make_tokens, number
from sidecar.record.errors import DecodeError
from sidecar.record.request import Durations, Tokens

MOST_SECONDS = 1e6
_TIME = "must be RFC 3339, as 2026-01-31T12:00:00Z, or a number since the epoch (leave it out where there is none)"
_LEAP_SECOND = re.compile(r"(T\d\d:\d\d:)60")
_PER_SECOND = (1.0, 1e3, 1e6, 1e9)
FIRST_TIME, LAST_TIME = 1e8, 1e10  # seconds since the epoch
_GIVEN = ("prompt_tokens", "input_tokens", "promptTokenCount", "input")
_MADE = ("completion_tokens", "output_tokens", "candidatesTokenCount", "output")
_CACHED = ("cached_input", "cache_read_input_tokens", "cachedContentTokenCount")
_WRITTEN = ("cache_write", "cache_creation_input_tokens")
_REASONING = ("reasoning", "reasoning_tokens", "thoughtsTokenCount")
_GIVEN_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
_MADE_DETAILS = ("completion_tokens_details", "output_tokens_details", "output_token_details")
# The names of counts in a usage, and of the objects in it that hold parts of them.
TOKENS = frozenset((*_GIVEN, *_MADE, *_CACHED, *_WRITTEN, *_REASONING))
DETAILS = frozenset((*_GIVEN_DETAILS, *_MADE_DETAILS))
_UNITS = {"ms": 1e-3, "milliseconds": 1e-3, "s": 1.0, "seconds": 1.0, "sec": 1.0, "us": 1e-6}


def read_timestamp(record: NativeRecord, fallback: float) -> float:
    """RFC 3339 or the date of an e-mail, or seconds, milliseconds, microseconds or nanoseconds since the epoch by magnitude; `fallback` where none is told, as by
    0 or the year 1, which programs write for no time. Raises DecodeError for any other."""
    for value in record.values(*field_names("timestamp")):
        told = number(value) if not isinstance(value, str) else _moment(value.strip())
        if told is None and isinstance(value, str):
            raise DecodeError("bad_field", f"timestamp {_TIME}")
        if not told:
            continue
        for unit in _PER_SECOND if not isinstance(value, str) else _PER_SECOND[:1]:
            if FIRST_TIME <= told / unit < LAST_TIME:
                return told / unit
        raise DecodeError("bad_field", f"timestamp {_TIME}, of the years 1973 to 2286")
    return fallback or time.time()


def _moment(text: str) -> float | None:
    """Seconds since the epoch, of a leap second the one before it; 0 of the year 1, None of what is no time."""
    try:
        moment = datetime.fromisoformat(_LEAP_SECOND.sub(r"\g<1>59", text))
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() if moment.year > 1 else 0.0


def read_tokens(record: NativeRecord) -> Tokens:
    exclusive = usage_details(record.mapping("usage_details"))
    if exclusive is not None:
        return exclusive
    usage = record.mapping(*field_names("usage"))
    given_details = _details(usage, *_GIVEN_DETAILS)
    made_details = _details(usage, *_MADE_DETAILS)
    cached = first_count(usage, *_CACHED)
    if cached is None:
        cached = first_count(given_details, "cached_tokens", "cache_read")
    written = first_count(usage, *_WRITTEN)
    if written is None:
        written = first_count(given_details, "cache_creation", "cache_creation_tokens")
    reasoning = first_count(usage, *_REASONING)
    if reasoning is None:
        reasoning = first_count(made_details, "reasoning_tokens", "reasoning")
    given = first_count(usage, *_GIVEN)
    made = first_count(usage, *_MADE)
    beside = (cached or 0) + (written or 0)
    if given is not None and _counts_apart(usage, given + (made or 0), beside):
        given += beside
    if "thoughtsTokenCount" in usage and made is not None:
        made += reasoning or 0
    if given is None:
        given = next(
            (found for value in record.values(*field_names("prompt_tokens")) if (found := count(value)) is not None),
            None,
        )
    if made is None:
        made = next(
            (
                found
                for value in record.values(*field_names("completion_tokens"))
                if (found := count(value)) is not None
            ),
            None,
        )
    return make_tokens(given, made, cached=cached, written=written, reasoning=reasoning) or Tokens()


def _details(usage: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    return next((value for key in keys if isinstance(value := usage.get(key), dict) and value), {})


def _counts_apart(usage: Mapping[str, Any], counted: int, beside: int) -> bool:
    """Whether cached tokens are none of the given ones, as in Anthropic's own usage object. LiteLLM puts its names beside OpenAI's, whose count holds them."""
    if "cache_read_input_tokens" not in usage and "cache_creation_input_tokens" not in usage:
        return False
    total = count(usage.get("total_tokens"))
    if total in (counted, counted + beside):
        return total != counted
    return first_count(usage, "prompt_tokens") is None


def read_durations(record: NativeRecord) -> Durations:
    return Durations(
        total=seconds(record, *field_names("latency")),
        retrieval=seconds(record, *field_names("retrieval_latency")),
        generation=seconds(record, *field_names("generation_latency")),
        time_to_first_token=seconds(record, *field_names("ttft")),
        time_to_first_token_source=NAME if seconds(record, *field_names("ttft")) is not None else None,
    )


def seconds(record: NativeRecord, *names: str) -> float | None:
    """A duration by its unit suffix; DeepEval's completion_time, ttft and a bare duration are seconds."""
    nested = record.mapping(*field_names("durations"))
    for name, factor in _with_units(names):
        value = record.number(name)
        if value is not None and 0 <= value * factor < MOST_SECONDS:
            return value * factor
    for name in names:
        bare = [nested.get(name), nested.get(name.removesuffix("_latency").removesuffix("_duration"))]
        if name in ("completion_time", "duration", "ttft", "time_to_first_token"):
            bare += list(record.values(name))
        for candidate in bare:
            value = number(candidate)
            if value is not None and 0 <= value < MOST_SECONDS:
                return value
    return None


def read_feedback(record: NativeRecord) -> float | None:
    for value in record.values(*field_names("feedback")):
        if isinstance(value, dict):
            value = value.get("score", value.get("label"))
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, str) and value.lower() in (
            "up",
            "positive",
            "good",
            "like",
            "down",
            "negative",
            "bad",
            "dislike",
        ):
            return float(value.lower() in ("up", "positive", "good", "like"))
        found = number(value)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=64)
def _with_units(names: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Each name with each unit's suffix, squeezed, and the unit in seconds."""
    return tuple((squeeze(f"{name}_{unit}"), factor) for name in names for unit, factor in _UNITS.items())

"""Chat completions as OpenAI has them, and as others take them: what is sent, and what came back.

What a server takes is found out: where it refuses a field of ours by name, the next call leaves it out or says it otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from pydantic import BaseModel

from exporters.clients.http import Answer
from exporters.text import clean
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.record.errors import PermanentInferenceError

FORMATS = ("json_schema", "json_object", "text")
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "structured output", "guided_json")
_MOST_TOKENS = 10_000_000
# Of a reply that came to its end, as OpenAI and others say it, small letters.
_ENDED = frozenset({"stop", "", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"})
# OpenAI's names for an account without money, also where a gateway hands them on.
_EMPTY = ("insufficient_quota", "billing_hard_limit")
# Words that some have for an empty account and others for a limit that passes, and what says that it passes.
_PERHAPS_EMPTY = ("quota_exceeded", "exceeded your current quota")
_PASSES = ("retry in", "try again in", "retrydelay", "perminute", "per_minute", "per minute", "resource_exhausted")
# How Google says when to come again (google.rpc.RetryInfo).
_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"')


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes. `limit` is how it calls the most tokens of a reply; None where it takes no such field."""

    format: str = "json_schema"
    limit: str | None = "max_tokens"
    temperature: bool = True

    def after(self, refusal: str, *, fixed: bool) -> Dialect | None:
        """What to speak after a refusal (400 or 422) with these words; None where they name nothing that we could leave out. A `fixed`
        format stays."""
        said = refusal.lower()
        if self.limit == "max_tokens" and "max_completion_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.limit is not None and self.limit in said and "unsupported" in said:
            return replace(self, limit=None)
        if not fixed and self.format != FORMATS[-1] and any(word in said for word in _FORMAT_WORDS):
            return replace(self, format=FORMATS[FORMATS.index(self.format) + 1])
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return None


def body(
    config: JudgeConfig,
    dialect: Dialect,
    *,
    messages: list[dict[str, str]],
    reply: type[BaseModel],
    temperature: float | None,
) -> bytes:
    """The body of a call."""
    fields: dict[str, Any] = {**config.parameters, "model": config.model, "messages": messages}
    if dialect.temperature and temperature is not None:
        fields["temperature"] = temperature
    if dialect.limit is not None:
        fields[dialect.limit] = config.most_output_tokens
    if dialect.format == "json_schema":
        schema = {"name": reply.__name__, "strict": True, "schema": reply.model_json_schema()}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif dialect.format == "json_object":
        fields["response_format"] = {"type": "json_object"}
    return orjson.dumps(fields)


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of one call, inclusive: input includes cached_input, output includes reasoning."""

    input: int = 0
    cached_input: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back. `text` is None where there is none; `whole` is False where it was cut off. `model` is the one that answered."""

    text: str | None = field(repr=False)
    whole: bool
    used: Used
    model: str | None


def completion(answer: Answer) -> Completion:
    """Of an answer with status 200. Raises PermanentInferenceError(judge_answer) where it is no chat completion."""
    try:
        said = orjson.loads(answer.body)
        first = said["choices"][0]
        text = first["message"].get("content")
        model = said.get("model")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise PermanentInferenceError("judge_answer", type(error).__name__) from error
    whole = str(first.get("finish_reason") or "").lower() in _ENDED
    return Completion(
        clean(text) if isinstance(text, str) else None,
        whole,
        usage_of(answer),
        model if isinstance(model, str) else None,
    )


def content_of(answer: Answer) -> str | None:
    """The text of the reply, None where the answer is no chat completion; empty where it has no text."""
    try:
        return completion(answer).text or ""
    except PermanentInferenceError:
        return None


def usage_of(answer: Answer) -> Used:
    """The tokens that an answer counts, 0 where it counts none, whatever else is in it."""
    try:
        usage = orjson.loads(answer.body)["usage"]
    except (ValueError, LookupError, TypeError):
        return Used()
    return _used(usage) if isinstance(usage, Mapping) else Used()


def _used(usage: Mapping[str, Any]) -> Used:
    def detail(part: str, name: str) -> int:
        details = usage.get(part)
        return _count(details.get(name)) if isinstance(details, Mapping) else 0

    return Used(
        input=_count(usage.get("prompt_tokens")),
        cached_input=detail("prompt_tokens_details", "cached_tokens"),
        output=_count(usage.get("completion_tokens")),
        reasoning=detail("completion_tokens_details", "reasoning_tokens"),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server says of an error. `words` is for us to look into, never for logs: it may quote the request. `again_after` is in seconds, None where
    nothing is said of it."""

    code: str
    words: str = field(repr=False)
    again_after: float | None = None

    @property
    def empty(self) -> bool:
        """Of a 429: whether the account is empty, which does not pass by itself, in place of a limit that does."""
        said = self.words.lower()
        if any(word in said for word in _EMPTY):
            return True
        passes = self.again_after is not None or any(word in said for word in _PASSES)
        return not passes and any(word in said for word in _PERHAPS_EMPTY)


def refusal(answer: Answer) -> Refusal:
    """The code and the words of an answer that is no success, as far as they can be read."""
    words = answer.body[:20_000].decode("utf-8", "replace")
    try:
        said = orjson.loads(answer.body)
        error = (said[0] if isinstance(said, list) else said)["error"]
        code = error.get("code") or error.get("type") or ""
    except (ValueError, LookupError, TypeError, AttributeError):
        code = ""
    after = answer.retry_after_seconds
    if after is None and (found := _RETRY_DELAY.search(words)):
        after = float(found[1])
    return Refusal(str(code).lower(), words, after)

"""Questions and answers in what instrumentations put into attributes: messages in all known shapes, wrapped inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from sidecar.decode.values.scalars import MOST_SLOTS, parsed, text_of, written

_INPUT_KEYS = (
    "query", "question", "user_input", "user_query", "input", "inputs", "prompt", "query_str", "str_or_query_bundle", "query_bundle",
    "message", "text", "q",
)  # fmt: skip
ROLES = frozenset({"user", "human", "assistant", "ai", "system", "developer", "tool", "function", "model"})
_OUTPUT_KEYS = (
    "answer",
    "output",
    "outputs",
    "response",
    "result",
    "text",
    "content",
    "completion",
    "reply",
    "replies",
    "choices",
    "generations",
    "message",
)


def unwrap_input(value: Any, depth: int = 0) -> str | None:
    """The question in the input of a chain: JSON in strings, known keys, messages, arguments, named components."""
    value = parsed(value)
    if isinstance(value, str):
        return _no_json(value)
    if depth > 4:
        return None
    if isinstance(value, list):
        return last_user(value) or (unwrap_input(value[0], depth + 1) if len(value) == 1 else None)
    if not isinstance(value, dict):
        return None
    arguments = value.get("args")
    nested = [value[key] for key in _INPUT_KEYS if key in value]
    nested += [value["messages"]] if isinstance(value.get("messages"), list) else []
    nested += arguments[:1] if isinstance(arguments, list) else []
    nested += [value[key] for key in ("data", "kwargs") if isinstance(value.get(key), dict)]
    for inner in nested:
        found = unwrap_input(inner, depth + 1)
        if found:
            return found
    components = [part for part in value.values() if isinstance(part, dict)] if depth == 0 else []
    return next((found for part in components if (found := unwrap_input(part, 3))), None)


def unwrap_output(value: Any, depth: int = 0) -> str | None:
    """The answer in the output of a chain."""
    value = parsed(value)
    if isinstance(value, str):
        return _no_json(value)
    if depth > 4:
        return None
    if isinstance(value, list):
        return messages_text(value, ("assistant", "ai")) or (unwrap_output(value[0], depth + 1) if value else None)
    if not isinstance(value, dict):
        return None
    message = message_text(value)
    if message:
        return message
    for key in _OUTPUT_KEYS:
        found = unwrap_output(value[key], depth + 1) if key in value else None
        if found:
            return found
    if isinstance(value.get("messages"), list):
        return messages_text(value["messages"], ("assistant", "ai"))
    if depth == 0:
        for part in value.values():
            found = unwrap_output(part, 3) if isinstance(part, dict) else None
            if found:
                return found
    return None


def _no_json(text: str) -> str | None:
    """A text, unless it is JSON that could not be read (cut, or broken): that is nobody's question and nobody's answer."""
    return None if text[:2] in ('{"', "[{", '[["') else text_of(text)


def role_of(message: Any) -> str:
    """user, assistant, system, tool or "" of a message in any of the known shapes."""
    if not isinstance(message, dict):
        return ""
    inner = message.get("kwargs") if "lc" in message else message
    if not isinstance(inner, dict):
        return ""
    role = inner.get("role") or inner.get("_role") or inner.get("type") or ""
    if "lc" in message:
        kinds = message.get("id")
        name = written(kinds[-1]) if isinstance(kinds, list) and kinds else ""
        role = inner.get("type") or name.removesuffix("Chunk").removesuffix("Message").lower()
    name = written(role).lower()
    return {"human": "user", "ai": "assistant", "aimessagechunk": "assistant", "model": "assistant"}.get(name, name)


def message_text(message: Any) -> str | None:
    """All text parts of a message, joined; never reasoning or tool calls."""
    if isinstance(message, str):
        return text_of(message)
    if not isinstance(message, dict):
        return None
    if "lc" in message or ("kwargs" in message and "content" not in message):
        message = message.get("kwargs")
        if not isinstance(message, dict):
            return None
    for key in ("parts", "content", "contents", "_content"):
        if key in message:
            return parts_text(message[key])
    inner = message.get("message")
    return message_text(inner) if isinstance(inner, dict) else None


def parts_text(content: Any) -> str | None:
    """Text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return text_of(content)
    if not isinstance(content, list):
        return None
    texts = [text for part in content[:MOST_SLOTS] if (text := _part_text(part))]
    return "\n".join(texts) or None


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return text_of(part)
    if not isinstance(part, dict):
        return None
    if part.get("type", "text") not in ("text", "output_text", "input_text"):
        return None
    return next((text for key in ("content", "text") if (text := text_of(part.get(key)))), None)


def messages_text(messages: Any, roles: Sequence[str]) -> str | None:
    """Text of the last message with one of the roles."""
    for message in reversed(flat(messages)):
        if role_of(message) in roles:
            text = message_text(message)
            if text:
                return text
    return None


def last_user(messages: Any) -> str | None:
    """Text of the last user message."""
    return messages_text(messages, ("user",))


def all_text(messages: Any) -> str | None:
    """All text of all messages, for looking up which documents reached the prompt."""
    texts = [text for message in flat(messages) if (text := message_text(message) or tool_text(message))]
    return "\n\n".join(texts) or None


def tool_text(message: Any) -> str | None:
    """Text of tool results within a message."""
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        return None
    found = [
        part.get("response", part.get("result"))
        for part in parts
        if isinstance(part, dict) and part.get("type") == "tool_call_response"
    ]
    return "\n".join(text if isinstance(text, str) else _as_json(text) for text in found if text) or None


def _as_json(value: Any) -> str:
    """JSON of a value; "" where it is nested deeper than is written."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        return ""


def flat(messages: Any) -> list[Any]:
    """Messages out of a JSON string, a list, a list in a list, or a map that holds one."""
    messages = parsed(messages)
    if isinstance(messages, dict):
        inner = messages.get("messages")
        messages = inner if isinstance(inner, list) else [messages]
    if not isinstance(messages, list):
        return []
    if len(messages) == 1 and isinstance(messages[0], list) and not _is_pair(messages[0]):
        messages = messages[0]
    return [{"role": one[0], "content": one[1]} if _is_pair(one) else one for one in messages[:MOST_SLOTS]]


def _is_pair(message: Any) -> bool:
    """Whether a message is a role and a text, as LangChain and LangGraph take it."""
    return (
        isinstance(message, list | tuple)
        and len(message) == 2
        and all(isinstance(part, str) for part in message)
        and message[0].lower() in ROLES
    )

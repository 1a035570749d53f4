"""Conversations in any of the known shapes: roles, texts and tool calls of each message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.values.messages import flat, message_text, role_of, tool_text
from sidecar.decode.values.scalars import parsed, text_of
from sidecar.record.authored import Message, ToolCall

MOST_MESSAGES = 500
MOST_CALLS = 100


def conversation(value: Any) -> tuple[Message, ...]:
    """Messages of OpenAI, LangChain, Ragas, OTel GenAI (parts), in their order; those that say and call nothing are left out."""
    return tuple(one for raw in flat(value)[:MOST_MESSAGES] if (one := _message(raw)) is not None)


def dialogue(*values: Any) -> tuple[Message, ...]:
    """The messages of several values, one after the other, where they are more than a question and an answer: with a call of a tool, or several turns of
    the user; else nothing."""
    found = tuple(message for value in values if value is not None for message in conversation(value))[:MOST_MESSAGES]
    users = sum(message.role == "user" for message in found)
    return found if users > 1 or any(message.tool_calls for message in found) else ()


def tool_calls(value: Any) -> tuple[ToolCall, ...]:
    """Calls of tools in a list of them: {name, args}, {name, arguments}, {function: {name, arguments}}; the rest is left out."""
    value = parsed(value)
    items = value if isinstance(value, list) else [value]
    return tuple(one for item in items[:MOST_CALLS] if (one := _call(parsed(item))) is not None)


def _message(raw: Any) -> Message | None:
    role = role_of(raw)
    if not role or not isinstance(raw, dict):
        return None
    kwargs = raw.get("kwargs")
    inner: Mapping[str, Any] = kwargs if isinstance(kwargs, dict) else raw
    calls = _calls(inner)
    text = message_text(raw) or tool_text(raw)
    if text is None and not calls:
        return None
    answers = isinstance(inner.get("parts"), list) and any(
        isinstance(part, dict) and part.get("type") == "tool_call_response" for part in inner["parts"]
    )
    return Message("tool" if answers or role == "function" else role, text, calls)


def _calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    if message.get("tool_calls"):
        return tool_calls(message["tool_calls"])
    for key in ("parts", "content"):
        if isinstance(message.get(key), list):
            return tool_calls(
                [p for p in message[key] if isinstance(p, dict) and p.get("type") in ("tool_call", "tool_use")]
            )
    return ()


def _call(item: Any) -> ToolCall | None:
    if not isinstance(item, dict):
        return None
    inner = item["function"] if isinstance(item.get("function"), dict) else item
    name = text_of(inner.get("name")) or text_of(inner.get("tool_name"))
    if name is None:
        return None
    given: Any = next((inner[key] for key in ("arguments", "args", "input", "parameters") if inner.get(key)), {})
    arguments = parsed(given)
    return ToolCall(name, arguments if isinstance(arguments, dict) else {"": arguments})

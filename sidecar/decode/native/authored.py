"""What the author of a test case says of it: the fields of a native record that production's own records do not have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from sidecar.decode.native.fields import NativeRecord, scalar_in, text_in
from sidecar.decode.native.table import names as names_of
from sidecar.decode.values.conversation import MOST_CALLS, MOST_MESSAGES, conversation, tool_calls
from sidecar.decode.values.documents import identifier
from sidecar.decode.values.scalars import parsed, written
from sidecar.record.authored import Authored, Message, SourceUnit, ToolCall
from sidecar.record.errors import DecodeError

_CONTEXTS, _IDS, _CALLS = map(names_of, ("reference_contexts", "reference_context_ids", "reference_tool_calls"))
_MOST_CONTEXTS = 1000
_MOST_TOPICS = 100
_MOST_TOPIC_CHARS = 500
_MOST_LEVELS = 101
_MOST_LEVEL_CHARS = 2000
_MOST_PERSONA_CHARS = 4000
_MOST_PARAMS_BYTES = 10_000
_Field = TypeVar("_Field")
# Question and answer.
Turn: TypeAlias = tuple[str | None, str | None]
# Is told the reason of each field that is left out.
Dropped: TypeAlias = Callable[[str], None]


def read_reference(record: NativeRecord) -> str | None:
    """The reference answer; of a list of them (ragas v1) the first."""
    for value in record.values(*names_of("reference")):
        first = value[0] if isinstance(value, list) and value else value
        text = text_in(first) or scalar_in(first)
        if text:
            return text
    return None


def read_authored(record: NativeRecord, dropped: Dropped | None = None) -> Authored | None:
    """The rest of it; None where none of it is there. A field that cannot be read raises DecodeError: bad_field; where `dropped` is given, it is told the
    reason instead and the field is left out."""

    def kept(read: Callable[[NativeRecord], _Field | None]) -> _Field | None:
        try:
            return read(record)
        except DecodeError as error:
            if dropped is None:
                raise
            dropped(error.reason)
            return None

    found = Authored(
        contexts=kept(_contexts),
        context_ids=kept(_ids),
        tool_calls=kept(_tool_calls),
        topics=kept(_topics),
        rubric=kept(_rubric),
        kind=record.short(*names_of("kind")),
        origin=record.short("origin"),
        persona=kept(_persona),
        difficulty=record.short("difficulty"),
        source_units=kept(_source_units),
        generation_params=kept(_params),
    )
    return None if found == Authored() else found


def read_messages(record: NativeRecord, dropped: Dropped | None = None) -> tuple[tuple[Message, ...], Turn]:
    """The conversation, where the record has one, and its last turn; `user_input` is one in Ragas' multi-turn samples. One of too many messages raises
    DecodeError: bad_field; where `dropped` is given, it is told the reason instead, and only the last turn is left: of a part nobody should judge the whole."""
    for value in record.values(*names_of("messages"), "user_input"):
        value = parsed(value)
        if not isinstance(value, list):
            continue
        if len(value) > MOST_MESSAGES and dropped is not None:
            dropped("bad_field")
            return (), last_turn(conversation(value[-MOST_MESSAGES:]))
        _bounded("messages", value, MOST_MESSAGES)
        if found := conversation(value):
            return found, last_turn(found)
    return (), (None, None)


def _bounded(field: str, items: list[Any], most: int) -> None:
    if len(items) > most:
        raise DecodeError("bad_field", f"{field} has more than {most} entries")


def _texts(
    record: NativeRecord, names: tuple[str, ...], *, most: int, chars: int | None = None
) -> tuple[str, ...] | None:
    for value in record.values(*names):
        items = parsed(value)
        items = [items] if isinstance(items, str | dict) else items
        if not isinstance(items, list):
            raise DecodeError("bad_field", f"{names[0]} must be a list of texts")
        _bounded(names[0], items, most)
        texts = [_text(item) for item in items]
        found = tuple(text for text in texts if text)
        if len(found) < len(items):
            raise DecodeError("bad_field", f"{names[0]} must be a list of texts that are not empty")
        if chars is not None and any(len(text) > chars for text in found):
            raise DecodeError("bad_field", f"{names[0]} has a text longer than {chars} characters")
        return found
    return None


def _text(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next((item[key] for key in ("content", "text", "page_content", "chunk") if item.get(key)), None)
    return text_in(item)


def _contexts(record: NativeRecord) -> tuple[str, ...] | None:
    return _texts(record, _CONTEXTS, most=_MOST_CONTEXTS)


def _topics(record: NativeRecord) -> tuple[str, ...] | None:
    return _texts(record, names_of("reference_topics"), most=_MOST_TOPICS, chars=_MOST_TOPIC_CHARS)


def _ids(record: NativeRecord) -> tuple[str, ...] | None:
    for value in record.values(*_IDS):
        items = parsed(value)
        if not isinstance(items, list) or not all(map(identifier, items)):
            raise DecodeError("bad_field", f"{_IDS[0]} must be a list of ids: short texts or whole numbers")
        _bounded(_IDS[0], items, _MOST_CONTEXTS)
        return tuple(one for item in items if (one := identifier(item)))
    return None


def _tool_calls(record: NativeRecord) -> tuple[ToolCall, ...] | None:
    for value in record.values(*_CALLS):
        items = parsed(value)
        if not isinstance(items, list):
            raise DecodeError("bad_field", f"{_CALLS[0]} must be a list of objects with name and args")
        _bounded(_CALLS[0], items, MOST_CALLS)
        found = tool_calls(items)
        if len(found) < len(items):
            raise DecodeError("bad_field", f"{_CALLS[0]} must be a list of objects with name and args")
        return found
    return None


def _rubric(record: NativeRecord) -> Mapping[int, str] | None:
    """{"score1_description": ..., ...} of Ragas, or {"1": ..., ...}."""
    for value in record.values(*names_of("rubrics")):
        levels = parsed(value)
        if not isinstance(levels, dict) or not 2 <= len(levels) <= _MOST_LEVELS:
            raise DecodeError("bad_field", f"rubrics must describe 2 to {_MOST_LEVELS} scores")
        try:
            found = {_level(key): written(text) for key, text in levels.items()}
        except ValueError:
            raise DecodeError("bad_field", "rubrics must have keys such as score1_description, or 1") from None
        if any(not text.strip() or len(text) > _MOST_LEVEL_CHARS for text in found.values()) or len(found) < 2:
            raise DecodeError("bad_field", f"rubrics must describe each score in 1 to {_MOST_LEVEL_CHARS} characters")
        return dict(sorted(found.items()))
    return None


def _level(key: Any) -> int:
    number = int(str(key).removeprefix("score").removesuffix("_description").strip("_"))
    if abs(number) > 1000:
        raise ValueError(number)
    return number


def _persona(record: NativeRecord) -> str | None:
    """A text, or an object with a name (Ragas' `persona_name`, a persona with its role)."""
    for value in record.values(*names_of("persona")):
        said = value
        if isinstance(value, dict):
            said = ": ".join(
                written(value[key]) for key in ("name", "role_description", "description") if value.get(key)
            )
        if isinstance(said, str) and said.strip():
            if len(said) > _MOST_PERSONA_CHARS:
                raise DecodeError("bad_field", f"persona is longer than {_MOST_PERSONA_CHARS} characters")
            return said.strip()
    return None


def _source_units(record: NativeRecord) -> tuple[SourceUnit, ...] | None:
    for value in record.values("source_units"):
        items = parsed(value)
        if not isinstance(items, list):
            raise DecodeError("bad_field", "source_units must be a list of objects with document, start and end")
        _bounded("source_units", items, _MOST_CONTEXTS)
        return tuple(map(_source_unit, items))
    return None


def _source_unit(item: Any) -> SourceUnit:
    keys = ("document", "document_id", "doc_id", "id")
    document = next((one for key in keys if isinstance(item, dict) and (one := identifier(item.get(key)))), None)
    span = _span(item) if document else None
    if document is None or span is None:
        raise DecodeError("bad_field", "source_units must be a list of objects with document, start and end")
    return SourceUnit(document, *span)


def _span(item: Mapping[str, Any]) -> tuple[int | None, int | None] | None:
    """Start and end, both None where neither is there; None where they make no sense."""
    span = item.get("span")
    start, end = span if isinstance(span, list) and len(span) == 2 else (item.get("start"), item.get("end"))
    if start is None and end is None:
        return None, None
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    return (start, end) if 0 <= start <= end else None


def _params(record: NativeRecord) -> Mapping[str, Any] | None:
    for value in record.values("generation_params"):
        params = parsed(value)
        if not isinstance(params, dict):
            raise DecodeError("bad_field", "generation_params must be an object")
        try:
            size = len(json.dumps(params))
        except RecursionError:
            raise DecodeError("bad_field", "generation_params is nested too deep") from None
        if size > _MOST_PARAMS_BYTES:
            raise DecodeError("bad_field", f"generation_params is larger than {_MOST_PARAMS_BYTES} bytes")
        return params
    return None


def last_turn(messages: Sequence[Message]) -> Turn:
    """What the user said last, and what was answered to that; None where nothing was: an earlier answer is one to something else."""
    question = answer = None
    for one in messages:
        if one.role == "user":
            question, answer = one.text or question, None
        elif one.role == "assistant":
            answer = one.text or answer
    return question, answer

"""Reading what instrumentations put into attributes: JSON in strings, wrapped inputs, messages, documents, numbers."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from sidecar.record.record import Attributes
from sidecar.record.request import Document, Tokens

_MOST_SLOTS = 10_000
_MOST_TOKENS = 10**9
_INPUT_KEYS = (
    "query", "question", "user_input", "user_query", "input", "inputs", "prompt", "query_str", "str_or_query_bundle", "query_bundle",
    "message", "text", "q",
)  # fmt: skip
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
_TEXT_KEYS = ("page_content", "content", "text", "document", "pageContent", "chunk", "passage")
_ID_KEYS = ("id", "id_", "doc_id", "document_id", "chunk_id")
_SCORE_KEYS = ("score", "relevance_score", "similarity")
_REPR = re.compile(
    r"^<[\w. ]+(?: object)?(?: at 0x[0-9a-f]+| \S+ at 0x[0-9a-f]+)?>$|^<generator object|^<async_generator"
    r"|^(?:ChatMessage|ChatResponse|CompletionResponse|Response|AIMessage|HumanMessage|StreamingResponse|NodeWithScore|Document)\(\w+="
)
REDACTED = "__REDACTED__"


def parsed(value: Any, times: int = 2) -> Any:
    """JSON-decode a string that looks like JSON, up to `times` levels; anything else stays as it is."""
    for _ in range(times):
        if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
            return value
        try:
            value = orjson.loads(value)
        except (orjson.JSONDecodeError, RecursionError):
            return value
    return value


def text_of(value: Any) -> str | None:
    """A proper, non-empty text, or None: no Python reprs, no redaction marks."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not text or text == REDACTED or _REPR.match(text):
        return None
    return text


def first_text(attributes: Attributes, *keys: str) -> str | None:
    """The first of some attributes that holds a text."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and (text := text_of(value)) is not None:
            return text
    return None


def unquoted(value: Any) -> str | None:
    """A text that may stand in JSON quotes."""
    return text_of(parsed(value)) if isinstance(value, str) else None


def number(value: Any) -> float | None:
    """A finite number from a number or a numeric string."""
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int | None:
    """A token count: a whole number of a believable size, or None."""
    found = number(value)
    return int(found) if found is not None and 0 <= found <= _MOST_TOKENS else None


def first_count(source: Mapping[str, Any], *keys: str) -> int | None:
    """The first of some keys that holds a token count."""
    for key in keys:
        value = source.get(key)
        if value is not None and (found := count(value)) is not None:
            return found
    return None


def make_tokens(
    given: int | None,
    made: int | None,
    *,
    cached: int | None = None,
    written: int | None = None,
    reasoning: int | None = None,
) -> Tokens | None:
    """Token counts as inclusive totals; where parts exceed their total the source counts apart, and the parts are added."""
    beside = (cached or 0) + (written or 0)
    if given is not None and beside > given:
        given += beside
    if made is not None and reasoning is not None and reasoning > made:
        made += reasoning
    if given is None and made is None:
        return None
    return Tokens(given, made, cached, written, reasoning)


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
        name = str(kinds[-1]) if isinstance(kinds, list) and kinds else ""
        role = inner.get("type") or name.removesuffix("Chunk").removesuffix("Message").lower()
    return {"human": "user", "ai": "assistant", "aimessagechunk": "assistant", "model": "assistant"}.get(
        str(role).lower(), str(role).lower()
    )


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
    texts = [text for part in content[:_MOST_SLOTS] if (text := _part_text(part))]
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
    texts = [text for message in flat(messages) if (text := message_text(message) or _tool_text(message))]
    return "\n\n".join(texts) or None


def _tool_text(message: Any) -> str | None:
    """Text of tool results within a message."""
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        return None
    found = [
        part.get("response", part.get("result"))
        for part in parts
        if isinstance(part, dict) and part.get("type") == "tool_call_response"
    ]
    return "\n".join(text if isinstance(text, str) else orjson.dumps(text).decode() for text in found if text) or None


def flat(messages: Any) -> list[Any]:
    """Messages out of a JSON string, a list, a list in a list, or a map that holds one."""
    messages = parsed(messages)
    if isinstance(messages, dict):
        inner = messages.get("messages")
        messages = inner if isinstance(inner, list) else [messages]
    if not isinstance(messages, list):
        return []
    if len(messages) == 1 and isinstance(messages[0], list):
        messages = messages[0]
    return list(messages[:_MOST_SLOTS])


def documents_in(value: Any, depth: int = 0) -> tuple[Document, ...]:
    """Documents in any of the known shapes, ranked by their order; () where there are none."""
    value = parsed(value)
    if isinstance(value, dict):
        for key in (
            "documents",
            "outputs",
            "output",
            "source_nodes",
            "nodes",
            "results",
            "matches",
            "result",
            "retrieved_contexts",
            "contexts",
            "data",
            "kwargs",
            "content",
        ):
            if key in value and depth < 4:
                found = documents_in(value[key], depth + 1)
                if found:
                    return found
        return ()
    if not isinstance(value, list):
        return ()
    found_all = [document(item, rank) for rank, item in enumerate(value[:_MOST_SLOTS], 1)]
    kept = [one for one in found_all if one is not None]
    return settle_ids(kept) if len(kept) == len(value) or len(kept) == len(found_all) else ()


def texts_as_documents(value: Any) -> tuple[Document, ...]:
    """Documents out of a list of texts, or of whatever `documents_in` knows."""
    value = parsed(value)
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value[:_MOST_SLOTS]):
        whole = [documents_in([one]) for one in value[:_MOST_SLOTS]]
        if not all(whole):
            texts = [text_of(one) for one in value[:_MOST_SLOTS]]
            return settle_ids(Document(rank, text) for rank, text in enumerate(texts, 1) if text)
    return documents_in(value)


def document(item: Any, rank: int) -> Document | None:
    """One document: a map with a text or an id, LangChain's constructor form, LlamaIndex' node form."""
    item = parsed(item)
    if not isinstance(item, dict):
        return None
    outer = item
    for key in ("kwargs", "node", "document"):
        if isinstance(item.get(key), dict):
            item = item[key]
    metadata = parsed(item.get("metadata")) if "metadata" in item else item.get("meta")
    metadata = metadata if isinstance(metadata, dict) else {}
    text = next((found for key in _TEXT_KEYS if (found := text_of(item.get(key)))), None)
    if text is None and isinstance(item.get("text_resource"), dict):
        text = text_of(item["text_resource"].get("text"))
    if text is None and not ("score" in outer or any(key in item for key in _ID_KEYS)):
        return None
    if text is None and (item.get("role") or item.get("type") in ("human", "ai", "system", "tool")):
        return None
    if "role" in item or item.get("type") in ("human", "ai", "system", "tool", "text", "AIMessage", "HumanMessage"):
        return None
    own = next((found for key in _ID_KEYS if (found := identifier(item.get(key)))), None)
    own = own or next((found for key in ("chunk_id", "id", "doc_id") if (found := identifier(metadata.get(key)))), None)
    score = _first_number((outer, item), _SCORE_KEYS)
    if score is None:
        score = _first_number((metadata,), ("relevance_score", "score"))
    distance = _first_number((outer, item), ("distance",))
    source = text_of(metadata.get("source")) or text_of(item.get("source"))
    return Document(rank, text, own, score, distance, source)


def _first_number(parts: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> float | None:
    return next((found for key in keys for part in parts if (found := number(part.get(key))) is not None), None)


def identifier(value: Any) -> str | None:
    """A document id: a short string or a whole number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) and 0 < len(value) <= 512 else None


def settle_ids(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Ids that repeat within the list are sources, not ids; a document without an id gets a hash of its text."""
    kept = list(documents)
    ids = [one.id for one in kept if one.id is not None]
    repeated = {one for one in ids if ids.count(one) > 1} if len(ids) < 500 and len(set(ids)) < len(ids) else set()
    settled = []
    for one in kept:
        own, source = one.id, one.source
        if own in repeated:
            own, source = None, own
        if own is None and one.text:
            own = "sha256:" + hashlib.sha256(one.text.encode("utf-8", "replace")).hexdigest()[:16]
        settled.append(one if own == one.id else Document(one.rank, one.text, own, one.score, one.distance, source))
    return tuple(settled)


def slots(attributes: Attributes, prefix: str) -> dict[int, dict[str, Any]]:
    """Flattened lists: attributes `prefix.N.rest` as {N: {rest: value}}; hostile indices are left out."""
    found: dict[int, dict[str, Any]] = {}
    start = len(prefix) + 1
    for key, value in attributes.items():
        if not key.startswith(prefix) or key[len(prefix) : start] != ".":
            continue
        index, _, rest = key[start:].partition(".")
        if len(index) > 5 or not index.isdecimal() or not index.isascii():
            continue
        slot = int(index)
        if slot < _MOST_SLOTS and (slot in found or len(found) < _MOST_SLOTS):
            found.setdefault(slot, {})[rest] = value
    return found

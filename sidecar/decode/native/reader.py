"""Native JSON: one object a request, in the words of any of the known evaluation libraries."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from exporters.text import clean
from sidecar.decode.native.authored import Dropped, read_authored, read_messages, read_reference
from sidecar.decode.native.failures import read_error
from sidecar.decode.native.fields import MOST_ID_CHARS, NAME, NativeRecord, scalar_in
from sidecar.decode.native.mapping import mentioned
from sidecar.decode.native.misshapen import misshapen
from sidecar.decode.native.numbers import read_durations, read_feedback, read_timestamp, read_tokens
from sidecar.decode.native.printed import own_words, record_of
from sidecar.decode.native.table import names, unknown
from sidecar.decode.probes import says_so
from sidecar.decode.values.documents import document, holds_nothing, identifier, settle_ids, unpaired
from sidecar.decode.values.scalars import parsed, text_of
from sidecar.decode.wire.parse import load_text
from sidecar.record.errors import DecodeError
from sidecar.record.record import AttributeValue
from sidecar.record.request import Document, ModelCall, RagTrace, Tokens, TraceKind

_QUESTION, _ANSWER, _CONTEXTS, _ID = map(names, ("question", "answer", "contexts", "request_id"))
# Of their names those that mean nothing else: `result` may be true, `completion` a count.
_ASKED, _ANSWERED = ("question", "user_input", "query", "user_query"), ("answer", "response", "actual_output")
_MOST_VALUES = 100  # of an attribute
_HEX = re.compile(r"[0-9a-fA-F]+")


class Limits(Protocol):
    """The part of DecodeConfig that is needed here."""

    @property
    def most_record_bytes(self) -> int: ...

    @property
    def mapping(self) -> Mapping[str, str]: ...

    @property
    def keep_attributes(self) -> tuple[str, ...]: ...

    @property
    def tenant_keys(self) -> tuple[str, ...]: ...

    @property
    def variant_keys(self) -> tuple[str, ...]: ...


def too_large(size: int, most: int) -> DecodeError:
    """What to say of a line that is longer than is read."""
    return DecodeError(
        "too_large",
        f"{size} bytes, decode.most_record_bytes is {most}; raise it, or give one record a line",
    )


def read_native_line(line: bytes, limits: Limits, *, fallback_timestamp: float) -> RagTrace:
    """One line of a file into a request. Raises DecodeError naming the field."""
    if len(line) > limits.most_record_bytes:
        raise too_large(len(line), limits.most_record_bytes)
    data = load_text(line)
    if not isinstance(data, dict):
        raise DecodeError("not_an_object", "a record is one JSON object")
    return read_native(data, limits, fallback_timestamp=fallback_timestamp)


def read_native(
    data: Mapping[str, Any], limits: Limits, *, fallback_timestamp: float, dropped: Dropped | None = None
) -> RagTrace:
    """One JSON object into a request. Raises DecodeError: missing_field, bad_field, with the field's name. Where `dropped` is given, what only the author of
    a case writes, a question or an answer that is no text, contexts that cannot be read, and a conversation that is too long, costs no request:
    it is told the reason, and the field is left out. So it is told of each field of another shape than is read (`misshapen_in`)."""
    record = record_of(data, limits.mapping)
    messages, (asked, answered) = read_messages(record, dropped)
    question = record.text(*_QUESTION) or asked or _unlikely("question", record.values(*_ASKED), dropped)
    answer = record.text(*_ANSWER) or answered or _unlikely("answer", record.values(*_ANSWERED), dropped)
    found, unread = _documents(record, dropped)
    documents = found or ()
    if question is None and answer is None and not documents:
        raise DecodeError("missing_field", "a record needs a question, an answer, contexts or messages")
    timestamp = read_timestamp(record, fallback_timestamp)
    tokens = read_tokens(record)
    model = record.short(*names("model"))
    asked_for = record.short(*names("requested_model")) or model
    provider = record.short(*names("provider"))
    if dropped is not None:
        for _ in misshapen(record):
            dropped("bad_field")
    return RagTrace(
        trace_id=_id(record) or id_of_texts([question, answer, *(one.text for one in documents)], timestamp),
        span_id=_hex(record.short("span_id"), 16),
        kind=TraceKind.RAG if documents and answer else TraceKind.RETRIEVAL_ONLY if documents else TraceKind.LLM_ONLY,
        service=record.short(*names("service")) or "unknown",
        convention=NAME,
        timestamp=timestamp,
        question=question,
        answer=answer,
        documents=documents,
        context_source="spans" if documents else "none",
        provider=provider,
        model_requested=asked_for,
        model_answered=model,
        tokens=tokens,
        model_calls=(ModelCall(provider, model or asked_for, tokens),) if tokens != Tokens() else (),
        durations=read_durations(record),
        error_class=read_error(record),
        session=record.short(*names("session_id")),
        user=record.short("user_id"),
        tenant=record.short(*limits.tenant_keys, "org_id"),
        variant=record.short(*limits.variant_keys, "experiment", "ab_group"),
        response_id=record.short("response_id"),
        reference=read_reference(record),
        feedback=read_feedback(record),
        partial=("documents_missing",) if unread else (),
        trace_sampled=_hex(record.short("trace_id"), 32) is not None,
        attributes={name: value for name in limits.keep_attributes if (value := _attribute(record, name)) is not None},
        retrieved=None if found is None else True,
        authored=read_authored(record, dropped),
        messages=messages,
        probe=any(map(says_so, record.values("probe"))),
    )


def misshapen_in(data: Mapping[str, Any], limits: Limits) -> list[str]:
    """What is wrong with fields that are passed over, as their value is of another shape than is read, in words that hold nothing of the record."""
    return misshapen(record_of(data, limits.mapping))


def unread(data: Mapping[str, Any], limits: Limits) -> list[str]:
    """Names at the top of a record that are not read: another's, or misspelt."""
    return unknown(
        own_words(data, {}),
        {*limits.tenant_keys, *limits.variant_keys, *limits.keep_attributes, *mentioned(limits.mapping)},
    )


def _attribute(record: NativeRecord, name: str) -> AttributeValue:
    """What sampling rules may ask for: a short text, a number or a truth value, or a list of these."""
    for value in record.values(name):
        if isinstance(value, list):
            value = [one for one in value[:_MOST_VALUES] if isinstance(one, bool | int | float | str)]
        if isinstance(value, bool | int | float | list):
            return value
        if isinstance(value, str) and len(value) <= MOST_ID_CHARS:
            return value
    return None


def _unlikely(field: str, values: Iterable[Any], dropped: Dropped | None) -> str | None:
    """A text that is a number or a truth value. A list, or an object without a text, raises DecodeError: bad_field; where `dropped` is given, it is told so instead."""
    for value in values:
        if (text := scalar_in(value)) is not None:
            return text
        if value and isinstance(value, list | dict):
            if dropped is None:
                raise DecodeError("bad_field", f"{field} must be a text")
            dropped("bad_field")
            return None
    return None


def _documents(record: NativeRecord, dropped: Dropped | None) -> tuple[tuple[Document, ...] | None, bool]:
    """What was retrieved, and whether some of it could not be read: () where retrieval found nothing, None where nothing is said of it. Where nothing could be read
    DecodeError: bad_field, or, where `dropped` is given, it is told so."""
    for value in record.values(*_CONTEXTS):
        items = parsed(value)
        if isinstance(items, str | dict):
            items = [items]
        if not isinstance(items, list):
            raise DecodeError("bad_field", "contexts must be a list of texts or objects")
        ids = next((ids for ids in record.values("retrieved_context_ids") if isinstance(ids, list)), [])
        found, unread = [], 0
        for rank, item in enumerate(unpaired(list(map(_item, items))), 1):
            own = identifier(ids[rank - 1]) if len(ids) == len(items) else None
            one = Document(rank, text_of(item), own) if isinstance(item, str) else document(item, rank)
            if one is not None and (one.text or one.id):
                found.append(replace(one, id=one.id or own))
            elif not isinstance(item, str) and not holds_nothing(item):
                unread = unread or rank
        if unread and dropped is not None:
            dropped("bad_field")
        elif unread and not found:
            raise DecodeError(
                "bad_field", f"contexts: item {unread} is neither a text nor an object with a text or an id"
            )
        return (settle_ids(found) if found or not unread else None), bool(unread)
    return None, False


def _item(item: Any) -> Any:
    """Objects whose text stands under one of the native names."""
    if isinstance(item, dict) and not any(
        isinstance(item.get(key), str) for key in ("content", "text", "page_content", "pageContent")
    ):
        for key in ("chunk", "passage", "document", "body"):
            if isinstance(item.get(key), str):
                return {**item, "text": item[key]}
    return item


def _id(record: NativeRecord) -> str | None:
    for value in record.values(*_ID):
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value:
            if len(value) > MOST_ID_CHARS:
                raise DecodeError("bad_field", f"request_id is longer than {MOST_ID_CHARS} characters")
            return value
    return None


def id_of_texts(texts: Iterable[str | None], timestamp: float) -> str:
    """An id for a record that has none, the same when the record is read again. By its time two requests that say the same stay two."""
    content = "\0".join([repr(timestamp), *(text or "" for text in texts)])
    return hashlib.sha256(clean(content).encode()).hexdigest()[:32]


def _hex(value: str | None, digits: int) -> str | None:
    return value.lower() if value and len(value) == digits and _HEX.fullmatch(value) else None

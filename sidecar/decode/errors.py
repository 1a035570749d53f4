"""Why a request failed, reduced to a closed set of words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sidecar.record.span import RawSpan

CLASSES = (
    "rate_limit", "timeout", "auth", "bad_request", "context_length", "content_filter", "server_error", "connection", "cancelled", "other",
)  # fmt: skip
_WORDS = (
    ("ratelimit", "rate_limit"), ("toomanyrequests", "rate_limit"), ("quota", "rate_limit"), ("throttl", "rate_limit"),
    ("resourceexhausted", "rate_limit"),
    ("contextlength", "context_length"), ("contextwindow", "context_length"), ("maximumcontext", "context_length"),
    ("contentfilter", "content_filter"), ("contentpolicy", "content_filter"),
    ("contentmanagement", "content_filter"), ("safety", "content_filter"),
    ("timeout", "timeout"), ("timedout", "timeout"), ("deadline", "timeout"),
    ("authentication", "auth"), ("unauthenticated", "auth"), ("accessdenied", "auth"), ("permission", "auth"), ("unauthorized", "auth"), ("forbidden", "auth"), ("apikey", "auth"),
    ("cancel", "cancelled"), ("aborterror", "cancelled"),
    ("econn", "connection"), ("enotfound", "connection"), ("remoteprotocol", "connection"), ("connect", "connection"), ("network", "connection"), ("dns", "connection"),
    ("internalserver", "server_error"), ("serviceunavailable", "server_error"), ("servererror", "server_error"), ("overloaded", "server_error"),
    ("badgateway", "server_error"),
    ("badrequest", "bad_request"), ("invalidrequest", "bad_request"), ("unprocessable", "bad_request"), ("notfound", "bad_request"),
)  # fmt: skip
_CODES = {429: "rate_limit", 401: "auth", 403: "auth", 408: "timeout", 504: "timeout", 499: "cancelled"}
_CODE = re.compile(r"(?:error code|status code|status|code|http)\D{0,4}\b([45]\d\d)\b|^([45]\d\d)$", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[^a-z]+")
_NAME = re.compile(r"^\s*([\w.]+(?:Error|Exception|Timeout)?)\s*\(")


def error_class(span: RawSpan, status: str | None) -> str:
    """Class of a failed span: error.type, else the exception event, else the name or code in the message."""
    attributes = span.attributes
    candidates = [attributes.get("error.type")]
    for event in span.events:
        if event.name == "exception":
            candidates += [event.attributes.get("exception.type")]
    message = status or span.status_message
    named = _NAME.match(message)
    candidates += [named.group(1) if named else None, message]
    candidates += [event.attributes.get("exception.message") for event in span.events if event.name == "exception"]
    return first_class(candidates) or "other"


def first_class(candidates: Iterable[object]) -> str | None:
    """The class that the first telling one of an error's type, code and messages stands for, or None."""
    classes = [word for candidate in candidates if (word := classify(candidate))]
    if classes[:1] == ["bad_request"]:
        # Providers refuse too long prompts and filtered contents as bad requests; the message says which it was.
        return next((word for word in classes if word in ("context_length", "content_filter")), "bad_request")
    return classes[0] if classes else None


def classify(text: object) -> str | None:
    """The class that a name, code or message of an error stands for, or None."""
    if not isinstance(text, str) or not text or text in ("Exception", "_OTHER"):
        return None
    sample = text[:2000]
    squeezed = _NO_LETTERS.sub("", sample.lower())
    for word, found in _WORDS:
        if word in squeezed:
            return found
    match = _CODE.search(sample)
    if not match:
        return None
    code = int(match.group(1) or match.group(2))
    return _CODES.get(code, "bad_request" if code < 500 else "server_error")

"""How the spans of a probe's request are known: by an attribute, or by a member of tracestate, which goes along with the trace by itself."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.record.record import AttributeValue
from sidecar.record.span import RawSpan

# What `rag-sidecar probe` sends: W3C Trace Context says how it goes on, and OTLP spans carry it.
TRACE_STATE_KEY = "rag-probe"
KEY_PATTERN = r"^[a-z][a-z0-9_*/-]{0,100}$"
_NO = frozenset({"", "0", "false", "no", "off"})


def is_probe(span: RawSpan, attributes: Sequence[str], key: str | None) -> bool:
    """Whether a span, its resource or the member `key` of its tracestate says that a probe sent the request."""
    member = f"{key}="
    if (
        key
        and member in span.trace_state
        and any(one.strip().startswith(member) for one in span.trace_state.split(","))
    ):
        return True
    return any(says_so(own.get(name)) for name in attributes for own in (span.attributes, span.resource))


def says_so(value: AttributeValue) -> bool:
    """Whether a value says yes; a captured header is a list of texts."""
    if isinstance(value, list | tuple):
        return any(says_so(one) for one in value if not isinstance(one, list | tuple))
    if isinstance(value, str):
        return value.strip().lower() not in _NO
    return bool(value)

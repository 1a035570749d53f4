"""Double instrumentation: a model call that one trace reports alone, and another as part of a RAG request."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeAlias

from sidecar.record.request import ModelCall, RagTrace

_Kind: TypeAlias = tuple[str, int | None, int | None]
_DATE = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}$")
_CLOCK_SLACK_NS = 5_000_000
_MOST_KINDS_OF_CALLS = 2000
_MOST_CALLS_OF_A_KIND = 50


@dataclass(frozen=True, slots=True)
class _Call:
    """A model call of a RAG request, with the request's answer."""

    start_ns: int
    end_ns: int
    names: frozenset[str]
    answer: str | None

    def is_same(self, call: ModelCall, answer: str | None) -> bool:
        """Whether another report is of this call: within its time, of the same model, with the same counts or answer."""
        inside = self.start_ns <= call.start_ns + _CLOCK_SLACK_NS and call.end_ns <= self.end_ns + _CLOCK_SLACK_NS
        told = call.tokens.input is not None or (self.answer is not None and self.answer == answer)
        return inside and told and (not self.names.isdisjoint(_names(call)) or not (self.names or _names(call)))


class Doubles:
    """The model calls of the latest RAG requests: bounded in kinds of calls (a service and its token counts) and in calls of a kind."""

    def __init__(self) -> None:
        self._calls: OrderedDict[_Kind, list[_Call]] = OrderedDict()

    def know(self, request: RagTrace) -> None:
        """Remember the model calls of a RAG request."""
        for call in request.model_calls:
            kind = _kind(request, call)
            self._calls.setdefault(kind, []).append(_Call(call.start_ns, call.end_ns, _names(call), request.answer))
            self._calls.move_to_end(kind)
            if len(self._calls[kind]) > _MOST_CALLS_OF_A_KIND:
                del self._calls[kind][0]
        while len(self._calls) > _MOST_KINDS_OF_CALLS:
            self._calls.popitem(last=False)

    def is_double(self, request: RagTrace) -> bool:
        """Whether another trace reported this model call as part of a RAG request."""
        return any(
            known.is_same(call, request.answer)
            for call in request.model_calls
            for known in self._calls.get(_kind(request, call), ())
        )


def _kind(request: RagTrace, call: ModelCall) -> _Kind:
    return request.service, call.tokens.input, call.tokens.output


def _names(call: ModelCall) -> frozenset[str]:
    """What a model may be called: as requested and as answered, without the maker's prefix and the date of its release, since one
    instrumentation writes `gpt-4o-mini` and another `openai/gpt-4o-mini-2024-07-18`."""
    given = (call.model, call.requested)
    return frozenset(_DATE.sub("", name.rpartition("/")[2].lower()) for name in given if name)

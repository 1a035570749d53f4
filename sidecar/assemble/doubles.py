"""Double instrumentation: a model call that one trace reports alone, and another as part of a RAG request."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from sidecar.record.trace import RagTrace

_CallKey: TypeAlias = tuple[str, str | None, int | None, int | None]
_CLOCK_SLACK_NS = 5_000_000
_MOST_KINDS_OF_CALLS = 2000
_MOST_CALLS_OF_A_KIND = 50


class Doubles:
    """The model calls of the latest RAG requests: bounded in kinds of calls and in calls of a kind."""

    def __init__(self) -> None:
        self._calls: OrderedDict[_CallKey, list[tuple[int, int, str | None]]] = OrderedDict()

    def know(self, request: RagTrace) -> None:
        """Remember the model calls of a RAG request."""
        for call in request.model_calls:
            key = (request.service, call.model, call.tokens.input, call.tokens.output)
            self._calls.setdefault(key, []).append((call.start_ns, call.end_ns, request.answer))
            self._calls.move_to_end(key)
            if len(self._calls[key]) > _MOST_CALLS_OF_A_KIND:
                del self._calls[key][0]
        while len(self._calls) > _MOST_KINDS_OF_CALLS:
            self._calls.popitem(last=False)

    def is_double(self, request: RagTrace) -> bool:
        """Whether another trace reported this model call as part of a RAG request."""
        keys = [(request.service, call.model, call.tokens.input, call.tokens.output) for call in request.model_calls]
        for key, call in zip(keys, request.model_calls, strict=True):
            for start, end, answer in self._calls.get(key, ()):
                inside = start <= call.start_ns + _CLOCK_SLACK_NS and call.end_ns <= end + _CLOCK_SLACK_NS
                if inside and (call.tokens.input is not None or (answer is not None and answer == request.answer)):
                    return True
        return False

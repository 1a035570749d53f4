"""What a convention reads out of one span, before it becomes a RagSpan: every field optional, missing ones filled later."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sidecar.record.request import Document, Tokens


@dataclass(slots=True)
class Fields:
    """See trace.RagSpan for what the fields mean. `tenant_values` is filled by the decoder, not by a convention."""

    question: str | None = None
    answer: str | None = None
    query: str | None = None
    prompt: str | None = None
    prompt_question: str | None = None
    prompt_context: str | None = None
    documents: tuple[Document, ...] = ()
    provider: str | None = None
    model_requested: str | None = None
    model_answered: str | None = None
    tokens: Tokens | None = None
    reported_cost_usd: float | None = None
    streaming: bool = False
    time_to_first_token: float | None = None
    time_to_first_token_source: str | None = None
    first_token_ns: int | None = None
    session: str | None = None
    user: str | None = None
    response_id: str | None = None
    reference: str | None = None
    feedback: float | None = None
    partial: tuple[str, ...] = ()
    error_status: str | None = None

    def fill(self, other: Fields) -> Fields:
        """Take from another reading what this one lacks."""
        for one in _NAMES:
            if not getattr(self, one):
                setattr(self, one, getattr(other, one))
        return self


_NAMES = tuple(one.name for one in fields(Fields))

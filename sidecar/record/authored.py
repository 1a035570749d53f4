"""What the author of a test case or a probe says of it, and conversations. Absent is None; an empty list was given and is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that was called, or is to be, with its arguments as JSON values."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. `role`: user, assistant, tool, system, or what else the source calls it."""

    role: str
    text: str | None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """What a case was made from: characters `start` to `end` of a document; all of it where these are None."""

    document: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """Beside the reference answer, which a request has itself.

    contexts, context_ids  the chunks that retrieval should find, as texts and as ids, each in no order
    tool_calls  the calls that an agent should make, in order
    topics      what an assistant should talk about
    rubric      a description for each score, of this case alone
    kind        what the case tries: simple, reasoning, multi_hop, negative, or a word of the author's
    origin      where it comes from: synthetic, human, production
    persona, difficulty, source_units, generation_params  how it was made
    """

    contexts: tuple[str, ...] | None = None
    context_ids: tuple[str, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    topics: tuple[str, ...] | None = None
    rubric: Mapping[int, str] | None = None
    kind: str | None = None
    origin: str | None = None
    persona: str | None = None
    difficulty: str | None = None
    source_units: tuple[SourceUnit, ...] | None = None
    generation_params: Mapping[str, Any] | None = None

    def texts(self) -> Iterator[str]:
        """All texts in it that may be long."""
        yield from self.contexts or ()
        yield from self.topics or ()
        yield from (self.rubric or {}).values()
        yield self.persona or ""
        yield from (str(dict(call.arguments)) for call in self.tool_calls or ())
        yield str(dict(self.generation_params or {}))

    def without_text(self) -> Authored:
        """The same without what it says: what reports are split by stays."""
        return Authored(context_ids=self.context_ids, kind=self.kind, origin=self.origin, difficulty=self.difficulty)

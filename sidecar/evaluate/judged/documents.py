"""What evaluators that judge document by document ask: one verdict each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exporters.result import DocumentResult
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking, Told
from sidecar.inference.judge.judge import Question
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import Unscorable
from sidecar.record.request import Document

# One call each.
_MOST_DOCUMENTS = 30


class Useful(Reply):
    """Whether a document was useful."""

    reason: str
    useful: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """The documents in rank order, each with its verdict, and all reasons."""

    documents: tuple[DocumentResult, ...]
    reasons: str

    @property
    def useful(self) -> Sequence[bool]:
        """The verdicts in rank order."""
        return [one.relevant for one in self.documents]


class ByDocument(Asking):
    """A base for those evaluators, with one prompt. An invalid verdict is asked for again, then the metric fails."""

    async def judged(self, case: Case, told: Told, shown: Mapping[str, object]) -> Judgement:
        """Verdicts by `shown` and the text of each document; of the same document twice the better rank counts. Raises Unscorable: too_long;
        InferenceError."""
        by_text: dict[str, Document] = {}
        for place in case.ranked:
            by_text.setdefault(told.documents[place], case.documents[place])
        if len(by_text) > _MOST_DOCUMENTS:
            raise Unscorable("too_long")
        said = await asyncio.gather(
            *(
                self.judge.ask(Question(self.name, self.prompts[0], {**shown, "document": text}, Useful, again=True))
                for text in by_text
            )
        )
        pairs = list(zip(by_text.values(), said, strict=True))
        return Judgement(
            tuple(DocumentResult(d.rank, d.id, float(one.useful), one.useful) for d, one in pairs),
            "\n".join(f"{d.rank}. {one.reason}" for d, one in pairs),
        )

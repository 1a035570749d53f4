"""Context precision by the judge, without a reference: was each document useful to arrive at the answer, and are those first?"""

from __future__ import annotations

import asyncio

from exporters.result import DocumentResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.evaluate.metrics.context_precision import average_precision
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import Unscorable
from sidecar.record.request import Document

# One call each.
_MOST_DOCUMENTS = 30


class Useful(Reply):
    """Whether a document was useful."""

    reason: str
    useful: bool


class JudgedContextPrecision(Asking):
    """Average precision over verdicts of the documents in rank order; of the same document twice the better rank counts. An invalid verdict is
    asked for again, then the metric fails."""

    method = "answer"
    subject = Subject.RETRIEVAL
    needs = (Needs.QUESTION, Needs.ANSWER, Needs.CONTEXT)
    about = About(
        "sum(precision at k x v_k) / sum(v_k), v_k = 1 where document k was useful for the answer",
        "Ragas context precision",
        Cost.JUDGE,
        "K",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"context_precision{SUFFIX}", judge, [load("useful")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        by_text: dict[str, Document] = {}
        for document, text in sorted(zip(case.documents, told.documents, strict=True), key=lambda pair: pair[0].rank):
            by_text.setdefault(text, document)
        if len(by_text) > _MOST_DOCUMENTS:
            raise Unscorable("too_long")
        asked = ({"question": told.question, "answer": told.answer, "document": text} for text in by_text)
        said = await asyncio.gather(
            *(self.judge.ask(Question(self.name, self.prompts[0], data, Useful, again=True)) for data in asked)
        )
        documents = by_text.values()
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=average_precision([one.useful for one in said]),
            explanation="\n".join(f"{d.rank}. {one.reason}" for d, one in zip(documents, said, strict=True)),
            model=self.model,
            documents=tuple(
                DocumentResult(d.rank, d.id, float(one.useful), one.useful)
                for d, one in zip(documents, said, strict=True)
            ),
        )

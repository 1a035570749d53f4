"""Context precision: are the useful documents ranked first?"""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import DocumentResult, Evaluation, Outcome
from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case


def average_precision(useful: Sequence[bool]) -> float:
    """Mean over the useful documents of the precision at their rank; 0 where none is useful.

    Average precision of information retrieval, as Ragas' context precision applies it: [1,0,1,0,1] is 0.7556.
    """
    found = 0
    total = 0.0
    for rank, one in enumerate(useful, 1):
        if one:
            found += 1
            total += found / rank
    return total / found if found else 0.0


class ContextPrecision:
    """A document is useful where it is relevant to the question at the model's threshold. The order is the retriever's."""

    name = "context_precision"
    needs = (Needs.QUESTION, Needs.CONTEXT)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: language."""
        model = case.models.relevance
        case.require_language(model.languages, case.question, *case.texts)
        probabilities = await case.relevance()
        ranked = sorted(zip(case.documents, probabilities, strict=True), key=lambda pair: pair[0].rank)
        documents = tuple(DocumentResult(d.rank, d.id, p, p >= model.document_threshold) for d, p in ranked)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=average_precision([document.relevant for document in documents]),
            model=model.identity,
            threshold=model.document_threshold,
            documents=documents,
        )

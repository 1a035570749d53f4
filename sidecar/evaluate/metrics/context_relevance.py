"""Context relevance: how much of what was retrieved helps with the question?"""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import DocumentResult, Evaluation, Outcome
from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case


def expected_share(probabilities: Sequence[float]) -> float:
    """The expected share of relevant documents: the mean of their probabilities. Where these are 0 or 1 it is relevant
    documents / documents, as in the literature: 1 relevant of 2 is 0.5. See docs/adr/0005."""
    return sum(probabilities) / len(probabilities)


class ContextRelevance:
    """Each document's calibrated probability to help with the question; a document is relevant at the model's threshold."""

    name = "context_relevance"
    needs = (Needs.QUESTION, Needs.CONTEXT)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: language."""
        model = case.models.relevance
        case.require_language(model.languages, case.question, *case.texts)
        probabilities = await case.relevance()
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=expected_share(probabilities),
            model=model.identity,
            threshold=model.document_threshold,
            documents=tuple(
                DocumentResult(document.rank, document.id, p, p >= model.document_threshold)
                for document, p in zip(case.documents, probabilities, strict=True)
            ),
        )

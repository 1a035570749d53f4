"""Semantic similarity: do answer and reference mean the same?"""

from __future__ import annotations

import numpy as np

from exporters.result import Evaluation, ModelIdentity, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.inference.base import FloatArray


class SemanticSimilaritySettings(Section):
    """Nearness of answer and reference."""


def cosine(one: FloatArray, other: FloatArray) -> float:
    """Of two vectors of length 1: -1..1."""
    return float(np.clip(one @ other, -1.0, 1.0))


async def cosine_to_reference(case: Case) -> float:
    """Cosine of answer and reference by the embedding model: -1..1; computed once for all who ask."""

    async def compute() -> float:
        vectors = await case.models.embedder.embed([case.answer, case.reference])
        return cosine(vectors[0], vectors[1])

    return await case.once("cosine_to_reference", compute)


class SemanticSimilarity:
    """Cosine of the embeddings of answer and reference; a negative one counts as 0, and stands in the parts."""

    name = "semantic_similarity"
    version = "1"
    method = "cosine"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "cosine of the embeddings of answer and reference, at least 0",
        "Ragas semantic similarity; SAS, Risch et al. 2021",
        Cost.MODEL,
    )

    def __init__(self, settings: SemanticSimilaritySettings, dependencies: Dependencies) -> None:
        pass

    def languages(self, case: Case) -> frozenset[str] | None:
        """Those of the embedding model."""
        return case.models.embedder.languages

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """The embedding model."""
        return (case.models.embedder.identity,)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises nothing of its own."""
        found = await cosine_to_reference(case)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=max(0.0, found),
            parts={"cosine": found},
            model=case.models.embedder.identity,
        )

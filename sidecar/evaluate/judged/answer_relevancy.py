"""Answer relevancy by the judge: which questions would the answer be the answer to?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.evaluate.metrics.answer_relevancy import answer_relevancy
from sidecar.inference.base import FloatArray, ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError, Unscorable


class Generated(Reply):
    """A question that the answer is the answer to."""

    question: str
    noncommittal: bool


class Questions(Reply):
    """Several of them."""

    questions: list[Generated]


def mean_cosine(question: FloatArray, generated: FloatArray) -> float:
    """Mean cosine of a question, shape (d,), and others, shape (n, d), all of length 1; each cosine is held to 0..1 before."""
    return float(np.clip(generated @ question, 0.0, 1.0).mean())


class JudgedAnswerRelevancy(Asking):
    """Mean cosine of the question and `count` questions generated from the answer alone, x (1 - noncommittal), as in Ragas (Es et al. 2024).
    An answer is noncommittal where all of them say so. Embeddings are those of the local model."""

    method = "questions"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER)
    about = About(
        "mean cosine of the question and 3 questions generated from the answer x (1 - noncommittal)",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.JUDGE,
        "1",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource, *, count: int = 3) -> None:
        super().__init__(f"answer_relevancy{SUFFIX}", judge, [load("questions").filled(count=str(count))])
        self._models = models
        self._count = count

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long, or language where the embedding model does not read it; InferenceError: judge_invalid where it
        wrote no question."""
        await self._admit(case)
        told = await self.told(case)
        said = await self.judge.ask(Question(self.name, self.prompts[0], {"answer": told.answer}, Questions))
        valid = [one for one in said.questions if one.question.strip()][: self._count]
        if not valid:
            raise RetryableInferenceError(INVALID)
        noncommittal = all(one.noncommittal for one in valid)
        similarity = 0.0 if noncommittal else await self._similarity(case, told.question, [g.question for g in valid])
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=answer_relevancy(similarity, noncommittal=noncommittal),
            label="noncommittal" if noncommittal else None,
            explanation="\n".join(one.question for one in valid),
            model=self.model,
        )

    async def _admit(self, case: Case) -> None:
        """Before anything is spent: whether the embedding model reads the request."""
        async with self._models.route(service=case.trace.service, languages=lambda: case.languages) as models:
            read = models.embedder.languages
        if read is not None and not case.languages <= read:
            raise Unscorable("language")

    async def _similarity(self, case: Case, question: str, generated: Sequence[str]) -> float:
        """A local model is borrowed for this alone: it is never held while the judge is waited for."""
        async with self._models.route(service=case.trace.service, languages=lambda: case.languages) as models:
            vectors = await models.embedder.embed([question, *generated])
        return mean_cosine(vectors[0], vectors[1:])

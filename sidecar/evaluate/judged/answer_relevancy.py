"""Answer relevancy by the judge: which questions would the answer be the answer to? Or one rating."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking, Told
from sidecar.evaluate.judged.borrowed import admit_embedder, cosines
from sidecar.evaluate.metrics.answer_relevancy import AnswerRelevancySettings, answer_relevancy
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError


class Generated(Reply):
    """A question that the answer is the answer to."""

    question: str
    noncommittal: bool


class Questions(Reply):
    """Several of them."""

    questions: list[Generated]


class RatedOfFive(Reply):
    """A rating with its reason."""

    reason: str
    rating: Literal[1, 2, 3, 4, 5]


class JudgedAnswerRelevancy(Asking):
    """Mean cosine of the question and `count` questions generated from the answer alone, x (1 - noncommittal), as in Ragas (Es et al. 2024).
    An answer is noncommittal where all of them say so. Embeddings are those of the local model. Or, by the settings, (rating - 1) / 4."""

    method = "questions"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER)
    about = About(
        "mean cosine of the question and 3 questions generated from the answer x (1 - noncommittal); or (rating 1..5 - 1) / 4",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.JUDGE,
        "1",
    )

    def __init__(self, settings: AnswerRelevancySettings, judge: Judge, models: ModelSource, *, count: int = 3) -> None:
        self.method = settings.judge_method
        prompt = load("addressed") if self.method == "rating" else load("questions").filled(count=str(count))
        super().__init__(f"answer_relevancy{SUFFIX}", judge, [prompt])
        self._models = models
        self._count = count

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long, or language where the embedding model does not read it; InferenceError: judge_invalid where it
        wrote no question."""
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, model=self.model)
        if self.method == "rating":
            return await self._rated(await self.told(case), found)
        embedder = await admit_embedder(self._models, case)
        return await self._questions(case, await self.told(case), replace(found, other_models=(embedder,)))

    async def _rated(self, told: Told, found: Evaluation) -> Evaluation:
        data = {"question": told.question, "answer": told.answer}
        said = await self.judge.ask(Question(self.name, self.prompts[0], data, RatedOfFive))
        return replace(found, score=(said.rating - 1) / 4, label=str(said.rating), explanation=said.reason)

    async def _questions(self, case: Case, told: Told, found: Evaluation) -> Evaluation:
        said = await self.judge.ask(Question(self.name, self.prompts[0], {"answer": told.answer}, Questions))
        valid = [one for one in said.questions if one.question.strip()][: self._count]
        if not valid:
            raise RetryableInferenceError(INVALID)
        noncommittal = all(one.noncommittal for one in valid)
        near: list[float] = []
        if not noncommittal:
            near, embedder = await cosines(self._models, case, told.question, [g.question for g in valid])
            found = replace(found, other_models=(embedder,))
        similarity = float(np.clip(near, 0.0, 1.0).mean()) if near else 0.0
        return replace(
            found,
            score=answer_relevancy(similarity, noncommittal=noncommittal),
            label="noncommittal" if noncommittal else None,
            explanation="\n".join(one.question for one in valid),
        )

"""Summarization by the judge: does a summary answer what its source answers, and is it shorter?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Judged, Needs, Probability, needing
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking, numbered
from sidecar.evaluate.judged.claims import several
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError


class SummarizationSettings(Judged):
    """How good a summary is."""

    source: Literal["reference_contexts", "contexts"] = Field(
        default="reference_contexts", description="Where the text stands that was summarised."
    )
    weight: Probability = Field(
        default=0.5, description="Weight of conciseness; the rest is that of questions answered."
    )


class Phrases(Reply):
    """Key phrases of a text."""

    phrases: list[str]


class YesQuestions(Reply):
    """Questions that a text answers with yes."""

    questions: list[str]


class Answered(Reply):
    """Whether a summary answers each question with yes, in order."""

    answers: list[bool]


def conciseness(summary: str, source: str) -> float:
    """1 - min(length of the summary, length of the source) / length of the source, in characters: 0..1."""
    return 1 - min(len(summary), len(source)) / len(source)


class Summarization(Asking):
    """Questions of the source that the summary answers / questions, and conciseness."""

    method = "questions_conciseness"
    subject = Subject.ANSWER
    needs = needing(Needs.ANSWER, Needs.REFERENCE_CONTEXTS)
    about = About(
        "0.5 x questions on the source that the summary answers / questions + 0.5 x (1 - length of summary / length of source)",
        "Ragas summarization score",
        Cost.JUDGE,
        "3",
    )

    def __init__(self, settings: SummarizationSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__("summarization", judge, [load("phrases"), load("yes_questions"), load("answered")])
        self._settings = settings
        if settings.source == "contexts":
            self.needs = needing(Needs.ANSWER, Needs.CONTEXT)
        if settings.weight != 0.5:
            self.method = f"questions_conciseness_{round(100 * settings.weight)}"

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_phrases, no_questions, too_long; InferenceError."""
        told = await self.told(case)
        by_author = self._settings.source == "reference_contexts"
        source = told.reference_contexts if by_author else told.documents
        phrases = await self._phrases("\n\n".join(source))
        questions = await self._questions("\n\n".join(source), phrases)
        data = {"summary": told.answer, "questions": numbered(questions)}
        said = await self.judge.ask(Question(self.name, self.prompts[2], data, Answered))
        if len(said.answers) != len(questions):
            raise RetryableInferenceError(INVALID)
        answered = sum(said.answers) / len(questions)
        short = conciseness(case.answer, "\n\n".join(case.reference_contexts if by_author else case.texts))
        weight = self._settings.weight
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=(1 - weight) * answered + weight * short,
            parts={"questions": answered, "conciseness": short},
            explanation="\n".join(
                f"{'yes' if yes else 'no'}: {text}" for text, yes in zip(questions, said.answers, strict=True)
            ),
            model=self.model,
        )

    async def _phrases(self, source: str) -> list[str]:
        said = await self.judge.ask(Question(self.name, self.prompts[0], {"text": source}, Phrases))
        return several(said.phrases, "no_phrases")

    async def _questions(self, source: str, phrases: list[str]) -> list[str]:
        data = {"text": source, "phrases": phrases}
        said = await self.judge.ask(Question(self.name, self.prompts[1], data, YesQuestions))
        return several(said.questions, "no_questions")

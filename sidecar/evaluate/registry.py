"""All evaluators, in the order in which they are reported. To add one: a file of its own, a golden file, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidecar.evaluate.base import Dependencies, Evaluator, Settings, Threshold
from sidecar.evaluate.judged.answer_relevancy import JudgedAnswerRelevancy
from sidecar.evaluate.judged.context_precision import JudgedContextPrecision
from sidecar.evaluate.judged.faithfulness import JudgedFaithfulness
from sidecar.evaluate.judged.ratings import JudgedContextRelevance, JudgedGroundedness
from sidecar.evaluate.metrics.answer_relevancy import AnswerRelevancy, AnswerRelevancySettings
from sidecar.evaluate.metrics.context_precision import ContextPrecision, ContextPrecisionSettings
from sidecar.evaluate.metrics.context_relevance import ContextRelevance, ContextRelevanceSettings
from sidecar.evaluate.metrics.faithfulness import Faithfulness, FaithfulnessSettings
from sidecar.evaluate.metrics.groundedness import Groundedness, GroundednessSettings
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


@dataclass(frozen=True, slots=True)
class Entry:
    """One evaluator: its name, the model of its section `evaluate.NAME`, and how it is built of an instance of that; `judged` builds the one that
    asks a judge in its place or beside it."""

    name: str
    settings: type[Settings]
    build: Callable[[Any, Dependencies], Evaluator]
    judged: Callable[[Any, Judge, ModelSource], Evaluator]


EVALUATORS: tuple[Entry, ...] = (
    Entry("faithfulness", FaithfulnessSettings, Faithfulness, lambda _, judge, __: JudgedFaithfulness(judge)),
    Entry(
        "groundedness",
        GroundednessSettings,
        Groundedness,
        lambda settings, judge, _: JudgedGroundedness(judge, Threshold(settings.judge_threshold)),
    ),
    Entry(
        "context_relevance",
        ContextRelevanceSettings,
        ContextRelevance,
        lambda _, judge, __: JudgedContextRelevance(judge),
    ),
    Entry(
        "context_precision",
        ContextPrecisionSettings,
        ContextPrecision,
        lambda _, judge, __: JudgedContextPrecision(judge),
    ),
    Entry(
        "answer_relevancy",
        AnswerRelevancySettings,
        AnswerRelevancy,
        lambda _, judge, models: JudgedAnswerRelevancy(judge, models),
    ),
)
NAMES: tuple[str, ...] = tuple(entry.name for entry in EVALUATORS)

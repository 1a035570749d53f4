"""All evaluators, in the order in which they are reported. To add one: a file of its own, a golden file, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidecar.evaluate.base import Dependencies, Evaluator, Settings
from sidecar.evaluate.metrics.answer_relevancy import AnswerRelevancy, AnswerRelevancySettings
from sidecar.evaluate.metrics.context_precision import ContextPrecision, ContextPrecisionSettings
from sidecar.evaluate.metrics.context_relevance import ContextRelevance, ContextRelevanceSettings
from sidecar.evaluate.metrics.faithfulness import Faithfulness, FaithfulnessSettings
from sidecar.evaluate.metrics.groundedness import Groundedness, GroundednessSettings


@dataclass(frozen=True, slots=True)
class Entry:
    """One evaluator: its name, the model of its section `evaluate.NAME`, and how it is built of an instance of that."""

    name: str
    settings: type[Settings]
    build: Callable[[Any, Dependencies], Evaluator]


EVALUATORS: tuple[Entry, ...] = (
    Entry("faithfulness", FaithfulnessSettings, Faithfulness),
    Entry("groundedness", GroundednessSettings, Groundedness),
    Entry("context_relevance", ContextRelevanceSettings, ContextRelevance),
    Entry("context_precision", ContextPrecisionSettings, ContextPrecision),
    Entry("answer_relevancy", AnswerRelevancySettings, AnswerRelevancy),
)
NAMES: tuple[str, ...] = tuple(entry.name for entry in EVALUATORS)

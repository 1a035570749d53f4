"""All evaluators, in the order in which they are reported. To add one: a file of its own, a golden file, and a line here."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Protocol

from sidecar.evaluate.base import AUTHORED, About, Dependencies, Evaluator, Needs, Section
from sidecar.evaluate.judged.agents import (
    AgentGoalAccuracy,
    AgentGoalInferred,
    AgentGoalSettings,
    TopicAdherence,
    TopicAdherenceSettings,
)
from sidecar.evaluate.judged.answer_accuracy import AnswerAccuracy, AnswerAccuracySettings
from sidecar.evaluate.judged.answer_correctness import JudgedAnswerCorrectness
from sidecar.evaluate.judged.answer_coverage import JudgedAnswerCoverage
from sidecar.evaluate.judged.answer_relevancy import JudgedAnswerRelevancy
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.context_entity_recall import JudgedContextEntityRecall
from sidecar.evaluate.judged.context_precision import JudgedContextPrecision, JudgedContextPrecisionReference
from sidecar.evaluate.judged.context_recall import JudgedContextRecall
from sidecar.evaluate.judged.context_relevance import JudgedContextRelevance
from sidecar.evaluate.judged.faithfulness import JudgedFaithfulness
from sidecar.evaluate.judged.groundedness import JudgedGroundedness
from sidecar.evaluate.judged.instance_rubric import InstanceRubric, InstanceRubricSettings
from sidecar.evaluate.judged.noise_robustness import JudgedNoiseRobustness, JudgedNoiseRobustnessIrrelevant
from sidecar.evaluate.judged.sql_equivalence import JudgedSqlEquivalence
from sidecar.evaluate.judged.summarization import Summarization, SummarizationSettings
from sidecar.evaluate.metrics.agents.tool_call_accuracy import ToolCallAccuracy, ToolCallAccuracySettings
from sidecar.evaluate.metrics.agents.turn_faithfulness import TurnFaithfulness, TurnFaithfulnessSettings
from sidecar.evaluate.metrics.answer_correctness import AnswerCorrectness, AnswerCorrectnessSettings
from sidecar.evaluate.metrics.answer_coverage import AnswerCoverage, AnswerCoverageSettings
from sidecar.evaluate.metrics.answer_relevancy import AnswerRelevancy, AnswerRelevancySettings
from sidecar.evaluate.metrics.chunks import (
    ContextPrecisionContexts,
    ContextPrecisionIds,
    ContextRecallContexts,
    ContextRecallIds,
    IdSettings,
    SimilarSettings,
)
from sidecar.evaluate.metrics.context_entity_recall import ContextEntityRecall, ContextEntityRecallSettings
from sidecar.evaluate.metrics.context_precision import ContextPrecision, ContextPrecisionSettings
from sidecar.evaluate.metrics.context_precision_reference import (
    ContextPrecisionReference,
    ContextPrecisionReferenceSettings,
)
from sidecar.evaluate.metrics.context_recall import ContextRecall, ContextRecallSettings
from sidecar.evaluate.metrics.context_relevance import ContextRelevance, ContextRelevanceSettings
from sidecar.evaluate.metrics.faithfulness import Faithfulness, FaithfulnessSettings
from sidecar.evaluate.metrics.groundedness import Groundedness, GroundednessSettings
from sidecar.evaluate.metrics.noise_robustness import (
    NoiseRobustness,
    NoiseRobustnessIrrelevant,
    NoiseRobustnessSettings,
)
from sidecar.evaluate.metrics.semantic_similarity import SemanticSimilarity, SemanticSimilaritySettings
from sidecar.evaluate.metrics.special.data_compare import DataCompare, DataCompareSettings
from sidecar.evaluate.metrics.special.sql_equivalence import SqlEquivalence, SqlEquivalenceSettings
from sidecar.evaluate.metrics.strings.bleu import Bleu, BleuSettings
from sidecar.evaluate.metrics.strings.chrf import Chrf, ChrfSettings
from sidecar.evaluate.metrics.strings.exact_match import ExactMatch, ExactMatchSettings
from sidecar.evaluate.metrics.strings.rouge import Rouge, RougeSettings
from sidecar.evaluate.metrics.strings.string_presence import StringPresence, StringPresenceSettings
from sidecar.evaluate.metrics.strings.string_similarity import StringSimilarity, StringSimilaritySettings
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


class _Form(Protocol):
    """What the class of an evaluator says before anything is built; an instance may say otherwise of method and needs, by its settings."""

    @property
    def method(self) -> str: ...
    @property
    def needs(self) -> tuple[Needs, ...]: ...
    @property
    def about(self) -> About: ...
    @property
    def decides(self) -> bool: ...


class LocalForm(_Form, Protocol):
    """A class that scores without a judge."""

    def __call__(self, settings: Any, dependencies: Dependencies, /) -> Evaluator: ...


class JudgedForm(_Form, Protocol):
    """A class that asks a judge. Its models are borrowed one call at a time."""

    def __call__(self, settings: Any, judge: Judge, models: ModelSource, /) -> Evaluator: ...


class Standing(enum.StrEnum):
    """When an evaluator runs that no setting names."""

    ON = "on"
    REFERENCED = "referenced"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Entry:
    """One evaluator: its name, the model of its section `evaluate.NAME`, and its forms.

    standing  ON: on every request; REFERENCED: on requests that bring what its author has to write; OFF: where it is named
    """

    name: str
    settings: type[Section]
    local: LocalForm | None
    judged: JudgedForm | None
    standing: Standing = Standing.REFERENCED

    @property
    def form(self) -> LocalForm | JudgedForm:
        """The local form, else the judged one."""
        found = self.local or self.judged
        assert found is not None
        return found

    @property
    def needs(self) -> tuple[Needs, ...]:
        """Of that form."""
        return self.form.needs

    @property
    def online(self) -> bool:
        """Whether requests of production have all that it needs."""
        return not AUTHORED.intersection(self.needs)


def judged_name(entry: Entry) -> str:
    """What the judged form of an evaluator is called: by its own name where it has no local one."""
    return entry.name if entry.local is None else entry.name + SUFFIX


EVALUATORS: tuple[Entry, ...] = (
    Entry("faithfulness", FaithfulnessSettings, Faithfulness, JudgedFaithfulness, Standing.ON),
    Entry("groundedness", GroundednessSettings, Groundedness, JudgedGroundedness, Standing.ON),
    Entry("context_relevance", ContextRelevanceSettings, ContextRelevance, JudgedContextRelevance, Standing.ON),
    Entry("context_precision", ContextPrecisionSettings, ContextPrecision, JudgedContextPrecision, Standing.ON),
    Entry("answer_relevancy", AnswerRelevancySettings, AnswerRelevancy, JudgedAnswerRelevancy, Standing.ON),
    Entry("context_recall", ContextRecallSettings, ContextRecall, JudgedContextRecall),
    Entry("context_recall_contexts", SimilarSettings, ContextRecallContexts, None),
    Entry("context_recall_ids", IdSettings, ContextRecallIds, None),
    Entry(
        "context_precision_reference",
        ContextPrecisionReferenceSettings,
        ContextPrecisionReference,
        JudgedContextPrecisionReference,
    ),
    Entry("context_precision_contexts", SimilarSettings, ContextPrecisionContexts, None),
    Entry("context_precision_ids", IdSettings, ContextPrecisionIds, None),
    Entry("context_entity_recall", ContextEntityRecallSettings, ContextEntityRecall, JudgedContextEntityRecall),
    Entry("noise_robustness", NoiseRobustnessSettings, NoiseRobustness, JudgedNoiseRobustness),
    Entry(
        "noise_robustness_irrelevant",
        NoiseRobustnessSettings,
        NoiseRobustnessIrrelevant,
        JudgedNoiseRobustnessIrrelevant,
    ),
    Entry("answer_correctness", AnswerCorrectnessSettings, AnswerCorrectness, JudgedAnswerCorrectness),
    Entry("answer_accuracy", AnswerAccuracySettings, None, AnswerAccuracy),
    Entry("semantic_similarity", SemanticSimilaritySettings, SemanticSimilarity, None),
    Entry("answer_coverage", AnswerCoverageSettings, AnswerCoverage, JudgedAnswerCoverage, Standing.OFF),
    Entry("exact_match", ExactMatchSettings, ExactMatch, None),
    Entry("string_presence", StringPresenceSettings, StringPresence, None),
    Entry("string_similarity", StringSimilaritySettings, StringSimilarity, None),
    Entry("bleu", BleuSettings, Bleu, None),
    Entry("rouge", RougeSettings, Rouge, None),
    Entry("chrf", ChrfSettings, Chrf, None),
    Entry("instance_rubric", InstanceRubricSettings, None, InstanceRubric),
    Entry("summarization", SummarizationSettings, None, Summarization, Standing.OFF),
    Entry("sql_equivalence", SqlEquivalenceSettings, SqlEquivalence, JudgedSqlEquivalence, Standing.OFF),
    Entry("data_compare", DataCompareSettings, DataCompare, None, Standing.OFF),
    Entry("tool_call_accuracy", ToolCallAccuracySettings, ToolCallAccuracy, None),
    Entry("topic_adherence", TopicAdherenceSettings, None, TopicAdherence),
    Entry("agent_goal_accuracy", AgentGoalSettings, None, AgentGoalAccuracy),
    Entry("agent_goal_inferred", AgentGoalSettings, None, AgentGoalInferred, Standing.OFF),
    Entry("turn_faithfulness", TurnFaithfulnessSettings, TurnFaithfulness, None, Standing.OFF),
)
NAMES: tuple[str, ...] = tuple(entry.name for entry in EVALUATORS)
# Evaluations by these names have the verdict as their label.
DECIDING = frozenset(
    name
    for entry in EVALUATORS
    for form, name in ((entry.local, entry.name), (entry.judged, judged_name(entry)))
    if form is not None and form.decides
)
DEFAULTS: tuple[str, ...] = tuple(entry.name for entry in EVALUATORS if entry.standing is Standing.ON)

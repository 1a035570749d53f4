"""All evaluators, in the order in which they are reported. To add one: a file of its own, a golden file, and a line here."""

from __future__ import annotations

from sidecar.evaluate.base import Evaluator
from sidecar.evaluate.metrics.answer_relevancy import AnswerRelevancy
from sidecar.evaluate.metrics.context_precision import ContextPrecision
from sidecar.evaluate.metrics.context_relevance import ContextRelevance
from sidecar.evaluate.metrics.faithfulness import Faithfulness
from sidecar.evaluate.metrics.groundedness import Groundedness

EVALUATORS: tuple[Evaluator, ...] = (
    Faithfulness(),
    Groundedness(),
    ContextRelevance(),
    ContextPrecision(),
    AnswerRelevancy(),
)
NAMES: tuple[str, ...] = tuple(evaluator.name for evaluator in EVALUATORS)

"""What an evaluator is.

An evaluator is a small class in a file of its own, listed in registry.py. It scores one request or says why it cannot:
it raises Unscorable(reason) or InferenceError and nothing else, and never returns a score that is not finite and in 0..1.
What several evaluators need of one request (claims, language, support) is computed once and shared through `Case`.
"""

from __future__ import annotations

import enum
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Evaluation, ModelIdentity, Subject
from sidecar.evaluate.case import Case
from sidecar.inference.calibrated import logit, probability


class Needs(enum.StrEnum):
    """What a request must have for an evaluator to look at it; what lacks is `unscorable{reason="no_<need>"}`.

    RETRIEVAL is met where retrieval is known to have run, though it may have found nothing; what lacks then is `no_context`.
    """

    QUESTION = "question"
    ANSWER = "answer"
    CONTEXT = "context"
    RETRIEVAL = "retrieval"
    MESSAGES = "messages"
    REFERENCE = "reference"
    REFERENCE_CONTEXTS = "reference_contexts"
    REFERENCE_CONTEXT_IDS = "reference_context_ids"
    TOOL_CALLS = "tool_calls"
    TOPICS = "topics"
    RUBRIC = "rubric"

    @property
    def reason(self) -> str:
        """Why there is no score where it lacks."""
        return "no_context" if self is Needs.RETRIEVAL else f"no_{self}"


# What somebody has to write for a case: no request of production has it.
AUTHORED = frozenset(
    {
        Needs.REFERENCE,
        Needs.REFERENCE_CONTEXTS,
        Needs.REFERENCE_CONTEXT_IDS,
        Needs.TOOL_CALLS,
        Needs.TOPICS,
        Needs.RUBRIC,
    }
)


def needing(*needs: Needs) -> tuple[Needs, ...]:
    """The needs of a class whose instances may need something else, by their settings."""
    return needs


class Lane(enum.StrEnum):
    """Evaluators of one lane run together; the slow one waits for something outside the process, the local one never does."""

    LOCAL = "local"
    SLOW = "slow"


Probability = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(gt=0, le=1)]
# Of judged requests where both judge: few are enough to see how far the local scores are off.
_RATE_BESIDE = 0.1


class Cost(enum.StrEnum):
    """What one evaluation costs: arithmetic over texts, inference by local models, or calls to the judge."""

    TEXT = "text"
    MODEL = "model"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class About:
    """What a form of an evaluator is, for whoever reads a list of them. Its class has it as `about`.

    formula    one line
    source     who defined it
    cost       the dearest that it does
    calls      questions to the judge for one request; K is the number of documents
    libraries  modules of the extra `offline` that it imports
    """

    formula: str
    source: str
    cost: Cost
    calls: str = "0"
    libraries: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        """Whether its libraries are there."""
        return all(importlib.util.find_spec(module) is not None for module in self.libraries)


class Section(BaseModel):
    """Settings of one evaluator: the section `evaluate.NAME`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def locally(self) -> bool:
        """Whether its local form runs."""
        return True

    @property
    def asks(self) -> bool:
        """Whether its judged form runs."""
        return False

    @property
    def drawn(self) -> float:
        """Probability with which a scored request is drawn for the judge, before its budget."""
        return 1.0


class Judged(Section):
    """Settings of an evaluator that only a judge can answer."""

    judge_rate: Rate = Field(default=1.0, description="Share of the scored requests that the judge sees for it.")

    @property
    def locally(self) -> bool:
        """Never."""
        return False

    @property
    def asks(self) -> bool:
        """Always."""
        return True

    @property
    def drawn(self) -> float:
        """As set."""
        return self.judge_rate


class Settings(Section):
    """Settings of an evaluator that has both forms."""

    by: Literal["local", "judge", "both"] = Field(
        default="local",
        description="What scores: the local models, the judge (`judge.url`), or both; what the judge says is an evaluator of its own, with "
        "`_judge` behind its name.",
    )
    judge_rate: Rate | None = Field(
        default=None,
        description="Share of the scored requests that the judge sees, drawn by trace id whatever their local score; by default 1 with `judge`, "
        "0.1 with `both`.",
    )

    @property
    def locally(self) -> bool:
        """As `by` says."""
        return self.by != "judge"

    @property
    def asks(self) -> bool:
        """As `by` says."""
        return self.by != "local"

    @property
    def drawn(self) -> float:
        """As set."""
        if self.judge_rate is None:
            return 1.0 if self.by == "judge" else _RATE_BESIDE
        return self.judge_rate


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold as it is set: for all services, and for some by patterns of their names (* and ? stand for any characters), of
    which the first that fits counts. None is the model's own."""

    general: float | None = None
    services: Mapping[str, float] = field(default_factory=dict)

    def of(self, service: str, default: float) -> float:
        """What holds for a service; `default` where nothing is set. 0 is set."""
        own = self.set_for(service)
        return default if own is None else own

    def set_for(self, service: str) -> float | None:
        """What is set for a service, None where nothing is."""
        for pattern, value in self.services.items():
            if fnmatchcase(service, pattern):
                return value
        return self.general


@dataclass(frozen=True, slots=True)
class ClaimThreshold:
    """Support from which on a claim counts as supported: what is set for `claims`; where another threshold than the model's is set for `answers` alone, the model's
    own, moved as far in log odds, so that an answer whose only claim is weak is hallucinated rather than undecided; else the model's own. See docs/adr/0013."""

    claims: Threshold = Threshold()
    answers: Threshold = Threshold()

    def of(self, service: str, claim: float, answer: float) -> float:
        """What holds for a service, of a model whose own thresholds are `claim` and `answer`."""
        own, asked = self.claims.set_for(service), self.answers.set_for(service)
        if own is not None:
            return own
        if asked is None or asked in (0.0, 1.0):
            return claim if asked is None else asked
        return probability(logit(claim) + logit(asked) - logit(answer))


class Thresholded(Settings):
    """Settings of an evaluator that compares with a threshold: `threshold`, which each describes itself, and `thresholds`."""

    threshold: float | None = None
    thresholds: Mapping[Annotated[str, Field(min_length=1)], Probability] = Field(
        default={},
        description="Other thresholds for some services, by name; * and ? stand for any characters, the first that fits counts.",
    )

    @property
    def by_service(self) -> Threshold:
        """Both together."""
        return Threshold(self.threshold, self.thresholds)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What an evaluator may be built with beside its own settings.

    claims  support from which on a claim counts as supported: one for all evaluators, so that the claims that one reports and
            the verdict of another tell one story
    """

    claims: ClaimThreshold = ClaimThreshold()


@runtime_checkable
class AsksModels(Protocol):
    """What an evaluator that asks models is too."""

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """Those that it asks about a case, the one that gives the score first."""
        ...


class ByGrounder:
    """A base for what asks the grounding model alone."""

    def languages(self, case: Case) -> frozenset[str]:
        """Those of the grounding model."""
        return case.models.grounder.languages

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """The grounding model."""
        return (case.models.grounder.identity,)


class ByRelevance:
    """A base for what asks the relevance model alone."""

    def languages(self, case: Case) -> frozenset[str]:
        """Those of the relevance model."""
        return case.models.relevance.languages

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """The relevance model."""
        return (case.models.relevance.identity,)


class Evaluator(Protocol):
    """Scores one request. What it declares is stamped on each of its evaluations by the engine.

    name     the label value, and the name of its section of settings
    version  goes up whenever the same request may come out otherwise
    method   the formula, a bounded word: scores of two methods are never compared
    subject  what is judged, which says the span that an evaluation is attached to
    needs    checked, in order, before `evaluate` is called
    decides  whether its label is the verdict
    lane     SLOW where it waits for something outside the process: its case has no local models, which others may need meanwhile
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def subject(self) -> Subject: ...

    @property
    def needs(self) -> tuple[Needs, ...]: ...

    @property
    def decides(self) -> bool: ...

    @property
    def lane(self) -> Lane: ...

    def languages(self, case: Case) -> frozenset[str] | None:
        """ISO 639-1 codes that it reads with the models of the case; None = any."""
        ...

    async def evaluate(self, case: Case) -> Evaluation:
        """The evaluation, with outcome SCORED. Raises Unscorable or InferenceError."""
        ...

"""The section `evaluate`: limits of all evaluators, and one section for each entry of the registry."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from sidecar.evaluate.base import Dependencies, Evaluator, Settings
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.own import OwnEvaluator, OwnMetric
from sidecar.evaluate.metrics.faithfulness import Faithfulness
from sidecar.evaluate.registry import EVALUATORS, NAMES
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge

OwnName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]


class _Limits(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    evaluators: tuple[str, ...] = Field(default=NAMES, min_length=1, description="Which evaluators run.")
    most_answer_chars: int = Field(
        default=20_000, ge=1, description="Longer answers are unscorable{reason=too_long}, never cut."
    )
    most_document_chars: int = Field(
        default=200_000, ge=1, description="The same for all documents of a request together."
    )
    most_documents: int = Field(default=200, ge=1, description="The same for the number of documents.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="Time for all evaluators of one request.")

    metrics: Mapping[OwnName, OwnMetric] = Field(
        default={},
        max_length=20,
        description="Metrics of your own, by name, which the judge answers: each is an evaluator with series and panels like any other.",
    )

    @field_validator("metrics")
    @classmethod
    def _free(cls, metrics: Mapping[str, OwnMetric]) -> Mapping[str, OwnMetric]:
        for name in metrics:
            if name.removesuffix(SUFFIX) in NAMES:
                raise ValueError(f"{name} is an evaluator that is known: choose another name")
        return metrics

    @field_validator("evaluators")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in NAMES:
                close = difflib.get_close_matches(name, NAMES, n=1)
                raise ValueError(
                    f"no evaluator {name!r}; "
                    + (f"did you mean {close[0]}?" if close else f"known are {', '.join(NAMES)}")
                )
        if len(set(names)) != len(names):
            raise ValueError("an evaluator is named twice")
        return names


if TYPE_CHECKING:
    _Sections = _Limits
else:
    _Sections = create_model(
        "_Sections",
        __base__=_Limits,
        **{
            entry.name: (entry.settings, Field(default=entry.settings(), description=entry.settings.__doc__))
            for entry in EVALUATORS
        },
    )


class EvaluateConfig(_Sections):
    """Settings of the evaluators."""

    def of(self, name: str) -> Settings:
        """The section of one evaluator."""
        section: Settings = getattr(self, name)
        return section

    @property
    def judged(self) -> dict[str, float]:
        """The evaluators that ask the judge, each with the probability with which it sees a scored request, before the budget."""
        builtin = {name + SUFFIX: self.of(name).drawn for name in self.evaluators if self.of(name).by != "local"}
        return {**builtin, **{name: metric.judge_rate for name, metric in self.metrics.items()}}


def build(config: EvaluateConfig, judge: Judge | None = None, models: ModelSource | None = None) -> list[Evaluator]:
    """The evaluators that `config` names, each with its settings, in the order of the registry: local ones, then those that ask the judge, and
    metrics of the user's own. Without a judge, and models that it may borrow, only local ones are built."""
    shared = Dependencies(claims=getattr(config, Faithfulness.name).by_service)
    wanted = [entry for entry in EVALUATORS if entry.name in config.evaluators]
    built = [entry.build(config.of(entry.name), shared) for entry in wanted if config.of(entry.name).by != "judge"]
    if judge is not None and models is not None:
        asked = [entry for entry in wanted if config.of(entry.name).by != "local"]
        built += [entry.judged(config.of(entry.name), judge, models) for entry in asked]
        built += [OwnEvaluator(name, metric, judge) for name, metric in config.metrics.items()]
    return built

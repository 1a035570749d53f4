"""The section `evaluate`: limits of all evaluators, and one section for each entry of the registry."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from sidecar.evaluate.base import About, ClaimThreshold, Dependencies, Evaluator, Section
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.own import OwnEvaluator, OwnMetric
from sidecar.evaluate.metrics.faithfulness import Faithfulness
from sidecar.evaluate.metrics.groundedness import Groundedness
from sidecar.evaluate.registry import DEFAULTS, EVALUATORS, NAMES, Entry, Standing, judged_name
from sidecar.inference.base import ModelSource
from sidecar.inference.grounding.detector import Anchor
from sidecar.inference.judge.judge import Judge
from sidecar.record.errors import ConfigError

OwnName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]


class _Limits(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    evaluators: tuple[str, ...] = Field(
        default=DEFAULTS,
        min_length=1,
        description="Which evaluators run on every request; `rag-sidecar metrics` lists them all.",
    )
    references: Literal["off", "local", "all"] = Field(
        default="local",
        description="Evaluators that need a reference, on the requests that bring one (test cases and probes; no request of production does): none, "
        "those that are scored locally, or those too that only a judge answers.",
    )
    most_answer_chars: int = Field(
        default=20_000,
        ge=1,
        description="Longer answers are unscorable{reason=too_long}, never cut; so are those of more than 400 claims, where claims are judged.",
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

    anchors: Mapping[str, Anchor] = Field(
        default={},
        max_length=200,
        description="By service, what randomly drawn labels say of the local verdict on its answers, as `rag-sidecar calibrate` prints it: the hallucination "
        "ratio is anchored in that where no judge looks at the service.",
    )
    anchors_expire_days: int = Field(
        default=90,
        ge=0,
        le=3650,
        description="How long labels anchor: questions and documents change, and with them how often the verdict is right. Older anchors are shown and used no "
        "more; 0 is for ever.",
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
            if (own := name.removesuffix(SUFFIX)) != name and own in NAMES:
                raise ValueError(f"{name} is what evaluate.{own}.by: judge (or both) gives: name {own} here")
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

    def of(self, name: str) -> Section:
        """The section of one evaluator."""
        section: Section = getattr(self, name)
        return section

    @property
    def running(self) -> tuple[Entry, ...]:
        """The evaluators that run, in the order of the registry."""
        return tuple(entry for entry in EVALUATORS if entry.name in self.evaluators or entry.name in self.by_reference)

    @property
    def by_reference(self) -> frozenset[str]:
        """Those of them that run only on requests that bring a reference. One whose library is missing is left out."""
        if self.references == "off":
            return frozenset()
        others = (one for one in EVALUATORS if one.standing is Standing.REFERENCED and one.name not in self.evaluators)
        wanted = (one for one in others if one.local is not None or self.references == "all")
        return frozenset(one.name for one in wanted if one.form.about.installed)

    @property
    def judged(self) -> dict[str, float]:
        """The evaluators that ask the judge, each with the probability with which it sees a scored request, before the budget."""
        asked = (entry for entry in self.running if self.of(entry.name).asks)
        builtin = {judged_name(entry): self.of(entry.name).drawn for entry in asked}
        return {**builtin, **{name: metric.judge_rate for name, metric in self.metrics.items()}}


def names_of(config: EvaluateConfig) -> tuple[str, ...]:
    """Names of the evaluators that `build` makes of these settings, in its order."""
    local = (one.name for one in config.running if one.local is not None and config.of(one.name).locally)
    return (*local, *config.judged)


def build(config: EvaluateConfig, judge: Judge | None = None, models: ModelSource | None = None) -> list[Evaluator]:
    """The evaluators that `config` names, each with its settings, in the order of the registry: local ones, then those that ask the judge, and
    metrics of the user's own. Without a judge, and models that it may borrow, only local ones are built. Raises ConfigError where a library is
    missing of one that is named."""
    claims = ClaimThreshold(
        getattr(config, Faithfulness.name).by_service, getattr(config, Groundedness.name).by_service
    )
    shared = Dependencies(claims)
    built: list[Evaluator] = []
    for entry in config.running:
        section = config.of(entry.name)
        if entry.local is not None and section.locally:
            _libraries(entry.name, entry.local.about)
            built.append(entry.local(section, shared))
    if judge is not None and models is not None:
        for entry in config.running:
            section = config.of(entry.name)
            if entry.judged is not None and section.asks:
                _libraries(entry.name, entry.judged.about)
                built.append(entry.judged(section, judge, models))
        built += [OwnEvaluator(name, metric, judge) for name, metric in config.metrics.items()]
    return built


def _libraries(name: str, about: About) -> None:
    if not about.installed:
        raise ConfigError(
            f"evaluate.evaluators: {name}",
            f"needs {' and '.join(about.libraries)}, which is not installed",
            "install the extra `offline` (pip install '.[offline]' in a clone), or leave it out",
        )
    for module in about.libraries:
        importlib.import_module(module)  # Now, not while a request waits: some take seconds.

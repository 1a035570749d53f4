"""The section `evaluate`: limits of all evaluators, and one section for each entry of the registry."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from sidecar.evaluate.base import Dependencies, Evaluator
from sidecar.evaluate.metrics.faithfulness import Faithfulness
from sidecar.evaluate.registry import EVALUATORS, NAMES


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


def build(config: EvaluateConfig) -> list[Evaluator]:
    """The evaluators that `config` names, each with its settings, in the order of the registry."""
    shared = Dependencies(claims=getattr(config, Faithfulness.name).by_service)
    wanted = (entry for entry in EVALUATORS if entry.name in config.evaluators)
    return [entry.build(getattr(config, entry.name), shared) for entry in wanted]

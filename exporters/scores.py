"""Which evaluations become scores in a trace backend, and at which span they stand. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from exporters.result import Evaluation, Outcome, Result, Subject, Verdict
from exporters.text import clean

_HEX = re.compile(r"[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class Score:
    """One evaluation with something to show. `span_id` is the evaluated span, `value` 0..1 with 1 good; of `value` and `label` one at least is
    there."""

    result: Result
    evaluation: Evaluation
    span_id: str
    value: float | None
    label: str | None

    @property
    def details(self) -> dict[str, str | float]:
        """What goes with it in words and numbers; no user text."""
        one, model = self.evaluation, self.evaluation.model
        found: dict[str, str | float | None] = {
            "result_id": self.result.id,
            "service": self.result.service,
            "variant": self.result.variant,
            "version": one.version,
            "method": one.method,
            "threshold": one.threshold,
            "inclusion_probability": self.result.probability_of(one),
            "model": model.name if model else None,
            "model_version": model.version if model else None,
            "model_sha256": model.sha256 if model else None,
            "other_models": ", ".join(other.called for other in one.other_models) or None,
            "abstention_model": one.abstention_model.called if one.abstention_model else None,
        }
        return {key: clean(value) if isinstance(value, str) else value for key, value in found.items() if _told(value)}


def scores_of(results: Sequence[Result]) -> Iterator[Score]:
    """Those of results whose trace is in a backend: it has a span, and was sampled there. What could not be scored has no score here
    either, but for an abstention, which is a label."""
    for result in results:
        if not (is_id(result.trace_id, 32) and result.trace_sampled):
            continue
        for one in result.evaluations:
            span = span_of(result, one)
            value = one.score if one.score is not None and math.isfinite(one.score) else None
            label = one.label
            if one.outcome is Outcome.UNSCORABLE and one.reason == Verdict.ABSTAINED:
                label = Verdict.ABSTAINED.value
            elif one.outcome is not Outcome.SCORED:
                continue
            if span is not None and (value is not None or label):
                yield Score(result, one, span, value, clean(label) if label else None)


def span_of(result: Result, one: Evaluation) -> str | None:
    """The span that an evaluation is about: that of the retrieval for what judges documents, else that of the answer; None where it is no span."""
    span = result.span_id
    if one.subject is not Subject.ANSWER:
        span = result.retrieval_span_id or span
    return span.lower() if span is not None and is_id(span, 16) else None


def is_id(text: str | None, digits: int) -> bool:
    """Whether it is an id of a trace (32 hex digits) or a span (16), as W3C has them."""
    return text is not None and len(text) == digits and bool(_HEX.fullmatch(text)) and bool(text.strip("0"))


def _told(value: str | float | None) -> TypeGuard[str | float]:
    """Whether a value is there and can be written as JSON."""
    return value is not None and (isinstance(value, str) or math.isfinite(value))


def plain(values: Mapping[str, object]) -> dict[str, object]:
    """Without what is None."""
    return {key: value for key, value in values.items() if value is not None}

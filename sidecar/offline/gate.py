"""The gate: limits that a run must keep, and a metric without values keeps none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exporters.text import many
from sidecar.evaluate.base import AUTHORED, Needs
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.registry import EVALUATORS, judged_name
from sidecar.offline.case import SILENT
from sidecar.offline.record import Check, Gate, Metric, Report
from sidecar.record.errors import ConfigError
from sidecar.settings.environment import near
from sidecar.settings.messages import Given
from sidecar.settings.validated import validated
from sidecar.settings.yaml_file import read_yaml

Bound = Literal["mean", "lower"]
Share = Annotated[float, Field(ge=0, le=1)]
# The gate of the RAG evaluation literature, whose scores are an LLM judge's.
DEFAULTS: Mapping[str, float] = {
    "faithfulness": 0.85,
    "answer_relevancy": 0.80,
    "context_precision": 0.75,
    "context_recall": 0.80,
}
NEGATIVES = "negatives_declined"
# A mean that is the limit but for rounding is at the limit.
_ROUNDING = 1e-9
# What the author of a case may leave out. An answer and documents are what the system was asked for.
_NOBODY = "no evaluator of this name ran on a case that is not negative"
_NEEDS = frozenset(need.reason for need in (*AUTHORED, Needs.QUESTION))


class Limit(BaseModel):
    """What a metric must reach, and of whom: scores of another method or model than the limit was made for fail."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Share = Field(description="The least that passes.")
    bound: Bound | None = Field(default=None, description="mean, or lower: the lower end of the 95 % interval.")
    method: str | None = Field(default=None, description="The formula that the limit is for.")
    version: str | None = Field(default=None, description="The evaluator's version that it is for.")
    model: str | None = Field(default=None, description="The model that it is for.")

    @model_validator(mode="before")
    @classmethod
    def _plain_number(cls, given: object) -> object:
        if isinstance(given, int | float) and not isinstance(given, bool):
            return {"limit": given}
        if not isinstance(given, Mapping | Limit):
            raise ValueError("must be a number, or a map with limit")
        return given


class GateFile(BaseModel):
    """A gate as it is written in YAML."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metrics: Mapping[str, Limit | None] = Field(
        default={}, description="Limits by metric: a number, or more; null leaves out a default."
    )
    defaults: bool = Field(default=True, description="Whether the usual four hold where they are not named.")
    bound: Bound = Field(default="mean", description="What is held against limits that say nothing else.")
    negatives: Share | None = Field(default=None, description="Least share of negative cases that are declined.")
    most_failed: Share = Field(
        default=0.05, description="Largest share of the cases in which a gated metric may have failed."
    )
    most_unanswered: Share = Field(
        default=0.05,
        description="Largest share of the cases in which a gated metric may have no score for want of an answer or of documents (no_answer, no_context).",
    )
    least_scored: int = Field(default=1, ge=1, description="Fewest cases with a score in a gated metric.")


def load_gate(path: Path, field: str = "--gate") -> GateFile:
    """Raises ConfigError naming what gave the path and every field that is wrong."""
    given = read_yaml(path, field) or {}
    if not isinstance(given, Mapping):
        raise ConfigError(field, f"{path}: the top level must be a map", "see docs/offline.md")
    try:
        return validated(GateFile, Given(given, {}, {}))
    except ConfigError as wrong:
        raise ConfigError(field, f"{path}: {wrong}", "see docs/offline.md") from None


def known_metrics(own: Iterable[str]) -> tuple[str, ...]:
    """What metrics are called: those of the evaluators, by the judge too, and of the user's `own`."""
    builtin = (name for one in EVALUATORS for name in (one.name, judged_name(one) if one.judged else one.name))
    return tuple(dict.fromkeys((*builtin, *own)))


def refuse_senseless(gate: GateFile, own: Iterable[str], field: str = "--gate") -> None:
    """Raises ConfigError for a metric that nothing is called, and where nothing is asked. `own` are the names of the user's own metrics."""
    known = known_metrics(own)
    for name in gate.metrics:
        if name not in known:
            raise ConfigError(field, f"metrics: no metric is called {name!r}", near(name, known))
    usual = gate.defaults and any(not {name, name + SUFFIX} & set(gate.metrics) for name in DEFAULTS)
    if not usual and gate.negatives is None and not any(gate.metrics.values()):
        problem = "nothing is asked, so that nothing could pass"
        raise ConfigError(field, problem, "name a metric with its limit, as `metrics: {groundedness: 0.6}`")


def check(report: Report, gate: GateFile) -> Gate:
    """Every question of the gate with its answer. Where nothing was asked, nothing has passed."""
    checks = (*_named(report, gate), *_by_default(report, gate), *_negatives(report, gate))
    asked = [one for one in checks if one.status != "not_asked"]
    return Gate(passed=bool(asked) and all(one.status == "passed" for one in asked), checks=checks)


def _named(report: Report, gate: GateFile) -> Iterator[Check]:
    metrics = {one.metric: one for one in report.metrics}
    for name, limit in gate.metrics.items():
        if limit is not None:
            yield _asked(name, metrics.get(name), limit, gate)


def _by_default(report: Report, gate: GateFile) -> Iterator[Check]:
    """Of the usual ones those that the cases can answer: by the judge where it was asked, for the limits are those of judges."""
    metrics = {one.metric: one for one in report.metrics}
    for name, value in DEFAULTS.items() if gate.defaults else ():
        if {name, name + SUFFIX} & set(gate.metrics):
            continue
        metric = metrics.get(name + SUFFIX) or metrics.get(name)
        if metric is None:
            yield _not_asked(name, value, f"{_NOBODY}: none is on, or no case has what it needs")
        elif not metric.scored and not metric.failed and set(metric.unscorable) <= _NEEDS:
            yield _not_asked(metric.metric, value, f"no case has what it needs: {_words(metric.unscorable)}")
        else:
            yield _asked(metric.metric, metric, Limit(limit=value), gate)


def _negatives(report: Report, gate: GateFile) -> Iterator[Check]:
    if gate.negatives is None:
        return
    own, why = report.negatives, "share of negative cases that were declined"
    value = None if own is None else own.lower if gate.bound == "lower" else own.rate
    if own is None or value is None:
        why = "there is no negative case" if own is None else "no negative case could be read"
    unknown = 0 if own is None else own.cases - own.known
    good = value is not None and value >= gate.negatives - _ROUNDING
    if own is not None and unknown > gate.most_failed * own.cases:
        good, why = (
            False,
            f"of {unknown} of {many(own.cases, 'negative case')} nobody could say whether they were declined",
        )
    yield Check(
        metric=NEGATIVES,
        limit=gate.negatives,
        bound=gate.bound,
        value=value,
        status="passed" if good else "failed",
        why=why,
    )


def _asked(name: str, metric: Metric | None, limit: Limit, gate: GateFile) -> Check:
    bound = limit.bound or gate.bound
    value = None if metric is None else metric.lower if bound == "lower" else metric.mean
    fault = _NOBODY if metric is None else _fault(metric, limit, gate)
    if fault is None and value is None:
        fault = "an interval takes two cases"
    if fault is None and value is not None and value < limit.limit - _ROUNDING:
        fault = f"{value:.4f} is below {limit.limit:g}"
    who = "" if metric is None or not metric.identities else f"by {metric.identities[0].identity}"
    return Check(
        metric=name,
        limit=limit.limit,
        bound=bound,
        value=value,
        status="passed" if fault is None else "failed",
        why=fault or who,
    )


def _fault(metric: Metric, limit: Limit, gate: GateFile) -> str | None:
    """Why its value, whatever it is, cannot be held against the limit."""
    failed = sum(metric.failed.values())
    cases = metric.scored + failed + sum(metric.unscorable.values())
    if not metric.scored:
        return f"no case has a value: {_words({**metric.unscorable, **metric.failed}) or 'there is none'}"
    if failed > gate.most_failed * cases:
        return f"failed in {failed} of {many(cases, 'case')}: {_words(metric.failed)}"
    silent = {reason: count for reason, count in metric.unscorable.items() if reason in SILENT}
    if (without := sum(silent.values())) > gate.most_unanswered * cases + _ROUNDING:
        return f"without an answer or documents in {without} of {many(cases, 'case')}: {_words(silent)}"
    if metric.scored < gate.least_scored:
        return f"{metric.scored} of the {gate.least_scored} cases with a value that are wanted"
    for one in metric.identities:
        found = one.identity
        for wanted, has in ((limit.method, found.method), (limit.version, found.version), (limit.model, found.model)):
            if wanted is not None and wanted != has:
                return f"{many(one.scored, 'score')} by {found}; the limit is for {wanted}"
    return None


def _not_asked(name: str, limit: float, why: str) -> Check:
    return Check(metric=name, limit=limit, status="not_asked", why=why)


def _words(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counted.items())

"""The series of verdicts: what was said of answers, by which model and in which way, and what a judge said of the same answers.

`identity` is short for everything that a verdict follows from: whoever compares a share of verdicts with that of other days compares
verdicts of one identity, so that a new model, version or threshold is no change of the service.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from exporters.result import Evaluation, Result, Verdict
from exporters.subjects import Subject
from exporters.tally import UNKNOWN, LabelLimit

# Of a request that the judge gave a verdict on and the local model none.
NO_VERDICT = "none"
_VERDICTS = ("rag_verdicts_total", "rag_verdict_weight_total", "rag_verdict_weight_squared_total")
_PAIRS = (
    "rag_judged_verdicts_total",
    "rag_judged_verdict_weight_total",
    "rag_judged_verdict_weight_squared_total",
)
_DECIDED = (Verdict.GROUNDED, Verdict.HALLUCINATED)
_MOST_MODELS = 10
_MOST_IDENTITIES = 50


class VerdictSeries:
    """Counts verdicts on subjects. Not safe for threads by itself: the caller holds a lock."""

    def __init__(self, grounding_models: Sequence[str], judge_models: Sequence[str]) -> None:
        self._models = LabelLimit(_MOST_MODELS)
        self._identities = LabelLimit(_MOST_IDENTITIES)
        self._pairs = dict.fromkeys(
            (self._models.admit(local), self._models.admit(judge))
            for local in grounding_models
            for judge in judge_models
        )
        self._seen: dict[tuple[str, str], None] = {}

    def begin(self, subject: Subject) -> None:
        """Start the series of a new subject at 0, so that PromQL sees the first increase: those of every identity and judge that is known."""
        self._begin_identity(subject, (UNKNOWN, ""))
        for key in self._seen:
            self._begin_identity(subject, key)
        for pair in self._pairs:
            self._begin_pair(subject, pair)

    def verdict(self, result: Result, subject: Subject) -> None:
        """Count the verdict of a result, where it has one."""
        if result.verdict is None:
            return
        decider = _decider(result)
        weight = weight_of(result, result.probability_of(decider) if decider else result.inclusion_probability)
        key = (UNKNOWN, "")
        if result.verdict is not Verdict.ABSTAINED:
            key = (self._models.admit(_name(decider)), self._identities.admit(identity_of(decider) or None))
            self._seen.setdefault(key)
        self._begin_identity(subject, key)
        _count(subject, _VERDICTS, (result.verdict.value, *key), weight)

    def agreement(self, result: Result, subject: Subject) -> None:
        """What a judge said of an answer against what the local model said, each pair counting for the requests that it stands for: the judge's
        own probability is in its weight."""
        judged = next((e for e in result.evaluations if e.decides_verdict and e.judged and e.label), None)
        if judged is None:
            return
        local = next((e for e in result.evaluations if e.decides_verdict and not e.judged), None)
        said = local.label if local is not None and local.label else NO_VERDICT
        pair = (self._models.admit(None if said == NO_VERDICT else _name(local)), self._models.admit(_name(judged)))
        self._pairs.setdefault(pair)
        self._begin_pair(subject, pair)
        _count(subject, _PAIRS, (said, str(judged.label), *pair), weight_of(result, result.probability_of(judged)))

    def _begin_identity(self, subject: Subject, key: tuple[str, str]) -> None:
        for verdict in Verdict:
            # Only an abstention is nobody's.
            if (verdict is Verdict.ABSTAINED) == (key == (UNKNOWN, "")):
                _count(subject, _VERDICTS, (verdict.value, *key), 0)

    def _begin_pair(self, subject: Subject, pair: tuple[str, str]) -> None:
        for local in _DECIDED:
            for judge in _DECIDED:
                _count(subject, _PAIRS, (local.value, judge.value, *pair), 0)


def identity_of(evaluation: Evaluation | None) -> str:
    """Eight hex digits for all that a verdict follows from: evaluator and its version, formula, model, weights, threshold."""
    if evaluation is None:
        return ""
    model = evaluation.model
    parts = (evaluation.evaluator, evaluation.version, evaluation.method, evaluation.threshold)
    return short_identity((*parts, *((model.name, model.version, model.sha256) if model else ())))


def short_identity(parts: Sequence[object]) -> str:
    """Eight hex digits for evaluator, version, formula and threshold, then name, version and weights of a model."""
    told = "\0".join(map(str, parts))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def weight_of(result: Result, kept: float) -> float:
    """1/p times the upstream count; a factor that is no positive finite number is left out."""
    upstream = result.upstream_adjusted_count or 1.0
    weight = 1.0 / kept if 0 < kept <= 1 else 1.0
    return weight * upstream if 0 < upstream < float("inf") else weight


def _count(subject: Subject, names: Sequence[str], labels: tuple[str, ...], weight: float) -> None:
    """Raw, weighted, squared; a weight of 0 makes them appear."""
    for name, amount in zip(names, (1.0 if weight else 0.0, weight, weight * weight), strict=True):
        subject.count(name, labels, amount)


def _decider(result: Result) -> Evaluation | None:
    """What gave the verdict, where that is known: of an abstention whatever saw it with the greatest probability."""
    if result.verdict is Verdict.ABSTAINED:
        saw = [e for e in result.evaluations if e.reason == Verdict.ABSTAINED]
        return max(saw, key=result.probability_of, default=None)
    return next((e for e in result.evaluations if e.decides_verdict and e.label), None)


def _name(evaluation: Evaluation | None) -> str | None:
    return None if evaluation is None or evaluation.model is None else evaluation.model.name

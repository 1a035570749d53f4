"""Prometheus series about the RAG services: traffic of every request, quality of the sample.

Every quality observation is weighted by 1/p, so that rates are estimates for all traffic; beside the weighted counts stand
the raw ones and the sums of squared weights, from which PromQL makes effective sample sizes and confidence bounds over any
set of replicas. Traffic and quality carry the same labels, so that they join. Label values come from a limited set; what
does not fit becomes `__other__` and is counted. A result that comes again, after a replay, is not counted again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar
from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Evaluation, Outcome, Result
from exporters.series import SCORE, SERIES, SUBJECT, Series
from exporters.subjects import Subject, Subjects
from exporters.tally import LabelLimit, Tally, disjoint_tokens, label_value
from exporters.verdicts import VerdictSeries, weight_of

_DURATIONS = {
    "total": "rag_request_duration_seconds",
    "retrieval": "rag_retrieval_duration_seconds",
    "generation": "rag_generation_duration_seconds",
    "time_to_first_token": "rag_time_to_first_token_seconds",
}
_POWERS = (0, 1, 2)
_MOST_REASONS = 100
# OpenMetrics: an exemplar's label names and values have at most 128 characters together.
_LONGEST_TRACE_ID = 128 - len("trace_id")
# What lies beyond is a broken clock or counter, and one of it would hide the sum of all others.
_MOST_SECONDS = 1e6
_MOST_TOKENS = 1e9
_MOST_DOLLARS = 1e6


class PrometheusConfig(BaseModel):
    """Settings of the series about the RAG services."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(default=True, description="Export the series.")
    most_services: int = Field(default=50, ge=1, description="Different services before `__other__`.")
    most_models: int = Field(default=50, ge=1, description="Different models before `__other__`.")
    most_variants: int = Field(default=20, ge=1, description="Different variants before `__other__`.")
    most_subjects: int = Field(
        default=75,
        ge=1,
        description="Different combinations of service, model and variant before `__other__`. What one costs stands in docs/metrics.md.",
    )
    services: tuple[str, ...] = Field(
        default=(), description="Only these services become labels; empty allows any, up to the limit."
    )
    models: tuple[str, ...] = Field(
        default=(), description="Only these models become labels; empty allows any, up to the limit."
    )
    variants: tuple[str, ...] = Field(
        default=(), description="Only these variants become labels; empty allows any, up to the limit."
    )
    thresholds: tuple[float, ...] = Field(
        default=(),
        description="More bucket edges of the scores, for your own alerts; each is a series more of every evaluator and combination.",
    )
    exemplars: bool = Field(
        default=True, description="Attach trace ids of sampled traces to buckets (OpenMetrics only)."
    )
    idle_seconds: float = Field(
        default=86_400.0, gt=0, description="Series of a subject that was silent this long are removed."
    )
    remembered_results: int = Field(
        default=20_000, ge=0, description="Latest results known by id, so that a replay does not count them again."
    )


class PrometheusExporter(Collector):
    """Exporter into a registry of this process. `export` runs on the event loop, `collect` in any thread."""

    name = "prometheus"
    every_trace = True
    local = True

    def __init__(
        self,
        config: PrometheusConfig,
        registry: CollectorRegistry,
        *,
        evaluators: Sequence[str],
        grounding_models: Sequence[str] = (),
        judge_models: Sequence[str] = (),
        thresholds: Sequence[float] = (),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._evaluators = tuple(evaluators)
        self._monotonic = monotonic
        edges = {*SCORE, *(edge for edge in (*config.thresholds, *thresholds) if 0 <= edge <= 1)}
        self._rows = {
            row.name: replace(row, buckets=tuple(sorted(edges))) if row.name == "rag_evaluation_score" else row
            for row in SERIES
        }
        self._limits = {
            "rag_service": LabelLimit(config.most_services, config.services),
            "model": LabelLimit(config.most_models, config.models),
            "variant": LabelLimit(config.most_variants, config.variants),
        }
        self._reasons = LabelLimit(_MOST_REASONS)
        self._verdicts = VerdictSeries(grounding_models, judge_models)
        self._subjects = Subjects(
            self._limits, most=config.most_subjects, idle_seconds=config.idle_seconds, now=monotonic()
        )
        self._unpriced: dict[str, float] = {}
        self._recent = _Recent(config.remembered_results)
        self._lock = threading.Lock()
        registry.register(self)

    async def start(self) -> None:
        """Nothing to do."""

    async def stop(self) -> None:
        """Nothing to do: the last numbers stay to be scraped."""

    async def export(self, results: Sequence[Result]) -> None:
        """Count every result that was not counted before. Never raises."""
        now = self._monotonic()
        for result in results:
            with self._lock:
                if self._recent.add((result.id, result.timestamp)):
                    self._take(result, now)

    def describe(self) -> Iterator[Metric]:
        """The families without samples, so that registration need not collect."""
        return iter([_family(row) for row in self._rows.values()])

    def collect(self) -> Iterator[Metric]:
        """Every family with its samples, in the order of the table. The lock is held for one subject at a time."""
        with self._lock:
            subjects = self._subjects.all()
            loose = {
                "rag_unpriced_tokens_total": dict(self._unpriced),
                "rag_label_overflow_total": {k: float(v) for k, v in self._subjects.overflow().items()},
            }
        families = {name: _family(row) for name, row in self._rows.items()}
        for subject in subjects:
            with self._lock:
                snapshot = subject.copy()
            _render(snapshot, self._rows, families)
        for name, values in loose.items():
            for label, value in values.items():
                families[name].add_sample(name, {self._rows[name].labels[0]: label}, value)
        return iter(families.values())

    def _take(self, result: Result, now: float) -> None:
        for silent in self._subjects.sweep(now):
            self._forget(silent)
        subject, new = self._subjects.get((result.service, result.model, result.variant), now)
        if new:
            self._begin(subject)
        self._traffic(result, subject)
        if result.outcome.evaluated:
            self._quality(result, subject)

    def _begin(self, subject: Subject) -> None:
        """Start a new subject's series at 0, so that PromQL sees the first increase."""
        for status in ("success", "error"):
            subject.count("rag_requests_total", (status,), 0)
        self._verdicts.begin(subject)
        for evaluator in self._evaluators:
            subject.count("rag_evaluations_total", (evaluator, Outcome.SCORED.value, ""), 0)
            for power in _POWERS:
                subject.count("rag_evaluation_squared_weight_total", (evaluator, str(power)), 0)

    def _forget(self, silent: Subject) -> None:
        model = silent.labels[SUBJECT.index("model")]
        if all(subject.labels[SUBJECT.index("model")] != model for subject in self._subjects.all()):
            self._unpriced.pop(model, None)

    def _traffic(self, result: Result, subject: Subject) -> None:
        subject.count("rag_requests_total", ("error" if result.error_class else "success",))
        for key, name in _DURATIONS.items():
            seconds = result.durations.get(key)
            if seconds is not None and 0 <= seconds < _MOST_SECONDS:
                self._observe(subject, name, (), seconds, 1.0, result)
        documents = result.retrieved_documents
        if documents is not None and documents >= 0:
            self._tally(subject, "rag_retrieved_documents").add(documents)
        for kind, tokens in disjoint_tokens(result.tokens).items():
            if tokens < _MOST_TOKENS:
                subject.count("rag_tokens_total", (kind,), tokens)
        for kind, dollars in (result.cost_usd or {}).items():
            if 0 <= dollars < _MOST_DOLLARS:
                subject.count("rag_cost_usd_total", (label_value(kind),), dollars)
        if 0 < result.unpriced_tokens < _MOST_TOKENS:
            model = subject.labels[SUBJECT.index("model")]
            self._unpriced[model] = self._unpriced.get(model, 0.0) + result.unpriced_tokens

    def _quality(self, result: Result, subject: Subject) -> None:
        for evaluation in result.evaluations:
            self._evaluation(evaluation, weight_of(result, result.probability_of(evaluation)), result, subject)
        self._verdicts.agreement(result, subject)
        self._verdicts.verdict(result, subject)

    def _evaluation(self, evaluation: Evaluation, weight: float, result: Result, subject: Subject) -> None:
        evaluator = label_value(evaluation.evaluator)
        reason = self._reasons.admit(evaluation.reason) if evaluation.reason else ""
        subject.count("rag_evaluations_total", (evaluator, evaluation.outcome.value, reason))
        if evaluation.score is not None and 0 <= evaluation.score <= 1:
            self._observe(subject, "rag_evaluation_score", (evaluator,), evaluation.score, weight, result)
            for power in _POWERS:
                amount = weight * weight * evaluation.score**power
                subject.count("rag_evaluation_squared_weight_total", (evaluator, str(power)), amount)

    def _observe(
        self, subject: Subject, name: str, extra: tuple[str, ...], value: float, weight: float, result: Result
    ) -> None:
        shown = self._config.exemplars and result.trace_sampled and 0 < len(result.trace_id) <= _LONGEST_TRACE_ID
        self._tally(subject, name, extra).add(
            value, weight, trace_id=result.trace_id if shown else None, timestamp=result.completed_at
        )

    def _tally(self, subject: Subject, name: str, extra: tuple[str, ...] = ()) -> Tally:
        return subject.tally(name, self._rows[name].buckets, extra)


class _Recent:
    """The last few keys seen: between `size` and twice as many, in two generations."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: set[tuple[str, float]] = set()
        self._old: set[tuple[str, float]] = set()

    def add(self, key: tuple[str, float]) -> bool:
        """Remember `key`; False where it was known."""
        if key in self._young or key in self._old:
            return False
        if self._size:
            self._young.add(key)
            if len(self._young) >= self._size:
                self._old, self._young = self._young, set()
        return True


def _family(row: Series) -> CounterMetricFamily | HistogramMetricFamily:
    if row.kind == "counter":
        return CounterMetricFamily(row.name.removesuffix("_total"), row.help, labels=row.labels)
    return HistogramMetricFamily(row.name, row.help, labels=row.labels)


def _render(subject: Subject, rows: Mapping[str, Series], families: Mapping[str, Metric]) -> None:
    """Add a subject's samples to the families."""
    for (name, extra), value in subject.counters.items():
        labels = dict(zip(rows[name].labels, (*subject.labels, *extra), strict=True))
        families[name].add_sample(name, labels, value)
    for (name, extra), tally in subject.tallies.items():
        labels = dict(zip(rows[name].labels, (*subject.labels, *extra), strict=True))
        _render_tally(families[name], name, labels, tally)


def _render_tally(family: Metric, name: str, labels: dict[str, str], tally: Tally) -> None:
    running = 0.0
    for place, weight in enumerate(tally.weights):
        running += weight
        edge = repr(tally.bounds[place]) if place < len(tally.bounds) else "+Inf"
        shown = tally.exemplars.get(place)
        exemplar = None
        if shown is not None:
            exemplar = Exemplar({"trace_id": label_value(shown.trace_id)}, shown.value, _time(shown.timestamp))
        family.add_sample(f"{name}_bucket", {**labels, "le": edge}, running, exemplar=exemplar)
    family.add_sample(f"{name}_count", labels, running)
    family.add_sample(f"{name}_sum", labels, tally.total)


def _time(seconds: float) -> float | None:
    """A time that Prometheus can read, else none."""
    return seconds if 0 <= seconds < 1e11 else None

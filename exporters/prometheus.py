"""Prometheus series about the RAG services: traffic of every request, quality of the sample.

Every quality observation is weighted by 1/p, so that rates are estimates for all traffic; beside the weighted counts stand
the raw ones and the sums of squared weights, from which PromQL makes effective sample sizes and confidence bounds over any
set of replicas. Label values come from a limited set; what does not fit becomes `__other__` and is counted.
"""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar
from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Outcome, Result, Verdict

OTHER = "__other__"
UNKNOWN = "unknown"
_DURATION = (
    0.01,
    0.02,
    0.04,
    0.08,
    0.16,
    0.32,
    0.64,
    1.0,
    1.28,
    2.5,
    2.56,
    5.0,
    5.12,
    10.0,
    10.24,
    20.48,
    30.0,
    40.96,
    81.92,
)
_FIRST_TOKEN = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
_SCORE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
_DOCUMENTS = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 50.0, 100.0)
_SUBJECT = ("rag_service", "model", "variant")


@dataclass(frozen=True, slots=True)
class Series:
    """One row of the table that docs/metrics.md is generated from."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()


SERIES: tuple[Series, ...] = (
    Series("rag_requests_total", "counter", "RAG requests, every one.", (*_SUBJECT, "status")),
    Series("rag_request_duration_seconds", "histogram", "Duration of a request.", _SUBJECT, _DURATION),
    Series("rag_retrieval_duration_seconds", "histogram", "Time in retrieval within a request.", _SUBJECT, _DURATION),
    Series("rag_generation_duration_seconds", "histogram", "Time of the model call that gave the answer.", _SUBJECT, _DURATION),
    Series("rag_time_to_first_token_seconds", "histogram", "Time to the first token of the answer.", _SUBJECT, _FIRST_TOKEN),
    Series("rag_retrieved_documents", "histogram", "Documents retrieved for a request.", _SUBJECT, _DOCUMENTS),
    Series(
        "rag_tokens_total", "counter",
        "Tokens, in types that add up: input (neither cached nor written to a cache), cached_input, cache_write, output (without reasoning), reasoning.",
        (*_SUBJECT, "type"),
    ),
    Series("rag_cost_usd_total", "counter", "Cost of tokens in US dollars, by the same types.", (*_SUBJECT, "type")),
    Series("rag_unpriced_tokens_total", "counter", "Tokens of models that have no known price.", ("model",)),
    Series(
        "rag_evaluation_score", "histogram", "Scores, 0..1, 1 is good; each observation counts 1/p.", (*_SUBJECT, "evaluator"), _SCORE
    ),
    Series("rag_evaluations_total", "counter", "Evaluations made, unweighted.", (*_SUBJECT, "evaluator", "outcome", "reason")),
    Series("rag_verdicts_total", "counter", "Verdicts, unweighted: the sample size.", (*_SUBJECT, "verdict")),
    Series("rag_verdict_weight_total", "counter", "Verdicts, each counting 1/p: estimates for all traffic.", (*_SUBJECT, "verdict")),
    Series("rag_verdict_weight_squared_total", "counter", "Sum of squared weights, for effective sample sizes.", (*_SUBJECT, "verdict")),
    Series("rag_label_overflow_total", "counter", "Label values replaced by __other__.", ("label",)),
)  # fmt: skip


class PrometheusConfig(BaseModel):
    """Settings of the series about the RAG services."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(default=True, description="Export the series.")
    most_services: int = Field(default=50, ge=1, description="Different services before `__other__`.")
    most_models: int = Field(default=50, ge=1, description="Different models before `__other__`.")
    most_variants: int = Field(default=20, ge=1, description="Different variants before `__other__`.")
    variants: tuple[str, ...] = Field(
        default=(), description="Only these variants become labels; empty allows any, up to the limit."
    )
    thresholds: tuple[float, ...] = Field(
        default=(), description="More bucket edges of the scores, for your own alerts."
    )
    exemplars: bool = Field(
        default=True, description="Attach trace ids of sampled traces to score buckets (OpenMetrics only)."
    )
    idle_seconds: float = Field(
        default=86_400.0, gt=0, description="Series of a subject that was silent this long are removed."
    )


@dataclass(slots=True)
class _Histogram:
    """One weighted histogram: weight in each bucket (not cumulative), the last one is +Inf."""

    buckets: list[float]
    sum: float = 0.0
    exemplars: dict[int, Exemplar] = field(default_factory=dict)


class _Store(Collector):
    """All children, behind one lock that is held for microseconds at a time; rendered from a copy."""

    def __init__(self, rows: Iterable[Series]) -> None:
        self._rows = {row.name: row for row in rows}
        self._lock = threading.Lock()
        self._counters: dict[str, dict[tuple[str, ...], float]] = {
            r.name: {} for r in self._rows.values() if r.kind == "counter"
        }
        self._histograms: dict[str, dict[tuple[str, ...], _Histogram]] = {
            r.name: {} for r in self._rows.values() if r.kind == "histogram"
        }

    def count(self, name: str, labels: tuple[str, ...], amount: float) -> None:
        """Add to a counter; what is not a finite number >= 0 is left out, for it would poison the series for ever."""
        if not (math.isfinite(amount) and amount >= 0):
            return
        with self._lock:
            children = self._counters[name]
            children[labels] = children.get(labels, 0.0) + amount

    def observe(
        self, name: str, labels: tuple[str, ...], value: float, weight: float = 1.0, exemplar: Exemplar | None = None
    ) -> None:
        """Add a weighted observation; what is not finite is left out."""
        if not (math.isfinite(value) and math.isfinite(weight) and weight > 0):
            return
        edges = self._rows[name].buckets
        with self._lock:
            children = self._histograms[name]
            child = children.get(labels)
            if child is None:
                child = children[labels] = _Histogram([0.0] * (len(edges) + 1))
            place = bisect_left(edges, value)
            child.buckets[place] += weight
            child.sum += value * weight
            if exemplar is not None:
                child.exemplars[place] = exemplar

    def forget(self, subject: tuple[str, ...]) -> None:
        """Remove every series of a (service, model, variant)."""
        with self._lock:
            for counters in self._counters.values():
                for labels in [labels for labels in counters if labels[:3] == subject]:
                    del counters[labels]
            for histograms in self._histograms.values():
                for labels in [labels for labels in histograms if labels[:3] == subject]:
                    del histograms[labels]

    def describe(self) -> Iterator[Metric]:
        """The families without samples, so that registration need not collect."""
        return iter(_family(row) for row in self._rows.values())

    def collect(self) -> Iterator[Metric]:
        """Every family with its samples, in the order of the table."""
        with self._lock:
            counters = {name: dict(children) for name, children in self._counters.items()}
            histograms = {
                name: {labels: (list(h.buckets), h.sum, dict(h.exemplars)) for labels, h in children.items()}
                for name, children in self._histograms.items()
            }
        for row in self._rows.values():
            family = _family(row)
            if isinstance(family, CounterMetricFamily):
                for labels, value in counters[row.name].items():
                    family.add_metric(labels, value)
            else:
                for labels, (buckets, total, exemplars) in histograms[row.name].items():
                    _add_histogram(family, row, labels, buckets, total, exemplars)
            yield family


def _family(row: Series) -> CounterMetricFamily | HistogramMetricFamily:
    if row.kind == "counter":
        return CounterMetricFamily(row.name.removesuffix("_total"), row.help, labels=row.labels)
    return HistogramMetricFamily(row.name, row.help, labels=row.labels)


def _add_histogram(
    family: HistogramMetricFamily,
    row: Series,
    labels: tuple[str, ...],
    buckets: Sequence[float],
    total: float,
    exemplars: Mapping[int, Exemplar],
) -> None:
    edges = [*(repr(edge) for edge in row.buckets), "+Inf"]
    names = dict(zip(row.labels, labels, strict=True))
    running = 0.0
    for place, (edge, weight) in enumerate(zip(edges, buckets, strict=True)):
        running += weight
        family.add_sample(row.name + "_bucket", {**names, "le": edge}, running, exemplar=exemplars.get(place))
    family.add_sample(row.name + "_count", names, running)
    family.add_sample(row.name + "_sum", names, total)


class PrometheusExporter:
    """Exporter into a registry of this process."""

    name = "prometheus"
    every_trace = True
    local = True

    def __init__(self, config: PrometheusConfig, registry: CollectorRegistry, *, evaluators: Sequence[str]) -> None:
        edges = tuple(sorted({*_SCORE, *(t for t in config.thresholds if 0 <= t <= 1)}))
        rows = [
            Series(row.name, row.kind, row.help, row.labels, edges) if row.name == "rag_evaluation_score" else row
            for row in SERIES
        ]
        self._config = config
        self._store = _Store(rows)
        self._evaluators = tuple(evaluators)
        self._limits = {
            "rag_service": config.most_services,
            "model": config.most_models,
            "variant": config.most_variants,
        }
        self._known: dict[str, set[str]] = {label: set() for label in self._limits}
        self._seen: dict[tuple[str, str, str], float] = {}
        self._swept = time.monotonic()
        registry.register(self._store)
        for label in self._limits:
            self._store.count("rag_label_overflow_total", (label,), 0.0)

    async def start(self) -> None:
        """Nothing to do."""

    async def stop(self) -> None:
        """Nothing to do."""

    async def export(self, results: Sequence[Result]) -> None:
        """Count every result. Never raises."""
        for result in results:
            self._take(result)

    def _take(self, result: Result) -> None:
        subject = (
            self._label("rag_service", result.service),
            self._label("model", result.model),
            self._label("variant", self._allowed_variant(result.variant)),
        )
        self._first_seen(subject)
        self._traffic(result, subject)
        if result.outcome.evaluated:
            self._quality(result, subject)

    def _traffic(self, result: Result, subject: tuple[str, str, str]) -> None:
        count, observe = self._store.count, self._store.observe
        count("rag_requests_total", (*subject, "error" if result.error_class else "success"), 1)
        for name, key in (
            ("rag_request_duration_seconds", "total"),
            ("rag_retrieval_duration_seconds", "retrieval"),
            ("rag_generation_duration_seconds", "generation"),
            ("rag_time_to_first_token_seconds", "time_to_first_token"),
        ):
            if key in result.durations:
                observe(name, subject, result.durations[key])
        if result.retrieved_documents is not None:
            observe("rag_retrieved_documents", subject, result.retrieved_documents)
        for kind, amount in disjoint_tokens(result.tokens).items():
            count("rag_tokens_total", (*subject, kind), amount)
        for kind, dollars in (result.cost_usd or {}).items():
            count("rag_cost_usd_total", (*subject, kind), dollars)
        if result.unpriced_tokens:
            count("rag_unpriced_tokens_total", (subject[1],), result.unpriced_tokens)

    def _quality(self, result: Result, subject: tuple[str, str, str]) -> None:
        weight = result.weight
        exemplar = self._exemplar(result)
        for one in result.evaluations:
            self._store.count(
                "rag_evaluations_total", (*subject, one.evaluator, one.outcome.value, one.reason or ""), 1
            )
            if one.score is not None and 0 <= one.score <= 1:
                at = None if exemplar is None else Exemplar(exemplar, one.score, result.completed_at)
                self._store.observe("rag_evaluation_score", (*subject, one.evaluator), one.score, weight, at)
        if result.verdict is not None and math.isfinite(weight):
            labels = (*subject, result.verdict.value)
            self._store.count("rag_verdicts_total", labels, 1)
            self._store.count("rag_verdict_weight_total", labels, weight)
            self._store.count("rag_verdict_weight_squared_total", labels, weight * weight)

    def _exemplar(self, result: Result) -> dict[str, str] | None:
        wanted = (
            self._config.exemplars and result.trace_sampled and len(result.trace_id) == 32 and result.trace_id.isalnum()
        )
        return {"trace_id": result.trace_id} if wanted and result.trace_id.isascii() else None

    def _first_seen(self, subject: tuple[str, str, str]) -> None:
        """Start the series of a new subject at 0, so that the first increase is seen; remove those that went silent."""
        now = time.monotonic()
        if subject not in self._seen:
            for verdict in Verdict:
                for name in ("rag_verdicts_total", "rag_verdict_weight_total", "rag_verdict_weight_squared_total"):
                    self._store.count(name, (*subject, verdict.value), 0.0)
            for status in ("success", "error"):
                self._store.count("rag_requests_total", (*subject, status), 0.0)
            for evaluator in self._evaluators:
                self._store.count("rag_evaluations_total", (*subject, evaluator, Outcome.SCORED.value, ""), 0.0)
        self._seen[subject] = now
        if now - self._swept > self._config.idle_seconds / 10:
            self._swept = now
            for old in [s for s, at in self._seen.items() if now - at > self._config.idle_seconds]:
                del self._seen[old]
                self._store.forget(old)

    def _allowed_variant(self, variant: str | None) -> str | None:
        allowed = self._config.variants
        return variant if variant is None or not allowed or variant in allowed else OTHER

    def _label(self, label: str, value: str | None) -> str:
        if not value:
            return UNKNOWN
        clean = value.encode("utf-8", "replace").decode("utf-8")[:128]
        known = self._known[label]
        if clean in known or clean == OTHER:
            return clean
        if len(known) >= self._limits[label]:
            self._store.count("rag_label_overflow_total", (label,), 1)
            return OTHER
        known.add(clean)
        return clean


def disjoint_tokens(tokens: Mapping[str, int]) -> dict[str, int]:
    """Inclusive totals cut into types that add up; a type that is not known is left out."""
    cut: dict[str, int] = {}
    cached, written = tokens.get("cached_input", 0), tokens.get("cache_write", 0)
    if "input" in tokens:
        cut["input"] = max(0, tokens["input"] - cached - written)
    if "output" in tokens:
        cut["output"] = max(0, tokens["output"] - tokens.get("reasoning", 0))
    for name in ("cached_input", "cache_write", "reasoning"):
        if name in tokens:
            cut[name] = tokens[name]
    return cut

"""The numbers of the page as JSON: all services in a line each, and one of them whole."""

from __future__ import annotations

import math
import platform
from dataclasses import dataclass

from exporters.result import Outcome
from exporters.serialize import Json, rfc3339
from exporters.text import clean
from sidecar import __version__
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.numbers import (
    DURATIONS,
    HISTOGRAM_BINS,
    OUTCOMES,
    SPANS,
    Numbers,
    Span,
    quantile,
)
from sidecar.page.watch import Watch

_HOUR = 3600.0


def span_of(name: str | None) -> Span | None:
    """The range of a name, the first where none is named; None where there is no such."""
    return SPANS[0] if name is None else next((one for one in SPANS if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Overview:
    """Reads the numbers. `labels` says whether answers can be labelled, `redacted` whether texts are redacted."""

    watch: Watch
    telemetry: Telemetry
    estimator: Estimator
    labels: bool
    redacted: bool = True

    def page(self, service: str | None, span: Span) -> dict[str, Json]:
        """Everything, with `service`, or the worst one, whole."""
        now = self.watch.now()
        services = self._services(now)
        chosen = service if service in self.watch.services else None
        if chosen is None and services:
            chosen = str(services[0]["name"])
        return {
            "replica": self._replica(now),
            "ranges": [{"name": one.name, "title": one.title, "seconds": one.seconds} for one in SPANS],
            "range": span.name,
            "services": list[Json](services),
            "left_out": self.watch.left_out,
            "service": None if chosen is None else self._service(chosen, span, now),
            "sidecar": self._sidecar(),
        }

    def _replica(self, now: float) -> dict[str, Json]:
        config = self.watch.config
        return {
            "name": platform.node(),
            "version": __version__,
            "started": self.watch.started,
            "uptime": now - self.watch.started,
            "texts": self.watch.with_texts,
            "redacted": self.redacted,
            "labels": self.labels,
            "kept": len(self.watch.shelf) + len(self.watch.others),
            "kept_bytes": self.watch.shelf.bytes + self.watch.others.bytes,
            "known_since": self.watch.whole_since,
            "reading": None if self.watch.reading is None else self.watch.reading.told(now),
            "keep_hours": config.keep_hours,
            "keep_answers": config.keep_answers,
        }

    def _services(self, now: float) -> list[dict[str, Json]]:
        """The services, the one with the highest lower bound first."""
        found: list[tuple[float, str, dict[str, Json]]] = []
        for name, numbers in self.watch.services.items():
            basis = self.estimator.basis(numbers, now)
            headline = self.estimator.headline(numbers, now, basis)
            total = numbers.total(_HOUR, now)
            row: dict[str, Json] = {
                "name": name,
                "basis": basis.word,
                "requests": sum(total[outcome] for outcome in OUTCOMES),
                **headline,
            }
            low = headline["low"]
            found.append((-low if isinstance(low, float) else 1.0, name, row))
        return [row for _, _, row in sorted(found, key=lambda one: one[:2])]

    def _service(self, name: str, span: Span, now: float) -> dict[str, Json]:
        numbers = self.watch.services[name]
        basis = self.estimator.basis(numbers, now)
        hours = (now // _HOUR - math.ceil(span.seconds / _HOUR)) * _HOUR
        return {
            "name": name,
            "basis": basis.word,
            "basis_by": basis.by,
            "basis_text": basis.text,
            "since": rfc3339(numbers.since),
            "headline": self.estimator.headline(numbers, now, basis),
            "window_seconds": span.window_seconds,
            "points": self.estimator.points(numbers, span, now, basis),
            "answers_since": max(numbers.since, hours),
            "requests_since": max(self.watch.started, now - span.seconds),
            "hours_since": max(self.watch.started, hours),
            "scores": list[Json](_scores(numbers, span, now)),
            "durations": list[Json](_durations(numbers, span, now)),
            **_traffic(numbers, span, now),
            "kinds": [
                {"model": clean(model) or None, "variant": clean(variant) or None, "requests": count}
                for (model, variant), count in numbers.kinds.most_common()
            ],
        }

    def _sidecar(self) -> dict[str, Json]:
        lag = [value for _, value in self.telemetry.values("rag_sidecar_consumer_lag_seconds")]
        records = [value for _, value in self.telemetry.values("rag_sidecar_consumer_lag_records")]
        paused = [labels["reason"] for labels, value in self.telemetry.values("rag_sidecar_intake_paused") if value]
        models = [labels for labels, value in self.telemetry.values("rag_sidecar_model_info") if value]
        return {
            "lag_records": sum(records) if records else None,
            "lag_seconds": max(lag) if lag else None,
            "partitions": self.telemetry.value("rag_sidecar_assigned_partitions"),
            "open_traces": self.telemetry.value("rag_sidecar_open_traces"),
            "paused": list[Json](paused),
            "sampling_factor": self.telemetry.value("rag_sidecar_sampling_factor"),
            "judge_usd": self.telemetry.value("rag_sidecar_judge_cost_usd_total"),
            "judge_requests": self.telemetry.value("rag_sidecar_judge_requests_total"),
            "models": [
                {"role": one["role"], "name": one["name"], "version": one["version"], "sha256": one["sha256"][:12]}
                for one in models
            ],
        }


def _scores(numbers: Numbers, span: Span, now: float) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = []
    for name, sums in numbers.scores(span.seconds, now).items():
        weight = float(sums[HISTOGRAM_BINS])
        if weight > 0:
            bins = [float(one) / weight for one in sums[:HISTOGRAM_BINS]]
            mean = float(sums[HISTOGRAM_BINS + 1]) / weight
            found.append({"evaluator": name, "bins": list[Json](bins), "mean": mean})
    return sorted(found, key=lambda one: str(one["evaluator"]))


def _durations(numbers: Numbers, span: Span, now: float) -> list[dict[str, Json]]:
    found = numbers.durations(span.seconds, now)
    return [
        {"name": name, "count": float(found[name].sum()), "p50": quantile(found[name], 0.5), "p95": quantile(found[name], 0.95)}
        for name in DURATIONS
        if found[name].sum() > 0
    ]  # fmt: skip


def _traffic(numbers: Numbers, span: Span, now: float) -> dict[str, Json]:
    total = numbers.total(span.seconds, now)
    requests = sum(total[outcome] for outcome in OUTCOMES)
    return {
        "requests": requests,
        "funnel": {outcome: total[outcome] for outcome in OUTCOMES},
        "reasons": [
            {"outcome": outcome, "reason": clean(reason), "count": count}
            for (outcome, reason), count in numbers.reasons.most_common()
            if outcome != Outcome.SAMPLED_OUT
        ],
        "abstained": total["abstained"] / total["verdicts"] if total["verdicts"] else None,
        "usd": total["usd"],
        "usd_per_1000": 1000 * total["usd"] / requests if requests else None,
        "tokens": {"input": total["tokens_input"], "output": total["tokens_output"]},
        "unpriced_tokens": total["unpriced_tokens"],
    }

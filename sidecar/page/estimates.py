"""The hallucination estimate of a service, and on what it rests, in words. The formulas are those of sidecar/evaluate/estimate.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporters.serialize import Json
from sidecar.evaluate.estimate import (
    COVERED,
    LEAST_ANCHORS,
    RATES_DRIFT,
    STATED_ERROR,
    Estimate,
    anchored,
    by_labels,
    corrected,
    enough,
    wilson,
    within_error,
)
from sidecar.inference.grounding.detector import Anchor, Detector
from sidecar.page.numbers import Numbers, Span, judged, scored
from sidecar.page.rings import Floats

_HOUR, _DAY = 3600.0, 86_400.0
_LEARNING_SECONDS = 3 * _DAY
# A point of the line with less than this says nothing.
_LEAST_OF_A_POINT = 5


@dataclass(frozen=True, slots=True)
class Basis:
    """What the numbers of a service rest on: `word` as in docs/alerts.md, `text` for people; `labels` where people's anchor it."""

    word: str
    text: str
    labels: Anchor | None = None


class Estimator:
    """Makes estimates. `detector` are the judge's measured errors; without them its stated ones are allowed for. Labels anchor for `anchor_days`, 0 is for
    ever."""

    def __init__(self, detector: Detector | None, *, anchor_days: int = 0) -> None:
        self._detector = detector
        self._anchor_days = anchor_days

    def basis(self, numbers: Numbers, now: float) -> Basis:
        """What the numbers of a service rest on now."""
        day = numbers.total(_DAY, now)
        effective = day["j_weight"] ** 2 / day["j_squared"] if day["j_squared"] else 0.0
        labels = self._labels(numbers, now)
        labelled = day["l_weight"] ** 2 / day["l_squared"] if labels and _covered(day) else 0.0
        if enough(effective, labelled):
            if not effective and labels is not None:
                return _by_labels(labels)
            known = (
                "The interval allows for the judge's measured errors."
                if self._detector
                else f"The interval allows for a judge that errs on {STATED_ERROR:.0%} of the answers."
            )
            return Basis(
                "anchored",
                f"Share of made-up answers, anchored: a judge saw {day['judged']:,.0f} answers of the last day at random, and the local model's verdicts "
                f"on all others are corrected by what it said. {known}",
            )
        own = "Share of answers that the local model calls hallucinated. It errs, so this is no hallucination ratio: "
        if now - numbers.identity_since >= _LEARNING_SECONDS:
            usual = self._usual(numbers, now)
            told = f"; over the three days before it was {usual:.1%}" if usual is not None else ""
            return Basis("baseline", f"{own}read whether it has risen against its own past{told}.")
        return Basis(
            "uncalibrated",
            f"{own}read its trend and not its level. {_judge_so_far(day['judged'])}, and this replica has watched the service for less than three days.",
        )

    def headline(self, numbers: Numbers, now: float, basis: Basis) -> dict[str, Json]:
        """The estimate of the last hour."""
        sums = {name: np.asarray([value]) for name, value in numbers.total(_HOUR, now).items()}
        found = self._points(sums, basis, least=1)
        return {name: values[0] for name, values in found.items()}

    def points(self, numbers: Numbers, span: Span, now: float, basis: Basis) -> dict[str, Json]:
        """The estimate over a range: lists of one length, null where too little is known; `local` is the local share by itself."""
        sums = numbers.sums(span, now)
        found: dict[str, Json] = {"at": list[Json](numbers.ends(span, now))}
        for name, values in self._points(sums, basis, least=_LEAST_OF_A_POINT).items():
            found[name] = list[Json](values)
        return found

    def _points(self, sums: Mapping[str, Floats], basis: Basis, *, least: int) -> dict[str, list[float | None]]:
        with np.errstate(divide="ignore", invalid="ignore"):
            local = sums["local"] / sums["weight"]
            effective = sums["weight"] ** 2 / sums["squared"]
            known = effective >= least
            if basis.labels is not None:
                share, own = sums["l_local"] / sums["l_weight"], sums["l_weight"] ** 2 / sums["l_squared"]
                found = by_labels(Estimate(share, *wilson(share, own), own), basis.labels, drift=RATES_DRIFT)
                known = known & (own >= least) & _covered(sums)
            elif basis.word == "anchored":
                found = self._anchored(sums)
                known = known & (sums["judged"] >= least)
            else:
                found = Estimate(local, *wilson(local, effective), effective)
        told = {"share": found.share, "low": found.lower, "high": found.upper, "samples": found.samples}
        numbers = {name: _numbers(values, known) for name, values in told.items()}
        return {**numbers, "local": _numbers(local, effective >= least)}

    def _labels(self, numbers: Numbers, now: float) -> Anchor | None:
        """What labels say of the verdict, unless they are too old."""
        anchor = numbers.anchor
        end = None if anchor is None else anchor.expiry(self._anchor_days)
        return None if end is not None and end <= now else anchor

    def _anchored(self, sums: Mapping[str, Floats]) -> Estimate:
        found = anchored(scored(sums), judged(sums))
        if self._detector is not None and self._detector.sensitivity + self._detector.specificity > 1:
            return corrected(found, self._detector)
        return within_error(found, STATED_ERROR)

    def _usual(self, numbers: Numbers, now: float) -> float | None:
        days = numbers.total(_LEARNING_SECONDS, now)
        return days["local"] / days["weight"] if days["weight"] else None


def _covered(sums: Mapping[str, Any]) -> Any:
    """Whether verdicts of the labelled identity are nearly all: of numbers or of arrays of them."""
    return (sums["l_weight"] > 0) & (sums["l_weight"] >= COVERED * sums["weight"])


def _by_labels(labels: Anchor) -> Basis:
    when = f", about {labels.labelled}" if labels.labelled else ""
    return Basis(
        "anchored",
        f"Share of made-up answers, anchored: people labelled {labels.grounded + labels.hallucinated:,} of its answers{when}, and the local model's verdicts are "
        "corrected by how often they were right there. The interval allows for the chance of so few labels, and for what moved since.",
        labels,
    )


def _judge_so_far(judged: float) -> str:
    if not judged:
        return "No judge looks at this service"
    return f"A judge has seen {judged:,.0f} of its answers, and {LEAST_ANCHORS} are wanted"


def _numbers(values: Floats, known: NDArray[np.bool_]) -> list[float | None]:
    return [float(one) if there and np.isfinite(one) else None for one, there in zip(values, known, strict=True)]

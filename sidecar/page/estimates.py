"""The hallucination estimate of a service, and on what it rests, in words. The formulas are those of sidecar/evaluate/estimate.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporters.serialize import Json
from sidecar.evaluate.estimate import (
    LEAST_ANCHORS,
    STATED_ERROR,
    Estimate,
    anchored,
    corrected,
    wilson,
    within_error,
)
from sidecar.inference.grounding.detector import Detector
from sidecar.page.numbers import Numbers, Span, judged, scored
from sidecar.page.rings import Floats

_HOUR, _DAY = 3600.0, 86_400.0
_LEARNING_SECONDS = 3 * _DAY
# A point of the line with less than this says nothing.
_LEAST_OF_A_POINT = 5


@dataclass(frozen=True, slots=True)
class Basis:
    """What the numbers of a service rest on: `word` as in docs/alerts.md, `text` for people."""

    word: str
    text: str


class Estimator:
    """Makes estimates. `detector` are the judge's measured errors; without them its stated ones are allowed for."""

    def __init__(self, detector: Detector | None) -> None:
        self._detector = detector

    def basis(self, numbers: Numbers, now: float) -> Basis:
        """What the numbers of a service rest on now."""
        day = numbers.total(_DAY, now)
        effective = day["j_weight"] ** 2 / day["j_squared"] if day["j_squared"] else 0.0
        if effective >= LEAST_ANCHORS:
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
        found = self._points(sums, by_judge=basis.word == "anchored", least=1)
        return {name: values[0] for name, values in found.items()}

    def points(self, numbers: Numbers, span: Span, now: float, basis: Basis) -> dict[str, Json]:
        """The estimate over a range: lists of one length, null where too little is known; `local` is the local share by itself."""
        sums = numbers.sums(span, now)
        found: dict[str, Json] = {"at": list[Json](numbers.ends(span, now))}
        by_judge = basis.word == "anchored"
        for name, values in self._points(sums, by_judge=by_judge, least=_LEAST_OF_A_POINT).items():
            found[name] = list[Json](values)
        return found

    def _points(self, sums: Mapping[str, Floats], *, by_judge: bool, least: int) -> dict[str, list[float | None]]:
        with np.errstate(divide="ignore", invalid="ignore"):
            local = sums["local"] / sums["weight"]
            effective = sums["weight"] ** 2 / sums["squared"]
            known = effective >= least
            found = self._anchored(sums) if by_judge else Estimate(local, *wilson(local, effective), effective)
            if by_judge:
                known = known & (sums["judged"] >= least)
        told = {"share": found.share, "low": found.lower, "high": found.upper, "samples": found.samples}
        numbers = {name: _numbers(values, known) for name, values in told.items()}
        return {**numbers, "local": _numbers(local, effective >= least)}

    def _anchored(self, sums: Mapping[str, Floats]) -> Estimate:
        found = anchored(scored(sums), judged(sums))
        if self._detector is not None and self._detector.sensitivity + self._detector.specificity > 1:
            return corrected(found, self._detector)
        return within_error(found, STATED_ERROR)

    def _usual(self, numbers: Numbers, now: float) -> float | None:
        days = numbers.total(_LEARNING_SECONDS, now)
        return days["local"] / days["weight"] if days["weight"] else None


def _judge_so_far(judged: float) -> str:
    if not judged:
        return "No judge looks at this service"
    return f"A judge has seen {judged:,.0f} of its answers, and {LEAST_ANCHORS} are wanted"


def _numbers(values: Floats, known: NDArray[np.bool_]) -> list[float | None]:
    return [float(one) if there and np.isfinite(one) else None for one, there in zip(values, known, strict=True)]

"""The hallucination estimate of a service, and on what it rests, in words. The formulas are those of sidecar/evaluate/estimate.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
from sidecar.page.numbers import Numbers, Span, judged, labelled, scored
from sidecar.page.rings import Floats

_HOUR, _DAY = 3600.0, 86_400.0
_LEARNING_SECONDS = 3 * _DAY
# A point of the line with less than this says nothing.
_LEAST_OF_A_POINT = 5


@dataclass(frozen=True, slots=True)
class Basis:
    """What the numbers of a service rest on: `word` as in docs/alerts.md, `text` for people; anchored `by` a judge or by labels. `labels` are those that
    are not too old."""

    word: str
    text: str
    by: str | None = None
    labels: Anchor | None = None


class Estimator:
    """Makes estimates. `detector` are the judge's measured errors; without them its stated ones are allowed for. Labels anchor for `anchor_days`, 0 is for
    ever."""

    def __init__(self, detector: Detector | None, *, anchor_days: int = 0) -> None:
        self._detector = detector
        self._anchor_days = anchor_days

    def basis(self, numbers: Numbers, now: float) -> Basis:
        """What the numbers of a service rest on now."""
        day = {name: np.asarray([value]) for name, value in numbers.total(_DAY, now).items()}
        labels = self._labels(numbers, now)
        judged_day, by_judge = float(day["judged"][0]), float(_effective(day["j_weight"], day["j_squared"])[0])
        if enough(by_judge, 0.0 if labels is None else float(_covered(day)[0])):
            if not by_judge and labels is not None:
                return _by_labels(labels)
            known = (
                "The interval allows for the judge's measured errors."
                if self._detector
                else f"The interval allows for a judge that errs on {STATED_ERROR:.0%} of the answers."
            )
            return Basis(
                "anchored",
                f"Share of made-up answers, anchored: a judge saw {judged_day:,.0f} answers of the last day at random, and the local model's verdicts "
                f"on all others are corrected by what it said. {known}",
                "judge",
                labels,
            )
        own = "Share of answers that the local model calls hallucinated. It errs, so this is no hallucination ratio: "
        if now - numbers.identity_since >= _LEARNING_SECONDS:
            usual = self._usual(numbers, now)
            told = f"; over the three days before it was {usual:.1%}" if usual is not None else ""
            return Basis("baseline", f"{own}read whether it has risen against its own past{told}.")
        return Basis(
            "uncalibrated",
            f"{own}read its trend and not its level. {_judge_so_far(judged_day)}, and verdicts of its present model are known here for less than three days.",
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
            effective = _effective(sums["weight"], sums["squared"])
            if basis.word == "anchored":
                found, known = self._anchored(sums, basis.labels, least=least)
            else:
                plain = sums["flagged"] / sums["weight"]
                found, known = Estimate(plain, *wilson(plain, effective), effective), effective >= least
        told = {"share": found.share, "low": found.lower, "high": found.upper, "samples": found.samples}
        numbers = {name: _numbers(values, known) for name, values in told.items()}
        return {**numbers, "local": _numbers(local, effective >= least)}

    def _anchored(
        self, sums: Mapping[str, Floats], labels: Anchor | None, *, least: int
    ) -> tuple[Estimate, NDArray[np.bool_]]:
        """By the judge where it saw anything of the window, else by labels, as the rules have it; and where enough is known."""
        by_judge, judges = sums["j_weight"] > 0, self._by_judge(sums)
        enough_judged = by_judge & (sums["judged"] >= least) & (_effective(sums["weight"], sums["squared"]) >= least)
        if labels is None:
            return judges, enough_judged
        own, samples = labelled(sums), _covered(sums)
        share = own.local / own.weight
        people = by_labels(Estimate(share, *wilson(share, samples), samples), labels, drift=RATES_DRIFT)
        parts = (
            np.where(by_judge, getattr(judges, name), getattr(people, name))
            for name in ("share", "lower", "upper", "samples")
        )
        return Estimate(*parts), np.where(by_judge, enough_judged, (samples >= least) & _better_than_chance(labels))

    def _by_judge(self, sums: Mapping[str, Floats]) -> Estimate:
        found = anchored(scored(sums), judged(sums))
        if self._detector is not None and self._detector.sensitivity + self._detector.specificity > 1:
            return corrected(found, self._detector)
        return within_error(found, STATED_ERROR)

    def _labels(self, numbers: Numbers, now: float) -> Anchor | None:
        """What labels say of the verdict, unless they are too old."""
        anchor = numbers.anchor
        end = None if anchor is None else anchor.expiry(self._anchor_days)
        return None if end is not None and end <= now else anchor

    def _usual(self, numbers: Numbers, now: float) -> float | None:
        days, hour = numbers.total(_LEARNING_SECONDS, now), numbers.total(_HOUR, now)
        weight = days["weight"] - hour["weight"]
        return (days["flagged"] - hour["flagged"]) / weight if weight > 0 else None


def _covered(sums: Mapping[str, Floats]) -> Floats:
    """The effective number of answers whose verdict is of the labelled identity; 0 where too many are of another."""
    own = labelled(sums)
    covered = (own.weight > 0) & (own.weight >= COVERED * sums["weight"])
    found: Floats = np.where(covered, _effective(own.weight, own.squared), 0.0)
    return found


def _by_labels(labels: Anchor) -> Basis:
    when = f", about {labels.labelled}" if labels.labelled else ""
    return Basis(
        "anchored",
        f"Share of made-up answers, anchored: people labelled {labels.grounded + labels.hallucinated:,} of its answers{when}, and the local model's verdicts are "
        "corrected by how often they were right there. The interval allows for the chance of so few labels, and for what moved since.",
        "labels",
        labels,
    )


def _effective(weight: Floats, squared: Floats) -> Floats:
    """The size of the plain sample that weighs as much; 0 where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(squared > 0, weight**2 / squared, 0.0)
    return found


def _better_than_chance(rates: Anchor) -> bool:
    """Whether rates by labels can correct anything: the rules ask the same of the smoothed one."""
    smooth = (rates.sensitivity * rates.hallucinated + 1) / (rates.hallucinated + 2)
    return smooth + rates.specificity > 1


def _judge_so_far(judged: float) -> str:
    if not judged:
        return "No judge looks at this service"
    return f"A judge has seen {judged:,.0f} of its answers, and {LEAST_ANCHORS} are wanted"


def _numbers(values: Floats, known: NDArray[np.bool_]) -> list[float | None]:
    return [float(one) if there and np.isfinite(one) else None for one, there in zip(values, known, strict=True)]

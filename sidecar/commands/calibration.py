"""What labels say of a verdict: how often it is right, how sure that is, and the settings that follow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import yaml

from exporters.result import Verdict
from exporters.text import only
from sidecar.inference.grounding.detector import Anchor, Detector
from sidecar.record.errors import ConfigError

LEAST_OF_EACH = 30
LEAST_SUM = 1.2
_FEW = 100
_Z = 1.96
# A rate that nothing is known of.
_UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled answer (`label` True: grounded), the verdict on it, how many answers it stands for, and when it was labelled."""

    label: bool
    verdict: Verdict | None
    weight: float = 1.0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The verdicts on labelled requests. `without_verdict` counts those that abstained or could not be scored. Where labels are of a random sample
    `found` counts what that is worth, `share` tells of the answers themselves, and `notes` what was left out. `section` is where the settings go;
    `anchors` are the rates of each service with enough good answers. `found` is None where the labels are too few for a sensitivity."""

    found: Detector | None
    without_verdict: int
    threshold: float | None
    model: str
    share: str | None = None
    notes: tuple[str, ...] = ()
    section: str = "inference"
    anchors: Mapping[str, Anchor] = field(default_factory=dict)

    def report(self) -> list[str]:
        """What a reader needs to know of the rates."""
        one = self.found
        if one is None:
            return [*([] if self.share is None else [self.share]), *self.notes, *self._anchored()]
        flagged, passed = one.sensitivity * one.hallucinated, one.specificity * one.grounded
        return [
            f"model {self.model}" + ("" if self.threshold is None else f", threshold {self.threshold:g}"),
            f"{one.hallucinated} hallucinated and {one.grounded} grounded requests judged, {self.without_verdict} without a verdict",
            *([] if self.share is None else [self.share]),
            f"sensitivity {one.sensitivity:.3f} ({interval(flagged, one.hallucinated)}): hallucinated answers that are found",
            f"specificity {one.specificity:.3f} ({interval(passed, one.grounded)}): grounded answers that pass",
            *self.notes,
            *self._anchored(),
        ]

    def _anchored(self) -> list[str]:
        return [
            f"{service}: anchored in {one.grounded} good and {one.hallucinated} bad answers, specificity {one.specificity:.3f} "
            f"({interval(one.specificity * one.grounded, one.grounded)})"
            + (f", labelled about {one.labelled}" if one.labelled else "")
            for service, one in self.anchors.items()
        ]

    def warnings(self) -> list[str]:
        """Why these rates are better not used as they are, and what to do."""
        one, found = self.found, list[str]()
        if one is None:
            return found
        if (both := one.sensitivity + one.specificity) < LEAST_SUM:
            found.append(
                f"sensitivity + specificity is {both:.2f}, where 1 is as good as a coin: rates corrected with it mean little. Look at the "
                "labels of requests that were judged otherwise (rag-sidecar score), then try another grounding model "
                "(inference.grounding) before you use these settings."
            )
        for count, name in ((one.hallucinated, "hallucinated"), (one.grounded, "grounded")):
            if count < _FEW:
                found.append(f"{only(count, f'{name} request')}: the interval is wide. Label some hundred of each.")
        return found

    def settings(self) -> str:
        """The settings to paste, as YAML."""
        made: dict[str, Any] = {} if self.found is None else {self.section: {"detector": _rounded(self.found)}}
        if self.anchors:
            made["evaluate"] = {"anchors": {service: _rounded(one) for service, one in self.anchors.items()}}
        return yaml.safe_dump(made, sort_keys=False)


def rates(judged: Sequence[Judged]) -> Detector:
    """The weighted shares of right verdicts, and how many labels of a plain random sample would know as much: (sum of w)^2 / sum of w^2 (Kish
    1965). Labels without a verdict are left out. Raises ConfigError where too few of a kind are left."""
    wrong = [one for one in judged if not one.label and one.verdict in DECIDED]
    right = [one for one in judged if one.label and one.verdict in DECIDED]
    for rows, name in ((wrong, "hallucinated"), (right, "grounded")):
        if len(rows) < LEAST_OF_EACH:
            problem = f"{only(len(rows), f'{name} request')} got a verdict"
            mend = f"label at least {LEAST_OF_EACH} of each; a few hundred make a narrow interval"
            raise ConfigError("labels", problem, mend)
    return Detector(
        sensitivity=_share(wrong, Verdict.HALLUCINATED),
        specificity=_share(right, Verdict.GROUNDED),
        hallucinated=worth([one.weight for one in wrong]),
        grounded=worth([one.weight for one in right]),
    )


@dataclass(frozen=True, slots=True)
class Anchors:
    """The rates of each service that its labels can anchor, and why they cannot anchor others: for `useless` verdicts more labels do not help."""

    found: Mapping[str, Anchor] = field(default_factory=dict)
    useless: tuple[str, ...] = ()
    few: Mapping[str, int] = field(default_factory=dict)

    def left_out(self) -> list[str]:
        """Which services are not anchored, and why."""
        few = ", ".join(f"{service} ({count})" for service, count in self.few.items())
        return [
            *self.useless,
            *([f"not anchored for fewer than {LEAST_OF_EACH} good answers with a verdict: {few}"] if few else []),
        ]


def anchors(judged: Mapping[str, Sequence[Judged]], identity: str) -> Anchors:
    """The rates of each service with enough good answers among its randomly drawn labels, as `rates` weighs them. Bad answers may be few: on a service that
    is well they are. Left out is a service on whose answers the verdict is hardly better than a coin."""
    found, useless, few = dict[str, Anchor](), list[str](), dict[str, int]()
    for service, rows in sorted(judged.items()):
        right = [one for one in rows if one.label and one.verdict in DECIDED]
        wrong = [one for one in rows if not one.label and one.verdict in DECIDED]
        grounded, bad = (worth([one.weight for one in some]) if some else 0 for some in (right, wrong))
        if grounded < LEAST_OF_EACH:
            few[service] = grounded
            continue
        sensitivity = _share(wrong, Verdict.HALLUCINATED) if wrong else _UNKNOWN
        specificity = _share(right, Verdict.GROUNDED)
        rates = {"sensitivity": sensitivity, "hallucinated": bad, "specificity": specificity, "grounded": grounded}
        made = Anchor.model_validate({**rates, "identity": identity, "labelled": _middle(rows)})
        if (sensitivity * bad + 1) / (bad + 2) + specificity >= LEAST_SUM:
            found[service] = made
        else:
            useless.append(_useless(service, made))
    return Anchors(found, tuple(useless), few)


def _useless(service: str, one: Anchor) -> str:
    finds = f"finds {one.sensitivity:.0%} of {one.hallucinated} bad answers and " if one.hallucinated else ""
    passes = f"passes {one.specificity:.0%} of {one.grounded} good ones"
    return f"{service}: nothing can be anchored in a verdict that {finds}{passes}, hardly better than a coin"


def _middle(rows: Sequence[Judged]) -> date | None:
    """The day by which half of the labels were given."""
    times = sorted(one.at for one in rows if one.at is not None)
    return times[(len(times) - 1) // 2].astimezone(UTC).date() if times else None


DECIDED = (Verdict.GROUNDED, Verdict.HALLUCINATED)


def worth(weights: Sequence[float]) -> int:
    """The size of the plain random sample that knows as much as answers of these weights, at least 1."""
    return max(1, int(math.fsum(weights) ** 2 / math.fsum(w * w for w in weights) + 1e-9))


def interval(hits: float, of: float) -> str:
    """The 95 % Wilson interval, as text."""
    p, square = hits / of, _Z * _Z
    middle, spread = p + square / (2 * of), _Z * math.sqrt((p * (1 - p) + square / (4 * of)) / of)
    low, high = (middle - spread) / (1 + square / of), (middle + spread) / (1 + square / of)
    return f"{low:.3f} to {high:.3f}"


def _rounded(one: Detector) -> dict[str, Any]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in one.model_dump(exclude_none=True).items()
    }


def _share(rows: Sequence[Judged], wanted: Verdict) -> float:
    return math.fsum(one.weight for one in rows if one.verdict is wanted) / math.fsum(one.weight for one in rows)

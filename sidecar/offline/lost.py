"""Scores that one of two runs has and the other lacks: a system that says nothing is compared on what it says, and loses by what it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from exporters.text import many
from sidecar.offline.case import SILENT
from sidecar.offline.record import Counts, Evaluation
from sidecar.statistics.paired import holm, least_p, mcnemar
from sidecar.statistics.power import ALPHA

# Of the cases that the other system has a score for, so many may go without an answer or documents: as many as a gate lets pass by default.
MOST_SILENT = 0.05
_NOBODY = "not asked"


@dataclass(frozen=True, slots=True)
class Lacking:
    """Cases that the other run alone has a score for, by the reason why this one has none. Of them `lost` are unscorable, which is said of the case
    and not of its evaluation; and of these `silent` are without an answer or documents."""

    reasons: Counts = field(default_factory=dict)
    lost: int = 0

    @property
    def cases(self) -> int:
        """How many."""
        return sum(self.reasons.values())

    @property
    def silent(self) -> int:
        """Of how many the system gave no answer or no documents."""
        return sum(count for reason, count in self.reasons.items() if reason in SILENT)

    def __str__(self) -> str:
        return ", ".join(f"{reason} {count}" for reason, count in self.reasons.items())


def lacking(said: Iterable[Evaluation | None]) -> Lacking:
    """Of what this run says of those cases; None where nobody was asked."""
    own = list(said)
    reasons = Counter(_NOBODY if one is None else one.reason or "unknown" for one in own)
    return Lacking(dict(reasons.most_common()), sum(one is not None and one.outcome == "unscorable" for one in own))


@dataclass(frozen=True, slots=True)
class Coverage:
    """One metric: how many cases both have a score for, and what each lacks."""

    both: int
    a: Lacking
    b: Lacking

    def says(self, fewer: str | None) -> str:
        """In words; nothing where neither lacks any. `fewer` is the system that lost too many."""
        sides = (("B", self.b, "A"), ("A", self.a, "B"))
        return "; ".join(
            f"{name} {'lost the score of' if name == fewer else 'has no score in'} "
            f"{own.cases} of the {many(self.both + own.cases, 'case')} of {other} ({own})"
            for name, own, other in sides
            if own.cases
        )


def fewer(metrics: Mapping[str, Coverage]) -> Mapping[str, Literal["A", "B"]]:
    """Which system lost scores that the other one has, by metric: of more than MOST_SILENT of them it gave no answer or no documents; or so many more are
    unscorable that it is hardly chance (McNemar's exact test, after Holm's correction over the metrics in which enough scores were lost to say)."""
    tested = {name: mcnemar(one.a.lost, one.b.lost) for name, one in metrics.items()}
    least = [least_p(one.a.lost + one.b.lost) for one in metrics.values()]
    adjusted = dict(zip(tested, holm(list(tested.values()), least), strict=True))
    found: dict[str, Literal["A", "B"]] = {}
    for name, one in metrics.items():
        chance = adjusted[name] >= ALPHA
        if _beyond(one.b, one.a, one.both, chance=chance):
            found[name] = "B"
        elif _beyond(one.a, one.b, one.both, chance=chance):
            found[name] = "A"
    return found


def _beyond(own: Lacking, other: Lacking, both: int, *, chance: bool) -> bool:
    most = MOST_SILENT * (both + own.cases)
    return own.silent - other.silent > most or (not chance and own.lost - other.lost > most)

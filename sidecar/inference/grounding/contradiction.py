"""What a claim says to the contrary of its evidence, and what that weighs.

Pair models are sure of "before" where the text says "after", and labelled answers hold too few such claims to learn a weight from: of those
that people called supported, fewer than 1 in 1,000 stand against an opposite that is clear. So the weight is set, not fit: a clear contrary is worth
`_LOGITS`. docs/models/embedded-tries.md has what other weights did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.calibrated import logit, probability

CERTAIN = 1.4  # what another cell of a table has, or the same figures in another unit, leaves no doubt
_LOGITS = 4.5
_STATED = 0.5  # the probability, at least, of what a table has marks for


@dataclass(frozen=True, slots=True)
class Contrary:
    """`clear` (0..1, more where a table tells it) is how clearly the claim says the contrary, `conflicts` where: of its words, then of its values. `stated`
    says that a table has marks for just what it says, `plain` that the claim's own words say the contrary, whatever was asked."""

    clear: float = 0.0
    conflicts: tuple[ValueConflict, ...] = ()
    stated: bool = False
    plain: bool = False

    def weighed(self, p: float) -> float:
        """The probability of a claim, `p` without what it says to the contrary."""
        return probability(logit(p) - _LOGITS * self.clear) if self.clear else max(p, _STATED) if self.stated else p

    def and_also(self, other: Contrary) -> Contrary:
        """Both: the clearer of them counts."""
        return Contrary(max(self.clear, other.clear), (*other.conflicts, *self.conflicts))

    def at_least(self, clear: float) -> Contrary:
        """Of a whole: what one of its claims says clearly to the contrary, the whole says."""
        return replace(self, clear=max(self.clear, clear))


NOTHING_CONTRARY, CONTRARY = Contrary(), Contrary(1.0)


def plainly(start: int, end: int, there: Evidence) -> Contrary:
    """What claim[start:end] says to the contrary whatever was asked, by a rule that leaves no doubt."""
    return Contrary(CERTAIN, (ValueConflict(start, end, there),), plain=True)

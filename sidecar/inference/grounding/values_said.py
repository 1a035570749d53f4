"""What the evidence says of a claim's values: as features of the model, and as conflicts that a reader is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exporters.result import ValueConflict
from sidecar.inference.calibrated import FloatVector

VALUE_FEATURES = ("claim", "disagree", "disagreeing", "absent", "reformatted", "follows")
_INFERRED = 0.5


@dataclass(frozen=True, slots=True)
class Said:
    """The values of a claim, as shares of them (0..1) but for `disagree`, how clearly (0..1) the clearest disagreement is one. `stems` and `numbers` are the words of those that
    the evidence has, `conflicts` those that it has otherwise, `of_another_unit` whether it has the very figures of one so, `certain` whether a table has one in another row or
    column, or one does not fall under the rule that the claim tells of it, as `no_case` says, `outside` whether it denies of a day, or a case, what the evidence says of other
    days, or of others that its rule holds of, so that its words are no contrary, `shut` whether nothing is open on a day of it, `written_otherwise` the words of
    those that it has in another format alone, `as_there` the claim with these as the evidence writes them, `known` where its times and dates begin that the evidence has."""

    any: bool = False
    disagree: float = 0.0
    disagreeing: float = 0.0
    absent: float = 0.0
    reformatted: float = 0.0
    follows: float = 0.0
    stems: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    conflicts: tuple[ValueConflict, ...] = ()
    of_another_unit: bool = False
    certain: bool = False
    no_case: bool = False
    outside: bool = False
    shut: bool = False
    written_otherwise: frozenset[str] = frozenset()
    as_there: str = ""
    known: frozenset[int] = frozenset()

    @property
    def inferred(self) -> float:
        """The probability, at least, of what is denied of a day beside what is said of others; 0 of anything else."""
        return _INFERRED if self.outside and not (self.disagreeing or self.absent) else 0.0

    def bounds(self, claim: str, end: int) -> bool:
        """Whether a word that ends at `end` stands right before a value that the evidence has, "until half past ten", and is that value's own."""
        begins = end + len(claim[end:]) - len(claim[end:].lstrip())
        return begins in self.known

    def row(self, claim: float) -> FloatVector:
        """VALUE_FEATURES (1, 6) of these, beside the claim's logit without them."""
        shares = (self.disagreeing, self.absent, self.reformatted, self.follows)
        return np.array([[claim, self.disagree, *shares]], np.float64)


NOTHING = Said()

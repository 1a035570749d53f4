"""How clearly a Chinese claim says the contrary of its evidence: the weight is set, as for English (contrary.py, ADR 0070)."""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import Evidence, ValueConflict
from sidecar.inference.contrasts.han_compare import Weight, contrasts
from sidecar.inference.contrasts.han_reading import Reading, read
from sidecar.inference.grounding.contrary import NOTHING_CONTRARY, Contrary
from sidecar.inference.grounding.han import Piece

_FROM, _CLEAR = 0.05, 0.25  # shares of the claim's words that stand with the contrary and not with its own


class HanContraries:
    """Compares claims with the sentences chosen for them; each sentence is read once."""

    def __init__(self, documents: Sequence[str], weight: Weight) -> None:
        self._documents = documents
        self._weight = weight
        self._read: dict[tuple[int, int], Reading] = {}

    def of(self, claim: str, evidence: Sequence[Piece]) -> Contrary:
        """What the sentences say otherwise."""
        found = contrasts(read(claim), [self._reading(one) for one in evidence], self._weight)
        if found is None or found.strength <= _FROM:
            return NOTHING_CONTRARY
        piece = evidence[found.piece]
        place = Evidence(piece.document, piece.span.start + found.other_start, piece.span.start + found.other_end)
        clear = min(1.0, (found.strength - _FROM) / (_CLEAR - _FROM))
        return Contrary(clear, (ValueConflict(found.start, found.end, place),))

    def _reading(self, one: Piece) -> Reading:
        key = one.document, one.span.start
        if key not in self._read:
            self._read[key] = read(self._documents[one.document][one.span.start : one.span.end])
        return self._read[key]

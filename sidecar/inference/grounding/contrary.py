"""How clearly a claim says the contrary of its evidence: another value, the opposite, or a word negated on one side alone.

Pair models are sure of "before" where the text says "after", and labelled answers hold too few such claims to learn a weight from: of those
that people called supported, fewer than 1 in 1,000 stand against an opposite that is as clear as `_CLEAR`. So the weight is set, not fit: a clear
contrary is worth `_LOGITS`. docs/models/embedded.md has what other weights did.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.calibrated import logit, probability
from sidecar.inference.contrasts.compare import Contrast, contrasts
from sidecar.inference.contrasts.reading import Reading, carrying, read
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.embedding.text import content_stem
from sidecar.inference.grounding.said import Said

_FROM, _CLEAR = 0.3, 0.7  # shares of the claim's words that stand with the contrary
_LOGITS = 4.0
_REMEMBERED = 1024  # sentences; those of a request come again with each claim
_LONGEST_REMEMBERED = 600  # characters


@dataclass(frozen=True, slots=True)
class Contrary:
    """`clear` (0..1) is how clearly the claim says the contrary, `conflicts` where: of its words, then of its values."""

    clear: float = 0.0
    conflicts: tuple[ValueConflict, ...] = ()

    def weighed(self, p: float) -> float:
        """The probability of a claim, `p` without what it says to the contrary."""
        return probability(logit(p) - _LOGITS * self.clear) if self.clear else p

    def at_least(self, clear: float) -> Contrary:
        """Of a whole: what one of its claims says clearly to the contrary, the whole says."""
        return replace(self, clear=max(self.clear, clear))


NOTHING_CONTRARY, CONTRARY = Contrary(), Contrary(1.0)


class Contraries:
    """Compares claims with the sentences chosen for them; sentences are read once for all claims of a request."""

    def __init__(self, idf: Idf) -> None:
        self._weight = idf.of
        self._reading = functools.lru_cache(maxsize=_REMEMBERED)(_reading)

    def of(
        self,
        claim: str,
        said: Said,
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
    ) -> Contrary:
        """What the sentences at `places` (document, sentence) say otherwise. `said` is what they say of the claim's values."""
        pieces = [self._in_its_place(number, n, texts, documents) for number, n in places]
        found = contrasts(_reading(claim), pieces, self._weight, content_stem)
        words = [one for one in (found.opposed, found.negated) if one is not None and one.strength > _FROM]
        clear = max((said.disagree, *(one.strength for one in words)))
        return Contrary(
            min(1.0, max(0.0, (clear - _FROM) / (_CLEAR - _FROM))),
            (*(_conflict(one, places, documents) for one in words), *said.conflicts),
        )

    def _in_its_place(self, number: int, n: int, texts: Sequence[str], documents: Sequence[EncodedDocument]) -> Reading:
        """A sentence with what its pronouns stand for."""
        spans = documents[number].spans
        text = texts[number]
        before = self._read(text[spans[n - 1].start : spans[n - 1].end]) if n else None
        return carrying(self._read(text[spans[n].start : spans[n].end]), before)

    def _read(self, text: str) -> Reading:
        return self._reading(text) if len(text) <= _LONGEST_REMEMBERED else _reading(text)


def _reading(text: str) -> Reading:
    return read(text, content_stem)


def _conflict(one: Contrast, places: Sequence[tuple[int, int]], documents: Sequence[EncodedDocument]) -> ValueConflict:
    number, n = places[one.piece]
    start = documents[number].spans[n].start
    return ValueConflict(one.start, one.end, Evidence(number, start + one.other_start, start + one.other_end))

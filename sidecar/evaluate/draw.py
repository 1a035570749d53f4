"""Which requests the judge sees: drawn by trace id, with a probability that is known before anything is scored.

One number u in [0, 1) a request, of a hash that has nothing to do with the sampler's and nothing with the text: an evaluator sees the request where
u < p, so that evaluators of the same rate see the same requests. p is the rate that is set times what the budget leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from sidecar.record.request import RagTrace


class Draws:
    """`rates` are those of the settings by evaluator, `factor` gives what the budget leaves of them now, in (0, 1]."""

    def __init__(self, rates: Mapping[str, float], *, salt: str, factor: Callable[[], float]) -> None:
        self.rates = dict(rates)
        self._salt = salt.encode()[:64]
        self._factor = factor

    def present(self) -> dict[str, float]:
        """The probability of each evaluator at this moment."""
        factor = self._factor()
        return {name: rate * factor for name, rate in self.rates.items()}

    def draw(self, trace: RagTrace) -> dict[str, float]:
        """The evaluators that see a request, each with the probability that it does."""
        u = self._u(trace.trace_id)
        return {name: p for name, p in self.present().items() if u < p}

    def _u(self, trace_id: str) -> float:
        digest = hashlib.blake2b(
            trace_id.encode("utf-8", "surrogatepass"), key=self._salt, person=b"judge", digest_size=8
        ).digest()
        return int.from_bytes(digest, "big") / 2**64

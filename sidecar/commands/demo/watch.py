"""What the demo shows: an exporter of its own that keeps numbers and the worst answers. The texts are the demo's."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from exporters.result import Outcome, Result, Verdict

_BIN_SECONDS = 2.0
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Ratio:
    """A share with its 95 % Wilson interval and the sample size (effective, for weighted samples)."""

    value: float
    low: float
    high: float
    n: float


@dataclass(frozen=True, slots=True)
class Worst:
    """An answer with a claim that the documents do not support."""

    score: float
    claim: str
    support: float
    service: str


def wilson(share: float, n: float) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if n <= 0:
        return 0.0, 1.0
    centre = share + _Z * _Z / (2 * n)
    spread = _Z * (share * (1 - share) / n + _Z * _Z / (4 * n * n)) ** 0.5
    scale = 1 + _Z * _Z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


class Watcher:
    """Exporter into the memory of the demo."""

    name = "screen"
    every_trace = True
    local = True

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.turned: float | None = None
        self.outcomes: Counter[str] = Counter()
        self.unscorable: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.cost = 0.0
        self.unpriced = 0
        self.scores: dict[str, list[float]] = {}
        self.durations: dict[str, deque[float]] = {}
        self.verdicts: list[tuple[float, Verdict, float]] = []
        self.worst: list[Worst] = []
        self.arrivals: deque[float] = deque(maxlen=400)

    async def start(self) -> None:
        """Start the clock."""
        self.started = time.monotonic()

    async def stop(self) -> None:
        """Nothing to do."""

    async def export(self, results: Sequence[Result]) -> None:
        """Take results."""
        for result in results:
            self._take(result)

    def ratio(self, since: float = 0.0, until: float = float("inf")) -> Ratio | None:
        """Weighted share of hallucinated among the answers that are not abstentions; None without any. Seconds since start."""
        kept = [(v, w) for at, v, w in self.verdicts if since <= at < until and v is not Verdict.ABSTAINED]
        total, squares = sum(w for _, w in kept), sum(w * w for _, w in kept)
        if not kept:
            return None
        share = sum(w for v, w in kept if v is Verdict.HALLUCINATED) / total
        n = total * total / squares
        return Ratio(share, *wilson(share, n), n)

    def history(self, bins: int) -> list[float | None]:
        """The ratio in the last `bins` bins of two seconds, oldest first."""
        now = time.monotonic() - self.started
        last = int(now / _BIN_SECONDS)
        found: list[float | None] = []
        for n in range(max(0, last - bins), last):
            ratio = self.ratio(max(0.0, (n - 2) * _BIN_SECONDS), (n + 1) * _BIN_SECONDS)
            found.append(ratio.value if ratio else None)
        return found

    def rate(self) -> float:
        """Results a second over the last ten seconds."""
        now = time.monotonic()
        recent = sum(now - at <= 10 for at in self.arrivals)
        return recent / min(10.0, max(1.0, now - self.started))

    def mean(self, evaluator: str) -> float | None:
        """Mean score."""
        values = self.scores.get(evaluator)
        return sum(values) / len(values) if values else None

    def p95(self, name: str) -> float | None:
        """95th percentile of a duration, seconds."""
        values = sorted(self.durations.get(name, ()))
        return values[min(len(values) - 1, int(0.95 * len(values)))] if values else None

    def _take(self, result: Result) -> None:
        self.arrivals.append(time.monotonic())
        self.outcomes[result.outcome.value] += 1
        if result.outcome is Outcome.UNSCORABLE:
            self.unscorable[result.reason or ""] += 1
        if result.error_class:
            self.errors[result.error_class] += 1
        self.tokens.update({name: result.tokens.get(name, 0) for name in ("input", "output")})
        self.cost += sum((result.cost_usd or {}).values())
        self.unpriced += result.unpriced_tokens
        for name, seconds in result.durations.items():
            self.durations.setdefault(name, deque(maxlen=2000)).append(seconds)
        for one in result.evaluations:
            if one.score is not None:
                self.scores.setdefault(one.evaluator, []).append(one.score)
        if result.verdict is not None:
            self.verdicts.append((time.monotonic() - self.started, result.verdict, result.weight))
        if result.verdict is Verdict.HALLUCINATED:
            self._remember(result)

    def _remember(self, result: Result) -> None:
        score = next((one.score for one in result.evaluations if one.decides_verdict), None)
        claims = [claim for one in result.evaluations for claim in one.claims if not claim.supported]
        if score is None or not claims:
            return
        claim = min(claims, key=lambda c: c.support)
        found = Worst(score, claim.text, claim.support, result.service)
        if all(found.claim != known.claim for known in self.worst):
            self.worst = sorted([*self.worst, found], key=lambda w: w.score)[:3]

"""What the demo shows: an exporter of its own that keeps numbers and the worst answers. The texts are the demo's."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from exporters.result import Outcome, Result, Verdict
from sidecar.commands.demo.estimates import Ratio, Rise, anchored_ratio, below_threshold
from sidecar.evaluate.seen import Seen

_BIN_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Worst:
    """An answer with a claim that the documents do not support."""

    score: float
    claim: str
    support: float
    service: str


class Watcher:
    """Exporter into the memory of the demo."""

    name = "screen"
    every_trace = True
    local = True

    def __init__(self, *, learning_seconds: float = 15.0) -> None:
        """The first `learning_seconds` are the past that a rise is one against: minutes stand for days here."""
        self.learning_seconds = learning_seconds
        self.begin()
        self.outcomes: Counter[str] = Counter()
        self.unscorable: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.cost = 0.0
        self.unpriced = 0
        self.scores: dict[str, list[float]] = {}
        self.durations: dict[str, deque[float]] = {}
        self.seen: list[Seen] = []
        self.worst: list[Worst] = []
        self.arrivals: deque[float] = deque(maxlen=400)

    def begin(self) -> None:
        """Count seconds from now. What is seen has the time of its request, not of its arrival here, so that it can be held against what was sent."""
        self.started = time.monotonic()
        self._began = time.time()

    async def start(self) -> None:
        """Start the clock."""
        self.begin()

    async def stop(self) -> None:
        """Nothing to do."""

    async def export(self, results: Sequence[Result]) -> None:
        """Take results."""
        for result in results:
            self._take(result)

    def ratio(self, since: float = 0.0, until: float = float("inf")) -> Ratio | None:
        """Weighted share of answers below the threshold, of those with a verdict; None without any. Seconds since start."""
        return below_threshold(self._between(since, until))

    def anchored(self, since: float = 0.0, until: float = float("inf")) -> Ratio | None:
        """The share that is made up, as the judge's answers on a random part make of it; None without any."""
        return anchored_ratio(self._between(since, until))

    def rise(self, since: float, until: float = float("inf")) -> Rise | None:
        """By how much the share below the threshold is above that of the learning time; None without answers on either side."""
        now, past = self.ratio(max(since, self.learning_seconds), until), self.ratio(0.0, self.learning_seconds)
        return Rise.of(now, past) if now and past else None

    @property
    def shown(self) -> int:
        """How many answers the judge gave a verdict on."""
        return sum(one.judged is not None for one in self.seen)

    def _between(self, since: float, until: float) -> list[Seen]:
        return [one for one in self.seen if since <= one.at < until]

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
        seen = Seen.of(result, max(0.0, result.timestamp - self._began))
        if seen is not None:
            self.seen.append(seen)
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

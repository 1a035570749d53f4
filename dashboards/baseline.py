"""The rise of a service's share of hallucinated verdicts against its own past, in PromQL.

Verdicts are compared within one identity (model, version, threshold), and what is found is averaged by today's mix: a new model of ours starts
anew, and more traffic of a language whose model flags more is no rise. The days before are taken at the same time of day, so that a daily cycle is
none either. It needs no label, and says nothing of the level.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboards import promql
from dashboards.objectives import LEARNING_DAYS, LEAST_SAMPLES, Windows, duration, seconds

LEVEL = "rag_service"
IDENTITY = f"{LEVEL}_identity"
_BY = f"{LEVEL}, identity"
_WEEKS = (7, 14)


@dataclass(frozen=True, slots=True)
class Past:
    """What a window is compared with: sums over windows `over`, each so many days (of `day` each) earlier in the middle. `word` is in the names;
    without `tested` the rise has no error."""

    word: str
    window: str
    over: str
    days: tuple[int, ...]
    tested: bool = True
    day: str = "1d"

    @property
    def offsets(self) -> tuple[str, ...]:
        """How far the windows of the past end before now."""
        later = (seconds(self.over) - seconds(self.window)) // 2
        return tuple(duration(days * seconds(self.day) - later) for days in self.days)

    @property
    def rise(self) -> str:
        """Name of the rise of the share, -1..1."""
        return f"{LEVEL}:rag_verdict_share:{self.word}_rate{self.window}"

    @property
    def error(self) -> str:
        """Name of its standard error."""
        return f"{LEVEL}:rag_verdict_share:{self.word}_stderr_rate{self.window}"

    @property
    def samples(self) -> str:
        """Name of the effective size of the sample of now that was compared."""
        return f"{LEVEL}:rag_verdict_share:{self.word}_samples_increase{self.window}"

    @property
    def usual(self) -> str:
        """Name of the share of the past, in today's mix of identities."""
        return f"{LEVEL}:rag_verdict_share:{self.word}_past_rate{self.window}"

    def rules(self) -> dict[str, str]:
        """The recording rules, in the order of their needs: name and expression. Nothing where one of the days is missing."""
        weight, squared, now = (_sum(word, self.window) for word in ("weight", "squared", "ratio"))
        ratio, samples = self._of("past_ratio"), self._of("past_samples")
        compared = f"sum by ({LEVEL}) ({weight} and {ratio})"
        made = {
            samples: f"{self._past('weight')} ^ 2 / ({self._past('squared')} > 0) >= {LEAST_SAMPLES}",
            ratio: f"{self._past('flagged')} / ({self._past('weight')} > 0) and {samples}",
            self.rise: f"sum by ({LEVEL}) ({weight} * ({now} - {ratio})) / ({compared} > 0)",
        }
        if not self.tested:
            return made
        variance = f"({_variance(now, _sum('samples', self.window))}\n  + {_variance(ratio, samples)})"
        return {
            **made,
            self.usual: f"sum by ({LEVEL}) ({weight} * {ratio}) / ({compared} > 0)",
            self.error: f"sqrt(sum by ({LEVEL}) (\n  {weight} ^ 2\n  * {variance}\n))\n/ ({compared} > 0)",
            self.samples: f"{compared} ^ 2\n/ (sum by ({LEVEL}) ({squared} and {ratio}) > 0)",
        }

    def _past(self, word: str) -> str:
        series = _sum(word, self.over)
        return "(" + " + ".join(f"{series} offset {offset}" for offset in self.offsets) + ")"

    def _of(self, word: str) -> str:
        return f"{IDENTITY}:rag_verdict_share:{self.word}_{word}_rate{self.window}"


def pasts(windows: Windows) -> tuple[Past, Past, Past, Past]:
    """What is compared with what: two hours and a day with the learning time, two hours with the same weekday of the fortnight, the day with the day
    before."""
    (quick, slow), day = windows.rises(), windows.day
    learned = tuple(range(1, LEARNING_DAYS + 1))
    return (
        Past("rise", quick, windows.slow, learned, day=day),
        Past("rise", slow, slow, learned, day=day),
        Past("rise_since_weeks", quick, windows.slow, _WEEKS, tested=False, day=day),
        Past("rise_since_yesterday", slow, slow, (1,), day=day),
    )


def weight(window: str) -> str:
    """Name of the weight of the verdicts of each identity of a service."""
    return _sum("weight", window)


def sums(window: str) -> dict[str, str]:
    """The rules of the sums that all is made of, by identity."""

    def total(series: str, extra: str) -> str:
        return promql.total("increase", series, window, by=_BY, extra=extra)

    weight, flagged, squared = (_sum(word, window) for word in ("weight", "flagged", "squared"))
    return {
        weight: total(promql.WEIGHT, promql.JUDGED),
        flagged: f"{total(promql.WEIGHT, promql.HALLUCINATED)}\nor 0 * {weight}",
        squared: total(promql.WEIGHT_SQUARED, promql.JUDGED),
        _sum("ratio", window): f"{flagged} / ({weight} > 0)",
        _sum("samples", window): f"{weight} ^ 2 / ({squared} > 0)",
    }


def rules(window: str, windows: Windows) -> dict[str, str]:
    """The rules that belong to a window."""
    made = sums(window) if window in (*windows.rises(), windows.slow) else {}
    for past in pasts(windows):
        if past.window == window:
            made |= past.rules()
    return made


def _sum(word: str, window: str) -> str:
    return f"{IDENTITY}:rag_verdict_share:{word}_increase{window}"


def _variance(share: str, samples: str) -> str:
    """Of a share, by Laplace's rule, so that a share of 0 in a small sample is not certain."""
    smooth = f"(({share} * {samples} + 1) / ({samples} + 2))"
    return f"{smooth} * (1 - {smooth}) / {samples}"

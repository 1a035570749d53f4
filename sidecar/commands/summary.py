"""What a run of `rag-sidecar score` came to, in one table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from exporters.result import Outcome, Result
from exporters.text import many


class Summary:
    """Counts results as they are written."""

    def __init__(self) -> None:
        self.unread = 0
        self.notes: Sequence[str] = ()
        self._requests = 0
        self._verdicts: Counter[str] = Counter()
        self._scores: defaultdict[str, list[float]] = defaultdict(list)
        self._without: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._failures: Counter[str] = Counter()

    def add(self, result: Result | None) -> None:
        """One line of the input; None is one that could not be read."""
        if result is None:
            self.unread += 1
            return
        self._requests += 1
        self._verdicts[str(result.verdict) if result.verdict else "none"] += 1
        for one in result.evaluations:
            scores, without = self._scores[one.evaluator], self._without[one.evaluator]
            if one.score is not None:
                scores.append(one.score)
            else:
                self._failures[one.evaluator] += one.outcome is Outcome.FAILED
                without[f"{'failed: ' if one.outcome is Outcome.FAILED else ''}{one.reason}"] += 1

    @property
    def lines(self) -> int:
        """Of the input, whatever became of them."""
        return self._requests + self.unread

    @property
    def broken(self) -> list[str]:
        """Evaluators that failed wherever they were asked: what they need is wrong or away, and no request's fault."""
        return [
            name
            for name, scores in self._scores.items()
            if not scores and self._failures[name] == self._without[name].total()
        ]

    def print(self, console: Console) -> None:
        """The table, and the lines that could not be read."""
        console.print(f"{many(self._requests, 'request')}; verdicts: {_counts(self._verdicts.most_common()) or 'none'}")
        if self._scores:
            table = Table("evaluator", "scored", "mean", "not scored, by reason", box=SIMPLE, pad_edge=False)
            for name, scores in self._scores.items():
                mean = f"{math.fsum(scores) / len(scores):.3f}" if scores else "-"
                table.add_row(name, str(len(scores)), mean, _counts(self._without[name].most_common()))
            console.print(table)
        if self.broken:
            console.print(f"failed for every request: {', '.join(self.broken)}")
        if self.unread:
            console.print(f"{many(self.unread, 'line')} could not be read; the output says why in each place")
        for note in self.notes:
            console.print(note, markup=False, soft_wrap=True)
        if self.unread and not self._requests:
            console.print(
                "no line is a request: give plain UTF-8 with one JSON object a line, no list, no archive but gzip",
                soft_wrap=True,
            )


def _counts(counted: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counted)

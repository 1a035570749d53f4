"""A report as tables in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from exporters.text import safe
from sidecar.offline.record import Compared, Comparison, Gate, Group, Metric, Report, Sessions
from sidecar.offline.render import words

_COLOURS = {"": "", "poor": "red", "fair": "yellow", "good": "green", "excellent": "bold green"}
_STATUS = {"passed": "green", "failed": "bold red", "not_asked": "dim"}


def show(report: Report, console: Console) -> None:
    """All but the cases themselves."""
    console.print(
        f"{safe(words.title(report))}; verdicts: {words.counts(report.verdicts) or 'none'}",
        highlight=False,
        markup=False,
    )
    if report.metrics:
        console.print(_metrics(report.metrics))
    if (said := words.negatives(report)) is not None:
        console.print(said, highlight=False)
    if report.sessions is not None:
        console.print(safe(words.sessions(report) or ""), highlight=False, markup=False)
        console.print(_sessions(report.sessions))
    for heading, groups in (("kind", report.by_kind), ("origin", report.by_origin)):
        if len(groups) > 1:
            console.print(_groups(heading, groups))
    if measured := words.measures(report):
        table = Table("of the system", "cases", "mean", "median", "95 %", box=SIMPLE, pad_edge=False)
        for name, (one, unit) in measured.items():
            table.add_row(
                f"{name} {unit}".strip(), str(one.cases), *(f"{v:,.4g}" for v in (one.mean, one.median, one.p95))
            )
        console.print(table)
    console.print(words.effort(report), highlight=False, markup=False)
    if report.gate is not None:
        show_gate(report.gate, console)
    if report.regression is not None:
        console.print("against the stored run (A):", highlight=False)
        show_comparisons(report.regression, console)


def show_gate(gate: Gate, console: Console) -> None:
    """Every question of the gate with its answer."""
    table = Table("gate", "limit", "value", "", "why", box=SIMPLE, pad_edge=False)
    for one in gate.checks:
        limit = f"{one.limit:g}" + (" (lower bound)" if one.bound == "lower" else "")
        table.add_row(
            one.metric,
            limit,
            words.score(one.value),
            _styled(one.status.replace("_", " "), _STATUS[one.status]),
            Text(one.why),
        )
    console.print(table)
    console.print(_styled("gate passed", "green") if gate.passed else _styled("gate failed", "bold red"))


def show_comparisons(comparisons: Sequence[Comparison], console: Console) -> None:
    """B - A of every metric."""
    table = Table("metric", "cases", "A", "B", "B - A", "95 % interval", "p", "", box=SIMPLE, pad_edge=False)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for one in comparisons:
        delta = "-" if one.delta is None else f"{one.delta:+.3f}"
        p = words.p_value(one.p)
        colour = {"worse": "red", "better": "green", None: "dim"}[one.stands]
        table.add_row(
            one.metric, words.sample(one), words.score(one.mean_a), words.score(one.mean_b), delta,
            words.interval(one.lower, one.upper), p, _styled(one.says, colour),
        )  # fmt: skip
    console.print(table)
    if said := words.decided(comparisons):
        console.print(said, highlight=False, markup=False)


def show_compared(found: Compared, console: Console) -> None:
    """Two systems, and what it takes to tell them apart."""
    console.print(safe(f"A: {found.a}   B: {found.b}"), markup=False)
    if found.only_a or found.only_b:
        console.print(f"left out: {words.many(found.only_a, 'case')} that A alone has, {found.only_b} that B alone has")
    show_comparisons(found.comparisons, console)
    if found.needed:
        what = "pairs" if found.paired else "values in each arm"
        deltas = list(next(iter(found.needed.values())))
        table = Table(f"{what} that show a difference of", *deltas, box=SIMPLE, pad_edge=False)
        for metric, sizes in found.needed.items():
            table.add_row(metric, *(f"{sizes[delta]:,}" for delta in deltas))
        console.print(table)
    if found.split is not None:
        console.print(_styled(words.split(found.split), "bold red" if found.split.mismatch else ""))


def _metrics(metrics: Iterable[Metric]) -> Table:
    table = Table("metric", "scored", "mean", "95 % interval", "not scored, by reason", box=SIMPLE, pad_edge=False)
    for one in metrics:
        mean = (
            _styled("-", "dim")
            if one.mean is None
            else _styled(f"{one.mean:.3f}", _COLOURS[words.band(one.metric, one.mean)])
        )
        table.add_row(one.metric, str(one.scored), mean, words.interval(one.lower, one.upper), words.not_scored(one))
    return table


def _groups(heading: str, groups: Sequence[Group]) -> Table:
    names = dict.fromkeys(one.metric for group in groups for one in group.metrics)
    table = Table(
        f"mean by {heading}", *(escape(safe(f"{one.name} ({one.cases})")) for one in groups), box=SIMPLE, pad_edge=False
    )
    for name in names:
        found = [next((one.mean for one in group.metrics if one.metric == name), None) for group in groups]
        table.add_row(name, *map(words.score, found))
    return table


def _sessions(found: Sessions) -> Table:
    table = Table("mean by session", "sessions", "mean", "95 % interval", "worst turn", box=SIMPLE, pad_edge=False)
    for one in found.metrics:
        cells = (words.score(one.mean), words.interval(one.lower, one.upper), words.score(one.worst_turn))
        table.add_row(one.metric, str(one.sessions), *cells)
    return table


def _styled(said: str, style: str) -> Text:
    return Text(said, style=style)

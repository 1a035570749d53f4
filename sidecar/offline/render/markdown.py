"""A report as Markdown, short enough for a comment on a pull request: no texts of the cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sidecar.offline.record import Compared, Comparison, Gate, Group, Report, Sessions
from sidecar.offline.render import words


def markdown(report: Report) -> str:
    """The document."""
    parts = [f"# Evaluation of {_cell(report.source.name)}", f"{_cell(words.title(report))}; {words.effort(report)}."]
    if report.gate is not None:
        parts += [f"## Gate: {'passed' if report.gate.passed else '**failed**'}", _gate(report.gate)]
    if report.regression is not None:
        parts += ["## Against the stored run (A)", comparisons(report.regression)]
    if report.metrics:
        parts += ["## Metrics", _metrics(report)]
    if (said := words.negatives(report)) is not None:
        parts.append(f"{said}.")
    if report.sessions is not None:
        parts += [
            f"## By session: {report.sessions.sessions} of {words.many(report.sessions.turns, 'turn')}",
            _sessions(report.sessions),
        ]
    for heading, groups in (("kind", report.by_kind), ("origin", report.by_origin)):
        if len(groups) > 1:
            parts += [f"## Mean by {heading}", _groups(groups)]
    if measured := words.measures(report):
        rows = [
            (f"{name} {unit}".strip(), str(one.cases), f"{one.mean:,.4g}", f"{one.median:,.4g}", f"{one.p95:,.4g}")
            for name, (one, unit) in measured.items()
        ]
        parts += ["## Latency, tokens and cost of the system", table(("", "cases", "mean", "median", "95 %"), rows)]
    return "\n\n".join(parts) + "\n"


def compared_markdown(found: Compared) -> str:
    """Two systems, as a document."""
    parts = [f"# A: {_cell(found.a)}, B: {_cell(found.b)}", comparisons(found.comparisons)]
    if found.needed:
        what = "Pairs" if found.paired else "Values in each arm"
        rows = ((metric, *(f"{size:,}" for size in sizes.values())) for metric, sizes in found.needed.items())
        heads = ("metric", *next(iter(found.needed.values())))
        parts += [f"{what} that show a difference of so much in 80 of 100 runs:", table(heads, rows)]
    if found.split is not None:
        parts.append(f"{words.split(found.split)}.")
    return "\n\n".join(parts) + "\n"


def comparisons(compared: Sequence[Comparison]) -> str:
    """B - A of every metric, as a table, and which of them decide."""
    rows = (
        (
            one.metric,
            words.sample(one),
            words.score(one.mean_a),
            words.score(one.mean_b),
            "-" if one.delta is None else f"{one.delta:+.3f}",
            words.interval(one.lower, one.upper),
            words.p_value(one.p),
            one.says,
        )
        for one in compared
    )
    said = words.decided(compared)
    told = table(("metric", "cases", "A", "B", "B - A", "95 % interval", "p", ""), rows)
    return f"{told}\n\n{_cell(said)}." if said else told


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; whatever cells hold, it stays one."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _metrics(report: Report) -> str:
    rows = (
        (
            one.metric,
            str(one.scored),
            words.score(one.mean),
            words.interval(one.lower, one.upper),
            words.not_scored(one),
            "; ".join(f"{who.identity}" for who in one.identities),
        )
        for one in report.metrics
    )
    return table(("metric", "scored", "mean", "95 % interval", "not scored, by reason", "by"), rows)


def _gate(gate: Gate) -> str:
    rows = (
        (
            one.metric,
            f"{one.limit:g}" + (" (lower bound)" if one.bound == "lower" else ""),
            words.score(one.value),
            one.status.replace("_", " "),
            one.why,
        )
        for one in gate.checks
    )
    return table(("metric", "limit", "value", "", "why"), rows)


def _sessions(found: Sessions) -> str:
    rows = (
        (
            one.metric,
            str(one.sessions),
            words.score(one.mean),
            words.interval(one.lower, one.upper),
            words.score(one.worst_turn),
        )
        for one in found.metrics
    )
    return table(("metric", "sessions", "mean", "95 % interval", "mean of worst turns"), rows)


def _groups(groups: Sequence[Group]) -> str:
    names = dict.fromkeys(one.metric for group in groups for one in group.metrics)
    rows = (
        (name, *(words.score(next((m.mean for m in group.metrics if m.metric == name), None)) for group in groups))
        for name in names
    )
    return table(("metric", *(f"{one.name} ({one.cases})" for one in groups)), rows)


def _cell(said: str) -> str:
    return " ".join(said.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")

"""Numbers and counts as a reader wants them, for all forms of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exporters.text import many as many
from sidecar.offline.case import place
from sidecar.offline.copies import copies
from sidecar.offline.record import Comparison, Metric, Report, Split, Spread
from sidecar.statistics.power import fewest_pairs

# Where a mean stands, from which on: the bands of the literature for judged metrics, a border in the better band.
BANDS: Mapping[str, tuple[float, float, float]] = {
    "faithfulness": (0.5, 0.7, 0.85),
    "answer_relevancy": (0.5, 0.7, 0.85),
    "context_precision": (0.3, 0.6, 0.8),
    "context_recall": (0.4, 0.65, 0.85),
}
_SHOWN = 3
WORDS = ("poor", "fair", "good", "excellent")


def band(metric: str, value: float) -> str:
    """poor, fair, good or excellent; nothing of a metric that has no bands: a BLEU of 0.3 is not poor."""
    borders = BANDS.get(metric.removesuffix("_judge"))
    return "" if borders is None else WORDS[sum(value >= border for border in borders)]


def score(value: float | None) -> str:
    """Three digits, or a dash."""
    return "-" if value is None else f"{value:.3f}"


def p_value(value: float | None) -> str:
    """Three digits, or a dash; no p is 0."""
    return "<0.001" if value is not None and value < 0.0005 else score(value)


def interval(lower: float | None, upper: float | None) -> str:
    """Both ends, or a dash."""
    return "-" if lower is None or upper is None else f"{lower:.3f} to {upper:.3f}"


def counts(counted: Mapping[str, int]) -> str:
    """Words with their numbers."""
    return ", ".join(f"{word} {count}" for word, count in counted.items())


def sample(one: Comparison) -> str:
    """How many cases a comparison has; of arms their effective sizes."""
    if one.pairs is not None:
        return str(one.pairs)
    return "-" if one.size_a is None or one.size_b is None else f"{one.size_a:,.0f} | {one.size_b:,.0f}"


def decided(comparisons: Iterable[Comparison]) -> str:
    """Which metrics decide, and why the others that have a difference do not."""
    by_role: dict[str | None, list[str]] = {}
    few = "all values are the same"
    for one in comparisons:
        few = few if one.pairs is None else f"too few cases differ ({fewest_pairs()} at least)"
        by_role.setdefault(one.role, []).append(one.metric)
    own, alike, told = (by_role.get(role, []) for role in ("decides", "alike", "told"))
    said = [f"decided by {', '.join(own)}; p is corrected for {many(len(own), 'metric')}"] if own else []
    if alike and not own:
        said.append("nothing could be shown")
    if alike:
        said.append(f"{few} in {', '.join(alike)}")
    if told:
        said.append(f"told alone: {', '.join(told)}")
    return "; ".join(said)


def split(one: Split) -> str:
    """How traffic was split."""
    seen = one.a / (one.a + one.b) if one.a + one.b else 0.0
    said = f"traffic: {seen:.1%} to A, wanted {one.wanted:.1%}, p {p_value(one.p)}"
    return said + (
        ": the split is not what was wanted, find out why before you believe a difference" if one.mismatch else ""
    )


def not_scored(metric: Metric) -> str:
    """Why cases have no score, those that failed last."""
    failed = {f"failed: {reason}": count for reason, count in metric.failed.items()}
    return counts({**metric.unscorable, **failed})


def dollars(value: float | None) -> str:
    """US dollars, to the cent where that says something."""
    return "no price" if value is None else f"{value:,.2f} USD" if value >= 1 or value == 0 else f"{value:.4f} USD"


def measures(report: Report) -> dict[str, tuple[Spread, str]]:
    """Latency, tokens and cost of the system under test, each with its unit."""
    found = {f"{name.replace('_', ' ')} time": (one, "s") for name, one in report.durations.items()}
    found |= {f"{name.replace('_', ' ')} tokens": (one, "") for name, one in report.tokens.items()}
    return found | ({} if report.cost_usd is None else {"cost": (report.cost_usd, "USD")})


def title(report: Report) -> str:
    """What was read, in one line."""
    said = f"{many(report.cases, 'case')} of {report.source.name}"
    if found := copies(report.results):
        own = list(dict.fromkeys(one.id for one in found))
        more = ", ..." if len(own) > _SHOWN else ""
        said += f", {len(found):,} of them repeating an id ({', '.join(own[:_SHOWN])}{more})"
    return said + (f", {unread(report)}" if report.unread else "")


def not_counted(report: Report) -> str:
    """What a comparison leaves out of a run; nothing where each id is there once."""
    found = len(copies(report.results))
    return f"{many(found, 'case')} repeating an id not counted" if found else ""


def unread(report: Report) -> str:
    """Which rows are no cases, and why."""
    first = "; ".join(f"{place(one.row, one.line)}: {one.reason}" for one in report.unread[:_SHOWN])
    more = ", ..." if len(report.unread) > _SHOWN else ""
    return f"{many(len(report.unread), 'row')} unread ({first}{more})"


def negatives(report: Report) -> str | None:
    """What became of the cases that cannot be answered."""
    own = report.negatives
    if own is None:
        return None
    said = "" if own.rate is None else f" ({own.rate:.0%}, 95 % interval {interval(own.lower, own.upper)})"
    return f"{many(own.cases, 'negative case')}: {own.abstained} declined, as is right{said}; they are in no mean"


def sessions(report: Report) -> str | None:
    """How many conversations there are, and which is the worst."""
    own = report.sessions
    if own is None:
        return None
    said = f"{many(own.sessions, 'session')} of {many(own.turns, 'turn')}"
    worst = next(iter(own.worst), None)
    if worst is None:
        return said
    return f"{said}; worst: {worst.session}, turn {worst.turn} of {worst.turns} (case {worst.case}), {worst.metric} {score(worst.score)}"


def effort(report: Report) -> str:
    """What the evaluation took."""
    own = report.effort
    said = f"evaluated in {own.seconds:.1f} s"
    if own.cases_per_second is not None:
        said += f", {own.cases_per_second:.1f} cases/s"
    if report.reused:
        said += f"; {report.reused} taken from the run before"
    if own.judge:
        costs = [one.cost_usd for one in own.judge]
        known = None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)
        said += f"; judge: {many(sum(one.questions for one in own.judge), 'question')}, "
        said += f"{many(sum(one.tokens for one in own.judge), 'token')}, {dollars(known)}"
    return said

"""A report as one HTML file that asks for nothing from outside: no script, no font, no picture but its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from sidecar.offline.record import Compared, Comparison, Gate, Group, Metric, Report
from sidecar.offline.render import words
from sidecar.offline.render.cases import LEGEND, case_of, every_case, worst

_CSS = Path(__file__).with_name("page.css")
_MOST_WORST = 20


def page(report: Report) -> str:
    """The document."""
    parts = [
        f"<h1>{escape(report.source.name)}</h1>",
        f'<p class="soft">{escape(words.title(report))}; verdicts: {escape(words.counts(report.verdicts) or "none")}</p>',
        f'<p class="soft small">{escape(words.effort(report))}; {escape(report.created)}</p>',
        *_gate(report.gate),
        *_regression(report.regression),
        "<h2>Metrics</h2>",
        f'<div class="cards">{"".join(map(_card, report.metrics))}</div>',
        *_negatives(report),
        *_sessions(report),
        *_groups("kind", report.by_kind),
        *_groups("origin", report.by_origin),
        *_measures(report),
        *_cases(report),
        f"<footer>rag-sidecar {escape(report.version)}; cases sha256 {escape(report.source.sha256)}; "
        f"evaluators {escape(report.settings)}</footer>",
    ]
    return document(f"Evaluation of {report.source.name}", parts)


def compared_page(found: Compared) -> str:
    """Two systems, as a document."""
    parts = [f"<h1>A: {escape(found.a)}, B: {escape(found.b)}</h1>", comparisons(found.comparisons)]
    if found.needed:
        what = "Pairs" if found.paired else "Values in each arm"
        rows = ((escape(metric), *(f"{size:,}" for size in sizes.values())) for metric, sizes in found.needed.items())
        parts += [f"<h2>{what} that show a difference of so much</h2>"]
        parts.append(table(("metric", *next(iter(found.needed.values()))), rows))
    if found.split is not None:
        parts.append(
            f'<p class="note{" failed-word" if found.split.mismatch else ""}">{escape(words.split(found.split))}.</p>'
        )
    return document(f"A: {found.a}, B: {found.b}", parts)


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page of parts that are HTML already."""
    css = _CSS.read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>\n{css}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words_from: int | None = None) -> str:
    """Cells are HTML already. The first column holds words, and so do those from `words_from` on; the others hold numbers."""
    last = len(heads) if words_from is None else words_from

    def line(tag: str, cells: Sequence[str]) -> str:
        kinds = (' class="number"' if 0 < place < last else "" for place in range(len(cells)))
        return (
            "<tr>" + "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)) + "</tr>"
        )

    body = "".join(line("td", row) for row in rows)
    return f'<div class="wide"><table><thead>{line("th", [*map(escape, heads)])}</thead><tbody>{body}</tbody></table></div>'


def _gate(gate: Gate | None) -> Iterable[str]:
    if gate is None:
        return
    word = "passed" if gate.passed else "failed"
    yield f'<div class="banner {word}">{"✓" if gate.passed else "✗"} Gate {word}</div>'
    yield "<h2>Gate</h2>"
    marks = {"passed": "passed-word", "failed": "failed-word", "not_asked": "soft"}
    rows = (
        (
            escape(one.metric),
            f"{one.limit:g}" + (" (lower bound)" if one.bound == "lower" else ""),
            words.score(one.value),
            f'<span class="{marks[one.status]}">{one.status.replace("_", " ")}</span>',
            escape(one.why),
        )
        for one in gate.checks
    )
    yield table(("metric", "limit", "value", "", "why"), rows, words_from=3)


def _regression(compared: tuple[Comparison, ...] | None) -> Iterable[str]:
    if compared is not None:
        yield "<h2>Against the stored run (A)</h2>"
        yield comparisons(compared)


def comparisons(compared: Sequence[Comparison]) -> str:
    """B - A of every metric, as a table, and which of them decide."""
    marks = {"worse": "failed-word", "better": "passed-word", None: "soft"}
    rows = (
        (
            escape(one.metric),
            words.sample(one),
            words.score(one.mean_a),
            words.score(one.mean_b),
            "-" if one.delta is None else f"{one.delta:+.3f}",
            words.interval(one.lower, one.upper),
            escape(words.p_value(one.p)),
            f'<span class="{marks[one.stands]}">{escape(one.says)}</span>',
        )
        for one in compared
    )
    told = table(("metric", "cases", "A", "B", "B - A", "95 % interval", "p", ""), rows, words_from=7)
    said = words.decided(compared)
    return f'{told}<p class="note">{escape(said)}.</p>' if said else told


def _card(one: Metric) -> str:
    band = "" if one.mean is None else words.band(one.metric, one.mean)
    left_out = words.not_scored(one)
    who = "; ".join(str(found.identity) for found in one.identities)
    said = [
        f'<div class="card"><div class="name">{escape(one.metric)}</div>',
        f'<div class="mean {band}">{words.score(one.mean)}<small>{band}</small></div>',
        _range(one),
        f'<div class="small soft">{escape(words.many(one.scored, "case"))} scored, 95 % interval {words.interval(one.lower, one.upper)}</div>',
        _histogram(one.histogram) if one.scored else "",
        f'<div class="small soft">not scored: {escape(left_out)}</div>' if left_out else "",
        f'<div class="small soft">by {escape(who)}</div></div>' if who else "</div>",
    ]
    return "".join(said)


def _range(one: Metric) -> str:
    """The mean with its interval on a line from 0 to 1."""
    if one.mean is None:
        return ""
    ends = "" if one.lower is None or one.upper is None else (
        f'<line class="range" x1="{4 + 232 * one.lower:.1f}" x2="{4 + 232 * one.upper:.1f}" y1="7" y2="7"/>'
    )  # fmt: skip
    dot = f'<circle class="dot" cx="{4 + 232 * one.mean:.1f}" cy="7" r="4"/>'
    return f'<svg viewBox="0 0 240 14" aria-hidden="true"><rect class="track" x="4" y="4" width="232" height="6" rx="3"/>{ends}{dot}</svg>'


def _histogram(counts: Sequence[int]) -> str:
    """Scores in tenths."""
    highest = max(counts, default=0) or 1
    bars = []
    for place, count in enumerate(counts):
        height = 44 * count / highest
        x, told = 4 + 23.2 * place, f"{place / 10:.1f} to {(place + 1) / 10:.1f}: {count}"
        bars.append(
            f'<rect class="{"bar" if count else "track"}" x="{x:.1f}" y="{46 - max(height, 1):.1f}" width="20.8" '
            f'height="{max(height, 1):.1f}" rx="2"><title>{told}</title></rect>'
        )
    ends = '<text x="4" y="57">0</text><text x="228" y="57">1</text>'
    told = f"Scores in tenths: {', '.join(map(str, counts))}"
    return f'<svg viewBox="0 0 240 60" role="img" aria-label="{told}">{"".join(bars)}{ends}</svg>'


def _negatives(report: Report) -> Iterable[str]:
    if (said := words.negatives(report)) is not None:
        yield f'<p class="note">{escape(said)}.</p>'


def _sessions(report: Report) -> Iterable[str]:
    found, said = report.sessions, words.sessions(report)
    if found is None or said is None:
        return
    yield "<h2>By session</h2>"
    yield f'<p class="note">{escape(said)}.</p>'
    rows = (
        (
            escape(one.metric),
            str(one.sessions),
            words.score(one.mean),
            words.interval(one.lower, one.upper),
            words.score(one.worst_turn),
        )
        for one in found.metrics
    )
    yield table(("metric", "sessions", "mean", "95 % interval", "mean of worst turns"), rows)


def _groups(heading: str, groups: Sequence[Group]) -> Iterable[str]:
    if len(groups) < 2:
        return
    names = dict.fromkeys(one.metric for group in groups for one in group.metrics)
    rows = []
    for name in names:
        means = [next((one.mean for one in group.metrics if one.metric == name), None) for group in groups]
        cells = ("-" if mean is None else f'<span class="{words.band(name, mean)}">{mean:.3f}</span>' for mean in means)
        rows.append((escape(name), *cells))
    yield f"<h2>Mean by {heading}</h2>"
    yield table(("metric", *(f"{one.name} ({one.cases})" for one in groups)), rows)


def _measures(report: Report) -> Iterable[str]:
    measured = words.measures(report)
    if not measured:
        return
    rows = (
        (escape(f"{name} {unit}".strip()), str(one.cases), *(f"{v:,.4g}" for v in (one.mean, one.median, one.p95)))
        for name, (one, unit) in measured.items()
    )
    yield "<h2>Latency, tokens and cost of the system</h2>"
    yield table(("", "cases", "mean", "median", "95 %"), rows)


def _cases(report: Report) -> Iterable[str]:
    found = worst(report.results, _MOST_WORST)
    if found:
        yield f"<h2>Worst cases ({len(found)} of {report.cases:,})</h2>"
        yield LEGEND
        yield from (case_of(one, opened=place == 0) for place, one in enumerate(found))
    yield "<h2>All cases</h2>"
    yield every_case(report.results)

"""The demo's terminal: live panels where there is a terminal, plain lines where there is none, and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from exporters.result import Outcome
from sidecar.commands.demo.estimates import Ratio, Rise
from sidecar.commands.demo.judge import ERROR
from sidecar.commands.demo.watch import Watcher
from sidecar.evaluate.registry import DEFAULTS

_BARS = " ▁▂▃▄▅▆▇█"
_ALARMING = 0.1
_DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")


class Truth(Protocol):
    """What whoever makes the traffic knows of it. Times are seconds since the start."""

    sent: int
    kinds: dict[str, int]
    turn: float

    @property
    def troubled(self) -> bool: ...

    def injected(self, since: float = ..., until: float = ...) -> float | None: ...


def live_view(watcher: Watcher, truth: Truth, *, seconds: float, address: str, width: int) -> RenderableType:
    """The whole screen."""
    troubled = truth.troubled
    head = Text.assemble(
        ("RAG Sidecar demo", "bold"),
        f"  {seconds:4.0f} s   {watcher.rate():.1f} requests/s   ",
        ("the share of made-up answers has risen" if troubled else "calm traffic", "red" if troubled else "green"),
        f"\nstatus page {address}   metrics {address}metrics",
    )
    panels = Columns(
        [_scores(watcher), _latency(watcher), _money(watcher), _funnel(watcher, truth.sent)], padding=(0, 1)
    )
    return Group(head, _ratio_panel(watcher, truth, seconds=seconds, width=width), panels, _worst(watcher, width))


def plain_line(watcher: Watcher, truth: Truth, *, seconds: float, address: str) -> str:
    """One line of state."""
    means = " ".join(f"{name} {_two(watcher.mean(name))}" for name in DEFAULTS)
    done = sum(watcher.outcomes.values())
    since = max(0.0, seconds - 10)
    return (
        f"{seconds:5.0f} s  sent {truth.sent}  done {done}  {watcher.rate():.1f}/s  made up: in truth {share(truth.injected())}, "
        f"anchored estimate {describe(watcher.anchored())}, flagged {describe(watcher.ratio())}  "
        f"last 10 s: in truth {share(truth.injected(since))}, flagged {describe(watcher.ratio(since))}, risen by {points(watcher.rise(since))} points  "
        f"{means}  page {address}"
    )


def summary(console: Console, watcher: Watcher, truth: Truth) -> bool:
    """Print what happened; True where something was scored and every request sent has exactly one outcome."""
    sent, kinds = truth.sent, truth.kinds
    done = sum(watcher.outcomes.values())
    adds_up = done == sent
    console.rule("summary")
    console.print(f"sent            {sent}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    console.print(
        f"accounted for   {done}: "
        + ", ".join(f"{count} {outcome}" for outcome, count in sorted(watcher.outcomes.items()))
    )
    if watcher.unscorable:
        console.print(
            "unscorable      " + ", ".join(f"{count} {reason}" for reason, count in watcher.unscorable.most_common())
        )
    console.print(
        f"judged          {watcher.shown} answers, by a scripted judge here that errs on {ERROR:.0%}", highlight=False
    )
    console.print(_estimates(watcher, truth))
    console.print(_how_to_read(watcher), style="dim")
    console.print("mean scores     " + "   ".join(f"{name} {_two(watcher.mean(name))}" for name in DEFAULTS))
    console.print("p95 seconds     " + "   ".join(f"{name} {_two(watcher.p95(name))}" for name in _DURATIONS))
    tokens = watcher.tokens
    console.print(
        f"tokens          {tokens['input']:,} in, {tokens['output']:,} out, {watcher.unpriced:,} without a price   cost ${watcher.cost:.4f}"
    )
    for one in watcher.worst:
        console.print(f"worst           {one.score:.2f}  {one.service}: “{one.claim}” (support {one.support:.2f})")
    if not adds_up:
        console.print(f"The outcomes do not add up: {sent} sent, {done} accounted for", style="red")
    scored = watcher.outcomes[Outcome.SCORED.value]
    if not scored:
        console.print("Nothing was scored", style="red")
    return adds_up and scored > 0


def _estimates(watcher: Watcher, truth: Truth) -> Table:
    """The truth beside the estimates, before and after the share has risen."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    phases = (("before", 0.0, truth.turn), ("after", truth.turn, float("inf")))
    for name in ("made-up answers", *(f"{phase} the rise" for phase, *_ in phases)):
        table.add_column(name)
    table.add_row("in truth", *(share(truth.injected(*between)) for _, *between in phases))
    table.add_row("anchored estimate", *(describe(watcher.anchored(*between)) for _, *between in phases))
    table.add_row("flagged by the local model", *(describe(watcher.ratio(*between)) for _, *between in phases))
    table.add_row(
        f"flagged, points above the first {watcher.learning_seconds:.0f} s",
        *(points(watcher.rise(*between)) for _, *between in phases),
    )
    return table


def _how_to_read(watcher: Watcher) -> str:
    return (
        f"How to read it: the anchored estimate is made of what the judge said of {watcher.shown} answers drawn at random, and the local model of all. In brackets stand "
        f"95 % intervals (the anchored one allows for a judge that errs on {ERROR:.0%}), n is the effective sample. What is flagged is no hallucination ratio; without a "
        "judge its rise is what pages."
    )


def share(value: float | None) -> str:
    """A share without an interval."""
    return "-" if value is None else f"{value:.1%}"


def describe(ratio: Ratio | None) -> str:
    """A ratio with its interval."""
    return "-" if ratio is None else f"{ratio.value:.1%} [{ratio.low:.1%}, {ratio.high:.1%}] n={ratio.n:.0f}"


def points(rise: Rise | None) -> str:
    """A rise with its interval, in points of a hundred."""
    return "-" if rise is None else f"{100 * rise.value:+.1f} [{100 * rise.low:+.1f}, {100 * rise.high:+.1f}]"


def sparkline(values: Sequence[float | None]) -> str:
    """Shares as bars, full height at 60 %."""
    return "".join("·" if v is None else _BARS[min(8, round(v / 0.6 * 8))] for v in values)


def _ratio_panel(watcher: Watcher, truth: Truth, *, seconds: float, width: int) -> Panel:
    anchored = watcher.anchored()
    text = Text()
    text.append("in truth              ", "bold")
    text.append(share(truth.injected()))
    text.append("\nanchored estimate     ", "bold")
    text.append(describe(anchored), "bold red" if anchored and anchored.low > _ALARMING else "bold")
    text.append("\nflagged by the model  ", "bold")
    text.append(describe(watcher.ratio()))
    text.append("\nrisen in the last 10 s", "bold")
    text.append(
        f" {points(watcher.rise(max(0.0, seconds - 10)))} points above the first {watcher.learning_seconds:.0f} s"
    )
    text.append("\n" + sparkline(watcher.history(max(10, width - 8))), "red")
    title = "share of made-up answers, with 95 % intervals; below: flagged over time"
    return Panel(text, title=title, title_align="left", border_style="dim")


def _scores(watcher: Watcher) -> Panel:
    return _panel("mean scores", [(name, _two(watcher.mean(name))) for name in DEFAULTS])


def _latency(watcher: Watcher) -> Panel:
    return _panel("p95 seconds", [(name.replace("time_to_", ""), _two(watcher.p95(name))) for name in _DURATIONS])


def _money(watcher: Watcher) -> Panel:
    tokens = watcher.tokens
    rows = [
        ("input", f"{tokens['input']:,}"),
        ("output", f"{tokens['output']:,}"),
        ("no price", f"{watcher.unpriced:,}"),
        ("cost", f"${watcher.cost:.4f}"),
    ]
    return _panel("tokens", rows)


def _funnel(watcher: Watcher, sent: int) -> Panel:
    rows = [("sent", str(sent)), *((o.value, str(watcher.outcomes[o.value])) for o in Outcome)]
    return _panel("funnel", rows)


def _panel(title: str, rows: Sequence[tuple[str, str]]) -> Panel:
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(justify="right")
    for name, value in rows:
        table.add_row(name, value)
    return Panel(table, title=title, title_align="left", border_style="dim")


def _worst(watcher: Watcher, width: int) -> Panel:
    text = Text()
    for one in watcher.worst:
        room = width - 32 - len(one.service)
        claim = one.claim if len(one.claim) <= room else one.claim[: room - 1] + "…"
        text.append("\n" if text else "")
        text.append(f"{one.score:.2f}  ", "bold red")
        text.append(f"{one.service}: “{claim}” (support {one.support:.2f})")
    if not watcher.worst:
        text.append("none yet")
    return Panel(
        text,
        title="worst answers, with the claim that the documents do not support",
        title_align="left",
        border_style="dim",
    )


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

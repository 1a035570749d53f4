"""The demo's terminal: live panels where there is a terminal, plain lines where there is none, and a summary."""

from __future__ import annotations

from collections.abc import Sequence

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from exporters.result import Outcome
from sidecar.commands.demo.watch import Ratio, Watcher
from sidecar.evaluate.registry import NAMES

_BARS = " ▁▂▃▄▅▆▇█"
_DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")


def live_view(
    watcher: Watcher, *, seconds: float, sent: int, troubled: bool, address: str, width: int
) -> RenderableType:
    """The whole screen."""
    head = Text.assemble(
        ("RAG Sidecar demo", "bold"),
        f"  {seconds:4.0f} s   {watcher.rate():.1f} requests/s   ",
        ("the share of made-up answers has risen" if troubled else "calm traffic", "red" if troubled else "green"),
        f"\nmetrics {address}",
    )
    panels = Columns([_scores(watcher), _latency(watcher), _money(watcher), _funnel(watcher, sent)], padding=(0, 1))
    return Group(head, _ratio_panel(watcher, width), panels, _worst(watcher, width))


def plain_line(watcher: Watcher, *, seconds: float, sent: int, address: str) -> str:
    """One line of state."""
    means = " ".join(f"{name} {_two(watcher.mean(name))}" for name in NAMES)
    done = sum(watcher.outcomes.values())
    return (
        f"{seconds:5.0f} s  sent {sent}  done {done}  {watcher.rate():.1f}/s  hallucination ratio {describe(watcher.ratio())}  "
        f"last 10 s {describe(watcher.ratio(max(0.0, seconds - 10)))}  {means}  metrics {address}"
    )


def summary(console: Console, watcher: Watcher, *, sent: int, kinds: dict[str, int]) -> bool:
    """Print what happened; True where something was scored and every request sent has exactly one outcome."""
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
    turn = watcher.turned if watcher.turned is not None else float("inf")
    console.print(
        f"hallucinations  before {describe(watcher.ratio(until=turn))}   after {describe(watcher.ratio(since=turn))}"
    )
    console.print("mean scores     " + "   ".join(f"{name} {_two(watcher.mean(name))}" for name in NAMES))
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


def describe(ratio: Ratio | None) -> str:
    """A ratio with its interval."""
    return "-" if ratio is None else f"{ratio.value:.1%} [{ratio.low:.1%}, {ratio.high:.1%}] n={ratio.n:.0f}"


def sparkline(values: Sequence[float | None]) -> str:
    """Shares as bars, full height at 60 %."""
    return "".join("·" if v is None else _BARS[min(8, round(v / 0.6 * 8))] for v in values)


def _ratio_panel(watcher: Watcher, width: int) -> Panel:
    now = watcher.ratio()
    text = Text()
    text.append("hallucination ratio  ", "bold")
    text.append(describe(now), "bold red" if now and now.low > 0.1 else "bold")
    text.append("\n" + sparkline(watcher.history(max(10, width - 8))), "red")
    return Panel(
        text, title="weighted, with its 95 % interval; below: over time", title_align="left", border_style="dim"
    )


def _scores(watcher: Watcher) -> Panel:
    return _panel("mean scores", [(name, _two(watcher.mean(name))) for name in NAMES])


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

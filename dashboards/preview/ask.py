"""What the panels of a dashboard show: their queries, as Grafana would send them, and Prometheus's answers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboards.objectives import WINDOWS

# Get the `data` of an answer of Prometheus's HTTP API: (path, parameters).
Get = Callable[[str, Mapping[str, str]], Any]


@dataclass(frozen=True, slots=True)
class Span:
    """The time to show, in seconds since the epoch, and the widths of what is asked for within it: `windows` has the short one of each that the
    rules have."""

    start: float
    end: float
    step: float
    rate_interval: str
    windows: Mapping[str, str]

    @property
    def window(self) -> str:
        """What is shown in place of an hour."""
        return self.windows[WINDOWS.fast]


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its name in the legend, its labels, its points (seconds since the epoch, value), and of which query it is. NaN is left out."""

    name: str
    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]
    query: str = "A"

    @property
    def last(self) -> float:
        """The latest value."""
        return self.points[-1][1]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one panel shows. `dots` are exemplars (seconds since the epoch, value)."""

    lines: tuple[Line, ...] = ()
    dots: tuple[tuple[float, float], ...] = field(default=())


def prepare(expression: str, span: Span, *, variants: tuple[str, str]) -> str:
    """A panel's query with its variables as Grafana fills them in when everything is chosen, and windows as short as those of the span."""
    query = expression.replace("$__rate_interval", span.rate_interval).replace(f"[{WINDOWS.fast}]", f"[{span.window}]")
    names = "|".join(map(re.escape, span.windows))
    query = re.sub(
        rf"(:\w+_(?:rate|increase)|:increase)({names})\b", lambda found: found[1] + span.windows[found[2]], query
    )
    query = query.replace("$variant_a", variants[0]).replace("$variant_b", variants[1])
    return re.sub(r"\$\w+", ".*", query)


def answer(panel: Mapping[str, Any], get: Get, span: Span) -> Answer:
    """Ask everything that a panel asks."""
    lines: list[Line] = []
    dots: list[tuple[float, float]] = []
    for target in panel.get("targets") or []:
        query = prepare(target["expr"], span, variants=("A", "B"))
        legend = target.get("legendFormat") or ""
        if target.get("instant"):
            found = get("/api/v1/query", {"query": query, "time": str(span.end)})["result"]
            lines += [_line(one["metric"], [one["value"]], legend, target.get("refId", "A")) for one in found]
            continue
        step = span.step if panel["type"] != "heatmap" else 2 * span.step
        times = {"start": str(span.start), "end": str(span.end)}
        found = get("/api/v1/query_range", {"query": query, "step": str(step), **times})["result"]
        lines += [_line(one["metric"], one["values"], legend) for one in found]
        if target.get("exemplar"):
            series = get("/api/v1/query_exemplars", {"query": query, **times})
            dots += [(float(one["timestamp"]), float(one["value"])) for row in series for one in row["exemplars"]]
    return Answer(tuple(line for line in lines if line.points), tuple(dots))


def began(expression: str, get: Get, span: Span) -> list[float]:
    """When each series of an annotation began, in seconds since the epoch; those that were there at the start are left out."""
    query = prepare(expression, span, variants=("A", "B"))
    parameters = {"query": query, "start": str(span.start), "end": str(span.end), "step": str(span.step)}
    first = [float(one["values"][0][0]) for one in get("/api/v1/query_range", parameters)["result"]]
    # Prometheus rounds the start to milliseconds.
    return sorted(at for at in first if at > span.start + span.step / 2)


def _line(labels: Mapping[str, str], values: list[list[Any]], legend: str, query: str = "A") -> Line:
    points = tuple((float(at), float(value)) for at, value in values)
    name = re.sub(r"{{\s*(\w+)\s*}}", lambda found: labels.get(found[1], ""), legend)
    name = name.replace("$variant_a", "A").replace("$variant_b", "B").strip()
    return Line(name, labels, tuple(point for point in points if math.isfinite(point[1])), query)

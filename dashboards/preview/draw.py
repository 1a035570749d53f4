"""The pictures inside panels, as SVG: lines over time, heatmaps, and the small line behind a number."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from dashboards.preview import units
from dashboards.preview.ask import Answer, Line

PALETTE = (
    "#56a64b", "#3274d9", "#ff780a", "#8f3bb8", "#e0b400", "#e02f44", "#1f9e9e", "#7c6f64", "#37872d", "#1f60c4", "#a352cc", "#fa6400",
)  # fmt: skip
COLOURS = {
    "green": "#37872d",
    "yellow": "#cc9d00",
    "orange": "#fa6400",
    "red": "#c4162a",
    "blue": "#1f60c4",
    "text": "#24292e",
}
_HEAT = ("#fff3e6", "#fdd9b5", "#fdb97d", "#fb9246", "#ee6a1c", "#d34a08", "#9c3203")
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 8, 6, 18
_MOST_DOTS = 60


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values lie: pixels of a picture for seconds since the epoch and for values."""

    width: int
    height: int
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    def x(self, at: float) -> float:
        share = (at - self.start) / (self.end - self.start)
        return round(_LEFT + share * (self.width - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM), 1)


def colour(number: int) -> str:
    """The colour of the series of that number."""
    return PALETTE[number % len(PALETTE)]


def threshold_colour(panel: Mapping[str, Any], value: float) -> str:
    """The colour that a panel's thresholds give a value."""
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    found = [step["color"] for step in steps if step["value"] is None or value >= step["value"]]
    return COLOURS[found[-1]]


def lines(panel: Mapping[str, Any], answer: Answer, frame: Frame, marks: Sequence[float]) -> str:
    """Series over time, stacked where the panel says so, with its thresholds, exemplars and the marks of annotations."""
    defaults = panel["fieldConfig"]["defaults"]
    custom = defaults.get("custom") or {}
    stacked = (custom.get("stacking") or {}).get("mode") == "normal"
    shown = _stack(answer.lines) if stacked else [(line.points, ()) for line in answer.lines]
    scale = units.ticks(*_range(defaults, shown, answer), unit=defaults["unit"])
    frame = Frame(frame.width, frame.height, frame.start, frame.end, scale[0], scale[-1])
    parts = [_axes(frame, [(value, units.text(value, defaults["unit"])) for value in scale])]
    if (custom.get("thresholdsStyle") or {}).get("mode") == "dashed":
        parts += [_level(frame, step) for step in defaults["thresholds"]["steps"] if step["value"] is not None]
    parts += [f'<path class="mark" d="M{frame.x(at)},{_TOP}V{frame.height - _BOTTOM}"/>' for at in marks]
    for number, (line, (points, floor)) in enumerate(zip(answer.lines, shown, strict=True)):
        for top, below in zip(_unbroken(points), _unbroken(floor), strict=False):
            outline = " ".join(f"{frame.x(at)},{frame.y(value)}" for at, value in (*top, *reversed(below)))
            parts.append(f'<polygon points="{outline}" fill="{colour(number)}" fill-opacity="0.3"/>')
        style = ' stroke-width="1" stroke-dasharray="4 4"' if _is_band(panel, line.name) else ' stroke-width="1.6"'
        parts.append(f'<path d="{_path(frame, points)}" fill="none" stroke="{colour(number)}"{style}/>')
    every = max(1, math.ceil(len(answer.dots) / _MOST_DOTS))
    parts += [_dot(frame, at, value) for at, value in sorted(answer.dots)[::every] if frame.low <= value <= frame.high]
    return _svg(frame, parts)


def heatmap(panel: Mapping[str, Any], answer: Answer, frame: Frame) -> str:
    """Observations by bucket over time. The buckets lie one over the other, each as high as the others."""
    buckets = sorted(
        (line for line in answer.lines if line.labels.get("le")), key=lambda line: float(line.labels["le"])
    )
    own = _own(buckets)
    used = [number for number, cells in enumerate(own) if any(count > 1e-9 for count in cells.values())]
    first, last = (max(min(used) - 1, 0), max(used)) if used else (0, 0)
    kept = buckets[first : last + 1]
    frame = Frame(frame.width, frame.height, frame.start, frame.end, 0, max(len(kept), 1))
    unit = panel["fieldConfig"]["defaults"]["unit"]
    every = math.ceil(len(kept) / 8)
    names = [(number + 0.5, _edge(line.labels["le"], unit)) for number, line in enumerate(kept) if number % every == 0]
    parts = [_axes(frame, names, grid=False)]
    most = max((count for cells in own for count in cells.values()), default=1.0) or 1.0
    times = sorted({at for cells in own for at in cells})
    width = frame.x(times[1]) - frame.x(times[0]) if len(times) > 1 else 8.0
    for number in range(len(kept)):
        top = frame.y(number + 1)
        for at, count in own[first + number].items():
            if count > 1e-9:
                shade = _HEAT[min(int((count / most) ** 0.5 * len(_HEAT)), len(_HEAT) - 1)]
                size = f'width="{max(width - 1, 1):.1f}" height="{max(frame.y(number) - top - 1, 1):.1f}"'
                left = max(frame.x(at) - width, _LEFT)
                parts.append(f'<rect x="{left:.1f}" y="{top}" {size} fill="{shade}"/>')
    return _svg(frame, parts)


def spark(line: Line, *, width: int, height: int, shade: str) -> str:
    """The course of a number, without axes."""
    values = [value for _, value in line.points]
    low, high = min(0.0, *values), max(values) or 1.0
    start, end = line.points[0][0], line.points[-1][0]
    if end == start or high == low:
        return ""
    places = [
        (round((at - start) / (end - start) * width, 1), round(height - (value - low) / (high - low) * height, 1))
        for at, value in line.points
    ]
    outline = " ".join(f"{x},{y}" for x, y in places)
    area = f'<polygon points="0,{height} {outline} {width},{height}" fill="{shade}" fill-opacity="0.12"/>'
    path = f'<polyline points="{outline}" fill="none" stroke="{shade}" stroke-width="1"/>'
    return f'<svg class="spark" viewBox="0 0 {width} {height}" preserveAspectRatio="none">{area}{path}</svg>'


def _stack(series: Sequence[Line]) -> list[tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]]:
    """Each series on top of those before it: its points, and what it lies on. A series without a value counts as 0."""
    times = sorted({at for line in series for at, _ in line.points})
    floor = dict.fromkeys(times, 0.0)
    stacked = []
    for line in series:
        values = dict(line.points)
        top = {at: floor[at] + values.get(at, 0.0) for at in times}
        stacked.append((tuple(top.items()), tuple(floor.items())))
        floor = top
    return stacked


def _range(defaults: Mapping[str, Any], shown: Sequence[tuple[Any, Any]], answer: Answer) -> tuple[float, float]:
    values = [value for points, _ in shown for _, value in points]
    low, high = min(values), max(values)
    soft = (defaults.get("custom") or {}).get("axisSoftMax")
    if "min" in defaults:
        low = defaults["min"]
    if soft is not None:
        high = max(high, soft)
    if answer.dots:
        # Half of the dots at least: a few far away ones must not press the lines flat.
        high = max(high, sorted(value for _, value in answer.dots)[len(answer.dots) // 2])
    return low, high if high > low else low + 1


def _axes(frame: Frame, names: Sequence[tuple[float, str]], *, grid: bool = True) -> str:
    parts = []
    for value, name in names:
        y = frame.y(value)
        if grid:
            parts.append(f'<path class="grid" d="M{_LEFT},{y}H{frame.width - _RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y + 3}" text-anchor="end">{escape(name)}</text>')
    for minute in range(math.ceil((frame.end - frame.start) / 60)):
        x = frame.x(frame.start + 60 * minute)
        word = f"{minute} min" if minute else "0"
        place = "end" if x > frame.width - 24 else "middle"
        parts.append(f'<text x="{x}" y="{frame.height - 4}" text-anchor="{place}">{word}</text>')
        if grid:
            parts.append(f'<path class="grid" d="M{x},{_TOP}V{frame.height - _BOTTOM}"/>')
    return "".join(parts)


def _level(frame: Frame, step: Mapping[str, Any]) -> str:
    if not frame.low <= step["value"] <= frame.high:
        return ""
    y, shade = frame.y(step["value"]), COLOURS[step["color"]]
    return f'<path d="M{_LEFT},{y}H{frame.width - _RIGHT}" stroke="{shade}" stroke-dasharray="8 5" stroke-width="1.2"/>'


def _dot(frame: Frame, at: float, value: float) -> str:
    x, y = frame.x(at), frame.y(value)
    return f'<path d="M{x},{y - 3}l3,3l-3,3l-3,-3z" fill="none" stroke="#57606a" stroke-width="0.8"/>'


def _path(frame: Frame, points: Sequence[tuple[float, float]]) -> str:
    """A line that breaks where points are missing."""
    return "".join(
        "M" + "L".join(f"{frame.x(at)},{frame.y(value)}" for at, value in piece) for piece in _unbroken(points)
    )


def _unbroken(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """The points in pieces without a gap."""
    usual = min((b[0] - a[0] for a, b in itertools.pairwise(points)), default=0.0)
    pieces: list[list[tuple[float, float]]] = []
    before = -math.inf
    for point in points:
        if point[0] - before > 1.5 * usual:
            pieces.append([])
        pieces[-1].append(point)
        before = point[0]
    return pieces


def _is_band(panel: Mapping[str, Any], name: str) -> bool:
    rules = [one["matcher"]["options"] for one in panel["fieldConfig"].get("overrides") or []]
    return any(re.fullmatch(rule, name) for rule in rules)


def _own(buckets: Sequence[Line]) -> list[dict[float, float]]:
    """What each bucket holds alone, by time: the exporter's buckets hold those below them as well."""
    own, below = [], dict[float, float]()
    for line in buckets:
        values = dict(line.points)
        own.append({at: max(value - below.get(at, 0.0), 0.0) for at, value in values.items()})
        below = values
    return own


def _edge(le: str, unit: str) -> str:
    return "more" if le == "+Inf" else "≤ " + units.text(float(le), unit)


def _svg(frame: Frame, parts: Sequence[str]) -> str:
    return f'<svg width="{frame.width}" height="{frame.height}">{"".join(parts)}</svg>'

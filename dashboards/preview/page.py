"""A dashboard as one HTML page: the panels in the dashboard's own grid, each with what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dashboards.preview import draw, units
from dashboards.preview.ask import Answer, Line, Span

COLUMNS, WIDTH, ROW, GAP = 24, 1200, 25, 7
_HEAD = 46
_LEGEND_ROW, _TITLE = 15, 24
_CSS = """
* { box-sizing: border-box; }
body { margin: 0; padding: 8px; width: %(width)dpx; background: #f4f5f5; color: #24292e; font: 12px "DejaVu Sans", sans-serif; }
h1 { font-size: 17px; margin: 4px; display: inline-block; } header span { color: #57606a; margin-left: 10px; }
header { height: %(head)dpx; white-space: nowrap; overflow: hidden; }
main { display: grid; grid-template-columns: repeat(24, 1fr); grid-auto-rows: %(row)dpx; gap: %(gap)dpx; }
h2 { font-size: 13px; margin: 6px 4px; }
section { background: #fff; border: 1px solid #d8dadd; padding: 4px 6px; overflow: hidden; position: relative; }
section > b { display: block; height: 18px; font-weight: 600; font-size: 11.5px; white-space: nowrap; overflow: hidden; }
svg text { font: 9.5px "DejaVu Sans", sans-serif; fill: #57606a; } .grid { stroke: #eceef0; } .mark { stroke: #c4162a; stroke-dasharray: 2 3; }
.legend { width: 100%%; border-collapse: collapse; font-size: 10px; } .legend td { height: %(legend)dpx; padding: 0; white-space: nowrap; }
.legend td + td, .legend th + th { text-align: right; padding-left: 8px; } .legend th { font-weight: 400; color: #57606a; text-align: left; padding: 0; }
.legend i, .more { display: inline-block; width: 12px; height: 3px; margin: 0 5px 2px 0; }
.stats { display: flex; height: calc(100%% - 18px); } .stats div { flex: 1; position: relative; text-align: center; overflow: hidden; }
.stats strong { position: relative; font-weight: 500; z-index: 1; display: block; margin-top: 8px; }
.stats small { position: relative; z-index: 1; color: #57606a; display: block; margin-top: 2px; }
.spark { position: absolute; left: 0; bottom: 0; width: 100%%; height: 40%%; max-height: 56px; }
.none { color: #8b949e; text-align: center; padding-top: 20px; }
.rows { width: 100%%; border-collapse: collapse; font-size: 11px; } .rows th, .rows td { text-align: left; border-bottom: 1px solid #eceef0; padding: 4px; }
.rows td { max-width: 150px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
"""


def height(board: Mapping[str, Any]) -> int:
    """Pixels of the page."""
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in board["panels"])
    return _HEAD + 16 + int(rows) * (ROW + GAP)


def page(
    board: Mapping[str, Any], answers: Mapping[int, Answer], span: Span, *, marks: Sequence[float], note: str
) -> str:
    """The page. `answers` are by the panels' ids."""
    style = _CSS % {"width": WIDTH, "head": _HEAD, "row": ROW, "gap": GAP, "legend": _LEGEND_ROW}
    body = "".join(_place(panel, answers.get(panel["id"], Answer()), span, marks) for panel in board["panels"])
    head = f"<header><h1>{escape(board['title'])}</h1><span>{escape(note)}</span></header>"
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>{head}<main>{body}</main>\n"


def _place(panel: Mapping[str, Any], answer: Answer, span: Span, marks: Sequence[float]) -> str:
    at = panel["gridPos"]
    rows = f"grid-column:{at['x'] + 1}/span {at['w']};grid-row:{at['y'] + 1}/span {at['h']}"
    if panel["type"] == "row":
        return f'<h2 style="{rows}">▾ {escape(panel["title"])}</h2>'
    makers = {"timeseries": _timeseries, "heatmap": _heatmap, "stat": _stat, "table": _table}
    inner = makers[panel["type"]](panel, answer, span, marks) if answer.lines else '<p class="none">No data</p>'
    return f'<section style="{rows}"><b>{escape(panel["title"])}</b>{inner}</section>'


def _size(panel: Mapping[str, Any]) -> tuple[int, int]:
    """Pixels within a panel, below its title."""
    at = panel["gridPos"]
    column = (WIDTH - 16 - (COLUMNS - 1) * GAP) / COLUMNS
    return int(at["w"] * (column + GAP) - GAP - 14), int(at["h"] * (ROW + GAP) - GAP - _TITLE - 8)


def _timeseries(panel: Mapping[str, Any], answer: Answer, span: Span, marks: Sequence[float]) -> str:
    width, height_ = _size(panel)
    # Grafana gives a legend up to about a third of a panel, and lets one scroll to the rest.
    fit = max(2, int(height_ * 0.36 / _LEGEND_ROW) - 1)
    listed, rest = answer.lines[:fit], answer.lines[fit:]
    unit = panel["fieldConfig"]["defaults"]["unit"]
    rows = "".join(
        f'<tr><td><i style="background:{draw.colour(number)}"></i>{escape(line.name or panel["title"])}</td>'
        f"<td>{units.text(line.last, unit)}</td><td>{units.text(max(value for _, value in line.points), unit)}</td></tr>"
        for number, line in enumerate(listed)
    )
    more = f"and {len(rest)} more" if rest else ""
    head = f"<tr><th>{more}</th><th>Last</th><th>Max</th></tr>"
    frame = draw.Frame(width, height_ - _LEGEND_ROW * (len(listed) + 1) - 4, span.start, span.end)
    return draw.lines(panel, answer, frame, marks) + f'<table class="legend">{head}{rows}</table>'


def _heatmap(panel: Mapping[str, Any], answer: Answer, span: Span, _marks: Sequence[float]) -> str:
    return draw.heatmap(panel, answer, draw.Frame(*_size(panel), span.start, span.end))


def _stat(panel: Mapping[str, Any], answer: Answer, _span: Span, _marks: Sequence[float]) -> str:
    unit = panel["fieldConfig"]["defaults"]["unit"]
    width, height_ = _size(panel)
    size = min(30, int(height_ * 0.36), int(width / len(answer.lines) / 6))
    boxes = []
    for line in answer.lines:
        shade = draw.threshold_colour(panel, line.last)
        name = f"<small>{escape(line.name)}</small>" if len(answer.lines) > 1 else ""
        number = f'<strong style="color:{shade};font-size:{size}px">{escape(units.text(line.last, unit))}</strong>'
        boxes.append(f"<div>{name}{number}{draw.spark(line, width=100, height=40, shade=shade)}</div>")
    return f'<div class="stats">{"".join(boxes)}</div>'


def _table(panel: Mapping[str, Any], answer: Answer, _span: Span, _marks: Sequence[float]) -> str:
    options = panel["transformations"][-1]["options"]
    headings, order = options["renameByName"], options["indexByName"]
    columns = sorted((name for name in headings if name not in options["excludeByName"]), key=lambda name: order[name])
    units_of = {
        one["matcher"]["options"]: own["value"]
        for one in panel["fieldConfig"].get("overrides") or []
        for own in one["properties"]
        if own["id"] == "unit"
    }
    head = "".join(f"<th>{escape(headings[name])}</th>" for name in columns)
    rows = ""
    for cells in _rows(answer.lines, merged="Value" not in headings):
        texts = [
            _cell(cells.get(name), units_of.get(headings[name], panel["fieldConfig"]["defaults"]["unit"]))
            for name in columns
        ]
        rows += "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in texts) + "</tr>"
    return f'<table class="rows"><tr>{head}</tr>{rows}</table>'


def _rows(lines: Sequence[Line], *, merged: bool) -> list[dict[str, str | float]]:
    """The cells of each row by name; with `merged` those of one service are one row."""
    if not merged:
        return [{**line.labels, "Value": line.last} for line in lines]
    found: dict[str, dict[str, str | float]] = {}
    for line in lines:
        found.setdefault(line.labels.get("rag_service", ""), {}).update(
            {**line.labels, f"Value #{line.query}": line.last}
        )
    return list(found.values())


def _cell(value: str | float | None, unit: str) -> str:
    return "" if value is None else value if isinstance(value, str) else units.text(value, unit)

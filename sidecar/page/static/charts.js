// Small drawings: an estimate in its interval over time, and histograms.

import { el, svg } from "./dom.js";
import { percent, score } from "./format.js";

const WIDTH = 720, HEIGHT = 200, LEFT = 44, BOTTOM = 22, TOP = 8, RIGHT = 8;

export function estimate(points, anchored) {
  const known = points.at.map((at, n) => ({ at, share: points.share[n], low: points.low[n], high: points.high[n], local: points.local[n] }));
  const drawn = known.filter((one) => one.share !== null);
  if (!drawn.length) return el("p", { class: "empty" }, "Too few answers with a verdict yet to draw a line.");
  const first = Math.min(...known.filter((one) => one.share !== null || one.local !== null).map((one) => one.at));
  const shown = known.filter((one) => one.at >= first);
  const top = nice(Math.max(0.02, ...drawn.map((one) => one.high), ...shown.map((one) => one.local ?? 0)));
  const [start, end] = [shown[0].at, shown.at(-1).at];
  const x = (at) => LEFT + (WIDTH - LEFT - RIGHT) * (end > start ? (at - start) / (end - start) : 1);
  const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share / top);
  const last = drawn.at(-1);
  const readout = el("p", { class: "readout muted small" }, told(last, anchored));
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img",
    "aria-label": `Estimate over time. ${told(last, anchored)} It was between ${percent(Math.min(...drawn.map((o) => o.share)))} and ${percent(Math.max(...drawn.map((o) => o.share)))}.` },
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => [
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(part * top), y2: y(part * top) }),
      svg("text", { x: LEFT - 6, y: y(part * top) + 4, "text-anchor": "end" }, percent(part * top, top < 0.1 ? 1 : 0)),
    ]).flat(),
    ...(end > start ? [0, 0.5, 1] : [1]).map((part) => svg("text", { x: x(start + part * (end - start)), y: HEIGHT - 5, "text-anchor": part === 0 ? "start" : part === 1 ? "end" : "middle" }, clock(start + part * (end - start), end - start))),
    ...runs(shown, (one) => one.share !== null).map((run) => svg("polygon", { class: "band", points: [...run.map((o) => `${x(o.at)},${y(o.high)}`), ...run.toReversed().map((o) => `${x(o.at)},${y(o.low)}`)].join(" ") })),
    ...(anchored ? runs(shown, (one) => one.local !== null).map((run) => svg("polyline", { class: "local", points: run.map((o) => `${x(o.at)},${y(o.local)}`).join(" ") })) : []),
    ...runs(shown, (one) => one.share !== null).map((run) => svg("polyline", { class: "line", points: run.map((o) => `${x(o.at)},${y(o.share)}`).join(" ") })),
    svg("circle", { class: "dot", cx: x(last.at), cy: y(last.share), r: 4 }), cursor);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const at = start + (end - start) * Math.min(1, Math.max(0, ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT)));
    const near = drawn.reduce((best, one) => (Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(near.at));
    cursor.setAttribute("visibility", "visible");
    readout.textContent = told(near, anchored);
  });
  picture.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    readout.textContent = told(last, anchored);
  });
  return el("div", {}, picture, readout);
}

export function histogram(bins, mean, name) {
  const width = 200, height = 54, most = Math.max(...bins, 1e-9), step = width / bins.length;
  return svg("svg", { viewBox: `0 0 ${width} ${height + 2}`, class: "histogram", role: "img", "aria-label": `${name}: mean ${score(mean)}; ${percent(bins.slice(0, bins.length / 2).reduce((a, b) => a + b, 0), 0)} of the scores below 0.5` },
    ...bins.map((share, n) => svg("rect", { class: n < bins.length / 2 ? "low" : "high", x: n * step + 0.5, width: step - 1, y: height - height * share / most, height: Math.max(share > 0 ? 1 : 0, height * share / most) })),
    svg("line", { class: "axis", x1: 0, x2: width, y1: height, y2: height }),
    svg("line", { class: "mean", x1: mean * width, x2: mean * width, y1: 0, y2: height }));
}

function told(one, anchored) {
  const local = anchored && one.local !== null ? `; the local model calls ${percent(one.local)} hallucinated` : "";
  return `${clock(one.at, 0)}: ${percent(one.share)}, 95\u2009% interval ${percent(one.low)} to ${percent(one.high)}${local}.`;
}

function clock(at, span) {
  const date = new Date(1000 * at);
  if (span > 86400) return date.toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", ...(span > 0 && span < 600 ? { second: "2-digit" } : {}) });
}

// The longest stretches of points that hold what is asked; a line is not drawn over a gap.
function runs(points, holds) {
  const found = [[]];
  for (const one of points) {
    if (holds(one)) found.at(-1).push(one);
    else if (found.at(-1).length) found.push([]);
  }
  return found.filter((run) => run.length);
}

function nice(value) {
  const steps = [0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8, 1];
  return steps.find((one) => one >= value) ?? 1;
}

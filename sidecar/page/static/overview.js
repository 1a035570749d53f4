// The numbers: services in a line each, and the chosen one whole.

import { el, fill, byId, hidden } from "./dom.js";
import { count, dollars, moment, percent, score, seconds, words } from "./format.js";
import { estimate, histogram } from "./charts.js";

const HOUR = 3600, DAYS = 3 * 86400;
const BASES = { judge: "Anchored in a judge's random sample", labels: "Anchored in people's labels", baseline: "Against its own past only", uncalibrated: "Uncalibrated: trend only" };

const clock = (replica) => replica.started + replica.uptime;

// From when on answers are known, and why not from before.
export function known(replica) {
  const why = replica.known_since === replica.started ? "when this replica started" : "as far back as the results topic was read";
  return `since ${moment(replica.known_since)}, ${why}`;
}

// The same of requests, which this replica alone counts.
const counted = (replica, since) => (since > replica.started ? "" : `, since ${moment(replica.started)}, when this replica started`);

export function services(page, chosen, choose) {
  const place = byId("services");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  fill(place,
    ...page.services.map((one) =>
      el("button", { type: "button", "data-name": one.name, "aria-current": one.name === chosen ? "true" : null, onclick: () => choose(one.name) },
        el("span", { class: "name" }, one.name),
        el("span", { class: "share" }, percent(one.share)),
        el("span", { class: "range muted" }, one.low === null ? "no verdicts yet" : `${percent(one.low)} to ${percent(one.high)}`),
        el("span", { class: `basis ${one.basis}` }, one.basis),
        el("span", { class: "muted per-hour" }, `${count(one.requests)} ${page.replica.reading === null ? "" : "here "}in the last hour`))),
    page.left_out > 0 ? el("p", { class: "muted small" }, `${page.left_out === 1 ? "1 result of another service is" : `${count(page.left_out)} results of more services are`} not shown: status_page.most_services`) : null,
  );
  if (focused !== null) [...place.children].find((one) => one.dataset.name === focused)?.focus();
}

export function service(page) {
  const one = page.service;
  if (one === null) {
    fill(byId("service"), el("div", { class: "card empty" }, el("h1", {}, "Waiting for requests"),
      el("p", {}, "No request has ended yet. They come here as soon as their trace is complete.")), ...itself(page.sidecar));
    return;
  }
  const anchored = one.basis === "anchored", now = one.headline, range = page.ranges.find((each) => each.name === page.range).title;
  const replica = page.replica, short = clock(replica) - replica.known_since < HOUR;
  const title = anchored ? "Made-up answers" : "Answers below the threshold";
  fill(byId("service"),
    el("h1", {}, one.name),
    el("div", { class: "card lead" },
      el("div", { class: "headline" },
        el("h2", {}, title),
        el("p", { class: "big" }, percent(now.share)),
        el("p", { class: "interval" }, now.low === null ? `${now.local === null ? "no verdicts" : "too little is known for an estimate"} ${short ? known(replica) : "in the last hour"}` : [`${percent(now.low)} to ${percent(now.high)}`, el("span", { class: "muted" }, ` 95\u2009% interval, ${short ? known(replica) : "last hour"}`)]),
        el("p", {}, el("span", { class: `basis ${one.basis}` }, BASES[one.basis_by ?? one.basis])),
        el("p", { class: "muted small" }, one.basis_text),
        anchored || short || clock(replica) - replica.known_since > DAYS ? null : el("p", { class: "muted small" }, `Answers are known ${known(replica)}.`)),
      el("div", { class: "trend" }, el("h2", {}, `The last ${range}`, el("span", { class: "muted small" }, ` each point over ${seconds(one.window_seconds)}`)),
        estimate(one.points, anchored))),
    el("div", { class: "cards" }, scores(one), funnel(one, replica), speed(one, replica), cost(one, replica, page.sidecar), ...itself(page.sidecar)),
  );
}

function card(title, note, ...children) {
  return el("section", { class: "card" }, el("h2", {}, title, note ? el("span", { class: "muted small" }, ` ${note}`) : null), ...children);
}

function scores(one) {
  const shown = one.scores.map((each) => el("div", { class: "score" }, el("h3", {}, words(each.evaluator), el("span", {}, score(each.mean), hidden(" mean"))), histogram(each.bins, each.mean, words(each.evaluator))));
  return el("section", { class: "card wide" }, el("h2", {}, "Scores", el("span", { class: "muted small" }, ` since ${moment(one.answers_since)}; 0 is bad, 1 is good; the line is the mean`)),
    shown.length ? el("div", { class: "scores" }, ...shown) : el("p", { class: "empty" }, "None yet."));
}

function funnel(one, replica) {
  const all = Math.max(one.requests, 1);
  const rows = Object.entries(one.funnel).map(([name, number]) =>
    el("li", {}, el("span", {}, words(name)), el("meter", { min: 0, max: all, value: number, "aria-label": words(name) }), el("span", { class: "number" }, count(number)), el("span", { class: "number muted" }, percent(number / all, 0))));
  const reasons = one.reasons.map((each) => el("li", {}, el("span", {}, `${words(each.outcome)}: ${words(each.reason)}`), el("span", { class: "number" }, count(each.count))));
  const whose = replica.reading === null ? "" : " of this replica";
  return card("Requests", `${count(one.requests)}${whose}, each with one outcome${counted(replica, one.requests_since)}`, el("ul", { class: "bars" }, ...rows),
    reasons.length ? el("details", {}, el("summary", {}, "Reasons, since the start"), el("ul", { class: "plain" }, ...reasons)) : null,
    one.abstained === null ? null : el("p", { class: "muted small" }, `${percent(one.abstained)} of the answers abstain.`));
}

function speed(one, replica) {
  const rows = one.durations.map((each) => el("tr", {}, el("th", { scope: "row" }, words(each.name)), el("td", {}, seconds(each.p50)), el("td", {}, seconds(each.p95))));
  return card("Latency", `of the service${counted(replica, one.hours_since)}`, rows.length ? el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "part"), el("th", { scope: "col" }, "median"), el("th", { scope: "col" }, "95\u2009%"))), el("tbody", {}, ...rows)) : el("p", { class: "empty" }, "No durations yet."));
}

function cost(one, replica, sidecar) {
  const models = one.kinds.filter((each) => each.requests > 0).slice(0, 5).map((each) => el("tr", {}, el("th", { scope: "row" }, each.model ?? "unknown"), el("td", {}, each.variant ?? "\u2013"), el("td", {}, count(each.requests))));
  return card("Cost and models", `of the range${counted(replica, one.requests_since)}`,
    el("dl", {}, fact("spent by the service", dollars(one.usd)), fact("per 1,000 requests", dollars(one.usd_per_1000)), fact("tokens in, out", `${count(one.tokens.input)}, ${count(one.tokens.output)}`),
      one.unpriced_tokens > 0 ? fact("tokens without a price", count(one.unpriced_tokens)) : null,
      sidecar.judge_requests > 0 ? fact("judge, all services, since the start", `${dollars(sidecar.judge_usd)} for ${count(sidecar.judge_requests)}`) : null),
    models.length ? el("table", {}, el("caption", {}, "Requests since the start"), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "model"), el("th", { scope: "col" }, "variant"), el("th", { scope: "col" }, "requests"))), el("tbody", {}, ...models)) : null);
}

function itself(sidecar) {
  const behind = sidecar.lag_records === null ? "not known yet" : sidecar.lag_records === 0 ? "none" : `${count(sidecar.lag_records)} records, ${seconds(sidecar.lag_seconds)}`;
  return [card("This sidecar", null,
    el("dl", {}, fact("waiting in Kafka", behind), fact("partitions", count(sidecar.partitions)), fact("traces being put together", count(sidecar.open_traces)),
      fact("sampling", sidecar.sampling_factor === 1 || sidecar.sampling_factor === 0 ? "as set" : `${percent(sidecar.sampling_factor, 0)} of what is set`),
      sidecar.paused.length ? fact("intake paused by", sidecar.paused.map(words).join(", ")) : null),
    el("table", { class: "roles" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "role"), el("th", { scope: "col" }, "model"))), el("tbody", {}, ...sidecar.models.map((one) => el("tr", {}, el("th", { scope: "row" }, words(one.role)), el("td", { title: one.sha256 }, `${one.name} ${one.version}`))))))];
}

const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

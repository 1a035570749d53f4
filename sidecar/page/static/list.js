// The list of answers, and what it is filtered by.

import { el, fill, byId, chosenOf, options } from "./dom.js";
import { ago, count, score } from "./format.js";
import { SAID } from "./claims.js";

const VERDICTS = {
  hallucinated: { sign: "\u2717", text: "hallucinated", as: "contradicted" },
  grounded: { sign: "\u2713", text: "grounded", as: "supported" },
  abstained: { sign: "\u2013", text: "abstained", as: "neutral" },
  unscorable: { sign: "\u2013", text: "unscorable", as: "neutral" },
  failed: { sign: "!", text: "failed", as: "not_said" },
  none: { sign: "?", text: "undecided", as: "neutral" },
};

export function verdict(answer) {
  const one = VERDICTS[answer.verdict] ?? VERDICTS.none;
  return el("span", { class: `verdict ${one.as}` }, `${one.sign} ${one.text}`);
}

export function list(found, state, now, choose, page, change) {
  const place = byId("list");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  told(found, state, page, change);
  fill(place, ...found.answers.map((one) => el("li", {},
    el("button", { type: "button", "data-id": one.id, "aria-current": one.id === state.answer ? "true" : null, onclick: () => choose(one.id) },
      el("span", { class: "row" }, verdict(one), el("span", { class: "number" }, score(one.score)), el("span", { class: "muted small" }, ago(one.at, now)),
        found.session?.worst === one.id && found.session.turns > 1 ? el("span", { class: "worst-turn" }, "worst turn") : null),
      one.question_start === null ? el("span", { class: "trace-id" }, el("span", { class: "muted" }, "trace "), el("code", {}, one.trace_id)) : el("span", { class: "question-start" }, one.question_start),
      one.answer_start === null ? null : el("span", { class: "answer-start muted" }, one.answer_start),
      el("span", { class: "row small muted" }, Object.entries(one.claims_said).map(([name, n]) => `${n} ${SAID[name].text}`).join(", "), el("span", { class: "spread" }), [one.model, one.variant].filter((each) => each !== null).join(" \u00b7 ")),
      one.replica === null ? null : el("span", { class: "small muted" }, `replica ${one.replica}`)))));
  if (focused) [...place.querySelectorAll("button")].find((one) => one.dataset.id === focused)?.focus();
}

// How many answers there are, whose, and of when; with buttons to those with texts, and to those of any time.
function told(found, state, page, change) {
  const place = byId("count"), shown = found.answers, others = shown.filter((one) => one.replica !== null).length;
  // Answers are not kept for longer than so many hours, whatever the range.
  const range = page.ranges.find((one) => one.name === page.range);
  const title = state.range === null || range.seconds > 3600 * page.replica.keep_hours ? null : range.title;
  const of = title === null ? "" : ` of the last ${title}`, part = found.found > shown.length ? `, the first ${shown.length} shown` : "";
  const text = found.found === 0 ? `No answer${of} is kept that fits. ` : `${count(found.found)}${of} kept${part}${others > 0 ? `, ${others} of them by other replicas and without texts` : ""}. `;
  const key = JSON.stringify([text, state.replica]);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const quiet = (name, what) => el("button", { type: "button", class: "quiet", onclick: () => change(what) }, name);
  fill(place, text, others > 0 && page.replica.texts && state.replica === null ? quiet("Only those of this replica", { replica: "" }) : null, title === null ? null : quiet("Of any time", { range: null }));
}

// The head of the turns of a session.
export function session(found, state, leave) {
  const place = byId("session");
  place.hidden = state.session === null;
  byId("lists").hidden = state.session !== null;
  byId("answers-title").textContent = state.session === null ? "Answers" : "A session";
  if (place.hidden) return;
  const turns = found.session?.turns ?? 0;
  fill(place, el("p", {}, el("code", {}, state.session), ` ${turns === 1 ? "1 turn is" : `${turns} turns are`} kept, in the order of time; those that were not sampled are not among them. `,
    turns > 1 && found.session.worst !== null ? "The worst one is marked. " : "", el("button", { type: "button", onclick: leave }, "All answers")));
}

export function filters(page, state) {
  const form = byId("filters").elements, kinds = page.service?.kinds ?? [];
  options(form.verdict, Object.keys(VERDICTS), state.verdict, "all");
  options(form.model, kinds.map((one) => one.model ?? ""), state.model, "all");
  options(form.variant, kinds.map((one) => one.variant ?? ""), state.variant, "all");
  const writers = (page.replica.reading?.writers ?? []).map((one) => one.name);
  options(form.replica, writers.length || state.replica !== null ? ["", ...writers] : [], state.replica, "all", "this one");
  form.replica.parentElement.hidden = !writers.length && state.replica === null;
  if (document.activeElement !== form.q) form.q.value = state.q ?? "";
}

export function whenFiltered(change) {
  const form = byId("filters");
  let later = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["verdict", "model", "variant", "replica"]) form.elements[name].addEventListener("change", (event) => change({ [name]: chosenOf(event.target) }));
  form.elements.q.addEventListener("input", (event) => {
    clearTimeout(later);
    later = setTimeout(() => change({ q: event.target.value.trim() || null }), 250);
  });
  byId("clear").addEventListener("click", () => {
    form.elements.q.value = "";
    change({ verdict: null, model: null, variant: null, replica: null, q: null });
  });
}

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

export function list(found, state, now, choose) {
  const place = byId("list");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  byId("count").textContent = found.found === 0 ? "No answer is kept that fits." : `${count(found.found)} kept${found.found > found.answers.length ? `, the first ${found.answers.length} shown` : ""}`;
  fill(place, ...found.answers.map((one) => el("li", {},
    el("button", { type: "button", "data-id": one.id, "aria-current": one.id === state.answer ? "true" : null, onclick: () => choose(one.id) },
      el("span", { class: "row" }, verdict(one), el("span", { class: "number" }, score(one.score)), el("span", { class: "muted small" }, ago(one.at, now))),
      el("span", { class: "question-start" }, one.question_start ?? one.trace_id),
      one.answer_start === null ? null : el("span", { class: "answer-start muted" }, one.answer_start),
      el("span", { class: "row small muted" }, Object.entries(one.claims_said).map(([name, n]) => `${n} ${SAID[name].text}`).join(", "), el("span", { class: "spread" }), [one.model, one.variant].filter((each) => each !== null).join(" \u00b7 "))))));
  if (focused) [...place.querySelectorAll("button")].find((one) => one.dataset.id === focused)?.focus();
}

export function filters(page, state) {
  const form = byId("filters").elements, kinds = page.service?.kinds ?? [];
  options(form.verdict, Object.keys(VERDICTS), state.verdict, "all");
  options(form.model, kinds.map((one) => one.model ?? ""), state.model, "all");
  options(form.variant, kinds.map((one) => one.variant ?? ""), state.variant, "all");
  if (document.activeElement !== form.q) form.q.value = state.q ?? "";
}

export function whenFiltered(change) {
  const form = byId("filters");
  let later = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["verdict", "model", "variant"]) form.elements[name].addEventListener("change", (event) => change({ [name]: chosenOf(event.target) }));
  form.elements.q.addEventListener("input", (event) => {
    clearTimeout(later);
    later = setTimeout(() => change({ q: event.target.value.trim() || null }), 250);
  });
  byId("clear").addEventListener("click", () => {
    form.elements.q.value = "";
    change({ verdict: null, model: null, variant: null, q: null });
  });
}

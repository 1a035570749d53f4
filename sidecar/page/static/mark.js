// What a person says of an answer: good, made up (which claims), abstains, or skip.

import { el } from "./dom.js";
import { post } from "./api.js";

const KEY = "rag-sidecar-who";
const WORDS = { grounded: "Good", hallucinated: "Made up", abstained: "Abstains", skipped: "Skip" };

export const who = () => localStorage.getItem(KEY);
export const iAm = (name) => localStorage.setItem(KEY, name.trim());

// The form; name says who labels, or throws why that cannot be said; done is called with what was said once it is kept.
export function marks(answer, { picked, name = who, done = () => {} }) {
  const state = el("p", { class: "muted small", role: "status" }, answer.labelled ? "This answer was labelled before." : "");
  const boxes = answer.claims.map((one, number) => el("label", { class: "box" }, el("input", { type: "checkbox", value: number + 1 }), ` ${number + 1}. ${one.text ?? "claim"}`));
  const which = boxes.length ? el("details", {}, el("summary", {}, "Which claims are made up?"), el("div", {}, ...boxes)) : null;
  const buttons = Object.keys(WORDS).filter((said) => !picked || said !== "skipped").map((said, n) =>
    el("button", { type: "button", class: `say ${said}`, "data-said": said, onclick: () => say(said) }, WORDS[said], picked ? null : el("kbd", { "aria-hidden": "true" }, "gxas"[n])));
  const form = el("section", { class: "marks", "aria-label": "Label this answer" },
    picked ? el("h3", {}, "Label this answer") : null, which, el("div", { class: "buttons" }, ...buttons), state,
    picked ? el("p", { class: "muted small" }, "An answer that somebody picked stands for nothing but itself: it never enters an estimate. For those that do, ", el("a", { href: "/label" }, "label the random queue"), ".") : null);

  async function say(verdict) {
    if (buttons.some((one) => one.disabled)) return;
    const wrong = verdict === "hallucinated" ? boxes.map((one) => one.querySelector("input")).filter((one) => one.checked).map((one) => Number(one.value)) : [];
    for (const one of buttons) one.disabled = true;
    try {
      await post("/api/label", { result: answer.id, verdict, wrong_claims: wrong, who: name() || null, picked });
      state.textContent = `Kept: ${WORDS[verdict].toLowerCase()}.`;
      done(verdict);
    } catch (error) {
      state.textContent = `Not kept: ${error.message}`;
    }
    for (const one of buttons) one.disabled = false;
  }
  form.say = say;
  return form;
}

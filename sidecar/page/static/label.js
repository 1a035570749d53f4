// The random review queue: one answer after the other, without what the evaluators say.

import { el, fill, byId, options, chosenOf } from "./dom.js";
import { get } from "./api.js";
import { percent } from "./format.js";
import { read } from "./claims.js";
import { iAm, marks, who } from "./mark.js";

const KEYS = { g: "grounded", x: "hallucinated", a: "abstained", s: "skipped" };
// Where a letter is part of a text or a choice; a box is only ticked.
const TYPED = "input:not([type=checkbox]), select, textarea";
let form = null;

// Whether the field holds a name; one that it refuses is told, and not who was here before.
function named() {
  const field = byId("who"), fits = field.validity.valid;
  byId("no-name").hidden = fits;
  if (fits) iAm(field.value);
  return fits;
}

function name() {
  if (!named()) throw new Error(byId("no-name").textContent);
  return who();
}

async function next() {
  try {
    const service = chosenOf(byId("service")), found = await get("/api/label", { service });
    byId("notice").hidden = true;
    byId("progress").textContent = `${found.left} to ask about, ${found.labelled} labelled; each answer is drawn with probability ${percent(found.rate, 1)}.`;
    show(found.answer);
  } catch (error) {
    form = null;
    fill(byId("answer"));
    byId("progress").textContent = "";
    byId("notice").hidden = false;
    byId("notice").textContent = error.message;
  }
}

function show(answer) {
  const place = byId("answer");
  form = answer === null ? null : marks(answer, { picked: false, name, done: () => next() });
  if (answer === null) {
    fill(place, el("p", { class: "empty" }, "Nothing to ask about now. New answers come into the queue as they are scored."));
    return;
  }
  const parts = read(answer);
  fill(place, el("p", { class: "muted" }, answer.service), el("h2", {}, "Question"), el("p", { class: "question" }, answer.question ?? "(none)"),
    el("h2", {}, "Answer"), parts.answer, form, el("h2", {}, "Documents"), parts.documents);
  place.focus({ preventScroll: true });
}

async function start() {
  const page = await get("/api/status");
  const asked = new URLSearchParams(location.search).get("service");
  options(byId("service"), page.services.map((one) => one.name), asked, "all");
  byId("service").addEventListener("change", next);
  byId("who").value = who() ?? "";
  byId("who").addEventListener("change", named);
  named();
  document.addEventListener("keydown", (event) => {
    if (form === null || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.matches(TYPED)) return;
    if (KEYS[event.key]) form.say(KEYS[event.key]);
  });
  await next();
}

start();

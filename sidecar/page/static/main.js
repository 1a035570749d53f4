// The status page: state lives in the address, so that every view is a link; numbers are asked for again every few seconds.

import { el, fill, byId, segments } from "./dom.js";
import { get } from "./api.js";
import { seconds } from "./format.js";
import { service, services } from "./overview.js";
import { filters, list, whenFiltered } from "./list.js";
import { detail } from "./detail.js";

const EVERY = 3000;
const KEYS = ["service", "range", "list", "verdict", "model", "variant", "q", "answer"];
const LISTS = [{ value: "worst", text: "Worst" }, { value: "latest", text: "Latest" }, { value: "random", text: "Random" }];

let state = fromAddress(), page = null, drawn = {}, turn = 0, shownAnswer = null, current = null;
// Who comes by a link to answers wants these, and not the numbers above them.
let toAnswers = ["list", "verdict", "answer"].some((key) => state[key] !== null);

function fromAddress() {
  const asked = new URLSearchParams(location.search);
  return Object.fromEntries(KEYS.map((key) => [key, asked.get(key)]));
}

function change(what, { push = false } = {}) {
  state = { ...state, ...what };
  const asked = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== null));
  history[push ? "pushState" : "replaceState"](null, "", asked.size ? `/?${asked}` : "/");
  refresh();
}

async function refresh() {
  const mine = ++turn;
  try {
    const next = await get("/api/status", { service: state.service ?? current, range: state.range });
    current = next.service?.name ?? null;
    const { service: named, list: listed, verdict, model, variant, q } = state;
    const found = await get("/api/answers", { service: named ?? current, list: listed ?? "worst", verdict, model, variant, q });
    if (mine !== turn) return;
    page = next;
    show(found);
    live(true);
  } catch (error) {
    if (mine === turn) live(false, error);
  }
}

function show(found) {
  const chosen = page.service?.name ?? null, now = Date.now() / 1000;
  const wanted = state.service !== null && state.service !== chosen ? `No request of ${state.service} was seen here.` : "";
  notice(wanted);
  segments(byId("ranges"), page.ranges.map((one) => ({ value: one.name, text: one.title })), page.range, (range) => change({ range }));
  segments(byId("lists"), LISTS, state.list ?? "worst", (name) => change({ list: name }));
  once("services", [page.services, chosen], () => services(page, chosen, (name) => change({ service: name, model: null, variant: null })));
  once("service", [page.service, page.sidecar], () => service(page));
  byId("answers").hidden = page.service === null && state.answer === null;
  filters(page, state);
  list(found, state, now, (id) => choose(id));
  about();
  if (state.answer !== shownAnswer) open(state.answer);
  if (toAnswers && !byId("answers").hidden) byId("answers").scrollIntoView({ block: "start" });
  toAnswers = false;
}

// Draws anew only what has changed, and nothing that somebody is in: a pointer over a chart, a list that is open.
function once(name, data, draw) {
  const key = JSON.stringify(data), place = byId(name);
  const opened = [...place.querySelectorAll("details")].map((one) => one.open);
  if (drawn[name] === key) return;
  drawn[name] = key;
  draw();
  place.querySelectorAll("details").forEach((one, n) => { one.open = opened[n] ?? false; });
}

function choose(id) {
  change({ answer: id }, { push: true });
  open(id, { focus: true });
}

async function open(id, { focus = false } = {}) {
  shownAnswer = id;
  const place = byId("detail");
  if (id === null) {
    fill(place, el("p", { class: "empty" }, "Choose an answer to see what was said, and what the documents say to it."));
    return;
  }
  try {
    const answer = await get(`/api/answers/${encodeURIComponent(id)}`);
    if (shownAnswer !== id) return;
    fill(place, ...detail(answer, page));
  } catch (error) {
    if (shownAnswer !== id) return;
    fill(place, el("p", { class: "notice" }, error.status === 404 ? `This answer is not kept here any more. ${kept()}` : error.message));
  }
  for (const one of byId("list").querySelectorAll("button")) {
    if (one.dataset.id === id) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
  if (focus) {
    place.focus({ preventScroll: true });
    if (place.getBoundingClientRect().top > window.innerHeight * 0.6 || place.getBoundingClientRect().top < 0) place.scrollIntoView({ block: "start" });
  }
}

const kept = () => `Replica ${page.replica.name} keeps ${page.replica.keep_answers} of each list for ${page.replica.keep_hours} h, and nothing over a restart.`;

function about() {
  const replica = page.replica;
  byId("replica").textContent = `replica ${replica.name} \u00b7 up ${seconds(replica.uptime)}`;
  const seen = "Numbers and answers are those of this replica alone; Prometheus has those of all.";
  byId("foot").textContent = `RAG Sidecar ${replica.version}. ${seen} ${kept()} ${replica.texts ? "Texts are redacted." : "Texts are not kept."}`;
}

function notice(text) {
  const place = byId("notice");
  place.hidden = !text;
  if (place.textContent !== text) place.textContent = text;
}

function live(well, error) {
  const place = byId("live");
  place.classList.toggle("off", !well);
  const text = well ? "live" : "not reached";
  if (place.textContent !== text) place.textContent = text;
  if (!well) notice(`The sidecar does not answer (${error.message}); what is shown is old. Asking again.`);
}

whenFiltered((what) => change(what));
window.addEventListener("popstate", () => {
  state = fromAddress();
  refresh();
});
setInterval(() => document.hidden || refresh(), EVERY);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
open(null);
shownAnswer = undefined;
refresh();

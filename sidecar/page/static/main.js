// The status page: state lives in the address, so that every view is a link; numbers are asked for again every few seconds.

import { el, fill, byId, segments } from "./dom.js";
import { get, waits } from "./api.js";
import { moment, seconds } from "./format.js";
import { known, service, services } from "./overview.js";
import { filters, list, session, whenFiltered } from "./list.js";
import { detail } from "./detail.js";

const EVERY = 3000;
const KEYS = ["service", "range", "list", "verdict", "model", "variant", "q", "replica", "session", "answer"];
const LISTS = [{ value: "worst", text: "Worst" }, { value: "latest", text: "Latest" }, { value: "random", text: "Random" }];

let state = fromAddress(), page = null, drawn = {}, turn = 0, shownAnswer = null, current = null;
// What of the address was not understood.
let complaint = "";
// Who comes by a link to answers wants these, and not the numbers above them.
let toAnswers = ["list", "verdict", "session", "answer"].some((key) => state[key] !== null);

function fromAddress() {
  const asked = new URLSearchParams(location.search);
  return Object.fromEntries(KEYS.map((key) => [key, asked.get(key)]));
}

function change(what, { push = false } = {}) {
  complaint = "";
  put(what, push);
  refresh();
}

function put(what, push = false) {
  state = { ...state, ...what };
  const asked = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== null));
  history[push ? "pushState" : "replaceState"](null, "", asked.size ? `/?${asked}` : "/");
}

async function refresh() {
  const mine = ++turn;
  try {
    const next = await get("/api/status", { service: state.service ?? current, range: state.range });
    current = next.service?.name ?? null;
    const { service: named, list: listed, verdict, model, variant, q, replica, session: turns } = state;
    const of = named ?? (turns === null ? current : null);
    const found = await get("/api/answers", { service: of, list: listed ?? "worst", range: state.range, verdict, model, variant, q, replica, session: turns });
    if (mine !== turn) return;
    page = next;
    show(found);
    live(true);
  } catch (error) {
    const field = error.status === 400 ? error.message.split(":")[0] : "";
    if (KEYS.includes(field) && state[field] !== null) {
      complaint = `In the address, ${error.message}. Shown is the page without it.`;
      put({ [field]: null });
      refresh();
    } else if (mine === turn) live(false, error);
  }
}

function show(found) {
  const chosen = page.service?.name ?? null, now = Date.now() / 1000;
  notice([complaint, unknown(chosen), unread()].filter((one) => one).join(" "));
  segments(byId("ranges"), page.ranges.map((one) => ({ value: one.name, text: one.title })), page.range, (range) => change({ range }));
  segments(byId("lists"), LISTS, state.list ?? "worst", (name) => change({ list: name }));
  once("services", [page.services, chosen], () => services(page, chosen, (name) => change({ service: name, model: null, variant: null })));
  once("service", [page.service, page.sidecar], () => service(page));
  byId("answers").hidden = page.service === null && state.answer === null;
  filters(page, state);
  session(found, state, () => change({ session: null, answer: null }));
  list(found, state, now, (id) => choose(id), page, change);
  about();
  if (state.answer !== shownAnswer) open(state.answer);
  // Where there are none, what is said above of why is wanted.
  if (toAnswers && found.found > 0) byId("answers").scrollIntoView({ block: "start" });
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

// Of a service that is asked for and not known here.
function unknown(chosen) {
  if (state.service === null || state.service === chosen) return "";
  const other = chosen === null ? "" : ` The numbers below are those of ${chosen}.`;
  return `No answer of ${state.service} is known here; this page knows what was scored ${known(page.replica)}.${other}`;
}

// What is wrong with reading what other replicas wrote.
function unread() {
  const reading = page.replica.reading;
  if (reading === null) return "";
  if (reading.problem !== null) return `Results of other replicas are not read since ${moment(reading.problem_since)}: ${reading.problem}. Shown is what this replica knows.`;
  return reading.caught_up ? "" : "Still reading back what is in the results topic: numbers and answers are coming in.";
}

function kept() {
  const { name, keep_answers, keep_hours, reading } = page.replica;
  const after = reading === null ? "and nothing over a restart" : "and after a restart what the results topic has of them, without texts";
  return `Replica ${name} keeps ${keep_answers} of each list for ${keep_hours} h, ${after}.`;
}

function wrote({ writers, there, topic }) {
  if (!writers.length) return `all that wrote to ${topic}, where there is none yet`;
  return `${writers.length === 1 ? "another one that wrote" : `${writers.length} others that wrote`} to ${topic}, ${there} of them in the last hour`;
}

function about() {
  const replica = page.replica, reading = replica.reading;
  const others = reading === null || reading.there === 0 ? "" : ` \u00b7 with ${reading.there === 1 ? "1 other" : `${reading.there} others`}`;
  byId("replica").textContent = `replica ${replica.name}${others} \u00b7 up ${seconds(replica.uptime)}`;
  byId("replica").title = reading === null ? "" : reading.writers.map((one) => `${one.name}: ${one.results} results, the last ${moment(one.last)}`).join("\n");
  const seen = reading === null ? "Numbers and answers are those of this replica alone; Prometheus has those of all."
    : `Estimates, scores and answers are those of this replica and of ${wrote(reading)}; requests, latency and cost are of this one alone, and Prometheus has those of all.`;
  const texts = !replica.texts ? "Texts are not kept." : replica.redacted ? "Texts are redacted." : "Texts are not redacted: redact.enabled is off.";
  byId("foot").textContent = `RAG Sidecar ${replica.version}. ${seen} ${kept()} ${texts}`;
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
  complaint = "";
  refresh();
});
setInterval(() => document.hidden || waits() || refresh(), EVERY);
document.addEventListener("visibilitychange", () => document.hidden || waits() || refresh());
open(null);
shownAnswer = undefined;
refresh();

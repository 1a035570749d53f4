// An answer with its claims marked, and the documents with the evidence of each. Places are counted in characters, as Python counts them.

import { el, hidden } from "./dom.js";
import { percent, score } from "./format.js";

export const SAID = {
  supported: { sign: "\u2713", text: "supported" },
  contradicted: { sign: "\u2717", text: "contradicted" },
  not_said: { sign: "?", text: "not said" },
  unsupported: { sign: "?", text: "not supported" },
  asked: { sign: "", text: "claim" },
};

// Both, tied together: who points at a claim, or comes to it by keyboard, sees its evidence.
export function read(answer) {
  const links = new Links();
  return { answer: marked(answer, links), list: listed(answer, links), documents: shown(answer, links) };
}

class Links {
  constructor() {
    this.claims = new Map();
    this.evidence = new Map();
    this.pinned = null;
  }

  tie(map, number, element) {
    map.set(number, [...(map.get(number) ?? []), element]);
    return element;
  }

  claim(number, element) {
    element.addEventListener("pointerenter", () => this.show(number));
    element.addEventListener("pointerleave", () => this.show(this.pinned));
    element.addEventListener("focus", () => this.show(number, true));
    element.addEventListener("blur", () => this.show(this.pinned));
    element.addEventListener("click", () => this.pin(number));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.pin(number);
    });
    return this.tie(this.claims, number, element);
  }

  pin(number) {
    this.pinned = this.pinned === number ? null : number;
    for (const [own, elements] of this.claims) for (const one of elements) if (one.hasAttribute("aria-pressed")) one.setAttribute("aria-pressed", String(own === this.pinned));
    this.show(this.pinned, true);
  }

  show(number, scroll = false) {
    for (const map of [this.claims, this.evidence])
      for (const elements of map.values()) for (const one of elements) one.classList.remove("on");
    for (const map of [this.claims, this.evidence]) for (const one of map.get(number) ?? []) one.classList.add("on");
    const first = (this.evidence.get(number) ?? [])[0];
    // Within its own box alone: a page that jumps while one reads is of no use.
    const box = first?.closest(".document-text");
    if (box) box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - 24;
    if (scroll && first && box.getBoundingClientRect().bottom < 0) box.scrollIntoView({ block: "nearest" });
  }
}

// Cuts a text at places: [{start, end, number}] may overlap; each piece comes with the numbers that hold it.
function pieces(text, places) {
  const letters = Array.from(text);
  const fit = places.filter((one) => one.start < one.end && one.start < letters.length);
  const cuts = [...new Set([0, letters.length, ...fit.flatMap((one) => [one.start, Math.min(one.end, letters.length)])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, n) => ({
    text: letters.slice(start, cuts[n + 1]).join(""),
    numbers: fit.filter((one) => one.start <= start && one.end >= cuts[n + 1]).map((one) => one.number),
  }));
}

// What is longer than a page keeps.
export function rest(number, of = "characters") {
  return number > 0 ? el("span", { class: "muted small rest" }, ` \u2026 ${number.toLocaleString("en")} more ${number === 1 ? of.slice(0, -1) : of} not kept on this page`) : null;
}

function marked(answer, links) {
  if (answer.answer === null) return el("p", { class: "empty" }, answer.texts_why);
  const places = [];
  let end = 0;
  for (const { one, number } of answer.claims.map((one, number) => ({ one, number })).sort((a, b) => (a.one.start ?? 0) - (b.one.start ?? 0))) {
    if (one.start === null || one.start === undefined || one.start < end) continue;
    places.push({ start: one.start, end: one.end, number });
    end = one.end;
  }
  return el("p", { class: "answer-text" }, ...pieces(answer.answer, places).map((piece) => {
    if (!piece.numbers.length) return piece.text;
    const number = piece.numbers[0], claim = answer.claims[number], said = SAID[claim.said ?? "asked"];
    return links.claim(number, el("span", { class: `claim ${claim.said ?? "asked"}`, tabindex: 0, role: "button", "aria-pressed": "false" },
      piece.text, hidden(` (claim ${number + 1}: ${said.text})`), el("sup", { "aria-hidden": "true" }, said.sign || String(number + 1))));
  }), rest(answer.cut?.answer ?? 0));
}

function listed(answer, links) {
  if (!answer.claims.length) return null;
  return el("ol", { class: "claims" }, ...answer.claims.map((one, number) => {
    const said = SAID[one.said ?? "asked"];
    const conflicts = (one.conflicts ?? []).length ? el("span", { class: "muted small" }, " A value or a word differs from the documents.") : null;
    return links.claim(number, el("li", { class: one.said ?? "asked", tabindex: one.start === null || answer.answer === null ? 0 : null },
      one.said ? el("span", { class: `verdict ${one.said}` }, `${said.sign} ${said.text}`) : null,
      el("span", { class: "claim-text" }, one.text ?? `claim ${number + 1} (its text is not kept)`), conflicts,
      one.said ? el("span", { class: "number muted" }, score(one.support), hidden(" support")) : null));
  }));
}

function shown(answer, links) {
  if (!answer.documents.length) return el("p", { class: "empty" }, "No documents.");
  return el("div", { class: "documents" }, ...answer.documents.map((one, index) => {
    const places = answer.claims.flatMap((claim, number) => {
      const own = claim.evidence && claim.evidence.document === index ? [{ start: claim.evidence.start, end: claim.evidence.end, number }] : [];
      return [...own, ...(claim.conflicts ?? []).filter((each) => each.document === index).map((each) => ({ start: each.from, end: each.to, number }))];
    });
    return el("section", { class: "document", "aria-label": `Document ${one.rank}` },
      el("header", {}, el("span", { class: "rank" }, `#${one.rank}`), el("code", {}, one.id ?? ""), relevance(one)),
      one.text === null ? el("p", { class: "empty" }, "Its text is not kept here.")
        : el("div", { class: "document-text", tabindex: 0, role: "region", "aria-label": `Text of document ${one.rank}` }, ...pieces(one.text, places).map((piece) => {
            if (!piece.numbers.length) return piece.text;
            const mark = el("mark", {}, hidden(`(evidence of claim ${piece.numbers.map((n) => n + 1).join(", ")}) `), piece.text);
            for (const number of piece.numbers) links.tie(links.evidence, number, mark);
            return mark;
          }), rest(answer.cut?.texts[index] ?? 0)));
  }), (answer.cut?.documents ?? 0) > 0 ? el("p", {}, rest(answer.cut.documents, "documents")) : null);
}

function relevance(one) {
  if (one.score === null || one.score === undefined) return null;
  return el("span", { class: `relevance ${one.relevant ? "supported" : "not_said"}` }, `${one.relevant ? "\u2713 relevant" : "\u2717 not relevant"} ${percent(one.score, 0)}`);
}

// One answer with everything that is known of it.

import { el } from "./dom.js";
import { dollars, score, seconds, time, words } from "./format.js";
import { read, rest } from "./claims.js";
import { verdict } from "./list.js";
import { marks } from "./mark.js";

export function detail(answer, page) {
  const why = whyNot(answer, page.replica);
  const parts = read({ ...answer, texts_why: why });
  return [
    el("header", { class: "detail-head" }, verdict(answer), el("span", { class: "muted" }, [answer.service, answer.model, answer.variant].filter((one) => one !== null).join(" \u00b7 ")),
      el("time", { class: "muted", datetime: answer.timestamp }, time(answer.timestamp))),
    el("p", { class: "ids" }, el("span", { class: "muted" }, "trace "), answer.trace_url === null ? el("code", {}, answer.trace_id) : el("a", { href: answer.trace_url, rel: "noreferrer noopener", target: "_blank" }, el("code", {}, answer.trace_id), " \u2197"),
      el("span", { class: "muted" }, "result "), el("a", { href: `/?answer=${encodeURIComponent(answer.id)}`, title: "Permalink" }, el("code", {}, answer.id))),
    answer.session === null ? null : el("p", { class: "ids" }, el("span", { class: "muted" }, "session "), el("a", { href: `/?${new URLSearchParams({ session: answer.session, answer: answer.id })}`, title: "All turns of this session that are kept" }, el("code", {}, answer.session))),
    answer.replica === null ? null : el("p", { class: "muted small" }, `Scored by replica ${answer.replica}; read from the results topic.`),
    answer.reason === null ? null : el("p", { class: "notice" }, `${words(answer.outcome)}: ${words(answer.reason)}`),
    ...(answer.question === null && answer.answer === null ? [el("p", { class: "empty" }, why)] : [
      el("h3", {}, "Question"), el("p", { class: "question" }, answer.question ?? why, rest(answer.cut?.question ?? 0)),
      el("h3", {}, "Answer", legend(answer)), parts.answer]),
    parts.list === null ? null : el("details", { open: answer.answer === null }, el("summary", {}, answer.claims.length === 1 ? "1 claim and its support" : `${answer.claims.length} claims and their support`), parts.list),
    el("h3", {}, "Documents"), parts.documents,
    el("h3", {}, "Evaluations"), evaluations(answer),
    numbers(answer),
    page.replica.labels && answer.answer !== null ? marks(answer, { picked: true }) : null,
  ].filter((one) => one !== null);
}

function whyNot(answer, replica) {
  if (answer.replica !== null) return `The results topic has no questions, answers and documents: replica ${answer.replica} may show them.`;
  return replica.texts ? "The text of this answer is not kept." : "Texts are not kept: status_page.show_text switches them on.";
}

function legend(answer) {
  if (!answer.claims.length || answer.answer === null) return null;
  return el("span", { class: "legend muted small", "aria-hidden": "true" }, ["supported", "contradicted", "not_said"].map((name) => el("span", { class: `claim ${name}` }, words(name), el("sup", {}, { supported: "\u2713", contradicted: "\u2717", not_said: "?" }[name]))));
}

function evaluations(answer) {
  const rows = answer.evaluations.map((one) => el("tr", {},
    el("th", { scope: "row" }, words(one.evaluator), one.judged ? el("span", { class: "muted" }, " by the judge") : null),
    el("td", {}, one.score === null ? el("span", { class: "muted" }, `${words(one.outcome)}: ${words(one.reason ?? "")}`) : [el("meter", { min: 0, max: 1, value: one.score, "aria-label": words(one.evaluator) }), score(one.score)]),
    el("td", { class: "muted" }, one.label === null ? "" : words(one.label)),
    el("td", { class: "muted" }, one.threshold === null ? "" : `from ${score(one.threshold)}`),
    el("td", { class: "muted" }, one.model === null ? "" : `${one.model.name} ${one.model.version}`)));
  const told = answer.evaluations.filter((one) => one.explanation).map((one) => el("p", { class: "small" }, el("b", {}, `${words(one.evaluator)}: `), one.explanation));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Evaluations" }, el("table", {}, el("thead", {}, el("tr", {}, ...["evaluator", "score", "says", "threshold", "model"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows)), ...told);
}

function numbers(answer) {
  const facts = [
    ...Object.entries(answer.durations).filter(([, value]) => value !== null).map(([name, value]) => `${words(name)} ${seconds(value)}`),
    ...Object.entries(answer.tokens).filter(([, value]) => value !== null).map(([name, value]) => `${value} ${words(name)} tokens`),
    answer.cost_usd === null ? null : dollars(answer.cost_usd),
    answer.inclusion_probability < 1 ? `stands for ${(1 / answer.inclusion_probability).toFixed(1)} requests` : null,
    answer.redacted && Object.keys(answer.redacted).length ? `redacted: ${Object.entries(answer.redacted).map(([name, n]) => `${n} ${words(name)}`).join(", ")}` : null,
  ].filter((one) => one !== null);
  return el("p", { class: "muted small" }, facts.join(" \u00b7 "));
}

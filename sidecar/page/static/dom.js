// Elements are made here alone. Whatever is text goes in as a text node: nothing that a user or a model wrote is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

// el("a", {href: "...", class: "..."}, "text", otherElement): null and false children and attributes are left out.
export function el(name, attributes = {}, ...children) {
  return made(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, name), attributes, children);
}

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

// Puts children in place of those that are there.
export function fill(place, ...children) {
  place.replaceChildren(...children.flat().filter((one) => one !== null && one !== undefined && one !== false));
}

export const byId = (id) => document.getElementById(id);

export function hidden(text) {
  return el("span", { class: "for-readers" }, text);
}

// A choice of one of several: [{value, text}], pressed is the chosen value.
export function segments(place, choices, chosen, choose) {
  const key = JSON.stringify([choices, chosen]);
  if (place.dataset.key === key) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.value : null;
  place.dataset.key = key;
  place.replaceChildren(
    ...choices.map(({ value, text }) =>
      el("button", { type: "button", "data-value": value, "aria-pressed": String(value === chosen), onclick: () => choose(value) }, text)),
  );
  if (focused !== null) [...place.children].find((one) => one.dataset.value === focused)?.focus();
}

// Options of a select: the chosen one stays in the list, even where it is not known (any more); none is what an empty value is called.
export function options(select, values, chosen, all, none = "(none)") {
  const wanted = [...new Set([...values, ...(chosen === null ? [] : [chosen])])];
  const key = JSON.stringify([wanted, chosen]);
  if (select.dataset.key === key || select === document.activeElement) return;
  select.dataset.key = key;
  select.replaceChildren(
    el("option", { value: "\u0000" }, all),
    ...wanted.map((value) => el("option", { value, selected: value === chosen }, value === "" ? none : value)),
  );
}

export const chosenOf = (select) => (select.value === "\u0000" ? null : select.value);

// Numbers and times as people read them.

export const percent = (share, digits = 1) => (share === null || share === undefined ? "\u2013" : `${(100 * share).toFixed(digits)}\u2009%`);

export function count(number) {
  if (number === null || number === undefined) return "\u2013";
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  if (number >= 1e4) return `${(number / 1e3).toFixed(1)} k`;
  return String(Math.round(number));
}

export function seconds(value) {
  if (value === null || value === undefined) return "\u2013";
  if (value < 1) return `${Math.round(1000 * value)} ms`;
  if (value < 120) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
  if (value < 7200) return `${Math.round(value / 60)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

export function dollars(value) {
  if (value === null || value === undefined) return "\u2013";
  return `$${value >= 1 ? value.toFixed(2) : value.toPrecision(2)}`;
}

export const score = (value) => (value === null || value === undefined ? "\u2013" : value.toFixed(2));

export function time(at) {
  return at === null ? "" : new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

// A moment in seconds since the epoch: the time of day, with the day where that is not today.
export function moment(at) {
  const date = new Date(1000 * at), today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { ...(today ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

export function ago(at, now) {
  const passed = Math.max(0, now - at);
  return passed < 5 ? "just now" : `${seconds(passed)} ago`;
}

export const words = (name) => name.replaceAll("_", " ");

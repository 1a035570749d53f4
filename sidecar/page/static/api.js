// Calls of the API under /api/. A password is asked for by the browser itself; a token by this page, and kept until the tab is closed.

import { el } from "./dom.js";

const KEY = "rag-sidecar-token";

export class Failed extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function get(path, parameters = {}) {
  const asked = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
  return call(`${path}${asked.size ? `?${asked}` : ""}`, {});
}

export function post(path, body) {
  const headers = { "content-type": "application/json", "x-rag-sidecar": "1" };
  return call(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function call(path, options) {
  const token = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  // Against the origin, since the address of the page may hold a login, which fetch refuses.
  const response = await fetch(new URL(path, location.origin), { ...options, headers });
  if (response.status === 401 && (response.headers.get("www-authenticate") ?? "").startsWith("Bearer")) {
    // Somebody may have given another one meanwhile.
    if (sessionStorage.getItem(KEY) === token) await askForToken(token !== null);
    return call(path, options);
  }
  const json = (response.headers.get("content-type") ?? "").startsWith("application/json");
  if (!response.ok) throw new Failed(response.status, json ? (await response.json()).error : (await response.text()).trim());
  return response.json();
}

let asking = null;

// Whether the page waits for a token: nothing else is asked meanwhile.
export const waits = () => asking !== null;

function askForToken(refused) {
  asking ??= new Promise((done) => {
    const input = el("input", { type: "password", id: "token", required: true, autocomplete: "off" });
    const form = el("form", { method: "dialog" }, el("label", { for: "token" }, "Token of the admin port"), input,
      refused ? el("p", { class: "notice", role: "alert" }, "That token was not accepted.") : null, el("button", {}, "Go on"));
    const dialog = el("dialog", { "aria-label": "Token" }, form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEY, input.value);
      dialog.close();
      dialog.remove();
      asking = null;
      done();
    });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}

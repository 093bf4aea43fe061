// Calls to the server. Every outcome is a value: nothing here throws.

const PATIENCE = 15000;

// `state` is "ok", "refused" (the server says no), "out" (signed out) or "away" (no answer worth trusting).
export async function call(path, { body, rater, keep = false } = {}) {
  const options = { headers: { Accept: "application/json" }, cache: "no-store", redirect: "error", keepalive: keep };
  if (typeof AbortSignal.timeout === "function") {
    options.signal = AbortSignal.timeout(PATIENCE);
  }
  if (rater !== undefined) {
    // The cookie says who asks. Somebody may have opened another rater's link in this browser since.
    options.headers["Desk-Rater"] = encodeURIComponent(rater);
  }
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(path, options);
    return { status: response.status, ...outcome(response.status, await content(response)) };
  } catch {
    return { status: 0, state: "away" };
  }
}

async function content(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function outcome(status, data) {
  if (status === 401) {
    return { state: "out" };
  }
  if (status === 429 || status >= 500) {
    return { state: "away" };
  }
  if (status >= 400) {
    return { state: "refused", error: String(data?.error ?? `The server refused this (${status}).`) };
  }
  return { state: "ok", data };
}

// The token is in the part of the address that no request carries. It leaves the address bar at once.
export function takeToken() {
  const found = /^#t=(.+)$/.exec(location.hash);
  if (!found) {
    return null;
  }
  history.replaceState(null, "", location.pathname);
  return found[1];
}

const PAGES = { rater: "/", owner: "/live" };

// Return null when the browser goes on to the page of the token's role, else the sentence to show.
export async function enter(token) {
  const reply = await call("/enter", { body: { token } });
  if (reply.state === "ok") {
    location.replace(PAGES[reply.data?.role] ?? location.pathname);
    return null;
  }
  if (reply.status === 429 || reply.state === "refused" || reply.state === "out") {
    return "This link is not valid any more: ask the owner for a new one.";
  }
  return "The server does not answer.";
}

// What is asked of the server.  The token came behind the address's #, is kept for
// reloads of this tab, and goes into a header that other sites' pages cannot send.

const KEPT = "eatext-review-token";
if (location.hash.length > 1) {
  sessionStorage.setItem(KEPT, location.hash.slice(1));
  history.replaceState(null, "", "/");
}
const token = sessionStorage.getItem(KEPT) ?? "";

async function ask(path, options = {}) {
  const headers = { "X-Review-Token": token, ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `status ${answer.status}`);
  return found;
}

export function get(path, asked = {}) {
  return ask(`${path}?${new URLSearchParams(asked)}`);
}

export function post(path, asked) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(asked) });
}

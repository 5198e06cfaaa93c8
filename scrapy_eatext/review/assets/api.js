// Requests to the server.  The token came behind the address's #, is stored for reloads
// and other tabs, and goes into a header that other sites' pages cannot send.

const STORED = "eatext-review-token";
const [given, page] = location.hash.slice(1).split("page=");
if (given) {
  localStorage.setItem(STORED, given.replace(/&$/, ""));
  history.replaceState(null, "", page === undefined ? "/" : `/#page=${page}`);
}
const token = localStorage.getItem(STORED) ?? "";

async function request(path, options = {}) {
  const headers = { "X-Review-Token": token, ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `status ${answer.status}`);
  return found;
}

export function get(path, query = {}) {
  return request(`${path}?${new URLSearchParams(query)}`);
}

export function post(path, question) {
  const headers = { "Content-Type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(question) });
}

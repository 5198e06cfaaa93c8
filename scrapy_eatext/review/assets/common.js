// What every view needs: elements, and requests to the server.

export const $ = (id) => document.getElementById(id);

// A new element of a class, with texts and elements in it.
export function made(tag, name = "", ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content);
  return element;
}

// A new element that the style sheet fills to a share, from 0 to 1.
export function bar(tag, name, share) {
  const element = made(tag, name);
  element.style.setProperty("--part", `${Math.round(1000 * share) / 10}%`);
  return element;
}

// A name whose middle is left out if the room is too small.
export function cut(name) {
  const end = Math.max(name.length - Math.min(16, name.length >> 1), 0);
  return [made("span", "begin", name.slice(0, end)), made("span", "end", name.slice(end))];
}

// A number with commas.
export const grouped = (number) => number.toLocaleString("en");

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

// The text of the shown choice, and beside it another, with the lines of only one marked.

import { $, grouped, made } from "/common.js";

const MOST_LINES = 4000;
// The browser lays out stretches of so many characters when they come into view.
const STRETCH = 8000;

export function showTexts(left, right, names) {
  const both = right !== null;
  $("text-right").classList.toggle("hidden", !both);
  $("text-head").textContent = both ? `${names[0]} | ${names[1]}` : names[0];
  $("text-count").textContent = `${grouped(left.split(/\s+/).filter(Boolean).length)} words`;
  if (both) $("text-right").replaceChildren(...marked(right, left));
  $("text-left").replaceChildren(...(both ? marked(left, right) : stretches(left)));
}

// The lines of a text; those that the other lacks are marked.
function marked(text, other) {
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) return stretches(text);
  const left = new Map();
  for (const line of other.split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.map((line) => {
    const known = left.get(line) ?? 0;
    if (known) left.set(line, known - 1);
    return made("span", !known && line.trim() ? "own" : "", `${line}\n`);
  });
}

// A text in elements of some STRETCH characters, each of whole lines.
function* stretches(text) {
  for (let at = 0; at < text.length;) {
    const line = text.indexOf("\n", at + STRETCH);
    const end = line < 0 ? text.length : line + 1;
    yield made("div", "", text.slice(at, end));
    at = end;
  }
}

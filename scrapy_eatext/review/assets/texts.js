// The text that comes out, and beside it another, with what only one of them has.

import { $, grouped, made } from "/dom.js";

const MOST_LINES = 4000;
// Text is laid out in stretches of so many characters, when they come into view.
const STRETCH = 8000;

export function showTexts(left, right, names) {
  const both = right !== null;
  $("text-right").classList.toggle("hidden", !both);
  $("text-head").textContent = both ? `${names[0]} | ${names[1]}` : names[0];
  $("text-count").textContent = `${grouped(left.split(/\s+/).filter(Boolean).length)} words`;
  if (both) $("text-right").replaceChildren(...marked(right, left));
  $("text-left").replaceChildren(...(both ? marked(left, right) : stretches(left)));
}

// The lines of a text; those that the other has not are marked.
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

// A text in elements that end with its lines.
function* stretches(text) {
  for (let at = 0; at < text.length;) {
    const line = text.indexOf("\n", at + STRETCH);
    const end = line < 0 ? text.length : line + 1;
    yield made("div", "", text.slice(at, end));
    at = end;
  }
}

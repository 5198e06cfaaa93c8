// The text that comes out, and beside it another, with what only one of them has.

const $ = (id) => document.getElementById(id);
const MOST_LINES = 4000;
// Text is laid out in stretches of so many characters, when they come into view.
const STRETCH = 8000;

export function showTexts(left, right, names) {
  const both = right !== null;
  $("text-right").classList.toggle("hidden", !both);
  $("text-head").textContent = both ? `${names[0]} | ${names[1]}` : names[0];
  const words = left.split(/\s+/).filter(Boolean).length;
  $("text-count").textContent = `${words.toLocaleString("en")} words`;
  if (!both) {
    $("text-left").replaceChildren(...stretches(left));
    return;
  }
  write($("text-left"), left, right);
  write($("text-right"), right, left);
}

// The lines of a text; those that the other has not are marked.
function write(place, text, other) {
  const lines = text.split("\n");
  const left = new Map();
  for (const line of other.split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
  if (lines.length > MOST_LINES) {
    place.replaceChildren(...stretches(text));
    return;
  }
  place.replaceChildren(...lines.map((line) => {
    const shown = document.createElement("span");
    shown.textContent = `${line}\n`;
    const known = left.get(line) ?? 0;
    if (known) left.set(line, known - 1);
    else if (line.trim()) shown.className = "own";
    return shown;
  }));
}

// A text in elements that end with its lines.
function* stretches(text) {
  for (let at = 0; at < text.length;) {
    const line = text.indexOf("\n", at + STRETCH);
    const end = line < 0 ? text.length : line + 1;
    const stretch = document.createElement("div");
    stretch.textContent = text.slice(at, end);
    yield stretch;
    at = end;
  }
}

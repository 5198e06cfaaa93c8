// Helpers of every view.

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

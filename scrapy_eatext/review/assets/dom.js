// What every view does with the document.

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

// A number with commas.
export const grouped = (number) => number.toLocaleString("en");

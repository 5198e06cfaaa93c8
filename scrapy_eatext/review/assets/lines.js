// The page as the line systems saw it: lines, the density of their text, their labels.

import { post } from "/api.js";

const $ = (id) => document.getElementById(id);
const SAID = { m: "main", c: "comment", "-": "" };

export async function showLines(page, labels) {
  const asked = { id: page.id, labels };
  let found;
  try {
    found = await post("/api/lines", asked);
  } catch (error) {
    $("lines").textContent = "";
    $("lines-head").textContent = error.message;
    return;
  }
  const { texts, density, bytes, kept } = found;
  $("lines-head").textContent = `${page.title || page.name}: ${texts.length.toLocaleString("en")}`
    + " lines as they were rendered; the bar is the share of a line's bytes that are text";
  const head = line("head", "line", null, "bytes", "label", "text (● kept by the perceptron)");
  $("lines").replaceChildren(head, ...texts.map((text, i) => line(
    found.labels[i], i + 1, density[i], bytes[i], SAID[found.labels[i]],
    `${kept[i] === "1" ? "● " : "  "}${text}`,
  )));
}

function line(sign, number, density, bytes, says, words) {
  const row = document.createElement("div");
  row.className = `text-line ${sign}`;
  const cells = [["number", number], ["density", density === null ? "density" : ""],
    ["number", bytes], ["says", says], ["words", words]];
  for (const [name, value] of cells) {
    const cell = document.createElement("span");
    cell.className = name === "density" && density === null ? "says" : name;
    cell.textContent = value;
    if (name === "density" && density !== null) {
      cell.style.setProperty("--part", `${100 * density}%`);
      cell.title = density.toFixed(3);
    }
    row.append(cell);
  }
  return row;
}

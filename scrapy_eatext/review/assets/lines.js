// The lines that the perceptron reads, with their text density and labels.

import { $, bar, grouped, made, post } from "/common.js";

const NAMES = { m: "main", c: "comment", "-": "" };

export async function showLines(page, labels) {
  let found;
  try {
    found = await post("/api/lines", { id: page.id, labels });
  } catch (error) {
    $("lines").textContent = "";
    $("lines-head").textContent = error.message;
    return;
  }
  $("lines-head").textContent = `${page.title || page.name}: ${grouped(found.texts.length)}`
    + " lines as they were rendered; the bar is the share of a line's bytes that are text";
  $("lines").replaceChildren(
    line("head", "line", made("span", "word", "density"), "bytes", "label",
      "text (● kept by the perceptron)"),
    ...found.texts.map((text, i) => {
      const density = bar("span", "density", found.density[i]);
      density.title = found.density[i].toFixed(3);
      return line(found.labels[i], i + 1, density, found.bytes[i], NAMES[found.labels[i]],
        `${found.kept[i] === "1" ? "● " : "  "}${text}`);
    }),
  );
}

function line(sign, number, density, bytes, label, text) {
  return made("div", `text-line ${sign}`, made("span", "number", number), density,
    made("span", "number", bytes), made("span", "word", label), made("span", "words", text));
}

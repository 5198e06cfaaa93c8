// The crawl: its hosts with their scores, how much of their text is kept, their kinds,
// and what can be learned of each.

import { post } from "/api.js";

const $ = (id) => document.getElementById(id);
const BINS = 10;

export function showCrawl(rows, acts) {
  const known = rows.filter((row) => row.score !== null);
  $("crawl-head").textContent = `${rows.length.toLocaleString("en")} pages, `
    + `${known.length.toLocaleString("en")} scored, ${count(rows, (r) => r.host).size} hosts`;
  $("kinds").replaceChildren(...[...count(known, (r) => r.error ? "error" : r.kind || "unknown")]
    .map(([kind, many]) => tagged("span", "tag", `${kind} ${many.toLocaleString("en")}`)));
  const hosts = [...Map.groupBy(rows, (row) => row.host)];
  hosts.sort((a, b) => mean(a[1]) - mean(b[1]) || (a[0] < b[0] ? -1 : 1));
  const head = document.createElement("tr");
  for (const name of ["host", "pages", "accepted", "mean score", "scores 0 to 1", "text kept", "kinds", ""]) {
    head.append(tagged("th", "", name));
  }
  $("hosts").replaceChildren(head, ...hosts.map(([host, own]) => hostRow(host, own, acts)));
}

function hostRow(host, rows, acts) {
  const row = document.createElement("tr");
  const name = tagged("button", "link", host || "(no address)");
  name.addEventListener("click", () => acts.filter(host));
  const scored = rows.filter((r) => r.score !== null);
  const bins = Array(BINS).fill(0);
  for (const { score } of scored) bins[Math.min(BINS - 1, Math.floor(score * BINS))] += 1;
  const histogram = tagged("span", "histogram", "");
  histogram.title = bins.map((many, i) => `${i / BINS}–${(i + 1) / BINS}: ${many}`).join("\n");
  for (const many of bins) histogram.append(part("i", many / Math.max(1, ...bins)));
  const share = scored.length ? scored.reduce((sum, r) => sum + r.share, 0) / scored.length : 0;
  const kept = part("span", share, "meter");
  const teach = tagged("button", "", "Teach");
  teach.title = `Learn from the labelled pages of ${host}`;
  teach.disabled = !host || !rows.some((r) => r.state === "accepted" || r.state === "draft");
  teach.addEventListener("click", () => teachHost(host, acts, false));
  const accepted = rows.filter((r) => r.state === "accepted").length;
  const kinds = [...count(scored, (r) => r.error ? "error" : r.kind || "unknown")]
    .map(([kind, many]) => `${kind} ${many}`).join(", ");
  for (const [cell, content] of [["", name], ["number", rows.length], ["number", accepted],
    ["number", scored.length ? mean(rows).toFixed(2) : "…"], ["", histogram],
    ["", [kept, `${Math.round(100 * share)} %`]], ["kinds", kinds], ["", teach]]) {
    const made = tagged("td", cell, "");
    made.append(...(Array.isArray(content) ? content : [content]));
    row.append(made);
  }
  return row;
}

export async function teachHost(host, acts, write) {
  const place = $("taught");
  place.replaceChildren(tagged("p", "", `Learning from the labelled pages of ${host} …`));
  let found;
  try {
    found = await post("/api/teach", { host, write });
  } catch (error) {
    place.replaceChildren(tagged("p", "lost", error.message));
    return;
  }
  const said = [tagged("h2", "", `What ${host} teaches`), tagged("p", "", found.told)];
  if (found.written) said.push(tagged("p", "gained", `Written: ${found.written}`));
  else if (found.helps) {
    const button = tagged("button", "strong", "Write the site file");
    button.addEventListener("click", () => teachHost(host, acts, true));
    said.push(button);
  }
  const table = document.createElement("table");
  for (const { id, name, gained, lost } of found.changes) {
    const row = document.createElement("tr");
    const open = tagged("button", "link", name);
    open.addEventListener("click", () => acts.open(id));
    for (const content of [open, tagged("span", "gained", `+${gained} words`),
      tagged("span", "lost", `−${lost} words`)]) {
      const cell = document.createElement("td");
      cell.append(content);
      row.append(cell);
    }
    table.append(row);
  }
  said.push(tagged("p", "", `Other pages: ${found.changes.length} of ${found.looked} would change.`), table);
  place.replaceChildren(...said);
  place.scrollIntoView({ block: "nearest" });
  place.querySelector("button")?.focus({ preventScroll: true });
}

function mean(rows) {
  const scores = rows.filter((r) => r.score !== null).map((r) => r.score);
  return scores.length ? scores.reduce((a, b) => a + b, 0) / scores.length : 2;
}

function count(rows, of) {
  const counts = new Map();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return new Map([...counts].sort((a, b) => b[1] - a[1]));
}

function tagged(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.textContent = text;
  return element;
}

function part(tag, share, name = "") {
  const element = tagged(tag, name, "");
  element.style.setProperty("--part", `${Math.round(1000 * share) / 10}%`);
  return element;
}

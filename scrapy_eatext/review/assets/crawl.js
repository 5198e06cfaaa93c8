// The crawl: its hosts with their scores, share of text kept and kinds of pages, and the
// teaching of each.

import { $, bar, grouped, made, post } from "/common.js";

const BINS = 10;
const COLUMNS = [
  "host", "pages", "accepted", "mean score", "scores 0 to 1", "text kept", "kinds", "",
];

export function showCrawl(rows, acts) {
  const scored = rows.filter((row) => row.score !== null);
  $("crawl-head").textContent = `${grouped(rows.length)} pages, ${grouped(scored.length)} scored, `
    + `${counts(rows, (row) => row.host).length} hosts`;
  $("kinds").replaceChildren(...counts(scored, kindOf)
    .map(([kind, many]) => made("span", "tag", `${kind} ${grouped(many)}`)));
  const hosts = [...Map.groupBy(rows, (row) => row.host)];
  hosts.sort((a, b) => (score(a[1]) ?? 2) - (score(b[1]) ?? 2) || (a[0] < b[0] ? -1 : 1));
  $("hosts").replaceChildren(made("tr", "", ...COLUMNS.map((name) => made("th", "", name))),
    ...hosts.map(([host, own]) => hostRow(host, own, acts)));
}

function hostRow(host, rows, acts) {
  const scored = rows.filter((row) => row.score !== null);
  const name = button("link", host || "(no address)", () => acts.filter(host));
  const bins = Array(BINS).fill(0);
  for (const row of scored) bins[Math.min(BINS - 1, Math.floor(row.score * BINS))] += 1;
  const histogram = made("span", "histogram",
    ...bins.map((many) => bar("i", "", many / Math.max(1, ...bins))));
  histogram.title = bins.map((many, i) => `${i / BINS}–${(i + 1) / BINS}: ${many}`).join("\n");
  const share = mean(scored.map((row) => row.share)) ?? 0;
  const teach = button("", "Teach", () => teachHost(host, acts, false));
  teach.title = `Learn from the labelled pages of ${host}`;
  teach.disabled = !host || !rows.some((row) => row.state === "accepted" || row.state === "draft");
  return made("tr", "",
    made("td", "", name),
    made("td", "number", rows.length),
    made("td", "number", rows.filter((row) => row.state === "accepted").length),
    made("td", "number", score(rows)?.toFixed(2) ?? "…"),
    made("td", "", histogram),
    made("td", "", bar("span", "meter", share), `${Math.round(100 * share)} %`),
    made("td", "kinds", counts(scored, kindOf).map((pair) => pair.join(" ")).join(", ")),
    made("td", "", teach));
}

async function teachHost(host, acts, write) {
  const place = $("taught");
  place.replaceChildren(made("p", "", `Learning from the labelled pages of ${host} …`));
  let found;
  try {
    found = await post("/api/teach", { host, write });
  } catch (error) {
    place.replaceChildren(made("p", "lost", error.message));
    return;
  }
  place.replaceChildren(made("h2", "", `What ${host} teaches`), made("p", "", found.summary));
  if (found.written) place.append(made("p", "gained", `Written: ${found.written}`));
  else if (found.helps) {
    place.append(button("strong", "Write the site file", () => teachHost(host, acts, true)));
  }
  place.append(
    made("p", "", `Other pages: ${found.changes.length} of ${found.looked} would change.`),
    made("table", "", ...found.changes.map(({ id, name, gained, lost }) => made("tr", "",
      made("td", "", button("link", name, () => acts.open(id))),
      made("td", "", made("span", "gained", `+${gained} words`)),
      made("td", "", made("span", "lost", `−${lost} words`))))),
  );
  place.scrollIntoView({ block: "nearest" });
  place.querySelector("button")?.focus({ preventScroll: true });
}

function button(name, text, act) {
  const element = made("button", name, text);
  element.addEventListener("click", act);
  return element;
}

const kindOf = (row) => (row.error ? "error" : row.kind || "unknown");
const score = (rows) => mean(rows.map((row) => row.score).filter((value) => value !== null));

// The mean of numbers, undefined for none.
function mean(numbers) {
  return numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : undefined;
}

// The values of rows, the most frequent first: [value, number of rows].
function counts(rows, of) {
  const found = [...Map.groupBy(rows, of)].map(([value, own]) => [value, own.length]);
  return found.sort((a, b) => b[1] - a[1]);
}

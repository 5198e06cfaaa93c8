// The review: the list, the page in view, and the actions of keys and buttons.

import { $, cut, get, made, post } from "/common.js";
import { showCrawl } from "/crawl.js";
import { COMMENT, Labels, MAIN, NEITHER } from "/labels.js";
import { showLines } from "/lines.js";
import { List } from "/list.js";
import { Painter } from "/painter.js";
import { showTexts } from "/texts.js";

const LABELS = "labels";
const POLL = 1000, TEXT_WAIT = 120;

let page = null, labels = null, view = "page", revision = -1, textTimer = 0;
// How many pages were opened, choices made and texts requested, to ignore late answers to
// earlier ones.
let opening = 0, choosing = 0, reading = 0;
// By the name of an algorithm: its labels of the page in view, the text, and its form.
const results = new Map();

const list = new List(open);
const painter = new Painter($("frame"), { pick, point, key: onKey });

// -- pages

const HINT = "Click a block to make it main text or to take it out; a accepts the page; ? shows all keys.";

// `by` is what opens the page: "user", "address", or "start", after which the list stays in
// view and goes on being sorted.
async function open(id, by = "user") {
  if (id === undefined) return;
  if (by !== "start") pane("page");
  if (page && id === page.id && labels) return;
  const turn = (opening += 1);
  if (by !== "start") list.touched = true;
  list.select(id);
  const address = `/#page=${encodeURIComponent(`${id}/${list.rows[id].name}`)}`;
  if (by === "user") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  const left = labels;
  labels = null;
  let found;
  try {
    // A page that is soon opened again comes with its last labels.
    await left?.sending;
    found = await get("/api/page", { id });
  } catch (error) {
    if (turn === opening) showError(id, error.message);
    return;
  }
  if (turn !== opening) return;
  page = found;
  results.clear();
  results.set(page.algorithm, { labels: page.proposed });
  labels = new Labels(page, (...report) => showSaving(found.id, ...report));
  $("page-name").replaceChildren(...cut(page.title || page.name));
  $("page-name").title = page.url || page.name;
  showWhy(page.error || page.why);
  $("take").classList.toggle("hidden", !labels.carried);
  $("saved").textContent = $("saved").className = "";
  $("hover").textContent = page.blocks ? HINT : "This page shows no text.";
  showState(page.state);
  await painter.show(page.frame, page.blocks, async () => {
    if (turn !== opening) return;
    painter.paint(labels.signs);
    await compare();
  });
  if (turn !== opening) return;
  if (view === "lines") showLines(page, `${labels}`);
}

function showError(id, why) {
  page = labels = null;
  $("page-name").replaceChildren(...cut(list.rows[id].name));
  showWhy(why);
  showState("error");
  $("frame").contentWindow.location.replace("about:blank");
  showTexts("", null, ["Text"]);
}

function showWhy(why) {
  $("page-why").textContent = why;
  $("page-why").title = why;
}

function showState(state) {
  $("page-state").textContent = state;
  $("page-state").className = `tag ${state}`;
  // Without labels of its own a page shows the algorithm's result.
  for (const id of ["left", "right"]) {
    for (const choice of $(id).options) if (choice.value === LABELS) choice.text = nameOf(LABELS);
  }
  const row = page && list.rows[page.id];
  if (!row) return;
  const own = list.rows.filter((r) => r.host === row.host);
  const accepted = own.filter((r) => r.state === "accepted").length;
  $("accepted").textContent = `${row.host || "no address"}: ${accepted} of ${own.length} accepted`;
}

// The name of a choice of labels for the page in view.
function nameOf(choice) {
  return choice === LABELS && (!page || page.state === "new") ? "result" : choice;
}

// Show the state of a page's last change; see labels.js.
function showSaving(id, what, state, why) {
  if (state) {
    list.rows[id].state = state;
    list.redraw(id);
  }
  if (page?.id !== id) return;
  if (state) {
    // From now on the page has labels of its own.
    if (page.state === "new") showText();
    page.state = state;
    showWhy("");
    $("take").classList.add("hidden");
    showState(state);
  }
  $("saved").className = what === "error" ? "bad" : "";
  $("saved").textContent = { saving: "saving …", saved: "saved", error: `not saved: ${why}` }[what];
  $("saved").title = why ?? "";
}

// -- labels

function changed(blocks) {
  if (!labels) return;
  const anew = $("left").value !== LABELS;
  $("left").value = LABELS;
  painter.paint(labels.signs, anew ? undefined : blocks);
  point(painter.picked[1] >= painter.picked[0] ? painter.head : painter.pointed);
  if ($("right").value) painter.differ(labels.signs, results.get($("right").value)?.labels);
  clearTimeout(textTimer);
  textTimer = setTimeout(showText, TEXT_WAIT);
}

function label(blocks, sign) {
  if (labels && blocks.length) changed(labels.set(blocks, sign));
}

// Label what the mouse picked: one block is toggled, and a range gets its first block's new
// label; with Shift it gets the label of the block that was clicked before.
function pick(first, last, { comment = false, range = false } = {}) {
  if (!labels) return;
  const lead = labels.signs[first];
  const sign = comment ? COMMENT : range ? lead : lead === MAIN ? NEITHER : MAIN;
  painter.pick(first, last);
  painter.head = last;
  label(painter.chosen(), sign);
}

function point(block) {
  if (!page || block < 0) return;
  const chance = page.chances[block], reason = page.reasons[block];
  const now = { m: "main text", c: "comment", "-": "neither" }[labels?.signs[block]] ?? "";
  $("hover").textContent = `block ${block + 1} of ${page.blocks} · ${page.kinds[block]} · ${now} · `
    + (reason ? `${page.algorithm}: ${reason}` : chance === undefined ? `${page.algorithm} judges no blocks` : `chance ${chance}`);
  $("hover").title = $("hover").textContent;
}

async function accept(yes = true) {
  if (!labels) return;
  const id = page.id;
  const saved = await labels.accept(yes);
  if (saved && yes && page.id === id) open(list.next());
}

// -- what is shown

// The labels of the page in view, its own or an algorithm's, and an algorithm's text.
async function resultOf(name) {
  const form = $("form").value;
  if (name === LABELS) return { labels: labels.signs };
  if (results.get(name)?.form !== form) {
    const found = await get("/api/algorithm", { id: page.id, algorithm: name, form });
    results.set(name, { ...found, form });
  }
  return results.get(name);
}

// A function's results for the shown choice, and for the one that it is compared with.
async function ofBoth(of) {
  const left = $("left").value, right = $("right").value;
  return [await of(left), right ? await of(right) : null];
}

async function compare() {
  if (!page || !labels) return;
  const turn = opening, choice = (choosing += 1);
  try {
    const [own, other] = await ofBoth(resultOf);
    if (turn !== opening || choice !== choosing) return;
    painter.paint(own.labels);
    painter.differ(own.labels, other?.labels);
  } catch (error) {
    $("page-why").textContent = error.message;
  }
  await showText();
}

async function textOf(name) {
  if (name !== LABELS) return (await resultOf(name)).text;
  const question = { id: page.id, labels: `${labels}`, form: $("form").value };
  return (await post("/api/text", question)).text;
}

async function showText() {
  if (!page || !labels) return;
  const turn = opening, time = (reading += 1);
  const names = [$("left").value, $("right").value].map(nameOf);
  const isLast = () => turn === opening && time === reading;
  try {
    const found = await ofBoth(textOf);
    if (isLast()) showTexts(...found, names);
  } catch (error) {
    if (isLast()) showTexts(error.message, null, names);
  }
}

function show(name) {
  view = name;
  for (const button of $("views").children) {
    button.setAttribute("aria-pressed", button.dataset.view === name);
  }
  for (const [id, of] of [["page", "page"], ["text", "page"], ["lines", "lines"], ["crawl", "crawl"]]) {
    $(`${id}-view`).classList.toggle("hidden", name !== of);
  }
  pane(document.body.dataset.pane);
  if (name === "lines" && page && labels) showLines(page, `${labels}`);
  if (name === "crawl") drawCrawl();
}

// A narrow screen shows one pane: the list, the page or its text.
function pane(name) {
  document.body.dataset.pane = name;
  for (const button of $("panes").children) {
    button.setAttribute("aria-pressed", view === "page" && button.dataset.pane === name);
  }
  list.draw();
}

// Open the page in the address: at the start, and when the user goes back.
function openNamed(by) {
  const named = location.hash.startsWith("#page=");
  const id = named ? list.named(decodeURIComponent(location.hash.slice(6))) : undefined;
  if (id !== undefined) open(id, "address");
  else if (by === "start") open(list.order[0], "start");
}

function drawCrawl() {
  showCrawl(list.rows, {
    filter(host) { $("find").value = host; list.sort(); show("page"); },
    open(id) { show("page"); open(id); },
  });
}

// -- keys

const undo = () => changed(labels?.undo());
const redo = () => changed(labels?.redo());
const toggle = () => {
  const chosen = painter.chosen();
  if (labels && chosen.length) label(chosen, labels.signs[chosen[0]] === MAIN ? NEITHER : MAIN);
};
const flip = (id, step = 1) => {
  const choice = $(id);
  choice.selectedIndex = (choice.selectedIndex + step + choice.length) % choice.length;
  choice.dispatchEvent(new Event("change"));
};
const KEYS = [
  [["j", "ArrowDown"], "next block", () => painter.move(1)],
  [["k", "ArrowUp"], "block before", () => painter.move(-1)],
  [["Shift+J", "Shift+ArrowDown"], "take the next along", () => painter.move(1, true)],
  [["Shift+K", "Shift+ArrowUp"], "take the one before along", () => painter.move(-1, true)],
  [["m"], "main text", () => label(painter.chosen(), MAIN)],
  [["c"], "comment", () => label(painter.chosen(), COMMENT)],
  [["x", "Delete"], "neither", () => label(painter.chosen(), NEITHER)],
  [[" "], "main text or neither", toggle],
  [["u", "Ctrl+z"], "undo", undo],
  [["Shift+U", "Ctrl+Shift+Z", "Ctrl+y"], "redo", redo],
  [["a"], "accept, and on to the next", () => accept()],
  [["Shift+A"], "take the acceptance back", () => accept(false)],
  [["n", "]"], "next page", () => open(list.beside(1))],
  [["p", "["], "page before", () => open(list.beside(-1))],
  [["l"], "shown: the next of labels and algorithms", () => flip("left")],
  [["r"], "against: the next", () => flip("right")],
  [["t"], "text or Markdown", () => flip("form")],
  [["1"], "page", () => show("page")],
  [["2"], "lines", () => show("lines")],
  [["3"], "crawl", () => show("crawl")],
  [["/"], "filter", () => $("find").focus()],
  [["o"], "sort anew", () => list.sort()],
  [["Escape"], "let go of what is picked", () => painter.unpick()],
  [["?"], "this help", () => $("help").showModal()],
];
const ACTS = new Map(KEYS.flatMap(([keys, , act]) => keys.map((key) => [key, act])));

function onKey(event) {
  if ($("help").open) return;
  const place = event.target;
  const inField = place.closest?.("input, select");
  if (inField) {
    if (event.key === "Escape") { place.blur(); $("list").focus(); }
    if (event.key === "Enter" && place === $("find")) { place.blur(); open(list.order[0]); }
    return;
  }
  if (place.closest?.("button") && (event.key === " " || event.key === "Enter")) return;
  if (event.altKey) return;
  const plain = event.key === "?" || event.key === "/";
  const name = (event.ctrlKey || event.metaKey ? "Ctrl+" : "")
    + (event.shiftKey && !plain ? "Shift+" : "") + event.key;
  // In a list or a text arrows scroll or go from page to page, not from block to block.
  if (place === $("list") && event.key.startsWith("Arrow")) {
    event.preventDefault();
    open(list.beside(event.key === "ArrowDown" ? 1 : -1));
    return;
  }
  if (event.key.startsWith("Arrow") && place.closest?.("pre, #lines, .scroll")) return;
  const act = ACTS.get(name);
  if (act) {
    event.preventDefault();
    act();
  }
}

// -- the start

addEventListener("keydown", onKey);
for (const [id, act] of Object.entries({
  undo,
  redo,
  accept: () => accept(),
  take: () => labels && changed(labels.take(labels.carried)),
  "help-open": () => $("help").showModal(),
})) $(id).addEventListener("click", act);
for (const id of ["left", "right", "form"]) $(id).addEventListener("change", () => compare());
for (const button of $("views").children) {
  button.addEventListener("click", () => show(button.dataset.view));
}
for (const button of $("panes").children) {
  button.addEventListener("click", () => { show("page"); pane(button.dataset.pane); });
}
addEventListener("popstate", () => openNamed("back"));
pane("page");
const NAMES = { ArrowDown: "↓", ArrowUp: "↑", " ": "Space", Delete: "Del", Escape: "Esc" };
for (const [keys, meaning] of KEYS) {
  const shown = keys.map((key) => key.replace(/[^+]+$/, (last) => NAMES[last] ?? last));
  $("keys").append(made("dt", "", ...shown.flatMap((key) => [made("kbd", "", key), " "])),
    made("dd", "", meaning));
}

async function poll() {
  let wait = POLL;
  try {
    const news = await get("/api/queue", { since: revision });
    if (news.algorithms) {
      const options = (first) => [first, ...news.algorithms].map((name) => new Option(name, name));
      $("left").replaceChildren(...options(LABELS));
      $("right").replaceChildren(new Option("nothing", ""), ...options(LABELS));
      showState(page?.state ?? "new");
      $("where").textContent = `labels in ${news.labels}`;
    }
    revision = news.revision;
    list.update(news.rows);
    if (!opening && list.order.length) openNamed("start");
    if (view === "crawl" && news.rows.length && !$("taught").childElementCount) drawCrawl();
    const scored = list.rows.filter((row) => row.score !== null).length;
    if (!news.reading && scored === list.rows.length) wait = 5 * POLL;
    else if (scored === 0) wait = POLL / 5;
    document.body.dataset.ready = `${list.rows.length}`;
  } catch (error) {
    $("counts").textContent = error.message === "Failed to fetch" ? "the server has ended" : error.message;
  }
  setTimeout(poll, wait);
}
poll();

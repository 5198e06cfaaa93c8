// The list of pages, weakest score first: only rows in view have elements.

import { $, bar, cut, grouped, made } from "/common.js";

const HEIGHT = 46;

export class List {
  // `open` is called with the number of a page that is clicked.
  constructor(open) {
    this.open = open;
    this.rows = [];
    this.order = [];
    this.current = -1;
    // Whether the user is at work: then no row may move by itself.
    this.touched = false;
    // How many scores have come since the list was sorted.
    this.fresh = 0;
    this.drawn = new Map();
    const list = $("list");
    list.addEventListener("scroll", () => { this.touched = true; this.draw(); }, { passive: true });
    new ResizeObserver(() => this.draw()).observe(list);
    for (const id of ["find", "kind", "state", "score"]) {
      $(id).addEventListener("input", () => { this.sort(); $("list").scrollTop = 0; });
    }
    $("resort").addEventListener("click", () => this.sort());
  }

  // Take over the rows that the server sends.
  update(rows) {
    const kinds = new Set([...$("kind").options].map((o) => o.value));
    for (const row of rows) {
      if (row.score !== null && (this.rows[row.id]?.score ?? null) === null) this.fresh += 1;
      this.rows[row.id] = row;
      if (row.kind && !kinds.has(row.kind)) {
        kinds.add(row.kind);
        $("kind").append(new Option(row.kind, row.kind));
      }
    }
    if (!this.touched) this.sort();
    else {
      for (const row of rows) this.redraw(row.id);
      this.count();
      this.draw();
    }
  }

  sort() {
    const find = $("find").value.trim().toLowerCase(), kind = $("kind").value;
    const state = $("state").value, most = $("score").value / 100;
    $("score-value").value = most.toFixed(2);
    const odd = new Set(["changed", "damaged", "foreign"]);
    this.order = this.rows.filter((row) =>
      (!find || `${row.host} ${row.url} ${row.name}`.toLowerCase().includes(find))
      && (!kind || row.kind === kind)
      && (most === 1 || (row.score !== null && row.score <= most))
      && (!state || (state === "open" ? row.state !== "accepted"
        : state === "odd" ? odd.has(row.state)
          : state === "error" ? row.error : row.state === state)));
    this.order.sort((a, b) => (a.score ?? 2) - (b.score ?? 2) || a.id - b.id);
    this.order = this.order.map((row) => row.id);
    this.fresh = 0;
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    this.count();
    this.draw();
  }

  count() {
    const scored = this.rows.filter((row) => row.score !== null).length;
    $("counts").textContent = `${grouped(this.order.length)} of ${grouped(this.rows.length)}`
      + (scored < this.rows.length ? `, ${grouped(scored)} scored` : "");
    const unsorted = this.fresh > 0 && this.touched;
    $("resort").disabled = !unsorted;
    $("resort").textContent = unsorted ? `Sort ${this.fresh} new` : "Sorted";
  }

  draw() {
    const list = $("list"), inside = $("list-inside");
    inside.style.height = `${this.order.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 5);
    const last = Math.min(this.order.length, first + Math.ceil(list.clientHeight / HEIGHT) + 10);
    const wanted = new Set();
    for (let place = first; place < last; place += 1) {
      const id = this.order[place];
      wanted.add(id);
      if (!this.drawn.has(id)) {
        const element = this.element(id, place);
        this.drawn.set(id, element);
        inside.append(element);
      }
    }
    for (const [id, element] of this.drawn) {
      if (!wanted.has(id)) { element.remove(); this.drawn.delete(id); }
    }
  }

  redraw(id) {
    const old = this.drawn.get(id);
    if (!old) return;
    const made = this.element(id, this.order.indexOf(id));
    old.replaceWith(made);
    this.drawn.set(id, made);
  }

  element(id, place) {
    const row = this.rows[id], scored = row.score !== null;
    const score = made("span", "figure", scored ? row.score.toFixed(2) : "…",
      bar("i", "", row.score ?? 0));
    const name = made("span", "name", ...cut(shortened(row)));
    name.title = row.url || row.name;
    const dot = made("span", `dot ${row.error ? "error" : row.state}`);
    dot.title = row.state;
    const about = [row.host, row.kind, scored && `${grouped(row.words)} words`];
    const element = made("div", "row", score, name, dot,
      made("span", "about", row.error || about.filter(Boolean).join(" · ")));
    element.id = `row-${id}`;
    element.role = "option";
    element.style.top = `${place * HEIGHT}px`;
    element.setAttribute("aria-selected", id === this.current);
    element.addEventListener("click", () => { this.touched = true; this.open(id); });
    return element;
  }

  select(id) {
    const before = this.current;
    this.current = id;
    this.redraw(before);
    const place = this.order.indexOf(id), list = $("list");
    if (place >= 0) {
      const top = place * HEIGHT;
      list.scrollTop = Math.min(top, Math.max(list.scrollTop, top + HEIGHT - list.clientHeight));
      this.draw();
      list.setAttribute("aria-activedescendant", `row-${id}`);
    }
    this.redraw(id);
  }

  // The number of the page that an address names as "NUMBER/NAME", or undefined.
  named(address) {
    const [, id, name] = /^(\d+)\/(.*)$/s.exec(address) ?? [];
    if (this.rows[id]?.name === name) return +id;
    return this.rows.find((row) => row.name === name)?.id;
  }

  // The page a number of places further on in the list, or undefined.
  beside(step) {
    const place = this.order.indexOf(this.current);
    return place < 0 ? this.order[0] : this.order[place + step];
  }

  // The next page that is not accepted.
  next() {
    const place = this.order.indexOf(this.current);
    const behind = [...this.order.slice(place + 1), ...this.order.slice(0, Math.max(place, 0))];
    return behind.find((id) => this.rows[id].state !== "accepted");
  }
}

function shortened(row) {
  if (!row.url) return row.name;
  try {
    const { pathname, search } = new URL(row.url);
    return decodeURI(pathname + search);
  } catch {
    return row.url;
  }
}

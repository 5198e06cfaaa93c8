// The list of pages, weakest score first: only what is in view has elements.

const HEIGHT = 46;
const $ = (id) => document.getElementById(id);

export class List {
  constructor(opened) {
    this.rows = [];
    this.order = [];
    this.current = -1;
    this.opened = opened;
    this.touched = false;
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

  // Rows as the server tells them.  Once somebody is at work, no row moves unasked.
  update(rows) {
    let scored = 0;
    const kinds = new Set([...$("kind").options].map((o) => o.value));
    for (const [id, name, url, host, kind, score, share, words, state, error] of rows) {
      if (score !== null && (this.rows[id]?.score ?? null) === null) scored += 1;
      this.rows[id] = { id, name, url, host, kind, score, share, words, state, error };
      if (kind && !kinds.has(kind)) {
        kinds.add(kind);
        $("kind").append(new Option(kind, kind));
      }
    }
    this.fresh += scored;
    if (!this.touched) this.sort();
    else {
      for (const row of rows) this.redraw(row[0]);
      this.count();
      this.draw();
    }
  }

  sort() {
    const find = $("find").value.trim().toLowerCase(), kind = $("kind").value;
    const state = $("state").value, most = $("score").value / 100;
    $("score-said").value = most.toFixed(2);
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
    const known = this.rows.filter((row) => row.score !== null).length;
    const all = this.rows.length.toLocaleString("en");
    $("counts").textContent = `${this.order.length.toLocaleString("en")} of ${all}`
      + (known < this.rows.length ? `, ${known.toLocaleString("en")} scored` : "");
    const missing = this.fresh > 0 && this.touched;
    $("resort").disabled = !missing;
    $("resort").textContent = missing ? `Sort ${this.fresh} new` : "Sorted";
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
    const row = this.rows[id];
    const element = document.createElement("div");
    element.className = "row";
    element.id = `row-${id}`;
    element.role = "option";
    element.style.top = `${place * HEIGHT}px`;
    element.setAttribute("aria-selected", id === this.current);
    const figure = document.createElement("span");
    figure.className = "figure";
    figure.textContent = row.score === null ? "…" : row.score.toFixed(2);
    const bar = document.createElement("i");
    bar.style.setProperty("--part", `${100 * (row.score ?? 0)}%`);
    figure.append(bar);
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = shortened(row);
    name.title = row.url || row.name;
    const about = document.createElement("span");
    about.className = "about";
    about.textContent = row.error || [row.host, row.kind, row.score === null ? "" :
      `${row.words.toLocaleString("en")} words`].filter(Boolean).join(" · ");
    const dot = document.createElement("span");
    dot.className = `dot ${row.error ? "error" : row.state}`;
    dot.title = row.state;
    element.append(figure, name, dot, about);
    element.addEventListener("click", () => { this.touched = true; this.opened(id); });
    return element;
  }

  select(id) {
    const before = this.current;
    this.current = id;
    this.redraw(before);
    const place = this.order.indexOf(id), list = $("list");
    if (place >= 0) {
      const top = place * HEIGHT;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + HEIGHT > list.scrollTop + list.clientHeight) {
        list.scrollTop = top + HEIGHT - list.clientHeight;
      }
      this.draw();
      list.setAttribute("aria-activedescendant", `row-${id}`);
    }
    this.redraw(id);
  }

  // The page so many places on in the list, or undefined.
  beside(step) {
    const place = this.order.indexOf(this.current);
    return place < 0 ? this.order[0] : this.order[place + step];
  }

  // The next page that nobody has accepted yet.
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

// The page in its frame: its blocks painted, pointed at and picked.  No script runs in
// the frame; its events are listened to from here.

export class Painter {
  // `acts` has pick(first, last, {comment, range}), point(block) and key(event).
  constructor(frame, acts) {
    this.frame = frame;
    this.acts = acts;
    this.reset();
  }

  reset() {
    this.pieces = [];
    this.pointed = -1;
    this.picked = [0, -1];
    // The block where the mouse was pressed, and where a range begins and ends.
    this.from = this.anchor = this.head = -1;
  }

  // Show a page; resolves as `loaded` does, which is called when its blocks are found.
  // Back and Forward may load the page once more, as they go through the frame's history.
  show(address, count, loaded) {
    this.reset();
    return new Promise((resolve) => {
      this.frame.onload = () => {
        const page = this.frame.contentDocument;
        this.pieces = Array.from({ length: count }, () => []);
        for (const piece of page.querySelectorAll("eatext-t")) {
          this.pieces[+piece.getAttribute("b")]?.push(piece);
        }
        this.listen(page);
        resolve(loaded());
      };
      // Not a new entry of the history, which would change what Back does.
      this.frame.contentWindow.location.replace(address);
    });
  }

  listen(page) {
    const at = (event) => {
      const piece = event.target.closest?.("eatext-t");
      return piece ? +piece.getAttribute("b") : -1;
    };
    page.addEventListener("mousedown", (event) => {
      const block = at(event);
      if (event.button || block < 0) return;
      event.preventDefault();
      this.frame.contentWindow.focus();
      if (event.shiftKey && this.anchor >= 0) {
        this.acts.pick(this.anchor, block, { range: true, comment: event.altKey });
        return;
      }
      this.from = this.anchor = block;
      this.pick(block, block);
    });
    page.addEventListener("mouseover", (event) => {
      const block = at(event);
      this.point(block);
      if (this.from >= 0 && block >= 0) this.pick(this.from, block);
    });
    page.addEventListener("mouseup", (event) => {
      if (this.from < 0) return;
      const [first, last] = this.picked;
      this.from = -1;
      this.acts.pick(first, last, { comment: event.altKey });
    });
    page.addEventListener("mouseleave", () => this.point(-1));
    page.addEventListener("click", (event) => event.preventDefault());
    page.addEventListener("dragstart", (event) => event.preventDefault());
    page.addEventListener("keydown", (event) => this.acts.key(event));
  }

  // Set or remove an attribute of a block's pieces.
  mark(block, name, on) {
    for (const piece of this.pieces[block] ?? []) piece.toggleAttribute(name, on);
  }

  point(block) {
    if (block === this.pointed) return;
    this.mark(this.pointed, "h", false);
    this.pointed = block;
    this.mark(block, "h", true);
    this.acts.point(block);
  }

  // Mark the blocks from one to another as those that keys act on.
  pick(one, other) {
    const [before, until] = this.picked;
    const first = Math.min(one, other), last = Math.max(one, other);
    for (let i = before; i <= until; i += 1) this.mark(i, "s", i >= first && i <= last);
    for (let i = first; i <= last; i += 1) this.mark(i, "s", true);
    this.picked = [first, last];
  }

  unpick() {
    this.pick(0, -1);
    this.anchor = -1;
  }

  // The picked blocks that are visible.
  chosen() {
    const [first, last] = this.picked;
    const blocks = [];
    for (let i = first; i <= last; i += 1) if (this.pieces[i]?.length) blocks.push(i);
    return blocks;
  }

  // Go to the next visible block; `further` picks the blocks up to it too.
  move(step, further) {
    const [first, last] = this.picked;
    let head = this.head;
    if (last < first) head = step > 0 ? -1 : this.pieces.length;
    else if (head < first || head > last) head = step > 0 ? last : first;
    do head += step; while (head >= 0 && head < this.pieces.length && !this.pieces[head].length);
    if (head < 0 || head >= this.pieces.length) return;
    if (!further || this.anchor < 0) this.anchor = head;
    if (further && last >= first && (this.anchor < first || this.anchor > last)) this.anchor = first;
    this.head = head;
    this.pick(this.anchor, head);
    this.pieces[head][0].scrollIntoView({ block: "nearest" });
    this.acts.point(head);
  }

  // Colour blocks, by default all, by the signs of the page's blocks.
  paint(signs, blocks = this.pieces.keys()) {
    for (const i of blocks) for (const piece of this.pieces[i] ?? []) piece.setAttribute("k", signs[i]);
  }

  // Underline blocks of which one set of labels takes the text and the other does not.
  differ(signs, others = null) {
    for (let i = 0; i < this.pieces.length; i += 1) {
      this.mark(i, "d", others !== null && (signs[i] === "m") !== (others[i] === "m"));
    }
  }
}

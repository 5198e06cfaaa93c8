// The labels of one page: a sign a block, what was done to them, and their way to disk.

import { post } from "/api.js";

export const MAIN = "m", COMMENT = "c", NEITHER = "-";

export class Labels {
  // `told` is called with what has become of the last change: saving, saved, or an
  // error, and with the page's new state.
  constructor(page, told) {
    this.id = page.id;
    this.told = told;
    const own = page.state === "draft" || page.state === "accepted";
    this.signs = [...(own ? page.stored : page.proposed)];
    this.carried = own ? "" : page.stored;
    this.accepted = page.state === "accepted";
    // What is on the disk, so that nothing from another tab is written over unseen.
    this.written = page.written;
    this.done = [];
    this.undone = [];
    this.changed = false;
    this.sending = null;
  }

  toString() {
    return this.signs.join("");
  }

  // Set blocks to a sign; what has changed, as the numbers of the blocks.
  set(blocks, sign) {
    return this.apply(blocks.filter((i) => this.signs[i] !== sign)
      .map((i) => [i, this.signs[i], sign]));
  }

  // Take all signs from elsewhere, as one step.
  take(signs) {
    return this.apply([...signs].map((sign, i) => [i, this.signs[i], sign])
      .filter(([, before, after]) => before !== after));
  }

  apply(step) {
    if (step.length) {
      this.done.push(step);
      this.undone = [];
      for (const [i, , after] of step) this.signs[i] = after;
      this.save();
    }
    return step.map(([i]) => i);
  }

  undo() {
    const step = this.done.pop();
    if (!step) return [];
    this.undone.push(step);
    for (const [i, before] of step) this.signs[i] = before;
    this.save();
    return step.map(([i]) => i);
  }

  redo() {
    const step = this.undone.pop();
    if (!step) return [];
    this.done.push(step);
    for (const [i, , after] of step) this.signs[i] = after;
    this.save();
    return step.map(([i]) => i);
  }

  accept(yes) {
    this.accepted = yes;
    return this.save();
  }

  // Send the labels.  While an answer is out, later changes wait and go together.
  save() {
    this.changed = true;
    this.sending ??= this.send().finally(() => { this.sending = null; });
    return this.sending;
  }

  async send() {
    while (this.changed) {
      this.changed = false;
      this.told("saving");
      try {
        const asked = {
          id: this.id, labels: `${this}`, accepted: this.accepted, before: this.written,
        };
        const { state, written } = await post("/api/labels", asked);
        this.written = written;
        this.told(this.changed ? "saving" : "saved", state);
      } catch (error) {
        this.told("error", null, error.message);
        return false;
      }
    }
    return true;
  }
}

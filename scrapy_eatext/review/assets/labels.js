// A page's labels: a sign for each block, undo and redo, and saving.

import { post } from "/common.js";

export const MAIN = "m", COMMENT = "c", NEITHER = "-";

export class Labels {
  // `report` is called with the state of the last change ("saving", "saved" or "error"),
  // the page's new state, and an error's message.
  constructor(page, report) {
    this.id = page.id;
    this.report = report;
    const own = page.state === "draft" || page.state === "accepted";
    this.signs = [...(own ? page.stored : page.proposed)];
    this.carried = own ? "" : page.stored;
    this.accepted = page.state === "accepted";
    // The labels on disk, so that those of another tab are not overwritten unseen.
    this.written = page.written;
    // Steps: lists of [block, sign before, sign after].
    this.done = [];
    this.undone = [];
    this.changed = false;
    this.sending = null;
  }

  toString() {
    return this.signs.join("");
  }

  // These return the numbers of the blocks that have changed.

  set(blocks, sign) {
    return this.step(blocks.map((i) => [i, this.signs[i], sign]));
  }

  // Replace all signs, in one step.
  take(signs) {
    return this.step([...signs].map((sign, i) => [i, this.signs[i], sign]));
  }

  undo() {
    return this.move(this.done, this.undone, 1);
  }

  redo() {
    return this.move(this.undone, this.done, 2);
  }

  step(changes) {
    const step = changes.filter(([, before, after]) => before !== after);
    if (!step.length) return [];
    this.undone = [];
    return this.move([step], this.done, 2);
  }

  // Move a list's last step to another list, and apply the signs before (1) or after (2)
  // the step.
  move(from, to, side) {
    const step = from.pop();
    if (!step) return [];
    to.push(step);
    for (const change of step) this.signs[change[0]] = change[side];
    this.save();
    return step.map(([i]) => i);
  }

  accept(yes) {
    this.accepted = yes;
    return this.save();
  }

  // Send the labels.  Changes during a request wait for its answer and go together.
  save() {
    this.changed = true;
    this.sending ??= this.send().finally(() => { this.sending = null; });
    return this.sending;
  }

  async send() {
    while (this.changed) {
      this.changed = false;
      this.report("saving");
      try {
        const { state, written } = await post("/api/labels", {
          id: this.id, labels: `${this}`, accepted: this.accepted, before: this.written,
        });
        this.written = written;
        this.report(this.changed ? "saving" : "saved", state);
      } catch (error) {
        this.report("error", null, error.message);
        return false;
      }
    }
    return true;
  }
}

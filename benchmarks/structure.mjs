// The Markdown that defuddle, and Readability with turndown, make of pages.
//
// Reads lines of JSON, {"html": ..., "url": ...}, and writes for each a line of JSON, the
// Markdown by the extractor's name; "" where it finds nothing or fails.  The first line
// has their versions.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { JSDOM } from "jsdom";
import { Defuddle } from "defuddle/node";
import { Readability } from "@mozilla/readability";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";

console.debug = console.warn = console.error = console.info = console.log = () => {};
const write = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const require = createRequire(import.meta.url);

function version(name) {
  let folder = dirname(require.resolve(name));
  for (;;) {
    try {
      const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf-8"));
      if (about.name === name) return about.version;
    } catch {}
    folder = dirname(folder);
  }
}

const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.use(gfm);
const EXTRACTORS = {
  defuddle: async (html, url) =>
    (await Defuddle(new JSDOM(html, { url }).window.document, url, { markdown: true })).content,
  "Readability, turndown": async (html, url) =>
    turndown.turndown(new Readability(new JSDOM(html, { url }).window.document).parse().content),
};

write({
  defuddle: version("defuddle"),
  "Readability, turndown": version("@mozilla/readability"),
});
for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  const made = {};
  for (const [name, extract] of Object.entries(EXTRACTORS)) {
    try {
      made[name] = (await extract(html, url)) ?? "";
    } catch {
      made[name] = "";
    }
  }
  write(made);
}

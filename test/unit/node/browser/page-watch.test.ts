import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { BrowserContext } from "playwright-core";
import { PageWatch } from "../../../../src/node/browser/page-watch.ts";

describe("what pages do beside what they show", () => {
  it("is kept within limits, however much a page does while no one looks", () => {
    const watch = new PageWatch();
    const context = new EventEmitter();
    const warn = (text: string): boolean =>
      context.emit("console", { type: () => "error", text: () => text, location: () => ({ url: "", lineNumber: 0 }) });
    watch.watch(context as unknown as BrowserContext);
    for (let count = 0; count < 5_000; count++) watch.noteRefused(new URL(`http://h${count}.localhost`));
    for (const text of ["h7.localhost:80", "h4999.localhost:80", ...Array<string>(40).fill("again")]) warn(text);
    const { problems, notes } = watch.take();
    assert.deepEqual(
      { first: problems.slice(0, 2), last: problems.at(-1), count: problems.length, notes: notes.length },
      {
        first: ["[error] h4999.localhost:80", "[error] again"],
        last: "31 more: see page_console.",
        count: 11,
        notes: 1,
      },
    );
  });
});

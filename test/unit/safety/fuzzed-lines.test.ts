import fc from "fast-check";
import { readOnlyUse } from "../../../src/safety/read-only/read-only.ts";
import { fuzzedLines, garbage } from "../../attacks/fuzz/lines.ts";
import { checkLine, fuzzFolder } from "../../attacks/fuzz/run-line.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { readerOf } from "./readers.ts";

describe("the reader of command lines, given random lines", () => {
  const tempFolder = tempFolders();

  it("lets no line run as one that only reads and that changes a file", async () => {
    skipWithout("a POSIX shell and its programs");
    const parent = await tempFolder();
    const folder = fuzzFolder(parent);
    const env = { ...process.env, HOME: parent };
    await fc.assert(
      fc.asyncProperty(fuzzedLines, (line) => checkLine(line, folder, env)),
      { numRuns: 25 },
    );
  }).timeout(60_000);

  it("doesn't fail on any text", async () => {
    for (const dialect of ["bash", "powershell"] as const) {
      const reader = await readerOf(dialect);
      const property = fc.property(garbage, (text) => {
        const reading = reader.read(text);
        if (reading.kind === "script") readOnlyUse(reading, dialect);
      });
      fc.assert(property, { numRuns: 200 });
    }
  }).timeout(60_000);
});

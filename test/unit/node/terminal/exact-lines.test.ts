import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "../../../../src/node/processes/programs.ts";
import {
  EXACT_LINES,
  type LineOutcome,
  plainOutcome,
  trapVariables,
  writeTraps,
} from "../../../support/exact-lines.ts";
import { terminalShells } from "../../../support/shell-terminals.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const open = terminalShells(tempFolder);

describe("lines in a terminal", () => {
  for (const name of ["bash", "zsh", "fish"])
    it(`print and end in ${name} as in bash alone, whatever its user has set up`, async function () {
      if (findOnPath([name]) === undefined) return this.skip();
      const home = await tempFolder();
      await writeTraps(home);
      const { folder, run } = await open(`${name} -i`, { env: { ...process.env, ...trapVariables(home) } });
      for (const file of ["a.txt", "b.txt"]) await writeFile(join(folder, file), "");

      const seen = new Map<string, LineOutcome>();
      const expected = new Map<string, LineOutcome>();
      const left = [...EXACT_LINES];
      const inTurn = async (): Promise<void> => {
        for (let line = left.shift(); line !== undefined; line = left.shift()) {
          const { result, chunks } = await run(line);
          seen.set(line, { code: result.code, output: chunks.join("") });
          expected.set(line, await plainOutcome(line, folder));
        }
      };
      await Promise.all([inTurn(), inTurn(), inTurn(), inTurn()]);

      assert.deepEqual(byLine(seen), byLine(expected));
    });
});

/** In the order of the list, for a readable difference. */
function byLine(outcomes: ReadonlyMap<string, LineOutcome>): readonly unknown[] {
  return EXACT_LINES.map((line) => ({ line, ...outcomes.get(line) }));
}

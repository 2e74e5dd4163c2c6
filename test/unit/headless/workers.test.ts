import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadGrammar, WORKERS } from "../../../src/headless/workers.ts";

describe("the programs beside the command line", () => {
  it("are all there", () =>
    assert.deepEqual(
      Object.entries(WORKERS).filter(([, url]) => !existsSync(fileURLToPath(url))),
      [],
    ));

  it("have the grammars that read command lines", async () =>
    assert.deepEqual(
      await Promise.all(
        ["tree-sitter-bash.wasm", "tree-sitter-powershell.wasm"].map(async (file) =>
          Buffer.from((await loadGrammar(file)).subarray(0, 4)).toString("latin1"),
        ),
      ),
      ["\0asm", "\0asm"],
    ));
});

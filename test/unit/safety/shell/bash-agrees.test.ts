import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expandIterations } from "../../../../src/safety/read-only/control-flow.ts";
import type { SimpleCommand } from "../../../../src/safety/shell/reading.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { readerOf } from "../readers.ts";

const SHELLS = ["/bin/bash", "/bin/dash"].filter((shell) => fs.existsSync(shell));
const SCRIPT = `#!/bin/sh\n{ printf '%s' "\${0##*/}"; for a in "$@"; do printf '\\001%s' "$a"; done; printf '\\002'; } >> "$LOG"\n`;

/** What lines are made of: everything that means something to a shell. No pipes, since two commands at once write over each other. */
const PIECES = [
  ..."x y z a b 1 2 = ~ ! # , @ % ^ : - -- -n $ ' \" \\ ; && || & ( ) { } < > * ? [ ] .. é".split(" "),
  " ",
  "\t",
  "\n",
  "\\\n",
  ">/dev/null",
  "2>&1",
  "$HOME",
  "$" + "{HOME}",
  "'a b'",
  '"a b"',
  "$'",
  "$(",
  "<<",
  "time ",
  "if",
  "then",
  "x=1",
];

/** Loops, conditions and groups around each other, some of them broken. */
const FLOWS = fc.letrec((tie) => ({
  line: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("x 1", 'y "$a"', "z b$b", "x $a", "y 'q r'", "z -n", "x", "y > /dev/null", "[[ a = a ]]"),
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom("1 2", "'s t'", "$a r", "u"), tie("line"))
      .map(([name, items, inner]) => `for ${name} in ${items}; do ${inner}; done`),
    fc
      .tuple(tie("line"), tie("line"), tie("line"))
      .map(([one, two, three]) => `if ${one}; then ${two}; else ${three}; fi`),
    fc.tuple(tie("line"), fc.constantFrom("; ", " && ", " || ", "\n"), tie("line")).map((parts) => parts.join("")),
    tie("line").map((inner) => `( ${inner} )`),
    tie("line").map((inner) => `{ ${inner}; }`),
    fc
      .tuple(fc.constantFrom("! ", "done", "; fi", ") ", "$(", "> ", "| ", "& "), tie("line"))
      .map((parts) => parts.join("")),
  ),
})).line as fc.Arbitrary<string>;

/** Runs a line in which `x`, `y` and `z` note how they were called, and says how. */
function calls(shell: string, line: string, folder: string): readonly string[] {
  const log = path.join(folder, "log");
  fs.rmSync(log, { force: true });
  const env = { PATH: path.join(folder, "bin"), HOME: "H", LOG: log, a: "H", b: "H" };
  spawnSync(shell, ["-c", line], { cwd: path.join(folder, "cwd"), env, timeout: 5000 });
  if (!fs.existsSync(log)) return [];
  return fs.readFileSync(log, "utf8").split("\x02").filter(Boolean);
}

/** How the reader says that a command is called. */
function said({ words }: SimpleCommand): string {
  const texts = words.map(({ text }) => text.replaceAll("\0", "H"));
  return (texts[0] === "time" ? texts.slice(1) : texts).join("\x01");
}

/** A folder with the programs of the lines, and one to run them in. */
function prepare(folder: string): void {
  for (const name of ["bin", "cwd"]) fs.mkdirSync(path.join(folder, name));
  for (const name of ["x", "y", "z"]) fs.writeFileSync(path.join(folder, "bin", name), SCRIPT, { mode: 0o755 });
}

describe("the reader of bash", () => {
  const tempFolder = tempFolders();

  for (const shell of SHELLS) {
    it(`takes a line for plain only when ${shell} runs just these words`, async () => {
      const folder = await tempFolder();
      prepare(folder);
      const reader = await readerOf("bash");
      const lines = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 });
      const property = fc.property(fc.constantFrom("x ", "y "), lines, (start, pieces) => {
        const line = start + pieces.join("");
        const reading = reader.read(line);
        const plain = reading.kind === "script" ? reading.plain : undefined;
        if (!plain?.every(isFixed)) return;
        const known = plain.map(said);
        assert.deepEqual(
          calls(shell, line, folder).filter((call) => !known.includes(call)),
          [],
        );
      });
      fc.assert(property, { numRuns: 150 });
    }).timeout(120_000);

    it(`follows a line's loops, conditions and groups only where ${shell} does so too`, async () => {
      const folder = await tempFolder();
      prepare(folder);
      const reader = await readerOf("bash");
      const property = fc.property(FLOWS, (line) => {
        const reading = reader.read(line);
        const flow = reading.kind === "script" ? reading.flow : undefined;
        const turns = flow?.filter(({ words }) => words.length > 0).map(expandIterations);
        if (!turns?.every((turn) => turn?.every(isFixed))) return;
        const known = turns.flatMap((turn) => turn?.map(said) ?? []);
        assert.deepEqual(
          calls(shell, line, folder).filter((call) => !known.includes(call)),
          [],
        );
      });
      fc.assert(property, { numRuns: 100 });
    }).timeout(120_000);
  }
});

/** The names of files, and variables that are not set in the test, would make other words. */
function isFixed({ words }: SimpleCommand): boolean {
  return words.every(
    ({ isHome, isPattern, variables }) => !isHome && !isPattern && variables.every((name) => name === "HOME"),
  );
}

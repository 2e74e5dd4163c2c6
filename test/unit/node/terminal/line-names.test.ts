import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "../../../../src/node/processes/programs.ts";
import { createCommandMark } from "../../../../src/node/terminal/marked-output.ts";
import { formatRunnerStart } from "../../../../src/node/terminal/posix-runner.ts";
import { trapVariables, writeTraps } from "../../../support/exact-lines.ts";
import { terminalShells } from "../../../support/shell-terminals.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const open = terminalShells(tempFolder);

/** Lines that a shell would run or expand if their names weren't quoted, and those that look like words of the runner. */
const LINES = [
  "printf x >>count",
  "printf x | tee -a count; : $HOME * ~ {a,b}",
  "printf x >>count # && touch second",
  "inside; printf x >>count",
  "--inside; printf x >>count",
  "printf x >>count && : 'quoted' `true` $(true) !!",
  `printf x >>count; : ${"long ".repeat(40)}`,
];

describe("the name of a line that is typed in its terminal", () => {
  it("is the line itself, up to a length, or nothing where a shell could read it differently", () => {
    const lines = [
      "npm test",
      "git log --oneline -3 && ls",
      "x".repeat(90),
      "--inside",
      "it's",
      "a!b",
      "a\\b",
      "(a)",
      "größe",
      "a\tb",
    ];

    assert.deepEqual(
      lines.map((line) =>
        formatRunnerStart("/bin/bash", "/tmp/autogpt-line-x1", line).replace(
          "/bin/bash -p /tmp/autogpt-line-x1/run",
          "",
        ),
      ),
      [" 'npm test'", " 'git log --oneline -3 && ls'", ` '${"x".repeat(80)} ...'`, "", "", "", "", "", "", ""],
    );
  });

  it("is made of characters that mean themselves in quotes", () => {
    const taken = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((character) =>
      formatRunnerStart("bash", "/", `a${character}`).endsWith("'"),
    );

    assert.equal(
      taken.join(""),
      ' "#$%&*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz|~',
    );
  });

  it("can't end the mark that reports it, or begin another", () => {
    assert.equal(
      createCommandMark("a;b\\c\u0007\u001b]633;D;0\u0007\n"),
      "\u001b]633;E;a\\x3bb\\\\c\\x07\\x1b]633\\x3bD\\x3b0\\x07\\x0a\u0007",
    );
  });

  for (const name of ["bash", "zsh", "fish"])
    it(`runs nothing in ${name}, whatever its user has set up: each line runs once`, async function () {
      if (findOnPath([name]) === undefined) return this.skip();
      const home = await tempFolder();
      await writeTraps(home);
      const { folder, run, host } = await open(`${name} -i`, { env: { ...process.env, ...trapVariables(home) } });

      for (const line of LINES) await run(line);

      assert.deepEqual(
        { count: await readFile(join(folder, "count"), "utf8"), terminals: host.opened.length },
        { count: "x".repeat(LINES.length), terminals: 1 },
      );
    });
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { createAllCommands } from "../../../src/commands/all.ts";
import { isPrepared } from "../../../src/core/commands/command.ts";
import { getOutcomeText, type Outcome } from "../../../src/core/commands/outcome.ts";
import { mentionExclusions } from "../../../src/node/files/ignored-paths.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { CONTENT } from "../../support/machine-parts.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

/** What the user keeps the agent out of, what git ignores, and links to both. */
const TREE = {
  ".autogptignore": "kept/\n*.kept.txt\n",
  ".gitignore": "built/\n*.log\n",
  "open.txt": "word of the open file\n",
  "kept/plan.txt": "word of the kept plan\n",
  "src/a.kept.txt": "word of the kept file\n",
  "built/out.txt": "word of the built file\n",
  "run.log": "word of the log\n",
  "src/link.txt": { link: "../kept/plan.txt" },
  "src/chain.txt": { link: "link.txt" },
  "src/folder": { link: "../kept" },
  "src/built-link.txt": { link: "../built/out.txt" },
};

/** Every way to name what is out of bounds. */
const KEPT = [
  "kept/plan.txt",
  "./kept/../kept/plan.txt",
  "KEPT/plan.txt",
  "kept",
  "kept/",
  "src/a.kept.txt",
  "src/link.txt",
  "src/chain.txt",
  "src/folder",
  "src/folder/plan.txt",
  "$W/kept/plan.txt",
  "kept/new.txt",
];

/** Arguments that name a file or a folder, whatever a command calls them. */
const NAMES_FILE = /file|folder|directory|path|source|destination|cwd/i;

/** Arguments for all that a command demands, with a path wherever it takes one. */
function argumentsFor(parameters: Readonly<Record<string, unknown>>, path: string): Record<string, unknown>[] {
  const properties = Object.keys(Object(parameters.properties));
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : [];
  const others = Object.fromEntries(required.map((name) => [name, NAMES_FILE.test(name) ? "open.txt" : "word"]));
  return properties.filter((name) => NAMES_FILE.test(name)).map((name) => ({ ...others, [name]: path }));
}

describe("what the user keeps the agent out of", () => {
  const tempFolder = tempFolders();

  async function planted(): Promise<{ readonly folder: string; readonly bench: CommandBench }> {
    const home = await tempFolder();
    const folder = join(home, "project");
    await plant(folder, TREE);
    return { folder, bench: new CommandBench(folder, join(home, "kept"), { problems: CONTENT }) };
  }

  const reading = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).filter(
    ({ effect, parameters }) => effect === "read" && argumentsFor(parameters, "x").length > 0,
  );

  for (const { name, parameters } of reading)
    it(`is not shown by ${name}, however it is named`, async () => {
      const { folder, bench } = await planted();
      const shown: string[] = [];
      for (const trick of KEPT) {
        const path = trick.replace("$W", folder);
        for (const args of argumentsFor(parameters, path)) {
          const outcome = await bench.call(name, args);
          if (outcome.status !== "failed" || /word of/.test(getOutcomeText(outcome)))
            shown.push(`${JSON.stringify(args)} -> ${getOutcomeText(outcome)}`);
        }
      }
      assert.deepEqual(
        shown.filter((one) => process.platform !== "linux" || !one.includes("KEPT")),
        [],
      );
    });

  it("has commands that read to look at", () => assert.ok(reading.length >= 4));

  it("is left out of listings and searches, as is what git ignores, and links to it are not followed", async () => {
    const { bench } = await planted();
    const outcomes = await Promise.all([
      bench.call("list_files", {}),
      bench.call("search_files", { pattern: "word of" }),
      bench.call("search_files", { pattern: "word of", folder: "src" }),
    ]);
    assert.deepEqual(outcomes.map(getOutcomeText), [
      '7 files, 1 folder in ".":\n.autogptignore\n.gitignore\nopen.txt\nsrc/\nsrc/built-link.txt\nsrc/chain.txt\nsrc/folder\nsrc/link.txt\n[4 ignored or excluded entries were left out.]',
      '1 match of "word of" in 1 file:\nopen.txt\n1: word of the open file\n[4 ignored or excluded entries were left out.]',
      'Nothing contains "word of".\n[1 ignored or excluded entry was left out.]',
    ]);
  });

  it("names its source where git's own ignored files are asked for, by themselves or through a link", async () => {
    const { bench } = await planted();
    const calls: readonly (readonly [string, object])[] = [
      ["read_file", { filename: "built/out.txt" }],
      ["read_file", { filename: "src/built-link.txt" }],
      ["list_files", { folder: "built" }],
      ["search_files", { folder: "built", pattern: "word" }],
      ["search_files", { folder: "run.log", pattern: "word" }],
      ["read_file", { filename: "open.txt" }],
    ];
    const outcomes: Outcome[] = [];
    for (const [name, args] of calls) outcomes.push(await bench.call(name, args));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === "done" && outcome.source),
      [
        ...["built/out.txt", "built/out.txt", "built", "built", "run.log"].map((name) => ({
          kind: "ignored-file",
          name,
        })),
        undefined,
      ],
    );
  });

  it("is not to be written either", async () => {
    const { bench } = await planted();
    const prepared = await bench.prepare("write_to_file", { filename: "src/link.txt", contents: "x" });
    assert.equal(isPrepared(prepared), false);
  });

  it("is everything once its file cannot be read", async function () {
    skipWithout("files as POSIX has them");
    if (process.getuid?.() === 0) this.skip();
    const { folder, bench } = await planted();
    await import("node:fs/promises").then(({ chmod }) => chmod(join(folder, ".autogptignore"), 0));
    assert.equal((await bench.call("read_file", { filename: "open.txt" })).status, "failed");
  });

  it("is not offered for a mention, by itself or through a link", async () => {
    const { folder } = await planted();
    const keptOut = await mentionExclusions([{ name: "project", path: folder }]);
    const names = [...Object.keys(TREE).filter((name) => !name.startsWith(".")), "../elsewhere.txt"];
    const found = await Promise.all(names.map(async (name) => [name, await keptOut(join(folder, name))]));
    assert.deepEqual(Object.fromEntries(found), {
      "open.txt": undefined,
      "kept/plan.txt": "agent",
      "src/a.kept.txt": "agent",
      "built/out.txt": "git",
      "run.log": "git",
      "src/link.txt": "agent",
      "src/chain.txt": "agent",
      "src/folder": "agent",
      "src/built-link.txt": "git",
      "../elsewhere.txt": "outside",
    });
  });

  it("is a name and nothing more where a task mentions it: only a command could read it", async () => {
    const { bench } = await planted();
    const outcome = await bench.call("read_file", { filename: "@kept/plan.txt" });
    assert.deepEqual([outcome.status, getOutcomeText(outcome).includes("word of")], ["failed", false]);
  });
});

import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_DIRECTIVES } from "../../../src/core/prompt.ts";
import { parseDirectives } from "../../../src/runs/directives-yaml.ts";
import { readDirectives } from "../../../src/runs/prompt-settings.ts";
import { readRules } from "../../../src/runs/rules.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("prompt settings", () => {
  it("replace what they give, and leave the rest as it is", () => {
    assert.deepEqual(parseDirectives("constraints:\n- Be brief\nresources: []\n", "f"), {
      ...DEFAULT_DIRECTIVES,
      constraints: ["Be brief"],
    });
  });

  it("know the older name of the best practices", () => {
    assert.deepEqual(parseDirectives("performance_evaluations: [Test]", "f").bestPractices, ["Test"]);
  });

  it("are not needed", async () => {
    assert.deepEqual(await readDirectives(await tempFolder()), { directives: DEFAULT_DIRECTIVES });
  });

  const bad: [string, RegExp][] = [
    [
      "constraints: [",
      /^.+prompt_settings\.yaml is not valid YAML: .+ The usual directives are used instead\.$/,
    ],
    ["constraints: one", /^"constraints" in .+ is not a list/],
    [" ".repeat(70_000), /is too large \(over 64 kB\)\. The usual directives are used instead\.$/],
  ];
  for (const [text, problem] of bad) {
    it(`are left out with a sentence when they are bad: ${JSON.stringify(text.slice(0, 20))}`, async () => {
      const home = await tempFolder();
      await writeFile(join(home, "prompt_settings.yaml"), text);
      const read = await readDirectives(home);
      assert.deepEqual([read.directives, problem.test(read.problem ?? "")], [DEFAULT_DIRECTIVES, true]);
    });
  }
});

describe("standing instructions", () => {
  it("are read from both files, blank ones left out", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, ".autogpt"));
    await writeFile(join(folder, ".autogpt/rules.md"), "\uFEFFUse tabs.\n");
    const one = await readRules(folder);
    await writeFile(join(folder, "AGENTS.md"), "Be kind.");
    const both = await readRules(folder);
    await writeFile(join(folder, "AGENTS.md"), " \n");
    assert.deepEqual(
      [one, both, await readRules(folder)],
      [
        [{ file: ".autogpt/rules.md", text: "Use tabs." }],
        [
          { file: ".autogpt/rules.md", text: "Use tabs." },
          { file: "AGENTS.md", text: "Be kind." },
        ],
        one,
      ],
    );
  });

  it("are cut where they are long, and say so", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "AGENTS.md"), "x".repeat(40_000));
    assert.deepEqual(await readRules(folder), [
      { file: "AGENTS.md", text: `${"x".repeat(32 * 1024)}\n(AGENTS.md is longer; the rest is left out.)` },
    ]);
  });

  it("are not read through a link that leads out of the folder", async function () {
    if (process.platform === "win32") return this.skip();
    const folder = await tempFolder();
    const outside = await tempFolder();
    await writeFile(join(outside, "secret"), "my diary");
    await writeFile(join(folder, "CLAUDE.md"), "Inside.");
    await symlink(join(outside, "secret"), join(folder, "AGENTS.md"));
    await mkdir(join(folder, ".autogpt"));
    await symlink("../CLAUDE.md", join(folder, ".autogpt/rules.md"));
    assert.deepEqual(await readRules(folder), [{ file: ".autogpt/rules.md", text: "Inside." }]);
  });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { nodeWorkspace } from "../../../src/node/workspace.ts";
import { promptSettings } from "../../../src/runs/profiles/profile-yaml.ts";
import { readRepositoryInstructions } from "../../../src/runs/profiles/repository-instructions.ts";
import { guardedReader } from "../../../src/safety/paths/guarded-reader.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant, type Tree } from "../../support/trees.ts";

const SETTINGS = ".autogpt/prompt_settings.yaml";

describe("prompt settings", () => {
  it("are lists that add to the agent's own, under older names too, with colons or without", () => {
    const yaml =
      "constraints:\n- Be brief\n- Note: no tabs\nresources: []\nperformance_evaluations: [Test, 1.10]\n";
    assert.equal(
      promptSettings(yaml, "f"),
      "Constraints:\n- Be brief\n- Note: no tabs\n\nGood practice:\n- Test\n- 1.10",
    );
  });

  for (const [yaml, problem] of [
    ["a: 1\nconstraints: [", /^f isn't valid YAML: .+ at line 2, column 15\. Fix it, or remove the file\.$/],
    ["a: 1\nconstraints: one", /^Line 2 of f: "constraints" isn't a list\. Write each entry/],
    ["just words", /^f has no fields like "constraints: \.\.\."\. Write one field per line\.$/],
  ] as const)
    it(`that are broken are a sentence with the line: ${JSON.stringify(yaml)}`, () =>
      assert.throws(() => promptSettings(yaml, "f"), { message: problem }));

  it("that would take a parser minutes are refused at once", () => {
    const yaml = `a: &a [x]\n${"b: *a\n".repeat(60_000)}`;
    assert.throws(() => promptSettings(yaml, "f"), {
      message: "f is too large (over 64 KB). Shorten it, or remove the file.",
    });
  });
});

describe("what a repository gives the agent to read", () => {
  const tempFolder = tempFolders();

  async function planted(tree: Tree): Promise<string> {
    const home = await tempFolder();
    await plant(home, { "outside/id_rsa": "private", "outside/rules.md": "Obey." });
    await plant(join(home, "app"), { "a.txt": "a", ...tree });
    return join(home, "app");
  }

  function wordsIn(folder: string) {
    const workspace = nodeWorkspace({ folders: [{ name: "app", path: folder }] });
    return readRepositoryInstructions(
      folder,
      guardedReader(workspace, workspace.folders(), process.platform),
    );
  }

  it("is none where there are no files, or blank ones", async () => {
    const folder = await planted({ "AGENTS.md": " \n", [SETTINGS]: "# nothing\n" });
    assert.deepEqual(await wordsIn(folder), { rules: [], unread: [] });
  });

  it("is its prompt settings, its rules and its notes for agents", async () => {
    const folder = await planted({
      ".autogpt/rules.md": "\uFEFFUse tabs.\n",
      "AGENTS.md": "Be kind.",
      [SETTINGS]: "constraints: [Be brief]",
    });
    assert.deepEqual(await wordsIn(folder), {
      rules: [
        { file: SETTINGS, text: "Constraints:\n- Be brief" },
        { file: ".autogpt/rules.md", text: "Use tabs." },
        { file: "AGENTS.md", text: "Be kind." },
      ],
      unread: [],
    });
  });

  it("is cut where it is long, and says so", async () => {
    const folder = await planted({ "AGENTS.md": "x".repeat(40_000) });
    assert.deepEqual(await wordsIn(folder), {
      rules: [
        {
          file: "AGENTS.md",
          text: `${"x".repeat(32 * 1024)}\n(AGENTS.md is longer; the rest is omitted.)`,
        },
      ],
      unread: [],
    });
  });

  it("may be reached by a link within the folder", async () => {
    const folder = await planted({ "CLAUDE.md": "Inside.", "AGENTS.md": { link: "CLAUDE.md" } });
    assert.deepEqual(await wordsIn(folder), { rules: [{ file: "AGENTS.md", text: "Inside." }], unread: [] });
  });

  for (const [tree, unread] of [
    [
      { "AGENTS.md": { link: "../outside/id_rsa" } },
      /^AGENTS\.md isn't read: it leads outside the workspace/,
    ],
    [
      { "AGENTS.md": { link: "b" }, b: { link: ".env" }, ".env": "KEY=1" },
      /^AGENTS\.md isn't read: it leads to \.env, which /,
    ],
    [
      { "AGENTS.md": { link: ".npmrc" }, ".npmrc": { link: "a.txt" } },
      /^AGENTS\.md isn't read: it leads to \.npmrc, which /,
    ],
    [
      { ".autogpt/rules.md": { link: "../.env" }, ".env": "KEY=1" },
      /^\.autogpt\/rules\.md isn't read: it leads to \.env/,
    ],
    [
      { [SETTINGS]: { link: "../.env" }, ".env": "constraints: [a]" },
      /^\.autogpt\/prompt_settings\.yaml isn't read/,
    ],
    [{ "AGENTS.md": { link: "AGENTS.md" } }, /^AGENTS\.md isn't read: .*symbolic link that leads nowhere/],
    [{ "AGENTS.md/x": "" }, /^AGENTS\.md isn't read: .*is a folder/],
    [{ "AGENTS.md": Buffer.from([0, 1, 2, 255]) }, /^AGENTS\.md isn't read: it is a binary file\.$/],
    [{ "AGENTS.md": "x".repeat(1_100_000) }, /^AGENTS\.md isn't read: it is too large \(over 1 MB\)\.$/],
    [
      { "AGENTS.md": "Obey.", ".autogptignore": "AGENTS.md\n" },
      /^AGENTS\.md isn't read: .*\.autogptignore names it\.$/,
    ],
    [
      { [SETTINGS]: "constraints: one" },
      /^Line 1 of \.autogpt\/prompt_settings\.yaml: "constraints" isn't a list/,
    ],
    [
      { ".autogpt": { link: "../outside" } },
      /\.autogpt is a link, not a folder, so nothing in it is read or written/,
    ],
    [{ ".autogpt/memory": { link: "../../outside" } }, /memory is a link, not a folder/],
    [{ ".autogpt/profiles": { link: "../../outside" } }, /profiles is a link, not a folder/],
  ] satisfies readonly (readonly [Tree, RegExp])[])
    it(`is left out with a sentence: ${JSON.stringify(tree).slice(0, 80)}`, async function () {
      if (process.platform === "win32") return this.skip();
      const { rules, unread: found } = await wordsIn(await planted(tree));
      assert.deepEqual(
        { rules, unread: found.map((one) => (unread.test(one) ? "as wanted" : one)) },
        { rules: [], unread: ["as wanted"] },
      );
    });

  it("holds nothing up where it is a named pipe", async function () {
    if (process.platform === "win32") return this.skip();
    const folder = await planted({ ".autogpt/x": "" });
    for (const file of [SETTINGS, ".autogpt/rules.md", "AGENTS.md"])
      execFileSync("/usr/bin/env", ["mkfifo", join(folder, file)]);
    assert.deepEqual(await wordsIn(folder), {
      rules: [],
      unread: [SETTINGS, ".autogpt/rules.md", "AGENTS.md"].map(
        (file) => `${file} isn't read: it is a device or a socket.`,
      ),
    });
  });
});

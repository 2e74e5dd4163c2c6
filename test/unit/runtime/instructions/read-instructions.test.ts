import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { renderPromptSettings } from "../../../../src/runs/profiles/profile-yaml.ts";
import { readInstructions } from "../../../../src/runtime/instructions/read-instructions.ts";
import { createGuardedFiles } from "../../../../src/safety/paths/guarded-reader.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const SETTINGS = ".autogpt/prompt_settings.yaml";

describe("prompt settings", () => {
  it("are lists that add to the agent's own, under older names too, with colons or without", () => {
    const yaml = "constraints:\n- Be brief\n- Note: no tabs\nresources: []\nperformance_evaluations: [Test, 1.10]\n";
    assert.equal(
      renderPromptSettings(yaml, "f"),
      "Constraints:\n- Be brief\n- Note: no tabs\n\nGood practice:\n- Test\n- 1.10",
    );
  });

  for (const [yaml, problem] of [
    ["a: 1\nconstraints: [", /^f isn't valid YAML: .+ at line 2, column 15\. Fix it, or remove the file\.$/],
    ["a: 1\nconstraints: one", /^Line 2 of f: "constraints" isn't a list\. Write each entry/],
    ["just words", /^f has no fields like "constraints: \.\.\."\. Write one field per line\.$/],
  ] as const)
    it(`that are broken are a sentence with the line: ${JSON.stringify(yaml)}`, () =>
      assert.throws(() => renderPromptSettings(yaml, "f"), { message: problem }));

  it("that would take a parser minutes are refused at once", () => {
    const yaml = `a: &a [x]\n${"b: *a\n".repeat(60_000)}`;
    assert.throws(() => renderPromptSettings(yaml, "f"), {
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
    const workspace = createNodeWorkspace({ folders: [{ name: "app", path: folder }] });
    return readInstructions(folder, createGuardedFiles(workspace, workspace.listFolders(), process.platform));
  }

  it("is none where there are no files, or blank ones", async () => {
    const folder = await planted({ "AGENTS.md": " \n", [SETTINGS]: "# nothing\n" });
    assert.deepEqual(await wordsIn(folder), { rules: [], later: [], unread: [] });
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
      later: [],
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
      later: [],
      unread: [],
    });
  });

  it("may be reached by a link within the folder", async () => {
    const folder = await planted({ "CLAUDE.md": "Inside.", "AGENTS.md": { link: "CLAUDE.md" } });
    assert.deepEqual(await wordsIn(folder), {
      rules: [{ file: "AGENTS.md", text: "Inside." }],
      later: [],
      unread: [],
    });
  });

  for (const [tree, unread] of [
    [{ "AGENTS.md": { link: "../outside/id_rsa" } }, /^AGENTS\.md isn't read: it leads outside the workspace/],
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
    [{ [SETTINGS]: { link: "../.env" }, ".env": "constraints: [a]" }, /^\.autogpt\/prompt_settings\.yaml isn't read/],
    [{ "AGENTS.md": { link: "AGENTS.md" } }, /^AGENTS\.md isn't read: .*symbolic link that leads nowhere/],
    [{ "AGENTS.md/x": "" }, /^AGENTS\.md isn't read: .*is a folder/],
    [{ "AGENTS.md": Buffer.from([0, 1, 2, 255]) }, /^AGENTS\.md isn't read: it is a binary file\.$/],
    [{ "AGENTS.md": "x".repeat(1_100_000) }, /^AGENTS\.md isn't read: it is too large \(over 1 MB\)\.$/],
    [
      { "AGENTS.md": "Obey.", ".autogptignore": "AGENTS.md\n" },
      /^AGENTS\.md isn't read: .*\.autogptignore names it\.$/,
    ],
    [{ [SETTINGS]: "constraints: one" }, /^Line 1 of \.autogpt\/prompt_settings\.yaml: "constraints" isn't a list/],
    [{ ".autogpt": { link: "../outside" } }, /\.autogpt is a link, not a folder, so nothing in it is read or written/],
    [{ ".autogpt/memory": { link: "../../outside" } }, /memory is a link, not a folder/],
    [{ ".autogpt/profiles": { link: "../../outside" } }, /profiles is a link, not a folder/],
  ] satisfies readonly (readonly [Tree, RegExp])[])
    it(`is left out with a sentence: ${JSON.stringify(tree).slice(0, 80)}`, async () => {
      skipWithout("files as POSIX has them");
      const { rules, unread: found } = await wordsIn(await planted(tree));
      assert.deepEqual(
        { rules, unread: found.map((one) => (unread.test(one) ? "as wanted" : one)) },
        { rules: [], unread: ["as wanted"] },
      );
    });

  it("is what the user keeps for themselves beside a file of the repository's, with its imports, also where git ignores it", async () => {
    const folder = await planted({
      ".gitignore": "CLAUDE.local.md",
      "CLAUDE.md": "Use tabs.",
      "CLAUDE.local.md": "My port is 8080. @notes.md",
      "notes.md": "My notes.",
    });

    const { rules } = await wordsIn(folder);

    assert.deepEqual(rules, [
      { file: "CLAUDE.md", text: "Use tabs." },
      { file: "CLAUDE.local.md", text: "My port is 8080. @notes.md" },
      { file: "notes.md", text: "My notes." },
    ]);
  });

  it("is what other agents' files say, a text once", async () => {
    const folder = await planted({
      "AGENTS.md": "Use tabs.",
      "CLAUDE.md": { link: "AGENTS.md" },
      ".claude/CLAUDE.md": "Use tabs.\n",
      ".github/copilot-instructions.md": "Be brief.",
      ".cursorrules": "Old rules.",
      ".cursor/rules/always.mdc": "---\nalwaysApply: true\nglobs: *.md\n---\nAlways.",
      ".cursor/rules/deep/ts.mdc": "---\ndescription: TypeScript\nglobs: **/*.ts, **/*.tsx\n---\nNo any.",
      ".cursor/rules/asked.mdc": "---\ndescription: Releases: how\nglobs:\n---\nTag first.",
      ".cursor/rules/plain.md": "# Names\n\nShort names.",
      ".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nEverywhere.",
      ".github/instructions/a/py.instructions.md": "---\napplyTo: '**/*.py'\n---\n# Python\nTypes.",
      ".github/instructions/other.md": "Not one.",
      ".claude/rules/style.md": "Short lines.",
      ".claude/rules/api.md": "---\npaths:\n  - src/api/**/*.ts\n---\nValidate.",
    });
    const { rules, later, unread } = await wordsIn(folder);
    assert.deepEqual(
      { rules: rules.map(({ file, text }) => `${file}: ${text}`), later, unread },
      {
        rules: [
          "AGENTS.md: Use tabs.",
          ".github/copilot-instructions.md: Be brief.",
          ".cursorrules: Old rules.",
          ".github/instructions/all.instructions.md: Everywhere.",
          ".cursor/rules/always.mdc: Always.",
          ".claude/rules/style.md: Short lines.",
        ],
        later: [
          { file: ".github/instructions/a/py.instructions.md", globs: ["**/*.py"], description: "Python" },
          { file: ".cursor/rules/asked.mdc", description: "Releases: how" },
          {
            file: ".cursor/rules/deep/ts.mdc",
            globs: ["**/*.ts", "**/*.tsx"],
            description: "TypeScript",
          },
          { file: ".cursor/rules/plain.md", description: "Names" },
          { file: ".claude/rules/api.md", globs: ["src/api/**/*.ts"], description: "Validate." },
        ],
        unread: [],
      },
    );
  });

  it("is what the files of Gemini, Windsurf, Cline, Roo and Kilo Code say, as each of them means it", async () => {
    const folder = await planted({
      "GEMINI.md": "Gemini.",
      ".windsurfrules": "Old Windsurf.",
      ".clinerules/a.md": "Cline.",
      ".clinerules/b.md": "---\npaths:\n  - src/**\n---\nCline in src.",
      ".windsurf/rules/always.md": "---\ntrigger: always_on\n---\nWindsurf.",
      ".windsurf/rules/glob.md": "---\ntrigger: glob\nglobs: *.ts\n---\nTyped.",
      ".windsurf/rules/choice.md": "---\ntrigger: model_decision\ndescription: Of releases\n---\nRelease.",
      ".roo/rules/deep/r.md": "Roo.",
      ".roo/rules-code/r.md": "Not read.",
      ".kilocode/rules/k.md": "Roo.",
    });
    const { rules, later, unread } = await wordsIn(folder);
    assert.deepEqual(
      { rules: rules.map(({ file, text }) => `${file}: ${text}`), later, unread },
      {
        rules: [
          "GEMINI.md: Gemini.",
          ".windsurfrules: Old Windsurf.",
          ".clinerules/a.md: Cline.",
          ".windsurf/rules/always.md: Windsurf.",
          ".roo/rules/deep/r.md: Roo.",
        ],
        later: [
          { file: ".clinerules/b.md", globs: ["src/**"], description: "Cline in src." },
          { file: ".windsurf/rules/choice.md", description: "Of releases" },
          { file: ".windsurf/rules/glob.md", globs: ["*.ts"], description: "Typed." },
        ],
        unread: [],
      },
    );
  });

  it("is one file of Cline's where that isn't a folder", async () => {
    const folder = await planted({ ".clinerules": "One file." });
    assert.deepEqual((await wordsIn(folder)).rules, [{ file: ".clinerules", text: "One file." }]);
  });

  it("may import files of the workspace, five deep, each shown and once", async () => {
    const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`docs/${at}.md`, `Rule ${at}. @${at + 1}.md`]));
    const folder = await planted({
      "AGENTS.md": "Agents.",
      "CLAUDE.md":
        "See @AGENTS.md, (@docs/1.md) and @./docs/1.md. `@docs/code.md` me@example.com @missing.md @docs\n```\n@docs/code.md\n```",
      "docs/code.md": "Not imported.",
      ...chain,
    });
    const { rules, unread } = await wordsIn(folder);
    assert.deepEqual(
      { files: rules.map(({ file }) => file), unread },
      {
        files: ["AGENTS.md", "CLAUDE.md", "docs/1.md", "docs/2.md", "docs/3.md", "docs/4.md", "docs/5.md"],
        unread: ["docs/6.md, which docs/5.md imports, isn't read: there are too many imports."],
      },
    );
  });

  it("imports nothing that is secret, ignored or elsewhere", async () => {
    skipWithout("files as POSIX has them");
    const folder = await planted({
      "CLAUDE.md":
        "@.env @../outside/rules.md @~/.ssh/id_rsa.md @/etc/hosts.txt @way.md @node_modules/x/AGENTS.md @/home @kept.md",
      ".env": "KEY=hunter2",
      "way.md": { link: "../outside/rules.md" },
      ".gitignore": "node_modules\n",
      ".autogptignore": "kept.md\n",
      "kept.md": "Private.",
      "node_modules/x/AGENTS.md": "Run me.",
    });
    const { rules, unread } = await wordsIn(folder);
    assert.deepEqual(
      {
        files: rules.map(({ file }) => file),
        unread: unread.map((one) => one.replace(/ \("[^"]*"\)/, "")),
      },
      {
        files: ["CLAUDE.md"],
        unread: [
          "../outside/rules.md, which CLAUDE.md imports, isn't read: it is outside the workspace.",
          "~/.ssh/id_rsa.md, which CLAUDE.md imports, isn't read: it is outside the workspace.",
          "/etc/hosts.txt, which CLAUDE.md imports, isn't read: it is outside the workspace.",
          ".env isn't read: it leads to .env, which may hold secrets.",
          "way.md isn't read: it leads outside the workspace.",
          "node_modules/x/AGENTS.md isn't read: git ignores it.",
          "kept.md isn't read: it is out of bounds: the user's .autogptignore names it.",
        ],
      },
    );
  });

  it("has limits in number and length, with remarks", async () => {
    const many = Array.from({ length: 130 }, (_, at) => [
      `.claude/rules/${String(at).padStart(3, "0")}.md`,
      `${at} ${"x".repeat(2_000)}`,
    ]);
    const { rules, unread } = await wordsIn(await planted(Object.fromEntries(many)));
    const chars = rules.reduce((sum, { text }) => sum + text.length, 0);
    assert.deepEqual(
      { count: rules.length, isBounded: chars < 3 * 32 * 1024 + 60 * 80, unread },
      {
        count: 60,
        isBounded: true,
        unread: [
          ".claude/rules has more than 100 files; the others aren't read.",
          "Only the first 60 files with instructions are read.",
        ],
      },
    );
  });

  it("names globs that can't be used, and still offers the file", async () => {
    const slow = "**/".repeat(170);
    const { later, unread } = await wordsIn(
      await planted({ ".cursor/rules/a.mdc": `---\nglobs: ${slow}*.ts\n---\n- Text.` }),
    );
    assert.deepEqual(
      { later, unread: unread.map((one) => one.replace(/".*"/, "GLOB")) },
      {
        later: [{ file: ".cursor/rules/a.mdc", description: "Text." }],
        unread: [".cursor/rules/a.mdc: The glob GLOB is longer than 500 characters."],
      },
    );
  });

  it("holds nothing up where it is a named pipe", async () => {
    skipWithout("files as POSIX has them");
    const folder = await planted({ ".autogpt/x": "" });
    for (const file of [SETTINGS, ".autogpt/rules.md", "AGENTS.md"])
      execFileSync("/usr/bin/env", ["mkfifo", join(folder, file)]);
    assert.deepEqual(await wordsIn(folder), {
      rules: [],
      later: [],
      unread: [SETTINGS, ".autogpt/rules.md", "AGENTS.md"].map(
        (file) => `${file} isn't read: it is a device or a socket.`,
      ),
    });
  });
});

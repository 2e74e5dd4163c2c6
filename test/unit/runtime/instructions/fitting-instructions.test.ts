import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { FittingInstructions } from "../../../../src/runtime/instructions/fitting-instructions.ts";
import { createVirtualWorkspace } from "../../../../src/runtime/virtual/virtual-workspace.ts";
import { createGuardedFiles } from "../../../../src/safety/paths/guarded-reader.ts";
import type { Instructions } from "../../../../src/schema/run-values.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

describe("the instructions for a file that a run uses", () => {
  const tempFolder = tempFolders();

  interface Setting {
    readonly given?: readonly Instructions[];
    readonly room?: number;
    readonly other?: Tree;
  }

  async function planted(tree: Tree, { given = [], room = 50_000, other }: Setting = {}) {
    const home = realpathSync.native(await tempFolder());
    await plant(join(home, "app"), { "a.txt": "a", ...tree });
    if (other) await plant(join(home, "api"), other);
    const problems: string[] = [];
    const folders = (other ? ["app", "api"] : ["app"]).map((name) => {
      const path = join(home, name);
      const files = createGuardedFiles(createNodeWorkspace({ folders: [{ name, path }] }), [path], process.platform);
      return { path, files, prefix: name === "app" ? "" : `${name}/` };
    });
    const fitting = new FittingInstructions({
      listFolders: () => folders,
      platform: process.platform,
      listGivenRules: () => given,
      countFreeChars: () => room,
      reportProblem: (text) => problems.push(text),
    });
    const uses = async (step: number, ...names: readonly string[]) =>
      (
        await fitting.findForStep(
          step,
          names.map((name) => ({ path: join(home, name), how: "read" as const })),
        )
      ).map(({ file, text }) => `${file}: ${text}`);
    return { uses, problems };
  }

  it("are those whose globs fit it, and the notes of each folder above it, from the top down", async () => {
    const { uses } = await planted({
      "AGENTS.md": "Of all, and in the head already.",
      ".github/instructions/ts.instructions.md": "---\napplyTo: '**/*.ts'\n---\nNo any.",
      ".github/instructions/py.instructions.md": "---\napplyTo: '**/*.py'\n---\nTypes.",
      "packages/AGENTS.md": "Packages.",
      "packages/x/CLAUDE.md": "X. @notes.md",
      "packages/x/notes.md": "Imported.",
    });
    assert.deepEqual(await uses(1, "app/packages/x/src/a.ts"), [
      ".github/instructions/ts.instructions.md: No any.",
      "packages/AGENTS.md: Packages.",
      "packages/x/CLAUDE.md: X. @notes.md",
      "packages/x/notes.md: Imported.",
    ]);
  });

  it("come once in a step, even for calls at the same time", async () => {
    const { uses } = await planted({ "x/AGENTS.md": "X." });
    const both = await Promise.all([uses(1, "app/x/a.ts"), uses(1, "app/x/b.ts")]);
    assert.deepEqual(both.flat(), ["x/AGENTS.md: X."]);
  });

  it("don't come again while prompts hold them, under any name", async () => {
    const given = [
      { file: "x/AGENTS.md", text: "X." },
      { file: "AGENTS.md", text: "Same." },
    ];
    const { uses } = await planted({ "x/AGENTS.md": "X, as it is now.", "x/CLAUDE.md": "Same." }, { given });
    assert.deepEqual(await uses(2, "app/x/a.ts"), []);
  });

  it("come again after the prompts lost them", async () => {
    const { uses } = await planted({ "x/AGENTS.md": "X." });
    const [first, second] = [await uses(1, "app/x/a.ts"), await uses(2, "app/x/a.ts")];
    assert.deepEqual([first, second], [["x/AGENTS.md: X."], ["x/AGENTS.md: X."]]);
  });

  it("of an installed package, a secret or a place elsewhere aren't given", async () => {
    skipWithout("files as POSIX has them");
    const { uses, problems } = await planted({
      ".gitignore": "node_modules\n",
      "node_modules/x/AGENTS.md": "Run me.",
      "y/AGENTS.md": { link: "../../elsewhere.md" },
      "z/AGENTS.md": { link: ".env" },
      "z/.env": "KEY=1",
    });
    const found = await uses(1, "app/node_modules/x/a.js", "app/y/a", "app/z/a");
    assert.deepEqual(
      { found, problems: problems.map((one) => one.replace(/ \("[^"]*"\)/, "")) },
      {
        found: [],
        problems: [
          "y/AGENTS.md isn't read: it leads outside the workspace.",
          "z/AGENTS.md isn't read: it leads to z/.env, which may hold secrets.",
        ],
      },
    );
  });

  it("aren't given for the file itself, and not for a file outside the workspace", async () => {
    const { uses } = await planted({ "x/AGENTS.md": "X." });
    assert.deepEqual(await uses(1, "app/x/AGENTS.md", "elsewhere/x/a.ts"), []);
  });

  it("of another workspace folder include those of the whole folder", async () => {
    const { uses } = await planted(
      { "AGENTS.md": "App." },
      { other: { "AGENTS.md": "Api.", "src/AGENTS.md": "Source." } },
    );
    assert.deepEqual(await uses(1, "api/src/a.ts"), ["api/AGENTS.md: Api.", "api/src/AGENTS.md: Source."]);
  });

  it("are cut where little room is left, and only named where there is none", async () => {
    const tree = { "x/AGENTS.md": "x".repeat(1_000) };
    const [some, none] = [await planted(tree, { room: 300 }), await planted(tree, { room: -5 })];
    assert.deepEqual(
      [await some.uses(1, "app/x/a"), await none.uses(1, "app/x/a")],
      [
        [`x/AGENTS.md: ${"x".repeat(300)}\n(x/AGENTS.md is longer; read_file gives the rest.)`],
        ["x/AGENTS.md: (x/AGENTS.md is longer; read_file gives the rest.)"],
      ],
    );
  });

  it("are found in a virtual workspace, too", async () => {
    const files = new MemoryFiles({
      "/app/x/AGENTS.md": "X.",
      "/app/x/a.ts": "1",
      "/app/.cursor/rules/ts.mdc": "---\nglobs: *.ts\n---\nNo any.",
    });
    const folder = { name: "app", path: "mem:/app" };
    const workspace = createVirtualWorkspace({ files, listFolders: () => [folder] });
    const guarded = createGuardedFiles(workspace, [folder.path], process.platform);
    const fitting = new FittingInstructions({
      listFolders: () => [{ path: folder.path, files: guarded, prefix: "" }],
      platform: process.platform,
      listGivenRules: () => [],
      countFreeChars: () => 1_000,
      reportProblem: () => undefined,
    });
    assert.deepEqual(await fitting.findForStep(1, [{ path: "mem:/app/x/a.ts", how: "read" }]), [
      { file: ".cursor/rules/ts.mdc", text: "No any." },
      { file: "x/AGENTS.md", text: "X." },
    ]);
  });
});

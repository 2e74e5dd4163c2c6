import assert from "node:assert/strict";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createTrackedTest } from "../../../../src/node/git/committed-files.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { readInstructions } from "../../../../src/runtime/instructions/read-instructions.ts";
import { createGuardedFiles } from "../../../../src/safety/paths/guarded-reader.ts";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling, headless } from "../../../support/headless.ts";
import { git, makeRepository } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const PASSWORD = "https://me:hunter2hunter2@example.com/a.git";
const IN_HISTORY = "isn't read: it is in a folder of version control, which may hold passwords.";
const UNTRACKED = "isn't read: git doesn't track it.";

/** A repository with a password in its settings and these tracked files; then come others. */
async function repositoryWith(tracked: Tree, others: Tree = {}): Promise<string> {
  const folder = await realpath(await tempFolder());
  makeRepository(folder, { "a.txt": "a" });
  git(folder, "remote", "add", "origin", PASSWORD);
  await plant(folder, tracked);
  git(folder, "add", "--all");
  await plant(folder, others);
  return folder;
}

async function wordsIn(folder: string, below = "") {
  const root = join(folder, below);
  const workspace = createNodeWorkspace({ folders: [{ name: "app", path: root }] });
  const files = createGuardedFiles(workspace, [root], process.platform, createTrackedTest(root));
  const { rules, unread } = await readInstructions(root, files);
  return { files: rules.map(({ file }) => file), unread };
}

describe("what rules files import", () => {
  for (const path of [
    ".git/config",
    "./.git/./config",
    "docs/../.git/config",
    ".git/HEAD",
    ".git/logs/HEAD",
    ".GIT/config",
    ".g\u200cit/config",
    "git~1/config",
    "modules/lib/.git",
    "modules/lib/.git/config",
  ])
    it(`is never in git's own folder: ${JSON.stringify(path)}`, async () => {
      const folder = await repositoryWith(
        { "CLAUDE.md": `@${path}` },
        {
          ".GIT/config": "password",
          ".g\u200cit/config": "password",
          "git~1/config": "password",
          ...(path === "modules/lib/.git" ? { "modules/lib/.git": "gitdir: ../../.git" } : {}),
          ...(path === "modules/lib/.git/config" ? { "modules/lib/.git/config": "password" } : {}),
        },
      );
      const { files, unread } = await wordsIn(folder);
      assert.deepEqual(
        { files, why: unread.map((one) => one.slice(one.indexOf("isn't"))) },
        { files: ["CLAUDE.md"], why: [IN_HISTORY] },
      );
    });

  it("is reached by no link into git's own folder, from rules of any format", async () => {
    const folder = await repositoryWith({
      "CLAUDE.md": "@way.md @history/config",
      "way.md": { link: ".git/config" },
      history: { link: ".git" },
      "AGENTS.md": { link: ".git/config" },
      ".cursorrules": { link: ".git/config" },
      ".github/copilot-instructions.md": { link: "../.git/config" },
      ".cursor/rules/a.mdc": { link: "../../.git/config" },
      ".github/instructions/a.instructions.md": { link: "../../.git/config" },
      ".claude/rules/a.md": { link: "../../.git/config" },
      ".autogpt/rules.md": { link: "../.git/config" },
      ".autogpt/prompt_settings.yaml": { link: "../.git/config" },
    });
    const { files, unread } = await wordsIn(folder);
    assert.deepEqual(
      { files, hasAllReasons: unread.every((one) => one.endsWith(IN_HISTORY)), count: unread.length },
      { files: ["CLAUDE.md"], hasAllReasons: true, count: 10 },
    );
  });

  it("is tracked by git, however deep the import, and whatever leads there", async () => {
    const folder = await repositoryWith(
      { "CLAUDE.md": "@docs/1.md @way.md", "docs/1.md": "@2.md @notes.md", "docs/2.md": "Two." },
      {
        "docs/notes.md": "Mine.",
        "way.md": { link: "docs/notes.md" },
        "AGENTS.md": { link: "docs/notes.md" },
      },
    );
    assert.deepEqual(await wordsIn(folder), {
      files: ["CLAUDE.md", "docs/1.md", "docs/2.md"],
      unread: [`AGENTS.md ${UNTRACKED}`, `way.md ${UNTRACKED}`, `docs/notes.md ${UNTRACKED}`],
    });
  });

  it("isn't secret, even if git tracks it", async () => {
    const folder = await repositoryWith({ "CLAUDE.md": "@.env @.npmrc", ".env": "KEY=1", ".npmrc": "a=b" });
    const { files, unread } = await wordsIn(folder);
    assert.deepEqual({ files, count: unread.length }, { files: ["CLAUDE.md"], count: 2 });
  });

  it("is in no folder of a repository that has another name", async () => {
    const folder = await repositoryWith(
      { "CLAUDE.md": "@bare/config" },
      {
        "bare/HEAD": "ref: refs/heads/main",
        "bare/config": "password",
        "bare/objects/a": "",
        "bare/refs/a": "",
      },
    );
    assert.deepEqual(await wordsIn(folder), { files: ["CLAUDE.md"], unread: [`bare/config ${UNTRACKED}`] });
  });

  it("is anything that may be read where git tracks nothing yet, in a part of a larger repository, too", async () => {
    const folder = await repositoryWith({ "part/CLAUDE.md": "@docs/1.md", "part/docs/1.md": "One." });
    await plant(folder, { "new/CLAUDE.md": "@docs/1.md", "new/docs/1.md": "One." });
    const [part, fresh] = [await wordsIn(folder, "part"), await wordsIn(folder, "new")];
    assert.deepEqual([part, fresh], Array(2).fill({ files: ["CLAUDE.md", "docs/1.md"], unread: [] }));
  });

  it("never brings a password of git's settings to the model", async () => {
    const workspace = await repositoryWith({
      "CLAUDE.md": "Read @.git/config",
      "AGENTS.md": { link: ".git/config" },
    });
    server().plan(calling("task_complete", { reason: "Done." }));
    const place = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
    const { stderr } = await headless(place, "--task", "Look.", "--continuous", "3", "--json");
    const sent = JSON.stringify(server().requests.map(({ body }) => body));
    assert.deepEqual(
      {
        isSent: sent.includes("hunter2hunter2") || sent.includes("[core]"),
        isSaid: stderr.includes(IN_HISTORY),
      },
      { isSent: false, isSaid: true },
    );
  });
});

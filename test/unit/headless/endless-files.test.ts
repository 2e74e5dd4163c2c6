import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { outcomes } from "../../support/rehearsal.ts";
import { makeRepository } from "../../support/repositories.ts";
import { withoutTimes } from "../../support/run-times.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

/** Names of files that a run reads before the first step, or that the programs read that it starts. */
const NAMES = [
  ...[".gitignore", "src/.gitignore", ".gitattributes", ".gitmodules", ".mailmap", ".vscode/settings.json"],
  ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".cursorrules", ".mcp.json"],
  ...[".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".cursor/rules/a.mdc"],
  ...[".claude/rules/a.md", ".claude/skills/a/SKILL.md", ".claude/settings.json", ".github/hooks/a.json"],
  ...[".autogpt/rules.md", ".autogpt/prompt_settings.yaml", ".autogpt/mcp.json", ".autogpt/hooks.json"],
  ...[".autogpt/profiles/a.yaml", ".autogpt/plugins/a/plugin.json", ".autogpt/plugins/b.zip"],
  ...[".autogpt/runs/20260101-120000-abcd/run.jsonl", ".autogpt/runs/digests.json", ".autogpt/.gitignore"],
  ...[".autogpt/memory/notes/a.md", ".autogpt/memory/index.json", ".autogpt/notes/a.md", "ai_settings.yaml"],
  ...["package.json", "tsconfig.json", "pyvenv.cfg", ".venv/pyvenv.cfg", ".nvmrc", ".npmrc", ".editorconfig"],
  ...[".env", "pyproject.toml", "README.md", "Makefile", "src/pipe.ts"],
];

/** Those that git doesn't read, which copies a repository for an isolated run. */
const OTHERS = NAMES.filter((name) => !/\.(?:git\w+|mailmap)$/.test(name));

type Plant = (path: string) => Promise<void> | Buffer;

const PLANTS: Readonly<Record<string, Plant>> = {
  "a named pipe": (path) => execFileSync("mkfifo", [path]),
  "a link to an endless device": (path) => makeLink("/dev/zero", path),
  "a link to standard input": (path) => makeLink("/proc/self/fd/0", path),
  "a link to an endless file of the system": (path) => makeLink("/proc/self/pagemap", path),
  "eight empty terabytes": async (path) => {
    await writeFile(path, "");
    await truncate(path, 8 * 2 ** 40);
  },
  "a folder": async (path) => void (await mkdir(path)),
};

/** A repository with one ordinary file, and something else under all these names. */
async function plantedPlace(plant: Plant, names: readonly string[] = NAMES) {
  const workspace = await tempFolder();
  makeRepository(workspace, { "a.txt": "one needle\n" });
  for (const name of names) {
    await mkdir(join(workspace, dirname(name)), { recursive: true });
    await rm(join(workspace, name), { force: true });
    await plant(join(workspace, name));
  }
  return { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
}

/** What a run says that looks around, and whether it took less than 20 seconds. */
async function lookAround(place: Awaited<ReturnType<typeof plantedPlace>>, ...flags: readonly string[]) {
  server().plan(
    calling("list_files", { folder: "." }),
    calling("search_files", { pattern: "needle" }),
    calling("read_file", { filename: "a.txt" }),
    calling("git_status"),
    calling("git_log", {}),
    calling("task_complete", { reason: "Done." }),
  );
  const mode = flags.length > 0 ? flags : ["--continuous", "9"];
  const since = performance.now();
  const { events } = await headless(place, "--task", "Look.", ...mode, "--json");
  // Whatever hangs takes all of the time that its test has.
  const isQuick = performance.now() - since < 110_000;
  return { isQuick, said: withoutTimes(outcomes(events)) };
}

describe("files that have no end, or that a reader waits for", () => {
  for (const [name, plant] of Object.entries(PLANTS))
    it(`hang no run under the names that it reads by itself: ${name}`, async () => {
      const { isQuick, said } = await lookAround(await plantedPlace(plant));
      const [listed = "", found = "", read = "", , , ended = ""] = said;
      assert.deepEqual(
        {
          isQuick,
          isListed: listed.includes("a.txt"),
          isFound: found.includes("a.txt"),
          isRead: read.includes("one needle"),
          ended: ended !== "",
        },
        { isQuick: true, isListed: true, isFound: true, isRead: true, ended: true },
      );
    }).timeout(120_000);

  for (const [name, plant] of Object.entries(PLANTS).filter(([name]) => !name.startsWith("eight")))
    it(`hang no isolated run: ${name}`, async function () {
      if ((await findWalls("auto")).engine === "none") return this.skip();
      const { isQuick, said } = await lookAround(await plantedPlace(plant, OTHERS), "--isolated");
      assert.deepEqual(
        { isQuick, read: said[2]?.includes("one needle"), ended: said.length },
        { isQuick: true, read: true, ended: 6 },
      );
    }).timeout(120_000);

  for (const file of [".git/config", ".git/info/exclude", ".gitignore", "src/.gitignore"])
    it(`keep git from being run when they are its own: ${file}`, async () => {
      const place = await plantedPlace((path) => execFileSync("mkfifo", [path]), [file]);
      const { isQuick, said } = await lookAround(place);
      assert.deepEqual(
        { isQuick, git: said.slice(3, 4).map((text) => text.slice(2).replace(place.workspace, "PLACE")) },
        {
          isQuick: true,
          git: [
            `failed: Git can't be used here: it would never finish reading PLACE/${file}, a pipe, a device or a huge file. Remove it first.`,
          ],
        },
      );
    }).timeout(120_000);
});

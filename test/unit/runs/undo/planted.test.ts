import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { createPreImages } from "../../../../src/runs/undo/pre-images.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, runProgram } from "../../../support/headless.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant } from "../../../support/trees.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();
const server = serverForSuite();

const GONE = "The kept content of the file is gone, so the file can't be restored.";
const LARGE = "x".repeat(6 * 1024 * 1024);

/** The result of an undo after something took the place of a kept content. */
async function undoneAfter(old: string, replace: (path: string) => Promise<unknown>) {
  const [work, run] = [await tempFolder(), await tempFolder()];
  await plant(work, { "a.txt": old });
  const agent = new UndoBench(work, run);
  await agent.write("a.txt", "changed");
  const path = join(run, "pre-images", sha256(old));
  await rm(path);
  await replace(path);
  const { conflicts } = await new UndoBench(work, run).undo.undo({});
  return { says: conflicts.map(({ why }) => writeInEnglish(why)), tree: await grown(work) };
}

describe("a kept content that others have replaced", () => {
  it("is never written, and nothing else is done", async () => {
    const other = join(await tempFolder(), "other");
    await writeFile(other, "old");
    const replacements: readonly ((path: string) => Promise<unknown>)[] = [
      (path) => writeFile(path, "harm"),
      (path) => writeFile(path, ""),
      (path) => makeLink(other, path),
      (path) => mkdir(path),
      async (path) => execFileSync("mkfifo", [path]),
    ];
    const found = [];
    for (const replace of replacements) found.push(await undoneAfter("old", replace));
    found.push(await undoneAfter(LARGE, (path) => writeFile(path, `harm${LARGE.slice(4)}`)));
    assert.deepEqual(found, Array(6).fill({ says: [GONE], tree: { "a.txt": "changed" } }));
  });

  it("isn't taken for the content of a file that is about to change", async () => {
    const [work, run] = [await tempFolder(), await tempFolder()];
    await plant(work, { "a.txt": "old" });
    await plant(run, { [`pre-images/${sha256("old")}`]: "harm" });
    const agent = new UndoBench(work, run);
    await agent.write("a.txt", "changed");
    const { conflicts } = await agent.undo.undo({});
    assert.deepEqual([conflicts, await grown(work)], [[], { "a.txt": "old" }]);
  });

  it("isn't kept in a folder that a link leads to", async () => {
    const [work, run, elsewhere] = [await tempFolder(), await tempFolder(), await tempFolder()];
    await plant(work, { "a.txt": "old" });
    await makeLink(elsewhere, join(run, "pre-images"));
    await assert.rejects(createPreImages(run).keep(join(work, "a.txt")), /is a link/);
    assert.deepEqual(await readdir(elsewhere), []);
  });
});

describe("a journal that others have put beside a run", () => {
  it("changes nothing outside the workspace, behind a link or in git's own data", async () => {
    const workspace = await tempFolder();
    const outside = await tempFolder();
    const place: HeadlessSetting = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
    server().plan(calling("task_complete", { reason: "All tidy." }));
    await runProgram(place, "--task", "Tidy.", "--workspace", workspace);
    const runs = join(workspace, ".autogpt", "runs");
    const home = join(runs, (await readdir(runs)).find((name) => /^\d/.test(name)) ?? "");
    await makeLink(outside, join(workspace, "link"));
    await mkdir(join(workspace, ".git", "hooks"), { recursive: true });
    const paths = [
      ...[join(outside, "a"), join(workspace, "link", "b"), `${workspace}/sub/../../c`, `${workspace}/.git/hooks/d`],
      ...[join(workspace, "link", "new", "e"), `${workspace}/x/.GIT/config`],
    ];
    const was = { kind: "file", hash: sha256("harm"), bytes: 4, mode: 0o755 };
    const missing = { kind: "missing" };
    const lines = [
      { id: 1, by: "step", step: 1, files: paths.map((path) => ({ path, was })) },
      { id: 1, now: paths.map((path) => ({ path, is: missing })) },
    ];
    await writeFile(join(home, "undo.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await plant(home, { [`pre-images/${sha256("harm")}`]: "harm" });
    const { code } = await runProgram(place, "runs", "undo", home.slice(runs.length + 1));
    const written = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "none")));
    assert.deepEqual(
      { code: code !== 0, written, outside: await readdir(outside) },
      { code: true, written: paths.map(() => "none"), outside: [] },
    );
  });
});

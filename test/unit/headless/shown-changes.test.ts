import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, runProgram } from "../../support/headless.ts";
import { makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });

/** The ID of a run that has written files in its copy. */
async function isolatedRun(files: Readonly<Record<string, string>>) {
  const workspace = await tempFolder();
  makeRepository(workspace, { "note.txt": "first\nold\nlast\n" });
  const place: HeadlessSetting = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
  server().plan(...writes(files), FINISH);
  await runProgram(place, "--isolated", "--task", "Tidy.", "--workspace", workspace);
  const id = (await readdir(join(workspace, ".autogpt", "runs"))).find((name) => /^\d/.test(name)) ?? "";
  return { place, id, note: () => readFile(join(workspace, "note.txt"), "utf8") };
}

function writes(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([filename, contents]) => calling("write_to_file", { filename, contents }));
}

describe("changes of an isolated run on the command line", function () {
  this.timeout(60_000);
  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("are shown as texts in which nothing is hidden", async () => {
    const { place, id } = await isolatedRun({
      "note.txt": "first\nn\u200bew\u001b[2K\u202e\nlast\n",
      "made.bin": "a\0b",
    });
    const { stdout } = await runProgram(place, "runs", "changes", id);
    const stat = await runProgram(place, "runs", "changes", id, "--stat");
    assert.deepEqual(
      { stdout: stdout.replace(/[0-9a-f]{64}/, "HASH").split("\n"), stat: stat.stdout.split("\n") },
      {
        stdout: [
          "2 files changed in the copy (+2 -1):",
          "  created made.bin (+1 -0); accepted only by name: binary file",
          "  edited note.txt (+1 -1)",
          "",
          "created made.bin:",
          "-missing",
          "+no text, or too large to show: 3 bytes, SHA-256 HASH",
          "",
          "edited note.txt:",
          "@@ -1,3 +1,3 @@",
          " first",
          "-old",
          "+n⟨U+200B⟩ew⟨U+001B⟩[2K⟨U+202E⟩",
          " last",
          "",
        ],
        stat: [
          "2 files changed in the copy (+2 -1):",
          "  created made.bin (+1 -0); accepted only by name: binary file",
          "  edited note.txt (+1 -1)",
          "",
        ],
      },
    );
  });

  it("are accepted only as they were shown", async () => {
    const { place, id, note } = await isolatedRun({ "note.txt": "first\nnew\nlast\n" });
    const outcomes: string[] = [];
    const accept = async (...more: readonly string[]): Promise<void> => {
      const { code, stderr } = await runProgram(place, "runs", "accept", id, ...more);
      const why = /hasn't been shown as it is now/.test(stderr) ? "not shown" : String(code);
      outcomes.push(`${why} ${(await note()).split("\n")[1]}`);
    };
    await runProgram(place, "runs", "changes", id, "--stat");
    await accept();
    await accept("--file", "note.txt");
    await accept("--replace", "note.txt");
    await accept("--branch", "tidy");
    await writeFile(join(place.workspace, ".autogpt", "runs", id, "shown.json"), '{"note.txt":"forged"}');
    await accept();
    await runProgram(place, "runs", "changes", id);
    server().plan(...writes({ "note.txt": "first\nnewer\nlast\n" }), FINISH);
    await runProgram(place, "--resume", id, "--task", "Again.", "--workspace", place.workspace);
    await accept();
    await runProgram(place, "runs", "changes", id, "--json");
    await accept();
    assert.deepEqual(outcomes, [...Array(6).fill("not shown old"), "0 newer"]);
  });

  it("are never completed from a plan that others have put beside a run", async () => {
    const { place, id, note } = await isolatedRun({ "note.txt": "first\nnew\nlast\n" });
    const outside = join(await tempFolder(), "harm.sh");
    const accepted = join(place.workspace, ".autogpt", "runs", id, "accepted");
    const content = "harm\n";
    const hash = "af8b263a4ea143887d91150144476cb9d79ae31fd42b43d32a765f9e7b96aab3";
    await mkdir(join(accepted, "pre-images"), { recursive: true });
    await writeFile(join(accepted, "pre-images", hash), content);
    const target = { kind: "file", hash, bytes: 5, mode: 0o755 };
    const paths = [outside, join(place.workspace, ".git", "hooks", "post-checkout"), join(place.workspace, "new.txt")];
    const plan = {
      step: 1,
      conflicts: [],
      paths: paths.map((path) => ({ path, was: { kind: "missing" }, target })),
    };
    await writeFile(join(accepted, "plan.json"), JSON.stringify(plan));
    const shown = await runProgram(place, "runs", "changes", id);
    const left = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "none")));
    assert.deepEqual(
      {
        left,
        code: shown.code !== 0,
        said: /plan of an interrupted acceptance/.test(shown.stderr),
        note: await note(),
      },
      { left: ["none", "none", "none"], code: true, said: true, note: "first\nold\nlast\n" },
    );
  });
});

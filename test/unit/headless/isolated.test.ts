import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, runProgram } from "../../support/headless.ts";
import { git, makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const TEXT = "first\n\n\nold\n\n\nlast\n";
const FINISH = calling("task_complete", { reason: "All tidy." });
const WRITE = calling("write_to_file", { filename: "note.txt", contents: TEXT.replace("old", "new") });
const RUN = calling("execute_shell", {
  command_line: "git commit -qam mine; echo made > made.txt; touch $'one\\ntwo'; ls ~ | wc -l; touch /etc/x ../../../x",
});
const SETTINGS = calling("write_to_file", { filename: ".vscode/settings.json", contents: "{}\n" });

async function setting(): Promise<HeadlessSetting> {
  const workspace = await tempFolder();
  makeRepository(workspace, { "note.txt": TEXT, "other.txt": "other\n" });
  git(workspace, "config", "user.name", "Ada");
  git(workspace, "config", "user.email", "ada@example.com");
  return { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
}

/** The ID of the only run. */
async function onlyRun({ workspace }: HeadlessSetting): Promise<string> {
  return (await readdir(join(workspace, ".autogpt", "runs"))).find((name) => /^\d/.test(name)) ?? "";
}

describe("an isolated run on the command line", () => {
  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("works within its walls, and is reviewed, accepted, withdrawn and discarded", async () => {
    const place = await setting();
    const note = () => readFile(join(place.workspace, "note.txt"), "utf8");
    server().plan(WRITE, RUN, SETTINGS, FINISH);
    const { code, stdout } = await runProgram(place, "--isolated", "--task", "Tidy.", "--workspace", place.workspace);
    const untouched = await note();
    const id = await onlyRun(place);
    const json = await runProgram(place, "runs", "changes", id, "--json");
    const branch = await runProgram(place, "runs", "accept", id, "--branch", "tidy");
    await writeFile(join(place.workspace, "note.txt"), TEXT.replace("old", "mine"));
    const conflict = await runProgram(place, "runs", "changes", id);
    const replaced = await runProgram(place, "runs", "accept", id, "--replace", "note.txt");
    const afterReplacing = await note();
    await runProgram(place, "runs", "accept", id, "--undo");
    const afterUndo = await note();
    await writeFile(join(place.workspace, "note.txt"), TEXT.replace("first", "FIRST"));
    const accepted = await runProgram(place, "runs", "accept", id);
    const merged = await note();
    const named = await runProgram(place, "runs", "accept", id, "--file", ".vscode/settings.json");
    const same = await runProgram(place, "runs", "changes", id);
    const undone = await runProgram(place, "runs", "accept", id, "--undo");
    const discarded = await runProgram(place, "runs", "discard", id);
    const over = await runProgram(place, "runs", "changes", id);
    assert.deepEqual(
      {
        code,
        printed: stdout.split("\n").slice(-7, -1),
        untouched,
        head: git(place.workspace, "log", "--oneline").split("\n").length,
        rows: json.stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).file),
        conflict: /conflict: .*/.exec(conflict.stdout)?.[0],
        replaced: [replaced.stdout.split("\n")[0], afterReplacing, afterUndo],
        accepted: accepted.stdout,
        merged,
        named: named.stdout,
        same: same.stdout.split("\n")[2],
        undone: undone.stdout,
        branch: [branch.stdout, git(place.workspace, "show", "tidy:note.txt")],
        discarded: discarded.stdout,
        copies: await readdir(join(place.data, "copies")),
        over: over.stderr,
      },
      {
        code: 0,
        printed: [
          "4 files changed in the copy (+3 -1):",
          "  created .vscode/settings.json (+1 -0); accepted only by name: protected file",
          '  created "one\\ntwo" (+0 -0); accepted only by name: unusual name',
          "  created made.txt (+1 -0)",
          "  edited note.txt (+1 -1)",
          `The workspace is unchanged. To see this: runs changes ${id}. Then, to accept it: runs accept ${id}. To throw it away: runs discard ${id}.`,
        ],
        untouched: TEXT,
        head: 2,
        rows: [".vscode/settings.json", "one\ntwo", "made.txt", "note.txt"],
        conflict:
          "conflict: The run and the workspace changed the same lines, in 1 place. --replace accepts it in place of yours.",
        replaced: ["Accepted: note.txt.", TEXT.replace("old", "new"), TEXT.replace("old", "mine")],
        accepted: "Accepted: made.txt, note.txt.\n2 files of the copy not accepted.\n",
        merged: TEXT.replace("first", "FIRST").replace("old", "new"),
        named: "Accepted: .vscode/settings.json.\n1 file of the copy not accepted.\n",
        same: "  edited .vscode/settings.json (+0 -0); already in the workspace",
        undone: "Undid the accepted changes to: .vscode/settings.json, .vscode/.\n",
        branch: [
          'Committed to the branch tidy: .vscode/settings.json, "one\\ntwo", made.txt, note.txt.\n',
          TEXT.replace("old", "new"),
        ],
        discarded: "The copy and its changes were deleted.\n",
        copies: [],
        over: "The changes of this isolated run were discarded with its copy, so the run can only be read.\n",
      },
    );
  });
});

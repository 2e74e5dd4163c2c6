import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { acpEnvironment } from "../../../support/acp-clients.ts";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling } from "../../../support/headless.ts";
import { PROGRAM } from "../../../support/program.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const model = serverForSuite();
const tempFolder = tempFolders();
const run = promisify(execFile);

/** A client that others have written, from its package. */
const ACPX = join(dirname(createRequire(import.meta.url).resolve("acpx/package.json")), "dist/cli.js");

describe("autogpt acp with the client acpx", function () {
  this.timeout(60_000);

  it("does a whole task, whose change the client approves", async () => {
    model().plan(
      calling("write_to_file", { filename: "note.txt", contents: "new\n" }),
      calling("task_complete", { reason: "The note is written." }),
    );
    const [workspace, data] = [await tempFolder(), await tempFolder()];
    await writeFile(join(workspace, "note.txt"), "old\n");
    const env = { ...acpEnvironment({ workspace, data, baseUrl: model().baseUrl }), HOME: data };
    const agent = `${process.execPath} ${PROGRAM} acp`;
    const { stdout } = await run(
      process.execPath,
      [ACPX, "--agent", agent, "--cwd", workspace, "--approve-all", "exec", "Write a note."],
      { env, cwd: workspace },
    );
    assert.deepEqual(
      {
        file: await readFile(join(workspace, "note.txt"), "utf8"),
        isSaid: stdout.includes("The note is written."),
        isShown: stdout.includes("Wrote note.txt (completed)"),
      },
      { file: "new\n", isSaid: true, isShown: true },
      stdout,
    );
  });
});

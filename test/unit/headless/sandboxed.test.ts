import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { findSandboxTool } from "../../../src/node/sandbox/sandbox.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { outcomes } from "../../support/rehearsal.ts";
import { makeRepository } from "../../support/repositories.ts";
import { withoutTimes } from "../../support/run-times.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

describe("a run whose lines the sandbox holds", () => {
  it("runs line after line, though the run itself saves outputs and memories meanwhile", async function () {
    if ((await findSandboxTool()).kind !== "bubblewrap") this.skip();
    // Outside of /tmp, which the sandbox replaces.
    const workspace = await mkdtemp("/var/tmp/autogpt-test-");
    makeRepository(workspace, { "a.txt": "one\n" });
    server().plan(
      calling("execute_shell", { command_line: "seq 20000" }),
      calling("write_to_file", { filename: "b.txt", contents: "two" }),
      calling("memory_add", { text: "There are two files." }),
      calling("execute_shell", { command_line: "seq 20000 >&2; cat b.txt" }),
      calling("execute_shell", { command_line: "cat a.txt" }),
      calling("task_complete", { reason: "Done." }),
    );
    const place = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
    const args = ["--sandbox", "trusted", "--yes-to", "write_to_file", "--json"];
    const { events } = await headless(place, "--task", "Look.", ...args);
    await rm(workspace, { recursive: true });
    assert.deepEqual(
      withoutTimes(outcomes(events)).map((text) => [text.split("\n")[0], text.includes("protected files")]),
      [
        ["1 done: Exit code 0.", false],
        ['2 done: Created "b.txt" with 1 line.', false],
        ["3 done: Saved to memory.", false],
        ["4 done: Exit code 0.", false],
        ["5 done: Exit code 0.", false],
        ["6 finished: Done.", false],
      ],
    );
  });
});

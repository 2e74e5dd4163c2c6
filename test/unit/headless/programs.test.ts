import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { ofType, outcomes } from "../../support/rehearsal.ts";
import { makeRepository } from "../../support/repositories.ts";
import { withoutTimes } from "../../support/run-times.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

describe("a run without an editor", () => {
  it("has Python, background processes, git and documents; language services are withheld", async () => {
    const workspace = await tempFolder();
    makeRepository(workspace, { "a.txt": "one\n" });
    await writeFile(join(workspace, "page.html"), "<h1>Head</h1>");
    server().plan(
      calling("execute_python_code", { code: "print(6 * 7)" }),
      calling("execute_shell_popen", { command_line: "echo $$; exec sleep 600" }),
      calling("git_status"),
      calling("read_file", { filename: "page.html" }),
      calling("find_symbol", { symbol: "one" }),
      calling("task_complete", { reason: "Done." }),
    );
    const place = { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
    const { events } = await headless(place, "--task", "Look.", "--continuous", "9", "--json");
    const ended = withoutTimes(outcomes(events)).map((text) => text.split("\n").slice(0, 2).join(" | "));
    const pid = /(\d+)$/.exec(outcomes(events)[1] ?? "")?.[1];
    const [id = ""] = await readdir(join(workspace, ".autogpt/runs"));
    assert.deepEqual(
      [ended.slice(0, 4), ended[4]?.includes("There is no language service here."), isAlive(Number(pid))],
      [
        [
          "1 done: Exit code 0. | 42",
          "2 done: Started process 1. | It is running.",
          "3 done: ## main | ?? .autogpt/",
          "4 done: The text of page.html, 1 line | # Head",
        ],
        true,
        false,
      ],
    );
    assert.deepEqual(await readdir(join(workspace, ".autogpt/runs", id, "code")), []);
    assert.equal(ofType(events, "over").length, 1);
  });
});

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

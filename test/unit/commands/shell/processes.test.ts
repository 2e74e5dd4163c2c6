import assert from "node:assert/strict";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { createNodeProcesses, type RunProcesses } from "../../../../src/node/processes/background-processes.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import type { Tree } from "../../../support/trees.ts";

describe("background processes as commands", () => {
  const planted = plantedBenches();
  const tempFolder = tempFolders();
  const made: RunProcesses[] = [];

  after(() => Promise.all(made.map((processes) => processes.endAll("all"))));

  async function benched(tree: Tree = {}): Promise<PlantedBench> {
    const processes = createNodeProcesses({ outputFolder: join(await tempFolder(), "outputs") });
    made.push(processes);
    return planted(tree, { processes });
  }

  it("are shown and judged as the command lines that they are", async () => {
    const { bench, folder } = await benched({ "lib/a.txt": "" });
    const prepared = await bench.prepare("execute_shell_popen", { query: "npm start", cwd: "lib" });
    assert.ok(isPrepared(prepared));
    const { effect, preview, shell, cwd } = prepared;
    assert.deepEqual(
      { effect, preview, shell, cwd },
      {
        effect: "run",
        preview: {
          kind: "details",
          text: `npm start\n\nRuns with ${chooseShellProgram().name} in ${join(folder, "lib")}, in the background until it ends, is stopped, or the run is over.`,
        },
        shell: "npm start",
        cwd: join(folder, "lib"),
      },
    );
  });

  it("start, keep running, are read, listed and stopped", async () => {
    skipWithout("a POSIX shell and its programs");
    const { bench } = await benched();
    const outcomes = [
      await bench.call("list_processes", {}),
      await bench.call("start_process", { command: "echo ready; sleep 60" }),
      await bench.call("read_process_output", { pid: 1 }),
      await bench.call("list_processes", {}),
      await bench.call("kill_process", { id: 1 }),
      await bench.call("stop_process", { process: 1 }),
      await bench.call("read_process_output", { process: 1, wait: 60 }),
    ];
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === "done" ? outcome.output : outcome)),
      [
        "No background process was started in this run.",
        "Started process 1.\nIt is running.\nready",
        "It is running.\nIt printed nothing since it was last read.",
        '1: "echo ready; sleep 60", started in step 2, is running, has printed 6 bytes',
        "Process 1 was stopped.",
        "Process 1 was stopped already.",
        "It was stopped.\nIt printed nothing since it was last read.",
      ],
    );
  });

  it("that cannot start say so at once", async () => {
    skipWithout("a POSIX shell and its programs");
    const { bench } = await benched();
    const outcome = await bench.call("execute_shell_popen", {
      command_line: "echo 'no such port' >&2; exit 1",
    });
    assert.deepEqual(outcome, {
      status: "done",
      output: "Started process 1.\nIt ended with exit code 1.\nno such port",
      exitCode: 1,
    });
  });

  it("that don't exist are reported together with those that do", async () => {
    const { bench } = await benched();
    const none = await bench.call("read_process_output", { process: 7 });
    await bench.call("execute_shell_popen", { command_line: "true" });
    const other = await bench.call("stop_process", { process: 7 });
    assert.deepEqual(
      [none, other],
      [
        {
          status: "failed",
          error: "There is no process 7. None was started since this run was last opened.",
        },
        { status: "failed", error: "There is no process 7. There are: 1." },
      ],
    );
  });

  it("that printed too much say where all of it is", async () => {
    skipWithout("a POSIX shell and its programs");
    const { bench } = await benched();
    const outcome = await bench.call("execute_shell_popen", { command_line: "seq 1 20000" });
    assert.match(
      JSON.stringify(outcome),
      /\[85 kB before this are left out\. Read all of it with read_file, filename \\"output:1\\"\.\]/,
    );
  });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostedRuns } from "../../src/editor/panel/hosted-runs.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import { SshEngine } from "../../src/fleet/ssh/ssh-engine.ts";
import { findWalls } from "../../src/isolation/walls/find-walls.ts";
import { FleetRuns } from "../../src/vscode/fleet/fleet-runs.ts";
import { serverForSuite } from "../support/fake-model-server.ts";
import { calling, runProgram } from "../support/headless.ts";
import { localMachine, useModels } from "../support/local-machine.ts";
import { MemoryState } from "../support/memory-state.ts";
import { makeRepository } from "../support/repositories.ts";
import { tempFolders } from "../support/temp-folders.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("a run that the editor follows on another machine", function () {
  this.timeout(120_000);
  const server = serverForSuite();
  const tempFolder = tempFolders();

  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/tasks/build-cli.mjs")]);
    assert.equal(status, 0, String(stderr));
  });

  it("asks here, continues with the answer while it's followed by another window, and comes back for the review", async () => {
    const top = await tempFolder();
    const [data, workspace] = [join(top, "data"), join(top, "work")];
    await mkdir(data);
    makeRepository(workspace, { "note.txt": "old\n" });
    const key = await createFleetKey(data);
    const box = await localMachine(join(top, "box"));
    await useModels(box.data, server().baseUrl);
    await importFleetKey(box.data, await exportFleetKey(data));
    const engine = new SshEngine({ shell: box.shell, data, key, sender: "Ada" });
    server().plan(
      calling("write_to_file", { filename: "note.txt", contents: "new\n" }),
      calling("ask_user", { question: "Which color?" }),
      calling("task_complete", { reason: "All tidy." }),
    );
    const state = new MemoryState();
    const { signal } = new AbortController();
    const openWindow = (): { readonly runs: HostedRuns; readonly fleet: FleetRuns } => {
      const runs = new HostedRuns();
      return {
        runs,
        fleet: new FleetRuns({ runs, state, folder: join(top, "editor"), createEngine: async () => engine }),
      };
    };
    const first = openWindow();
    const submission = { task: "Tidy.", folder: workspace, settings: {} };
    const hosted = await first.fleet.send(engine, submission, signal);
    await waitFor(first.runs, () => hosted.live?.pending !== undefined);
    const asked = hosted.live?.pending?.kind;
    await hosted.dispose();
    const second = openWindow();
    const again = await second.fleet.open(hosted.id, signal);
    await waitFor(second.runs, () => again.live?.pending !== undefined);
    await again.live?.say("blue");
    await waitFor(second.runs, () => again.run.state.end !== undefined);
    await second.fleet.fetch(hosted.id, signal);
    await again.dispose();
    const place = { baseUrl: server().baseUrl, workspace, data };
    const changes = await runProgram(place, "runs", "changes", hosted.id, "--json");

    assert.deepEqual(
      {
        asked,
        end: again.run.state.end?.reason,
        changed: changes.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).file),
        left: second.fleet.all,
      },
      {
        asked: "question",
        end: "finished",
        changed: ["note.txt"],
        left: [],
      },
    );
  });
});

/** Waits until something about the runs of a window is so. */
async function waitFor(runs: HostedRuns, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listening = [runs.onChange(() => resolve()), runs.onEvent(() => resolve())];
    await promise;
    for (const one of listening) one.dispose();
  }
}

// A machine of a fleet: claims a run and works on it to its end, with one more command that leaves marks outside its copy.
// Arguments: the user's data folder, the clone, the shared repository, the run, the file for the marks.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, createPreparedCall } from "../../src/core/commands/command.ts";
import { createCarrier } from "../../src/fleet/carrier.ts";
import { claimRun } from "../../src/fleet/carry.ts";
import { loadFleetKey } from "../../src/fleet/key.ts";
import { createHeadlessHost } from "../../src/headless/host.ts";
import { loadSettings } from "../../src/headless/settings.ts";
import { openCopy } from "../../src/isolation/copy/copy-record.ts";
import { beginRun, openRun } from "../../src/runtime/compose-run.ts";
import { MARK } from "./moved-runs.ts";

const [data = "", workspace = "", address = "", run = "", marks = ""] = process.argv.slice(2);
const key = await loadFleetKey(data);
if (!key) throw new Error("This machine has no key.");
const repository = { root: workspace, gitFolder: join(workspace, ".git") };
const { signal } = new AbortController();
const place = { data, key, repository, remote: { address }, signal };

/** Takes long enough to be killed between its effects, of which the second is in the copy. */
const leaveMark: Command = {
  name: MARK,
  description: "Leaves a mark.",
  parameters: { type: "object", properties: { at: { type: "number" } }, additionalProperties: false },
  aliases: [],
  category: "notes",
  effect: "write",
  prepare: async () =>
    createPreparedCall("write", "A mark.", async ({ step }) => {
      const copy = await openCopy(join(data, "copies", run));
      await pause(15);
      appendFileSync(marks, `${step}\n`);
      await pause(15);
      appendFileSync(join(copy.visible[0] ?? "", "work.txt"), `${step}\n`);
      return { status: "done", output: "The mark is there." };
    }),
};

const claimed = await claimRun(place, run, data);
const carrier = await createCarrier(place, run, { everyMs: 100 });
const loaded = await loadSettings(claimed.workspace, {
  env: process.env,
  set: ["model.smart=fake", "model.contextWindow=16000", "memory.enabled=false"],
  flags: {},
});
const host = {
  ...createHeadlessHost({
    workspace: claimed.workspace,
    settings: loaded.settings,
    keys: loaded.keys,
    data,
    plugins: [],
    yesTo: [MARK],
    person: undefined,
    fence: carrier.fence,
    warn: () => undefined,
  }),
  listExtraCommands: () => [leaveMark],
};
const composed = claimed.hasLog
  ? await openRun(host, await host.store.open(run))
  : await beginRun(host, {
      id: run,
      task: claimed.task.task,
      profile: { name: "Mover", role: "one who leaves marks.", goals: [] },
      folder: claimed.workspace,
      settings: loaded.settings,
      models: await host.models.resolveModelPair(claimed.workspace),
      mode: "isolated",
    });
if (!composed.live) throw new Error(JSON.stringify(composed.readOnly));
composed.live.resume();
const end = await composed.live.end;
await composed.dispose();
await carrier.push();
await carrier.close();
await host.close();
console.log(JSON.stringify(end));

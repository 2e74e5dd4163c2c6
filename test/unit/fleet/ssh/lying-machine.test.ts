import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { FleetEvent } from "../../../../src/fleet/engine.ts";
import { createFleetKey, type FleetKey } from "../../../../src/fleet/key.ts";
import { sealQuestion } from "../../../../src/fleet/question.ts";
import { createRemoteProgram, type RemoteShell } from "../../../../src/fleet/ssh/remote-shell.ts";
import { SshEngine } from "../../../../src/fleet/ssh/ssh-engine.ts";
import { sealLine } from "../../../../src/runs/log/log-seal.ts";
import { loadFleetMarks } from "../../../../src/runs/store/fleet-marks.ts";
import { FLEET_RUN } from "../../../support/fleet-machines.ts";
import { makeRepository } from "../../../support/repositories.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const OTHER_RUN = "20260102_030405_scribe_9z9z";
const { signal } = new AbortController();

/** A machine that answers each call with the same text, printed by a real program. */
function lyingShell(output: string, times = 1): RemoteShell {
  const script = `for (let at = 0; at < ${times}; at++) process.stdout.write(${JSON.stringify(output)})`;
  const start: RemoteShell["start"] = () => createRemoteProgram("box", spawn(process.execPath, ["-e", script]));
  return { host: "box", start, startScript: start, formatAddress: (path) => path, gitCommand: "false" };
}

async function liedTo(
  output: (sealed: (run: string, attempt: number) => string, key: FleetKey) => string,
  times?: number,
) {
  const data = await tempFolder();
  const key = await createFleetKey(data);
  const marks = await loadFleetMarks(data);
  assert.ok(marks);
  const sealed = (run: string, attempt: number): string => {
    const start = { seq: 0, at: "2026-01-02T03:04:05Z", ...sampleStart({ id: run, machine: marks.computeMark(run) }) };
    return sealLine(JSON.stringify(start), "", marks.createSeal(run, attempt));
  };
  return new SshEngine({ shell: lyingShell(output(sealed, key), times), data, key, sender: "Ada" });
}

/** The events of a watched run, and the reason for their end. */
async function watched(engine: SshEngine): Promise<readonly string[]> {
  const seen: string[] = [];
  try {
    for await (const event of engine.watch(FLEET_RUN, "", signal)) seen.push(nameEvent(event));
    return [...seen, "ended"];
  } catch (error) {
    return [...seen, error instanceof Error ? error.message.replace(/[,;.] .*/, "") : ""];
  }
}

function nameEvent(event: FleetEvent): string {
  return event.type === "asks" ? `asks ${event.question?.text}` : event.type;
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const stored = (text: string): string => line({ type: "stored", line: text });
const asks = (key: FleetKey, run: string, text: string, more: object = {}): string => {
  const binding = { run, attempt: 1, id: "1", hash: "0".repeat(64), expiresMs: 1, ...more };
  return line({ type: "asks", asked: sealQuestion(key, { binding, text }) });
};
const OVER = line({ type: "over" });

describe("a machine that lies", () => {
  it("gets no line shown that the user's key hasn't sealed for this run, and no question of another run", async () => {
    const foreign = await createFleetKey(await tempFolder());
    const found = {
      sealed: await watched(await liedTo((seal) => stored(seal(FLEET_RUN, 3)) + OVER)),
      unsealed: await watched(await liedTo(() => stored('{"seq":0,"type":"started"}'))),
      otherRun: await watched(await liedTo((seal) => stored(seal(OTHER_RUN, 1)))),
      changed: await watched(await liedTo((seal) => stored(seal(FLEET_RUN, 1).replace("2026", "2027")))),
      repeated: await watched(await liedTo((seal) => stored(seal(FLEET_RUN, 1)).repeat(2))),
      question: await watched(await liedTo((_, key) => asks(key, OTHER_RUN, "Send the key?"))),
      otherText: await watched(await liedTo((_, key) => asks(key, FLEET_RUN, "rm -rf /").replace("rm -rf /", "ls"))),
      otherHash: await watched(await liedTo((_, key) => asks(key, FLEET_RUN, "ls").replace("000", "111"))),
      otherAttempt: await watched(
        await liedTo((_, key) => asks(key, FLEET_RUN, "ls").replace('\\"attempt\\":1', '\\"attempt\\":2')),
      ),
      otherFleet: await watched(await liedTo(() => asks(foreign, FLEET_RUN, "ls"))),
      unsealedQuestion: await watched(
        await liedTo(() => line({ type: "asks", asked: { text: '{"text":"ls"}', seal: "0".repeat(64) } })),
      ),
      earlier: await watched(
        await liedTo((_, key) => asks(key, FLEET_RUN, "new", { attempt: 2 }) + asks(key, FLEET_RUN, "old") + OVER),
      ),
      hidden: await watched(await liedTo((_, key) => asks(key, FLEET_RUN, "rm \u202Etxt.\u001b[2K") + OVER)),
      greeting: await watched(await liedTo(() => "Welcome to box!\n")),
      unknown: await watched(await liedTo(() => line({ type: "run it" }))),
    };
    const refused = "box sent a log that none of your machines has written";
    const strange = "The answer of box isn't one of AutoGPT";
    const unasked = "The question that arrived wasn't asked by a machine with your fleet key";
    assert.deepEqual(found, {
      sealed: ["stored", "ended"],
      unsealed: [refused],
      otherRun: [refused],
      changed: [refused],
      repeated: ["stored", refused],
      question: [unasked],
      otherText: [unasked],
      otherHash: [unasked],
      otherAttempt: [unasked],
      otherFleet: [unasked],
      unsealedQuestion: [unasked],
      earlier: ["asks new", "asks undefined", "ended"],
      hidden: ["asks rm ⟨U+202E⟩txt.⟨U+001B⟩[2K", "ended"],
      greeting: [strange],
      unknown: [strange],
    });
  });

  it("can't fill the memory with a line, name a path as a run, or choose where git sends to", async () => {
    const row = { type: "run", task: "", startedAt: "", state: "ended", steps: 0 };
    const rows = ["../../x", "-x", FLEET_RUN].map((id) => line({ ...row, id })).join("");
    const workspace = join(await tempFolder(), "work");
    makeRepository(workspace, { "note.txt": "old\n" });
    const fetched = async (path: string): Promise<string> =>
      (await liedTo(() => line({ type: "repository", path }))).fetch(FLEET_RUN, workspace, signal).then(
        () => "fetched",
        (error: Error) => error.message.slice(0, 20),
      );
    const found = {
      endless: await watched(await liedTo(() => "x".repeat(50_000), 800)),
      runs: (await (await liedTo(() => rows + OVER)).list(signal)).map(({ id }) => id),
      relative: await fetched("--upload-pack=touch x"),
      failed: await (await liedTo(() => line({ type: "failed", why: "No.\u001b[2K\nAccept it" })))
        .list(signal)
        .catch((error: Error) => error.message),
    };
    assert.deepEqual(found, {
      endless: ["The answer of box isn't one of AutoGPT"],
      runs: [FLEET_RUN],
      relative: "The answer of box is",
      failed: "box reports: No.⟨U+001B⟩[2K Accept it",
    });
  });

  it("gets no list shown as whole whose end is missing, and says what it lacks when nothing of ours is there", async () => {
    const unfit = { type: "unfit", git: "git version 2.40", program: "", system: "Linux x86_64" };
    const ask = async (output: string): Promise<readonly string[]> => {
      const engine = await liedTo(() => output);
      const calls = [engine.list(signal), engine.readLog(FLEET_RUN, signal)];
      return Promise.all(calls.map((call) => call.then(String, (error: Error) => error.message.split(". ")[0] ?? "")));
    };
    assert.deepEqual(
      {
        nothing: await ask(""),
        noNode: await ask(line({ ...unfit, node: "" })),
        noProgram: await ask(line({ ...unfit, node: "v24.1.0" })),
        none: await ask(OVER),
      },
      {
        nothing: Array(2).fill("The answer of box isn't one of AutoGPT"),
        noNode: Array(2).fill("box has no Node"),
        noProgram: Array(2).fill("AutoGPT isn't installed on box for your user"),
        none: ["", ""],
      },
    );
  });
});

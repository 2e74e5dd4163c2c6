import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { BackgroundProcess, Processes } from "../../src/core/ports/programs.ts";

interface ProcessesUnderTest {
  readonly processes: Processes;
  /** Where command lines run. */
  readonly folder: string;
}

type Open = (env: NodeJS.ProcessEnv) => Promise<ProcessesUnderTest>;

const PATIENCE_MS = 20_000;
const signal = new AbortController().signal;

/** What every `Processes` for bash or sh promises. `env` is the environment of the program around it. */
export function processesContract(name: string, open: Open): void {
  describe(`processes: ${name}`, () => {
    reading(open);
    endings(open);
  });
}

/** All that a process prints until something that it was waited for is in it. */
async function readUntil(processes: Processes, id: number, wanted: string): Promise<string> {
  const until = Date.now() + PATIENCE_MS;
  let text = "";
  while (!text.includes(wanted) && Date.now() < until)
    text += (await processes.read(id, PATIENCE_MS, signal))?.text ?? "";
  return text;
}

async function started(under: ProcessesUnderTest, line: string, step = 1): Promise<BackgroundProcess> {
  const process = await under.processes.start(line, { cwd: under.folder, step });
  assert.ok(typeof process !== "string", String(process));
  return process;
}

/** What was killed may lie about until its parent looks. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

function reading(open: Open): void {
  it("keeps running after its start, and reports what is new each time it is read", async () => {
    const under = await open(process.env);
    const { id, state } = await started(under, "echo one; read -t 0.3 < <(sleep 1); echo two; sleep 60");
    const first = await readUntil(under.processes, id, "one\n");
    const second = await readUntil(under.processes, id, "two\n");
    await under.processes.stop(id);
    assert.deepEqual([state, first, second], ["running", "one\n", "two\n"]);
  });

  it("reports the end with the exit code", async () => {
    const under = await open(process.env);
    const { id } = await started(under, "pwd; cat; exit 3");
    while (under.processes.list()[0]?.state === "running") await wait(10);
    const news = await under.processes.read(id, PATIENCE_MS, signal);
    const { startedAt: _, ...seen } = { startedAt: 0, ...news?.process };
    assert.deepEqual(
      { seen, text: news?.text, skipped: news?.skipped },
      {
        seen: {
          ...{ id: 1, commandLine: "pwd; cat; exit 3", cwd: under.folder, step: 1 },
          ...{ state: "ended", code: 3, bytes: under.folder.length + 1, kept: false },
        },
        text: `${under.folder}\n`,
        skipped: 0,
      },
    );
  });

  it("shows a line that has not ended yet", async () => {
    const under = await open(process.env);
    const { id } = await started(under, "printf 'Ready? '; sleep 60");
    const until = Date.now() + PATIENCE_MS;
    let text = "";
    for (; text === "" && Date.now() < until; await wait(10))
      text = (await under.processes.read(id, 0, signal))?.text ?? "";
    await under.processes.stop(id);
    assert.equal(text, "Ready? ");
  });

  it("reports only the end of long output, and how much it leaves out", async () => {
    const under = await open(process.env);
    const { id } = await started(under, "for i in $(seq 1 20000); do echo größer $i; done");
    while (under.processes.list()[0]?.state === "running") await wait(10);
    const { text = "", skipped = 0, process: after } = (await under.processes.read(id, 0, signal)) ?? {};
    assert.deepEqual(
      [text.endsWith("größer 20000\n"), skipped > 200_000, skipped + Buffer.byteLength(text) - (after?.bytes ?? 0)],
      [true, true, 0],
    );
  });

  it("does not hand on our keys", async () => {
    const under = await open({ ...process.env, OPENAI_API_KEY: "a", AUTOGPT_X: "b", OWN: "kept" });
    const { id } = await started(under, 'echo "$OPENAI_API_KEY$AUTOGPT_X|$OWN"');
    assert.equal(await readUntil(under.processes, id, "\n"), "|kept\n");
  });

  it("knows nothing of processes that it did not start", async () => {
    const { processes } = await open(process.env);
    assert.deepEqual(
      [await processes.read(1, 0, signal), await processes.stop(1), processes.list()],
      [undefined, undefined, []],
    );
  });
}

function endings(open: Open): void {
  it("ends a process with all of its descendants, even one that resists", async () => {
    const under = await open(process.env);
    const line = "trap '' TERM; (trap '' TERM; setsid sleep 61 & echo $!; wait) & echo $$; wait";
    const { id } = await started(under, line);
    const printed = await readUntil(under.processes, id, "\n").then(
      async (text) => text + (text.trim().includes("\n") ? "" : await readUntil(under.processes, id, "\n")),
    );
    const stopped = await under.processes.stop(id);
    const pids = printed.trim().split("\n").map(Number);
    assert.deepEqual([stopped?.state, pids.length, pids.map(isAlive)], ["stopped", 2, [false, false]]);
  });

  it("keeps what a line deliberately put into the background", async () => {
    const under = await open(process.env);
    const { id } = await started(under, "(sleep 0.4; echo late) & echo early");
    assert.equal(await readUntil(under.processes, id, "late\n"), "early\nlate\n");
  });

  it("stops waiting for news when the run is stopped", async () => {
    const under = await open(process.env);
    const { id } = await started(under, "sleep 60");
    const stopping = new AbortController();
    const waiting = under.processes.read(id, PATIENCE_MS, stopping.signal);
    stopping.abort(new Error("stopped"));
    await assert.rejects(waiting, { message: "stopped" });
    await under.processes.stop(id);
  });
}

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting } from "../../support/headless.ts";
import { PROGRAM } from "../../support/program.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const WAIT = calling("execute_shell", { command_line: "sleep 60" });
const FINISH = calling("task_complete", { reason: "All tidy." });

async function placeOf(): Promise<HeadlessSetting> {
  return {
    baseUrl: server().baseUrl,
    workspace: await tempFolder(),
    data: join(await tempFolder(), "autogpt"),
  };
}

function startProgram({ baseUrl, data, workspace }: HeadlessSetting, ...argv: readonly string[]): ChildProcess {
  const own = { XDG_DATA_HOME: join(data, ".."), OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: baseUrl };
  const model = { AUTOGPT_MODEL_SMART: "fake", AUTOGPT_MODEL_CONTEXT_WINDOW: "16000" };
  return spawn(process.execPath, [PROGRAM, ...argv, "--workspace", workspace], {
    env: { ...process.env, ...own, ...model },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A process that is in the middle of a run, waiting for a program. */
async function busyProcess(place: HeadlessSetting, ...argv: readonly string[]): Promise<ChildProcess> {
  const child = startProgram(place, ...argv, "--yes-to", "execute_shell", "--json");
  child.stderr?.resume();
  for await (const line of createInterface({ input: child.stdout ?? process.stdin }))
    if (line.includes('"type":"began"')) break;
  child.stdout?.resume();
  return child;
}

async function endOf(child: ChildProcess) {
  const [code, said] = await Promise.all([once(child, "exit"), text(child.stderr ?? process.stdin)]);
  return { code: code[0] as number | null, said };
}

async function outputOf(child: ChildProcess): Promise<string> {
  child.stderr?.resume();
  return text(child.stdout ?? process.stdin);
}

async function runHome({ workspace }: HeadlessSetting): Promise<{ id: string; home: string }> {
  const runs = join(workspace, ".autogpt", "runs");
  const id = (await readdir(runs)).find((name) => /^\d/.test(name)) ?? "";
  return { id, home: join(runs, id) };
}

describe("a run that two processes resume", function () {
  this.timeout(60_000);

  it("is left to the first one; the second one is refused, and changes nothing", async () => {
    const place = await placeOf();
    server().plan(WAIT, FINISH);
    const first = await busyProcess(place, "--task", "Tidy.");
    const { id, home } = await runHome(place);
    const before = await readFile(join(home, "run.jsonl"), "utf8");
    const second = await endOf(startProgram(place, "--resume", id));
    const told = await endOf(startProgram(place, "--resume", id, "--task", "Hurry."));
    const after = await readFile(join(home, "run.jsonl"), "utf8");
    first.kill("SIGINT");
    const sentence = `in progress on the command line (process ${first.pid}). To continue it here, add --take-over.`;
    assert.deepEqual(
      {
        second: [second.code !== 0, second.said.includes(sentence)],
        told: [told.code !== 0, told.said.includes(sentence)],
        isLogUnchanged: after === before,
        first: (await once(first, "exit"))[0],
        left: (await readdir(home)).filter((name) => name.startsWith("owner")),
      },
      { second: [true, true], told: [true, true], isLogUnchanged: true, first: 130, left: [] },
    );
  });

  it("is handed over on request: the first one stops its command and ends, and the second one continues", async () => {
    const place = await placeOf();
    const ticks = join(place.workspace, "ticks");
    const line = `for i in $(seq 600); do echo $i >> ${ticks}; sleep 0.1; done`;
    server().plan(calling("execute_shell", { command_line: line }), FINISH);
    const first = await busyProcess(place, "--task", "Tidy.");
    const ended = once(first, "exit");
    const { id, home } = await runHome(place);
    const listed = await outputOf(startProgram(place, "runs", "list"));
    const second = await endOf(startProgram(place, "--resume", id, "--take-over", "--yes-to", "task_complete"));
    const before = await readFile(ticks, "utf8");
    await setTimeout(500);
    assert.deepEqual(
      {
        listed: listed.includes(`in progress in process ${first.pid}`),
        second: second.code,
        first: (await ended)[0],
        doesCommandStop: (await readFile(ticks, "utf8")) === before,
        left: (await readdir(home)).filter((name) => /^(owner|take-over)/.test(name)),
      },
      { listed: true, second: 0, first: 130, doesCommandStop: true, left: [] },
    );
  });

  it("resumes at once if the first one was killed", async () => {
    const place = await placeOf();
    server().plan(WAIT, FINISH);
    const first = await busyProcess(place, "--task", "Tidy.");
    const { id, home } = await runHome(place);
    first.kill("SIGKILL");
    await once(first, "exit");
    const left = (await readdir(home)).filter((name) => name.startsWith("owner"));
    const second = await endOf(startProgram(place, "--resume", id, "--yes-to", "task_complete"));
    const after = (await readdir(home)).filter((name) => name.startsWith("owner"));
    assert.deepEqual({ left, code: second.code, after }, { left: ["owner.json"], code: 0, after: [] });
  });

  it("isn't kept from its user by a file, a folder or a link that a repository brought", async () => {
    const place = await placeOf();
    server().plan(WAIT, FINISH, FINISH, FINISH, FINISH);
    const first = await busyProcess(place, "--task", "Tidy.");
    const { id, home } = await runHome(place);
    first.kill("SIGKILL");
    await once(first, "exit");
    const owner = join(home, "owner.json");
    const outside = join(place.workspace, "outside.json");
    const mine = { token: "t", pid: process.pid, host: hostname(), started: "", seal: "0".repeat(64) };
    await writeFile(outside, JSON.stringify(mine));
    await utimes(outside, 1, 1);
    const plants = [
      () => writeFile(owner, JSON.stringify(mine)),
      () => mkdir(join(owner, "sub"), { recursive: true }),
      () => makeLink(outside, owner),
    ];
    const codes: (number | null)[] = [];
    for (const plant of plants) {
      await plant().catch(() => undefined);
      codes.push((await endOf(startProgram(place, "--resume", id, "--task", "Again."))).code);
    }
    assert.deepEqual(
      { codes, outside: await readFile(outside, "utf8") },
      {
        codes: [0, 0, 0],
        outside: JSON.stringify(mine),
      },
    );
  });
});

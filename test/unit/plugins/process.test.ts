import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { getPluginEnvironment } from "../../../src/plugins/process/plugin-child.ts";
import { PluginLog } from "../../../src/plugins/process/plugin-log.ts";
import { PluginProcess } from "../../../src/plugins/process/plugin-process.ts";
import { runOnce } from "../../../src/plugins/process/single-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const never = new AbortController().signal;

/** Answers on descriptor 3, or does what it is told. */
const CHILD = `
import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
const socket = new Socket({ fd: 3 });
const send = (message) => socket.write(JSON.stringify(message) + "\\n");
const acts = {
  exit: () => { console.error("out of order"); process.exit(3); },
  loop: () => { for (;;); },
  stray: ({ id }) => { for (let n = 0; n < 2000; n++) send({ id: 1e6 + n, answer: 1 }); send({ id, answer: 1 }); },
  long: () => { for (let n = 0; n < 8; n++) socket.write("x".repeat(1e6)); },
  flood: ({ id }) => { process.stdout.write("y".repeat(20e6)); send({ id, answer: "printed" }); },
  last: ({ id }) => { send({ id, answer: 1 }); console.log("the last line"); writeFileSync("printed", ""); process.exit(); },
  wait: () => undefined,
  pid: ({ id }) => send({ id, answer: process.pid }),
  environment: ({ id }) => send({ id, answer: Object.keys(process.env).sort() }),
  refuse: ({ id }) => send({ id, error: "no" }),
};
createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.abort) send({ id: message.id, aborted: true });
  else if (message.do) acts[message.do](message);
  else send({ id: message.id, answer: "loaded" });
});
`;

/** True for a running process; one that waits to be forgotten by its parent has ended. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

async function started(hello: Record<string, unknown> = {}) {
  const folder = await tempFolder();
  const path = join(folder, "child.mjs");
  await writeFile(path, CHILD);
  const broken: string[] = [];
  const process_ = new PluginProcess({
    prepare: async () => ({
      words: [process.execPath, path],
      cwd: folder,
      env: getPluginEnvironment({ ...process.env, SOME_TOKEN: "secret", OPENAI_API_KEY: "secret" }),
    }),
    hello,
    log: new PluginLog(join(folder, "log.txt"), (text) => text),
    handleLoadFailure: (why) => broken.push(why),
  });
  const ask = (act: string, signal = never): Promise<unknown> =>
    process_.call({ do: act }, signal).catch((error: Error) => `failed: ${error.message}`);
  return { process: process_, ask, broken, folder };
}

describe("processes of plugins", () => {
  it("calls are answered by a process that knows no secrets of ours", async () => {
    const { process, ask } = await started();
    const names = await ask("environment");
    await process.close();
    const secret = Array.isArray(names) && names.filter((name) => /TOKEN|KEY|SECRET/.test(name));
    assert.deepEqual(secret, []);
  });

  it("a process that ends is started again three times, with the reason each time", async () => {
    const { process, ask } = await started();
    const said = [];
    for (let round = 0; round < 5; round++) said.push(await ask("exit"));
    await process.close();
    const ended = "failed: its process ended with exit code 3: out of order";
    const refused = "failed: its process ended 4 times, so it isn't started again";
    assert.deepEqual(said, [ended, ended, ended, ended, refused]);
  });

  it("a call that is stuck ends with its process, and a call that only waits doesn't", async () => {
    const { process, ask } = await started();
    const pids = [await ask("pid")];
    for (const act of ["wait", "loop"]) {
      await ask(act, AbortSignal.timeout(100));
      await wait(1500);
      pids.push(await ask("pid"));
    }
    await process.close();
    const same = pids.map((pid) => pid === pids[0]);
    assert.deepEqual(same, [true, true, false]);
  });

  it("messages that are too many or too long end the process", async () => {
    const { process, ask } = await started();
    const said = [await ask("stray"), await ask("long")];
    await process.close();
    assert.deepEqual(said, [
      "failed: it sent messages that nobody asked for, so it was ended",
      "failed: it sent too much at once, so it was ended",
    ]);
  });

  it("what it prints is no answer, and doesn't hold up its calls", async () => {
    const { process, ask } = await started();
    const said = await ask("flood");
    await process.close();
    assert.equal(said, "printed");
  });

  it("what it printed last is in its log, also where this program was busy until it closed it", async () => {
    const { process, ask, folder } = await started();
    await ask("last");
    while (!existsSync(join(folder, "printed")));
    for (const end = performance.now() + 50; performance.now() < end; );
    await process.close();
    assert.equal(readFileSync(join(folder, "log.txt"), "utf8"), "the last line\n");
  });

  it("a plugin that refuses to load isn't tried again", async () => {
    const { process, ask, broken } = await started({ do: "refuse" });
    const said = [await ask("pid"), await ask("pid")];
    await process.close();
    assert.deepEqual({ said, broken }, { said: ["failed: no", "failed: no"], broken: ["no"] });
  });

  it("a program that was run once leaves nothing behind and may ignore its input", async () => {
    const line = "sleep 100 & echo $!; exit 2";
    const run = { words: ["/bin/sh", "-c", line], cwd: "/", env: getPluginEnvironment() };
    const { code, stdout } = await runOnce(run, "x".repeat(1_000_000), never);
    assert.deepEqual({ code, isLeft: isAlive(Number(stdout)) }, { code: 2, isLeft: false });
  });

  it("a program that prints without end is ended", async () => {
    const run = { words: ["/bin/sh", "-c", "yes"], cwd: "/", env: getPluginEnvironment() };
    const { code, stdout, isTooLong } = await runOnce(run, "", never);
    assert.deepEqual({ code, bytes: stdout.length, isTooLong }, { code: undefined, bytes: 1_000_000, isTooLong: true });
  });

  it("a program that keeps on starting processes is ended", async () => {
    const bomb = 'bomb() { [ "$1" -gt 0 ] && { bomb $(($1-1)) & bomb $(($1-1)) & sleep 20; }; }; bomb 8';
    const run = { words: ["/bin/sh", "-c", bomb], cwd: "/", env: getPluginEnvironment() };
    const before = performance.now();
    const { code } = await runOnce(run, "", never);
    assert.deepEqual({ code, isSoon: performance.now() - before < 10_000 }, { code: undefined, isSoon: true });
  }).timeout(30_000);

  it("no process outlives this program, however it ends", async () => {
    const script = `
      const { startChild } = await import(${JSON.stringify(new URL("../../../src/plugins/process/plugin-child.ts", import.meta.url).href)});
      const line = "setsid sleep 100 & echo $!; echo $$; for i in 1 2; do sleep 100; done";
      const { stdout } = await startChild({ words: ["/bin/sh", "-c", line], cwd: "/", env: {} });
      stdout.pipe(process.stdout);
      setInterval(() => undefined, 1000);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    while (printed.split("\n").length < 3) printed += (await once(host.stdout, "data"))[0];
    const pids = printed.trim().split("\n").map(Number);
    const before = pids.map(isAlive);
    host.kill("SIGKILL");
    const until = performance.now() + 8000;
    while (pids.some(isAlive) && performance.now() < until) await wait(50);
    assert.deepEqual({ before, isLeft: pids.map(isAlive) }, { before: [true, true], isLeft: [false, false] });
  }).timeout(30_000);
});

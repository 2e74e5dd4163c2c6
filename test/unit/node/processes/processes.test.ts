import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createNodeProcesses } from "../../../../src/node/processes/background-processes.ts";
import { RollingOutput } from "../../../../src/node/processes/rolling-output.ts";
import { makeSecrets } from "../../../../src/runs/log/secrets.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("background processes", () => {
  const tempFolder = tempFolders();

  it("end with the run, but for those that the user keeps", async () => {
    const folder = await tempFolder();
    const processes = createNodeProcesses({ outputFolder: folder });
    let changes = 0;
    processes.onChange(() => void changes++);
    for (const step of [1, 2]) await processes.start("sleep 60", { cwd: folder, step });
    processes.keep(2, true);
    await processes.endAll("not kept");
    const after = processes.list().map(({ state, kept }) => `${state} ${kept}`);
    await processes.endAll("all");
    const last = processes.list().map(({ state }) => state);
    assert.deepEqual([after, last, changes], [["stopped false", "running true"], ["stopped", "stopped"], 5]);
  });

  it("are seen to end even when they are over at once", async () => {
    const folder = await tempFolder();
    const processes = createNodeProcesses({ outputFolder: folder });
    const lines = Array.from({ length: 20 }, (_, step) => processes.start("exit 7", { cwd: folder, step }));
    await Promise.all(lines);
    const { signal } = new AbortController();
    const news = await Promise.all(lines.map((_, at) => processes.read(at + 1, 20_000, signal)));
    assert.deepEqual(
      news.filter((one) => one?.process.code !== 7),
      [],
    );
  });

  it("are not more than can be overlooked", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = await tempFolder();
    const processes = createNodeProcesses({ outputFolder: folder });
    const answers: unknown[] = [];
    for (let step = 1; step <= 51; step++) answers.push(await processes.start("sleep 60", { cwd: folder, step }));
    await processes.endAll("all");
    assert.equal(answers.at(-1), "50 background processes are running already. Stop some with stop_process.");
  });

  it("say why they could not be started", async () => {
    const folder = await tempFolder();
    const program = { name: "sh", path: join(folder, "gone"), createArgs: () => [] };
    const processes = createNodeProcesses({ outputFolder: folder, program });
    const answer = await processes.start("true", { cwd: join(folder, "nowhere"), step: 1 });
    assert.match(String(answer), /^The shell could not be started: spawn/);
  });

  it("leave nothing open when a line is longer than the system takes", async () => {
    skipWithout("Linux");
    const folder = await tempFolder();
    const processes = createNodeProcesses({ outputFolder: folder });
    const line = `: ${"x".repeat(3_000_000)}`;
    const start = () => processes.start(line, { cwd: folder, step: 1 });
    await start();
    const open = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    const before = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, start));
    while ((await open()) > before) await wait(10);
    assert.deepEqual(
      [...new Set(answers)],
      ["The command line is longer than the system takes. Put it into a file, and run that."],
    );
  });

  it("keep no secret in their files", async () => {
    const folder = await tempFolder();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { redact } = makeSecrets([], () => "abc123");
    const processes = createNodeProcesses({ outputFolder: folder, redact });
    await processes.start(`echo ${secret}`, { cwd: folder, step: 3 });
    while (processes.list()[0]?.state === "running") await wait(10);
    assert.doesNotMatch(await readFile(join(folder, "3.txt"), "utf8"), /ghp_/);
  });
});

describe("a rolling output", () => {
  const tempFolder = tempFolders();

  it("keeps the latest two files, and reads across them", async () => {
    const folder = await tempFolder();
    const output = new RollingOutput(join(folder, "7.txt"), { fileBytes: 10 });
    await output.open();
    for (const line of ["0123456789\n", "abcdefghij\n", "ABCDEFGHIJ\n"]) await output.add(Buffer.from(line));
    await output.finish();
    const parts = [await output.read(0, 100), await output.read(30, 100), await output.read(0, 13)];
    assert.deepEqual(
      [parts, await readdir(folder), await readFile(join(folder, "7.txt"), "utf8")],
      [
        [
          { text: "abcdefghij\nABCDEFGHIJ\n", from: 11, to: 33 },
          { text: "IJ\n", from: 30, to: 33 },
          { text: "j\nABCDEFGHIJ\n", from: 20, to: 33 },
        ],
        ["7.earlier.txt", "7.txt"],
        "ABCDEFGHIJ\n",
      ],
    );
  });

  it("cuts no letter in two", async () => {
    const output = new RollingOutput(join(await tempFolder(), "7.txt"), {});
    await output.open();
    for (const byte of Buffer.from("größer\n")) await output.add(Buffer.from([byte]));
    await output.finish();
    assert.deepEqual(await output.read(0, 4), { text: "er\n", from: 5, to: 9 });
  });
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { terminalShells } from "../../../support/shell-terminals.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const open = terminalShells(tempFolder);
const BASH = "bash --norc -i";

describe("a line in a terminal", () => {
  before(() => skipWithout("a POSIX shell and its programs"));
  it("stops with all that it started, and the terminal takes the next line", async () => {
    const { run, host } = await open(BASH);
    const stop = new AbortController();
    const line = "trap '' INT HUP TERM; (trap '' INT; setsid sleep 600) & echo on $!; while :; do sleep 0.1; done";

    const stopped = await run(line, { signal: stop.signal, heard: () => stop.abort() });
    const next = await run("echo next");

    const pid = /on (\d+)/.exec(stopped.result.output)?.[1] ?? "";
    assert.deepEqual(
      [stopped.result.ended, await isRunning(pid), next.result.output, host.opened.length],
      ["stopped", false, "next\n", 1],
    );
  });

  it("is interrupted by Ctrl+C before anything is killed", async () => {
    const { run } = await open(BASH);
    const stop = new AbortController();

    const { result } = await run("trap 'echo cleaned up; exit' INT; echo on; while :; do sleep 0.1; done", {
      signal: stop.signal,
      heard: () => stop.abort(),
    });

    assert.deepEqual([result.ended, result.output], ["stopped", "on\ncleaned up\n".replace("\n", "\n^C")]);
  });

  it("ends when it takes too long, also while it prints without end", async () => {
    const { run } = await open(BASH);

    const { result } = await run("yes", { seconds: 0.5 });

    assert.deepEqual(
      [result.ended, result.bytes > 10_000, result.output.startsWith("y\ny\n")],
      ["timeout", true, true],
    );
  });

  it("gets what its user types, and no one else does", async () => {
    const { run, host } = await open(BASH);
    const typed = { isDone: false };

    const { result } = await run('read -r -s -p "Password: " word; echo; echo "${#word} letters"', {
      heard: (_, terminal) => {
        if (!typed.isDone) terminal?.press("hunter22\r");
        typed.isDone = true;
      },
    });

    const shown = host.opened.map((terminal) => terminal.shown).join("");
    assert.deepEqual([result.output, shown.includes("hunter22")], ["Password: \n8 letters\n", false]);
  });

  it("ends without a code when its terminal is closed, and nothing of it keeps running", async () => {
    const { run } = await open(BASH);

    const { result } = await run("(trap '' HUP; setsid sleep 600) & echo on $!; sleep 600", {
      heard: (_, terminal) => terminal?.dispose(),
    });

    const pid = /on (\d+)/.exec(result.output)?.[1] ?? "";
    assert.deepEqual([result.ended, result.code, await isRunning(pid)], ["closed", undefined, false]);
  });

  it("is killed rather than ended when its runner is killed", async () => {
    const { run } = await open(BASH);

    const { result } = await run("kill -9 $PPID; sleep 600");

    assert.deepEqual([result.ended, result.code], ["exit", undefined]);
  });

  it("ends what it leaves in the background, and counts it", async () => {
    const { run } = await open(BASH);

    const { result } = await run("sleep 600 & setsid sleep 600 & nohup sleep 600 >/dev/null & echo on");

    assert.deepEqual([result.code, result.leftBehind], [0, 3]);
  });

  it("is taken back when the terminal doesn't start it, and can't run later", async () => {
    const rc = join(await tempFolder(), "rc");
    await writeFile(rc, "sleep 2");
    const { run, folder, host, shell } = await open(`bash --rcfile ${rc} -i`, { beginMs: 300 });

    const { result } = await run("touch started");
    const [terminal] = host.opened;
    terminal?.press("touch typed\r");
    while (!existsSync(join(folder, "typed"))) await new Promise((resolve) => setTimeout(resolve, 20));

    assert.deepEqual(
      [result.ended, existsSync(join(folder, "started")), shell.describeApprovedPlace?.("ls")],
      ["failed", false, undefined],
    );
  });

  it("isn't run when its terminal's shell exits at once, and later lines run in the background", async () => {
    const { run, shell } = await open("false");

    const { result } = await run("echo on");

    assert.deepEqual(
      [result.ended, /nothing was run/.test(result.output), shell.describeApprovedPlace?.("ls")],
      ["failed", true, undefined],
    );
  });

  it("isn't run when its folder can't be entered", async () => {
    const { run, folder } = await open(BASH);

    const { result } = await run("touch /tmp/never", { cwd: join(folder, "gone") });

    assert.equal(result.ended, "failed");
  });

  it("is kept in a folder that only its user can enter, and that is gone afterward", async () => {
    const { run } = await open(BASH);
    const before = new Set(await lineFolders());

    const during = new Map<string, number>();
    const { result } = await run("echo on; read -r _", {
      heard: async (_, terminal) => {
        for (const name of (await lineFolders()).filter((one) => !before.has(one)))
          during.set(name, (await stat(join(tmpdir(), name))).mode & 0o777);
        terminal?.press("\r");
      },
    });
    const modes = [...during.values()];
    while ((await lineFolders()).some((name) => during.has(name)))
      await new Promise((resolve) => setTimeout(resolve, 10));

    assert.deepEqual([modes[0], result.code], [0o700, 0]);
  });

  it("has the terminal's environment but nothing that opens pagers and editors or runs in every shell", async () => {
    const env = { ...process.env, OWN: "kept", BASH_ENV: "/nowhere", ENV: "/nowhere", PROMPT_COMMAND: "x" };
    const { run } = await open(BASH, { env: { ...env, "BASH_FUNC_ls%%": "() { echo hijacked\n}" } });

    const { result } = await run(
      'echo "$OWN|$BASH_ENV$ENV$PROMPT_COMMAND|$PAGER $GIT_PAGER $GIT_EDITOR|$SHELL"; tty | cut -c1-5; bash -c "type -t ls"',
    );

    assert.equal(result.output, "kept||cat cat false|/bin/sh\n/dev/\nfile\n");
  });

  it("is kept out of the terminal's own words when it holds a secret", async () => {
    const { run, host } = await open(BASH);

    await run("true SECRET");

    assert.match(host.opened[0]?.shown ?? "", /\$ true \[redacted\]/);
  });

  it("runs in a shell without VS Code's integration", async () => {
    const { run } = await open("dash -i");

    assert.equal((await run("echo works")).result.output, "works\n");
  });
});

/** False also for a process that only waits for its parent to notice its end. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return !/\) [ZX]/.test(stat);
}

async function lineFolders(): Promise<readonly string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith("autogpt-line-"));
}

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Shell } from "../../../src/core/ports/programs.ts";
import { createNodeShell } from "../../../src/node/processes/shell.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** Ways to get away from whoever wants to end a command; `$T` is a text to be found by. */
const ESCAPES: Readonly<Record<string, string>> = {
  "a child": "sleep 90$T",
  grandchildren: "bash -c 'bash -c \"sleep 91$T & sleep 92$T\" & wait'",
  "a session of its own without descriptors": "setsid bash -c 'exec <&- >&- 2>&-; sleep 93$T & sleep 94$T' & wait",
  "a daemon": "(setsid bash -c '(exec <&- >&- 2>&-; sleep 95$T) &' &) ; sleep 96$T",
  "an empty environment in a session of its own":
    "(env -i /usr/bin/setsid /bin/bash -c 'exec <&- >&- 2>&-; (/bin/sleep 97$T &) ; /bin/sleep 98$T' &); sleep 99$T",
  deafness: "trap '' TERM HUP INT; nohup bash -c 'trap \"\" TERM; sleep 80$T; sleep 81$T' >/dev/null & wait",
  "a family that grows while it is ended": "f() { (sleep 0.01; f) & sleep 82$T; }; f & wait",
};

const TRIES = 100;
const AT_ONCE = 10;

describe("a shell command that is ended", () => {
  before(() => skipWithout("Linux"));
  const tempFolder = tempFolders();

  it(`leaves no process behind, in ${TRIES} of ${TRIES} tries`, async () => {
    const folder = await tempFolder();
    const shell = createNodeShell({ outputFolder: join(folder, "outputs") });
    const left: string[] = [];
    for (let first = 0; first < TRIES; first += AT_ONCE) {
      const tries = Array.from({ length: AT_ONCE }, (_, index) => tryOnce(shell, folder, first + index));
      left.push(...(await Promise.all(tries)).flat());
    }
    assert.deepEqual(left, []);
  }).timeout(120_000);
});

/** What is left after one of the ways was ended, by a stop or by the time limit in turn, sooner or later. */
async function tryOnce(shell: Shell, cwd: string, step: number): Promise<readonly string[]> {
  const ways = Object.entries(ESCAPES);
  const [name, line] = ways[step % ways.length] ?? ["", ""];
  const tag = `.${BigInt(`0x${randomUUID().replaceAll("-", "")}`)}`;
  const seconds = 0.03 + (step % 9) / 40;
  const isStopped = step % 2 === 0;
  await shell.run(line.replaceAll("$T", tag), {
    cwd,
    step,
    timeoutSeconds: isStopped ? 60 : seconds,
    signal: isStopped ? AbortSignal.timeout(Math.round(seconds * 1000)) : new AbortController().signal,
    reportOutput: () => undefined,
  });
  return living(tag).map((process) => `${name}: ${process}`);
}

/** The command lines of all processes that have this text in them. */
function living(tag: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(tag));
}

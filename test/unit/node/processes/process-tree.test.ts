import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  createMarkedStart,
  createProcessMark,
  createProcessTree,
  markEnvironment,
  type ProcessTree,
} from "../../../../src/node/processes/process-tree.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";

/** A marked command line that prints the process IDs of what it starts, and these IDs. */
async function started(
  line: string,
): Promise<{ readonly tree: ProcessTree; readonly child: ChildProcess; readonly pids: readonly number[] }> {
  const mark = createProcessMark();
  const { file, args } = createMarkedStart(chooseShellProgram(), line, mark);
  const child = spawn(file, args, {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: markEnvironment(process.env, mark),
  });
  const tree = createProcessTree(child.pid ?? 0, mark);
  const [output] = await once(child.stdout, "data");
  // By then, orphans have lost their parents.
  await wait(150);
  return { tree, child, pids: String(output).trim().split(/\s+/).map(Number) };
}

/** A process that has ended stays in the list until its parent asks for its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const ESCAPES = {
  "a child": "sleep 60 & echo $!; wait",
  "a child whose parent has ended": "sh -c 'sleep 60 & echo $!'; sleep 60",
  "a child in its own session": "setsid sleep 60 & echo $!; wait",
  "an orphan in its own session without its environment":
    "setsid sh -c 'exec env -i setsid sleep 60 & echo $!' & wait; sleep 60",
};

describe("the processes of a command", function () {
  if (process.platform !== "linux") return;
  this.timeout(10_000);

  for (const [name, line] of Object.entries(ESCAPES))
    it(`end with it: ${name}`, async () => {
      const { tree, child, pids } = await started(line);
      const ran = pids.map(isRunning);
      const ended = await tree.end();
      assert.deepEqual(
        {
          ran,
          left: pids.map(isRunning),
          child: child.pid !== undefined && isRunning(child.pid),
          several: ended > 1,
        },
        { ran: pids.map(() => true), left: pids.map(() => false), child: false, several: true },
      );
    });

  it("are not those of another command", async () => {
    const [one, other] = [await started("sleep 60 & echo $!; wait"), await started("sleep 60 & echo $!; wait")];
    await one.tree.end();
    const left = other.pids.map(isRunning);
    await other.tree.end();
    assert.deepEqual(left, [true]);
  });

  it("are listed less and less often while they get that time", async () => {
    let lists = 0;
    const left = { pid: 7, parent: 1, group: 999_999, session: 0, marked: false };
    const tree = createProcessTree(999_999, createProcessMark(), async () => {
      lists++;
      return [left];
    });
    await tree.settle(250);
    assert.ok(lists <= 9, `${lists} lists`);
  });

  it("get time to end by themselves, and no longer than that", async () => {
    const { tree } = await started("sleep 0.3 & echo $!; exec sleep 60");
    const since = performance.now();
    await tree.settle(200);
    const waited = performance.now() - since;
    await tree.end();
    assert.ok(waited >= 200 && waited < 5_000, `It waited for ${waited} ms.`);
  });

  it("are asked to end as a group", async () => {
    const { tree, child } = await started("trap 'exit 7' TERM; echo $$; while :; do sleep 0.05; done");
    tree.ask();
    const [code] = await once(child, "exit");
    assert.equal(code, 7);
  });
});

import assert from "node:assert/strict";
import {
  createWindowsTree,
  parseWindowsProcesses,
  type WindowsProcess,
} from "../../../../src/node/processes/windows-tree.ts";

const NOW = 1_000_000;
const SHELL = 40;

/** Windows with these processes, whose listings come one after the other. Killed processes are in none of them. */
function windows(...listings: readonly (readonly WindowsProcess[] | undefined)[]) {
  const killed: number[][] = [];
  let round = 0;
  let seconds = 0;
  const tree = createWindowsTree(
    SHELL,
    {
      list: async () => {
        const all = listings[Math.min(round++, listings.length - 1)];
        return all?.filter(({ pid }) => !killed.flat().includes(pid));
      },
      kill: async (pids) => {
        killed.push([...pids]);
        return true;
      },
    },
    () => NOW + seconds++ * 1_000,
  );
  return { tree, killed };
}

/** A process that started some time after the shell, in milliseconds. */
function started(pid: number, parent: number, after: number): WindowsProcess {
  return { pid, parent, startedAt: NOW + after };
}

const OTHERS = [started(4, 0, -900_000), started(8, 4, -800_000)];

describe("the processes of a command on Windows", () => {
  it("end with it, although their shell has ended before", async () => {
    const { tree, killed } = windows([...OTHERS, started(60, 50, 300), started(50, SHELL, 200)]);

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 2, killed: [[50, 60]] });
  });

  it("are none if it has left nothing", async () => {
    const { tree, killed } = windows(OTHERS);

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 0, killed: [] });
  });

  it("include those that were started while others were killed", async () => {
    const { tree, killed } = windows([started(50, SHELL, 200)], [started(60, 50, 900)]);

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 2, killed: [[50], [60]] });
  });

  it("are not those of another process that got the ID of one that has ended", async () => {
    const own = started(50, SHELL, 200);
    const theirs = started(70, 50, 90_000);
    const { tree, killed } = windows(
      [started(SHELL, 4, 0), own],
      [started(SHELL, 4, 0)],
      [started(SHELL, 4, 0), theirs],
    );
    await tree.count();
    await tree.count();

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 1, killed: [[SHELL]] });
  });

  it("are not those of another process that had its ID before, or has it by now", async () => {
    const earlier = started(50, SHELL, -60_000);
    const own = started(60, SHELL, 200);
    const namesake = started(SHELL, 8, 5_000);
    const { tree, killed } = windows([earlier, own, namesake, started(70, SHELL, 6_000)]);

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 1, killed: [[60]] });
  });

  it("are its shell and that one's children where they can't be listed", async () => {
    const { tree, killed } = windows(undefined);

    assert.deepEqual({ ended: await tree.end(), killed }, { ended: 1, killed: [[SHELL]] });
  });

  it("are listed with their starts, and not at all by a program in PowerShell's place that prints nothing", () => {
    assert.deepEqual(
      [parseWindowsProcesses("40 8 116444736010000000\r\n50 40 116444736020000000\r\n"), parseWindowsProcesses("")],
      [
        [
          { pid: 40, parent: 8, startedAt: 1000 },
          { pid: 50, parent: 40, startedAt: 2000 },
        ],
        undefined,
      ],
    );
  });
});

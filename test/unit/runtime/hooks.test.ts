import assert from "node:assert/strict";
import type { PreparedCall, RunContext } from "../../../src/core/commands/command.ts";
import { commandSet } from "../../../src/core/commands/command-set.ts";
import { type CommandHook, withHooks } from "../../../src/runtime/hooks.ts";

const PREPARED = {} as PreparedCall;
const RUNNING = {} as RunContext;

function tracing(name: string, seen: string[], more: CommandHook = {}): CommandHook {
  return {
    before: async () => {
      seen.push(`before ${name}`);
      return undefined;
    },
    after: async (_prepared, outcome) => {
      seen.push(`after ${name}`);
      return outcome;
    },
    ...more,
  };
}

describe("hooks around a command", () => {
  it("nest: the first is asked first before it, and last after it", async () => {
    const seen: string[] = [];
    const commands = {
      ...commandSet([]),
      run: async () => {
        seen.push("command");
        return { status: "done" as const, output: "" };
      },
    };
    await withHooks(commands, [tracing("one", seen), tracing("two", seen)]).run(PREPARED, RUNNING);
    assert.deepEqual(seen, ["before one", "before two", "command", "after two", "after one"]);
  });

  it("may answer in the command's place", async () => {
    const seen: string[] = [];
    const refusing = tracing("one", seen, {
      before: async () => ({ status: "failed", error: "Not on a Sunday." }),
    });
    const commands = { ...commandSet([]), run: () => Promise.reject(new Error("It ran.")) };
    assert.deepEqual(
      {
        outcome: await withHooks(commands, [refusing, tracing("two", seen)]).run(PREPARED, RUNNING),
        seen,
      },
      { outcome: { status: "failed", error: "Not on a Sunday." }, seen: [] },
    );
  });
});

import assert from "node:assert/strict";
import { allCommands } from "../../../../src/commands/all.ts";
import { commandsForWindow, commandsThatFit } from "../../../../src/core/commands/offered-commands.ts";
import { nodeWorkspace } from "../../../../src/node/workspace.ts";

const ALL = allCommands({ workspace: nodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
const NEEDED =
  "read_file write_to_file edit_file list_files search_files execute_shell ask_user update_plan task_complete";

const namesIn = (contextWindow: number, specs = ALL): string[] =>
  commandsThatFit(specs, contextWindow).offered.map(({ name }) => name);

describe("the commands that a window has room for", () => {
  it("are all from 16,000 tokens on, and where the window is not known", () => {
    assert.deepEqual(
      [0, 16_000, 32_000, 128_000].map((window) => namesIn(window).length),
      [0, 1, 2, 3].map(() => ALL.length),
    );
  });

  it("are what nothing works without in the smallest, in the order in which all are told", () => {
    assert.deepEqual([namesIn(4_096).join(" "), namesIn(1)], [NEEDED, namesIn(4_096)]);
  });

  it("only become more in a larger window", () => {
    const windows = Array.from({ length: 16 }, (_, index) => namesIn(1_000 * (index + 1)));
    const lost = windows.flatMap((names, index) =>
      names.filter((name) => index < 15 && !windows[index + 1]?.includes(name)),
    );
    assert.deepEqual(lost, []);
  });

  it("are never a part of those that are of use only together", () => {
    const background = ["execute_shell_popen", "list_processes", "read_process_output", "stop_process"];
    const counts = Array.from({ length: 30 }, (_, index) => namesIn(4_000 + 500 * index)).map(
      (names) => background.filter((name) => names.includes(name)).length,
    );
    assert.deepEqual([...new Set(counts)], [0, 4]);
  });

  it("are those of plugins before those that are rarely of use", () => {
    const stranger = { name: "ask_oracle", description: "Asks the oracle.", parameters: { type: "object" } };
    const names = namesIn(12_288, [...ALL, stranger]);
    assert.deepEqual([names.includes("ask_oracle"), names.includes("improve_code")], [true, false]);
  });

  it("leave the others withheld, with the reason, after those that cannot be had at all", () => {
    const withheld = [{ name: "send_tweet", why: "There is no access to the web here." }];
    const specs = ALL.filter(({ name }) => ["read_file", "start_agent"].includes(name));
    assert.deepEqual(commandsForWindow({ specs, withheld }, 4_096).withheld, [
      ...withheld,
      {
        name: "start_agent",
        why: "The window of this model, 4,096 tokens, has no room for it.",
      },
    ]);
  });
});

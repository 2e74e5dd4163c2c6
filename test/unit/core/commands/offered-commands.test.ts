import assert from "node:assert/strict";
import { createAllCommands } from "../../../../src/commands/all.ts";
import { COMMAND } from "../../../../src/core/commands/command-traits.ts";
import { selectCommandsForWindow, selectFittingCommands } from "../../../../src/core/commands/offered-commands.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const ALL = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
/** A run without `find_tools`, such as one of an older log. */
const OLDER = ALL.filter(({ name }) => name !== COMMAND.findTools);
const NEEDED =
  "read_file write_to_file edit_file list_files search_files execute_shell ask_user update_plan find_tools task_complete";
const RARE = ["analyze_code", "improve_code", "write_tests", "git_log", "start_agent", "do_nothing"];

const namesIn = (contextWindow: number, specs = OLDER): string[] =>
  selectFittingCommands(specs, contextWindow).offered.map(({ name }) => name);

describe("the commands of a run that can find more", () => {
  it("are the useful ones in a large window; all others can be found", () => {
    const { offered, behind, withheld } = selectFittingCommands(ALL, 128_000);
    const names = offered.map(({ name }) => name);
    assert.deepEqual(
      [RARE.filter((name) => names.includes(name)), names.length + behind.length, withheld],
      [[], ALL.length, []],
    );
  });

  it("are what is always needed in the smallest window, and every other command can be found", () => {
    for (const window of [4_096, 8_192]) {
      const { offered, behind, withheld } = selectFittingCommands(ALL, window);
      assert.deepEqual(
        [offered.slice(0, 3).map(({ name }) => name), offered.length + behind.length, withheld],
        [["read_file", "write_to_file", "edit_file"], ALL.length, []],
      );
    }
    assert.equal(namesIn(1, ALL).join(" "), NEEDED);
  });

  it("grow at their end by what was found", () => {
    const { offered, behind } = selectFittingCommands(ALL, 128_000, ["write_tests", "git_log"]);
    const names = behind.map(({ name }) => name);
    assert.deepEqual(
      [offered.slice(-2).map(({ name }) => name), names.includes("git_log"), names.includes("do_nothing")],
      [["write_tests", "git_log"], false, true],
    );
  });

  it("lose what was found first where the window is too small for everything found", () => {
    const found = ["write_tests", "improve_code", "analyze_code", "git_log"];
    const names = selectFittingCommands(ALL, 2_048, found).offered.map(({ name }) => name);
    assert.deepEqual([names.at(-1), found.filter((name) => names.includes(name)).length < 4], ["git_log", true]);
  });

  it("don't include the finder where nothing is left to find", () => {
    const specs = ALL.filter(({ name }) => ["read_file", COMMAND.findTools].includes(name));
    assert.deepEqual(namesIn(128_000, specs), ["read_file"]);
  });

  it("are shown to people together with those that can be found", () =>
    assert.deepEqual(
      selectCommandsForWindow({ specs: ALL, withheld: [] }, 4_096)
        .specs.map(({ name }) => name)
        .toSorted(),
      ALL.map(({ name }) => name).toSorted(),
    ));
});

describe("the commands that a window has room for, where no others can be found", () => {
  it("are all from 16,000 tokens on, and where the window is not known", () => {
    assert.deepEqual(
      [0, 16_000, 32_000, 128_000].map((window) => namesIn(window).length),
      [0, 1, 2, 3].map(() => OLDER.length),
    );
  });

  it("are only the essential ones in the smallest, in the order in which all are listed", () => {
    assert.equal(namesIn(1).join(" "), NEEDED.replace("find_tools ", ""));
  });

  it("only become more in a larger window", () => {
    const windows = Array.from({ length: 16 }, (_, index) => namesIn(1_000 * (index + 1)));
    const lost = windows.flatMap((names, index) =>
      names.filter((name) => index < 15 && !windows[index + 1]?.includes(name)),
    );
    assert.deepEqual(lost, []);
  });

  it("are never a part of those that are of use only together", () => {
    const background = ["execute_shell_popen", "read_process_output", "stop_process"];
    const counts = Array.from({ length: 30 }, (_, index) => namesIn(4_000 + 500 * index)).map(
      (names) => background.filter((name) => names.includes(name)).length,
    );
    assert.deepEqual([...new Set(counts)], [0, 3]);
  });

  it("are those of plugins before those that are rarely of use", () => {
    const stranger = { name: "ask_oracle", description: "Asks the oracle.", parameters: { type: "object" } };
    const names = namesIn(10_240, [...OLDER, stranger]);
    assert.deepEqual([names.includes("ask_oracle"), names.includes("improve_code")], [true, false]);
  });

  it("leave the others withheld, with the reason, after those that cannot be had at all", () => {
    const withheld = [{ name: "send_tweet", why: "There is no access to the web here." }];
    const specs = OLDER.filter(({ name }) => ["read_file", "start_agent"].includes(name));
    const others = selectCommandsForWindow({ specs, withheld }, 3_072).withheld;
    assert.deepEqual(
      others.map(({ name, why }) => ({ name, why: writeInEnglish(why) })),
      [
        ...withheld,
        {
          name: "start_agent",
          why: "The window of this model, 3,072 tokens, has no room for it.",
        },
      ],
    );
  });
});

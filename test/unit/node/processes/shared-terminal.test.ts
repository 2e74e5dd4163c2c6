import assert from "node:assert/strict";
import {
  findMentionedTerminals,
  readLastCommand,
  SharedTerminal,
} from "../../../../src/node/processes/shared-terminal.ts";

describe("a terminal that the user shares", () => {
  it("keeps the commands since then with what they printed, without colors", () => {
    const terminal = new SharedTerminal();
    const [first, second] = [{}, {}];
    terminal.start(first, "", "/w")("\u001b[31mfailed\u001b[0m\r\n");
    terminal.end(first, "make", 2);
    terminal.start(second, "npm start", "");
    terminal.end({}, "never began", 0);
    assert.deepEqual(terminal.commands, [
      { line: "make", cwd: "/w", state: "ended", code: 2, output: "failed" },
      { line: "npm start", cwd: "", state: "running", output: "" },
    ]);
  });

  it("keeps the latest commands, and the end of a long output", () => {
    const terminal = new SharedTerminal();
    for (let at = 1; at <= 25; at++) terminal.start({}, `c${at}`, "")(`${"x".repeat(99_999)}\nend ${at}`);
    const { commands } = terminal;
    assert.deepEqual(
      {
        first: commands[0]?.line,
        count: commands.length,
        begins: commands[0]?.output.slice(0, 28),
        ends: commands.at(-1)?.output.slice(-7),
      },
      { first: "c6", count: 20, begins: "[The beginning isn't kept.]\n", ends: "\nend 25" },
    );
  });
});

describe("VS Code's answer about the last command of a terminal", () => {
  const LAST = "The following is the last command run in the terminal:\n";
  for (const [what, answer, command] of [
    [
      "an ended one",
      `${LAST}echo a; false\nIt was run in the directory:\n/w\nIt exited with code: 1\nIt has the following output:\na\nb\n`,
      { line: "echo a; false", cwd: "/w", state: "ended", code: 1, output: "a\nb" },
    ],
    ["one of which little is known", `${LAST}ls`, { line: "ls", cwd: "", state: "ended", output: "" }],
    [
      "a running one",
      "The following command is currently executing in the terminal:\nsleep 9\nIt is running in the directory:\n/w",
      { line: "sleep 9", cwd: "/w", state: "running", output: "" },
    ],
    ["none", "No command has been run in the active terminal.", undefined],
  ] as const)
    it(`is read: ${what}`, () => {
      assert.deepEqual(readLastCommand(answer), command);
    });
});

describe("a mention of a terminal", () => {
  it("begins with its word, and may continue with a part of the name", () => {
    const labels = ["bash", "zsh"];
    const found = ["", "t", "TERM", "terminal", "terminal:", "terminal:z", "terminals", "x"].map((query) =>
      findMentionedTerminals(query, labels).join(),
    );
    assert.deepEqual(found, ["", "bash,zsh", "bash,zsh", "bash,zsh", "bash,zsh", "zsh", "", ""]);
  });
});

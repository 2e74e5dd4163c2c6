import assert from "node:assert/strict";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import type { TerminalCommand, UserTerminal, UserTerminals } from "../../../../src/core/ports/terminals.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

const MAKE: TerminalCommand = { line: "make", cwd: "/w", state: "ended", code: 2, output: "error: no rule" };
const SERVE: TerminalCommand = { line: "npm start", cwd: "", state: "running", output: "" };

/** Terminals that report the same commands once they are shared. */
class Terminals implements UserTerminals {
  open: UserTerminal[];
  private readonly commands: readonly TerminalCommand[];

  constructor(commands: readonly TerminalCommand[], ...open: readonly Partial<UserTerminal>[]) {
    this.commands = commands;
    this.open = open.map((one) => ({ label: "bash", isActive: false, isShared: false, ...one }));
  }

  list(): readonly UserTerminal[] {
    return this.open;
  }

  share(label: string): void {
    this.open = this.open.map((one) => (one.label === label ? { ...one, isShared: true } : one));
  }

  async read(label: string): Promise<readonly TerminalCommand[] | undefined> {
    return this.open.some((one) => one.label === label && one.isShared) ? this.commands : undefined;
  }
}

describe("get_terminal_output", () => {
  const planted = plantedBenches();
  const bench = async (terminals: UserTerminals) => (await planted({}, { terminals })).bench;

  it("reads a shared terminal unasked, as text that may come from anywhere", async () => {
    const one = await bench(new Terminals([MAKE, SERVE], { isShared: true }));
    const call = await one.prepare("get_terminal_output", {});
    assert.ok(isPrepared(call));
    assert.deepEqual(
      { effect: call.effect, onlyByUser: call.onlyByUser, outcome: await one.run(call) },
      {
        effect: "read",
        onlyByUser: undefined,
        outcome: {
          status: "done",
          output: "$ make\n[exit code 2, in /w]\nerror: no rule\n\n$ npm start\n[still running]\nIt printed nothing.",
          source: { kind: "tool", name: "terminal bash" },
        },
      },
    );
  });

  it("is up to a person for any other terminal, which is read from then on", async () => {
    const terminals = new Terminals([MAKE], { isActive: true });
    const one = await bench(terminals);
    const call = await one.prepare("get_terminal_output", {});
    assert.ok(isPrepared(call));
    const { onlyByUser, preview } = call;
    const before = terminals.open[0]?.isShared;
    await one.run(call);
    assert.deepEqual(
      { onlyByUser, preview, before, after: terminals.open[0]?.isShared },
      {
        onlyByUser: { rule: "user-terminal", reason: 'It reads your terminal "bash", from now on.' },
        preview: {
          kind: "details",
          text: 'Read the terminal "bash": its last command if VS Code knows it, and what is run in it from now on, until you close it or take that back (Show What Is Allowed).',
        },
        before: false,
        after: true,
      },
    );
  });

  it("is asked about again once the user has taken a terminal back", async () => {
    const terminals = new Terminals([MAKE], { isShared: true });
    const call = await (await bench(terminals)).prepare("get_terminal_output", {
      terminal: "@terminal:bash",
    });
    assert.ok(isPrepared(call));
    const before = await call.fresh();
    terminals.open = [{ label: "bash", isActive: false, isShared: false }];
    assert.deepEqual([before, await call.fresh()], [true, false]);
  });

  it("shows as many commands as were asked for, the latest ones", async () => {
    const one = await bench(new Terminals([SERVE, MAKE], { isShared: true }));
    const outcome = await one.call("get_terminal_output", { commands: 1 });
    assert.deepEqual(outcome.status === "done" && outcome.output, "$ make\n[exit code 2, in /w]\nerror: no rule");
  });

  /** The terminal that a call without a name reads. */
  const choices: readonly (readonly [string, readonly Partial<UserTerminal>[], string])[] = [
    [
      "the only shared one",
      [
        { label: "a", isActive: true },
        { label: "b", isShared: true },
      ],
      '"b"',
    ],
    [
      "the active one of several shared ones",
      [
        { label: "a", isShared: true },
        { label: "b", isShared: true, isActive: true },
      ],
      '"b"',
    ],
    ["the active one where none is shared", [{ label: "a" }, { label: "b", isActive: true }], '"b"'],
  ];
  for (const [what, open, label] of choices)
    it(`reads ${what}`, async () => {
      const call = await (await bench(new Terminals([], ...open))).prepare("get_terminal_output", {});
      assert.ok(isPrepared(call) && call.preview.kind === "details");
      assert.match(call.preview.text, new RegExp(`terminal ${label}`));
    });

  it("says what to do where nothing is known yet", async () => {
    const one = await bench(new Terminals([], { isShared: true }));
    assert.deepEqual(await one.call("get_terminal_output", {}), {
      status: "failed",
      error:
        'Nothing is known of the terminal "bash" yet. Its commands are read from now on, if its shell reports them: ask the user to run the command again, or run it with execute_shell.',
    });
  });

  for (const [what, open, terminal, error] of [
    ["there is no terminal", [], "bash", "The user has no terminal open. Use execute_shell."],
    [
      "there is none of that name",
      [{ label: "bash" }, { label: "zsh" }],
      "fish",
      'There is no terminal "fish". The user\'s terminals: "bash", "zsh".',
    ],
  ] as const)
    it(`says so when ${what}`, async () => {
      const one = await bench(new Terminals([], ...open));
      assert.deepEqual(await one.try("get_terminal_output", { terminal }), {
        outcome: { status: "failed", error },
      });
    });
});

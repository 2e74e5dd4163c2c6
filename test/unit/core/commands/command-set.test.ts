import assert from "node:assert/strict";
import { createPreparedCall, isPrepared } from "../../../../src/core/commands/command.ts";
import { createCommandSet, type WithheldCommand } from "../../../../src/core/commands/command-set.ts";
import { WorkspaceError } from "../../../../src/core/ports/workspace.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { type Deeds, fakeCommands } from "../../../support/fake-commands.ts";

const PREPARING = { step: 1, signal: new AbortController().signal };
const RUNNING = { ...PREPARING, output: () => undefined, record: async () => undefined };

/** The error that a call comes back with before it is run, or the preview of one that can be run. */
async function preparedAs(
  name: string,
  args: Record<string, unknown>,
  disabled: readonly string[] = [],
): Promise<string> {
  const result = await createCommandSet(fakeCommands([]), disabled).prepare({ name, args }, PREPARING);
  if (isPrepared(result)) return result.preview.kind === "details" ? result.preview.text : result.preview.after;
  return result.status === "failed" ? result.error : result.status;
}

describe("a text for people or models", () => {
  it("may come as lines or as JSON, unlike a name or a text that is run", () => {
    const said = fakeCommands([]).map((command) => ({ ...command, category: "user" }));
    const understood = (commands: typeof said, text: unknown) =>
      createCommandSet(commands).understand({ name: "read_note", args: { title: "a", text } }).call.args.text;
    assert.deepEqual(
      [understood(said, ["a", "b"]), understood(said, { a: 1 }), understood(fakeCommands([]), ["a", "b"])],
      ["a\nb", '{\n  "a": 1\n}', ["a", "b"]],
    );
  });
});

describe("a call, checked before anyone is asked", () => {
  const cases: [string, string, Record<string, unknown>, string][] = [
    ["is as it was written", "read_note", { title: "a" }, 'read_note {"title":"a"}'],
    ["may use an alias", "open_note", { title: "a" }, 'read_note {"title":"a"}'],
    ["may be wrong-cased", "Read_Note", { title: "a" }, 'read_note {"title":"a"}'],
    ["may use an older argument name", "read_note", { name: "a" }, 'read_note {"title":"a"}'],
    ["names a missing argument", "read_note", {}, 'read_note was not run: the argument "title" is missing.'],
    [
      "explains an extra argument",
      "read_note",
      { title: "a", tilte: "b" },
      'read_note was not run: it has no argument "tilte" (did you mean "title"?).',
    ],
    [
      "lists the arguments when nothing is near",
      "read_note",
      { title: "a", volume: 11 },
      'read_note was not run: it has no argument "volume" (it takes title, text).',
    ],
    ["may write a number for a text", "read_note", { title: 7 }, 'read_note {"title":"7"}'],
    ["may write null for what it leaves out", "read_note", { title: "a", text: null }, 'read_note {"title":"a"}'],
    ["may give one value by two names", "read_note", { name: "a", title: "a" }, 'read_note {"title":"a"}'],
    [
      "explains a wrong type",
      "read_note",
      { title: { is: "a" } },
      'read_note was not run: "title" must be of type string.',
    ],
    [
      "explains all that is wrong at once",
      "read_note",
      { text: ["a", "b"], volume: 11 },
      'read_note was not run: the argument "title" is missing; it has no argument "volume" (it takes title, text); "text" must be of type string.',
    ],
    [
      "has an older and today's name of one argument: today's counts",
      "read_note",
      { name: "old", title: "new" },
      'read_note was not run: it has no argument "name" (it takes title, text).',
    ],
    [
      "has two older names of one argument: neither is left out unseen",
      "read_note",
      { name: "old", heading: "older" },
      'read_note was not run: it has no argument "heading" (it takes title, text).',
    ],
  ];
  for (const [name, command, args, expected] of cases) {
    it(name, async () => assert.equal(await preparedAs(command, args), expected));
  }
});

describe("a call of a command that is not there", () => {
  const all = "The commands are: read_note, write_note, break_note, wait_note, ask_user, do_nothing, task_complete.";
  const cases: [string, string, string][] = [
    ["names the nearest", "reed_note", `There is no command "reed_note". Did you mean "read_note"? ${all}`],
    ["lists all when none is near", "dance", `There is no command "dance". ${all}`],
    ["takes no name of every object for a command", "constructor", `There is no command "constructor". ${all}`],
  ];
  for (const [name, command, expected] of cases) {
    it(name, async () => assert.equal(await preparedAs(command, {}), expected));
  }

  for (const [name, disabled] of [
    ["Read_Note", "NOTES"],
    ["Open_Note", "read_note"],
    ["read_note", "Open_Note"],
  ] as const)
    it(`says why ${name} is turned off by ${disabled}`, async () => {
      assert.equal(
        await preparedAs(name, { title: "a" }, [disabled]),
        'The command "read_note" is not available: It is turned off in the settings (autogpt.commands.disabled). Choose another one.',
      );
    });
});

const inWords = (withheld: readonly WithheldCommand[]) =>
  withheld.map(({ name, why }) => ({ name, why: writeInEnglish(why) }));

describe("the set of commands", () => {
  it("offers what is not withheld, and says why of the rest", () => {
    const [first, ...rest] = fakeCommands([]);
    assert.ok(first);
    const broke = { ...first, withheld: () => "There is no paper." };
    const set = createCommandSet([broke, ...rest], ["task_complete"]);
    assert.deepEqual(
      [set.specs.map(({ name }) => name), inWords(set.withheld)],
      [
        ["write_note", "break_note", "wait_note", "ask_user", "do_nothing"],
        [
          { name: "read_note", why: "There is no paper." },
          { name: "task_complete", why: "It is turned off in the settings (autogpt.commands.disabled)." },
        ],
      ],
    );
  });

  it("knows a command that a profile names, also where it's withheld now", () => {
    const [first, ...rest] = fakeCommands([]);
    assert.ok(first);
    const broke = { ...first, withheld: () => "There is no paper." };
    const set = createCommandSet([broke, ...rest], [], ["read_note", "wait_note", "fly"]);
    assert.deepEqual(
      { unknown: set.listUnknownCommands?.(), offered: set.specs.map(({ name }) => name) },
      { unknown: ["fly"], offered: ["wait_note", "task_complete"] },
    );
  });

  it("knows today's name of a call", () => {
    const set = createCommandSet(fakeCommands([]));
    assert.deepEqual(
      [
        set.resolve("OPEN_NOTE"),
        set.resolve("dance"),
        set.understand({ name: "open_note", args: { name: 1 } }),
        set.understand({ name: "x", args: {} }),
      ],
      [
        "read_note",
        undefined,
        { call: { name: "read_note", args: { title: "1" } } },
        { call: { name: "x", args: {} } },
      ],
    );
  });

  it("takes the first of two commands of one name", () => {
    const [first, second] = fakeCommands([]);
    assert.ok(first && second);
    const set = createCommandSet([first, { ...second, name: "Read_Note" }]);
    assert.deepEqual(
      [set.specs.map(({ name }) => name), inWords(set.withheld), set.resolve("read_note")],
      [["read_note"], [{ name: "Read_Note", why: "There is another command of this name." }], "read_note"],
    );
  });

  it("lets a name win over another command's alias", () => {
    const [first, second, ...rest] = fakeCommands([]);
    assert.ok(first && second);
    const set = createCommandSet([first, { ...second, aliases: ["read_note"] }, ...rest]);
    assert.equal(set.resolve("read_note"), "read_note");
  });
});

describe("an argument that a command does not take", () => {
  const understood = (args: Record<string, unknown>) => {
    const { call, dropped } = createCommandSet(fakeCommands([])).understand({ name: "read_note", args });
    return { args: call.args, dropped };
  };

  it("is left out and named when the call is right without it", () =>
    assert.deepEqual(understood({ title: "a", volume: 11 }), { args: { title: "a" }, dropped: ["volume"] }));

  for (const [name, args] of [
    ["there are two of them", { title: "a", volume: 11, page: 2 }],
    ["another argument is missing", { volume: 11 }],
    ["another argument has the wrong type", { title: {}, volume: 11 }],
    ["it is another name of one that has another value", { title: "a", name: "b" }],
  ] as const)
    it(`stays, to be explained, when ${name}`, () => assert.deepEqual(understood(args), { args, dropped: undefined }));

  it("stays, to be explained, when it could change what is done", () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const calls = [{ dry_run: true }, { append: true }, { reason: "b" }].map((more) =>
      createCommandSet([{ ...first, effect: "write" }]).understand({
        name: "read_note",
        args: { title: "a", ...more },
      }),
    );
    assert.deepEqual(
      calls.map(({ call, dropped }) => [Object.keys(call.args), dropped]),
      [
        [["title", "dry_run"], undefined],
        [["title", "append"], undefined],
        [["title"], ["reason"]],
      ],
    );
  });

  it("is left out of the items of a list, with all others there", () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const items = first.parameters;
    const set = createCommandSet([
      { ...first, parameters: { type: "object", properties: { notes: { type: "array", items } } } },
    ]);
    const notes = [
      { title: "a", id: 1 },
      { title: "b", page: 2 },
      { title: "c", id: 3 },
    ];
    assert.deepEqual(set.understand({ name: "read_note", args: { notes } }), {
      call: { name: "read_note", args: { notes: [{ title: "a" }, { title: "b" }, { title: "c" }] } },
      dropped: ["id", "page"],
    });
  });
});

describe("an argument that its schema does not allow", () => {
  it("is explained with what would be allowed", async () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const picky = {
      ...first,
      parameters: {
        type: "object",
        properties: {
          mood: { enum: ["calm", "glad"] },
          at: {
            type: "object",
            properties: { page: { type: "integer", minimum: 1 } },
            required: ["page", "side"],
          },
        },
      },
    };
    const set = createCommandSet([picky]);
    assert.deepEqual(await set.prepare({ name: "read_note", args: { mood: "sad", at: { page: 0 } } }, PREPARING), {
      status: "failed",
      error:
        'read_note was not run: "mood" must be one of "calm", "glad"; the argument "at.side" is missing; "at.page" must be >= 1.',
      isInvalid: true,
    });
  });

  it("is reported with its place in a list, where older names are understood too", async () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const items = first.parameters;
    const set = createCommandSet([
      { ...first, parameters: { type: "object", properties: { notes: { type: "array", items } } } },
    ]);
    const args = { notes: [{ heading: "a" }, { title: "b", volume: 11 }] };
    assert.deepEqual(await set.prepare({ name: "read_note", args }, PREPARING), {
      status: "failed",
      error: 'read_note was not run: "notes.1" has no argument "volume" (it takes title, text).',
      isInvalid: true,
    });
  });

  it("is not looked at where the schema is none", async () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const set = createCommandSet([{ ...first, parameters: { type: "object", required: "title" } }]);
    await assert.rejects(set.prepare({ name: "read_note", args: {} }, PREPARING), /schema is invalid/);
  });
});

describe("running a command", () => {
  const failing = async (error: unknown, signal = PREPARING.signal): Promise<unknown> => {
    const call = createPreparedCall("read", "", async () => {
      throw error;
    });
    return createCommandSet([]).run(call, { ...RUNNING, signal });
  };

  it("gives its outcome", async () => {
    const deeds: Deeds = [];
    const set = createCommandSet(fakeCommands(deeds));
    const call = await set.prepare({ name: "read_note", args: { title: "a" } }, PREPARING);
    assert.ok(isPrepared(call));
    assert.deepEqual(
      [await set.run(call, RUNNING), deeds],
      [{ status: "done", output: 'The note "a" is empty.' }, ["read a"]],
    );
  });

  it("makes an error of the workspace an outcome in its own words", async () => {
    assert.deepEqual(await failing(new WorkspaceError("There is no such file.")), {
      status: "failed",
      error: "There is no such file.",
    });
  });

  it("makes any other error an outcome, too", async () => {
    assert.deepEqual(
      [await failing(new Error("EPIPE")), await failing("a thrown text")],
      [
        { status: "failed", error: "EPIPE (an unexpected error; try another way)" },
        { status: "failed", error: "a thrown text (an unexpected error; try another way)" },
      ],
    );
  });

  it("lets a stop through", async () => {
    await assert.rejects(failing(new Error("killed"), AbortSignal.abort(new Error("stopped"))), {
      message: "stopped",
    });
  });

  it("lets a stop through that comes while it runs", async () => {
    const controller = new AbortController();
    const call = createPreparedCall("read", "", async () => {
      controller.abort(new Error("stopped"));
      throw new Error("killed");
    });
    const running = createCommandSet([]).run(call, { ...RUNNING, signal: controller.signal });
    await assert.rejects(running, { message: "stopped" });
  });

  it("makes an error while it prepares an outcome as well", async () => {
    const [first] = fakeCommands([]);
    assert.ok(first);
    const broken = {
      ...first,
      prepare: async () => {
        throw new WorkspaceError("Outside.");
      },
    };
    assert.deepEqual(await createCommandSet([broken]).prepare({ name: "read_note", args: { title: "" } }, PREPARING), {
      status: "failed",
      error: "Outside.",
    });
  });
});

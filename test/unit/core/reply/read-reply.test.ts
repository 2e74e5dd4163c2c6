import assert from "node:assert/strict";
import fc from "fast-check";
import type { Completion } from "../../../../src/core/ports/model.ts";
import { tryObject } from "../../../../src/core/reply/parse-object.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";
import { NO_THOUGHTS, type Reply } from "../../../../src/core/reply/reply.ts";

const completion = (more: Partial<Completion>): Completion => ({
  text: "",
  calls: [],
  finish: "stop",
  model: "m",
  ...more,
});
const read = (text: string): Reply => readReply(completion({ text }));
const called = (args: string, more: Partial<Completion> = {}): Reply =>
  readReply(completion({ calls: [{ id: "1", name: "read_file", arguments: args }], ...more }));

/** A reply in one line: the call, or what was wrong. */
function brief(reply: Reply): string {
  if (reply.kind === "unreadable") return `${reply.cutOff ? "cut off" : "unreadable"}: ${reply.problem}`;
  return `${reply.call.name} ${JSON.stringify(reply.call.args)}`;
}

const GOOD = '{"thoughts":{"text":"t"},"command":{"name":"read_file","args":{"filename":"a"}}}';
const CALL = 'read_file {"filename":"a"}';

describe("a reply in text that can be read", () => {
  const cases: [string, string, string][] = [
    ["plain JSON", GOOD, CALL],
    ["a fence", `\`\`\`json\n${GOOD}\n\`\`\``, CALL],
    ["doubled braces", `{${GOOD}}`, CALL],
    ["doubled braces, as Qwen's template has them", `{{"name":"read_file","arguments":{"filename":"a"}}}}\n`, CALL],
    ["doubled braces and a trailing comma", `{${GOOD.slice(0, -1)},}}`, CALL],
    ["prose before and after", `Sure! ${GOOD} Shall I go on?`, CALL],
    ["private reasoning before it", `<think>{"command":{"name":"wrong"}}</think>\n${GOOD}`, CALL],
    ["two objects: the first that fits", `{"a":1} ${GOOD} {"command":{"name":"b","args":{}}}`, CALL],
    ["a first object that cannot be repaired", `{1 2} ${GOOD}`, CALL],
    ["trailing commas", '{"command":{"name":"read_file","args":{"filename":"a",},},}', CALL],
    ["a missing comma", '{"thoughts":{"text":"t"} "command":{"name":"read_file","args":{"filename":"a"}}}', CALL],
    [
      "single quotes and Python's words",
      "{'command': {'name': 'x', 'args': {'a': True, 'b': None}}}",
      'x {"a":true,"b":null}',
    ],
    ["unquoted keys", '{command: {name: "read_file", args: {filename: "a"}}}', CALL],
    ["comments", '{"command": /* the one */ {"name": "read_file", "args": {"filename": "a"}}} // done', CALL],
    ["raw line ends and tabs in strings", '{"command":{"name":"x","args":{"a":"1\n\t2"}}}', 'x {"a":"1\\n\\t2"}'],
    ["missing args", '{"command":{"name":"list_files"}}', "list_files {}"],
    ["null args", '{"command":{"name":"list_files","args":null}}', "list_files {}"],
    ["args as JSON text", '{"command":{"name":"x","args":"{\\"a\\":1}"}}', 'x {"a":1}'],
    ["args as blank text", '{"command":{"name":"x","args":" "}}', "x {}"],
    ["arguments for args", '{"command":{"name":"x","arguments":{"a":1}}}', 'x {"a":1}'],
    ["parameters for args", '{"command":{"name":"x","parameters":{"a":1}}}', 'x {"a":1}'],
    ["the classic form", '{"command":"x","arguments":{"a":1}}', 'x {"a":1}'],
    ["a bare call", '{"name":"x","arguments":{"a":1}}', 'x {"a":1}'],
    [
      "an empty name: a question",
      '{"thoughts":{"text":"t","speak":"Which one?"},"command":{"name":" ","args":{}}}',
      'ask_user {"question":"Which one?"}',
    ],
    ["nothing but an empty name", '{"command":{"name":""}}', 'ask_user {"question":"What should I do next?"}'],
    ["spaces around the name", '{"command":{"name":" x ","args":{}}}', "x {}"],
  ];
  for (const [name, text, expected] of cases) {
    it(name, () => assert.equal(brief(read(text)), expected));
  }
});

const NO_OBJECT =
  "unreadable: Your reply held no JSON object. Answer with one JSON object in the format described, and nothing else.";
const BROKE =
  "cut off: Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.";
const UNREADABLE: readonly [string, string, string][] = [
  ["blank", " \n", "unreadable: Your reply was empty. Answer with one JSON object in the format described."],
  [
    "only private reasoning",
    "<think>hm</think>",
    "unreadable: Your reply was empty. Answer with one JSON object in the format described.",
  ],
  ["prose", "This is not a JSON string", NO_OBJECT],
  ["an array", "[1, 2, 3,]", NO_OBJECT],
  ["a number", "7", NO_OBJECT],
  ["cut off in a string", GOOD.slice(0, 70), BROKE],
  ["cut off after a value", GOOD.slice(0, -1), BROKE],
  ["cut off in a fence", `\`\`\`json\n${GOOD.slice(0, -2)}`, BROKE],
  [
    "no command",
    '{"thoughts":{"text":"t"}}',
    'unreadable: Your reply had no "command" object. Put the command\'s name and arguments there.',
  ],
  [
    "command as a list",
    '{"command":[]}',
    'unreadable: "command" must be an object with "name" and "args". In detail: "thoughts" is missing; "command" is a list and must be an object.',
  ],
  [
    "command null",
    '{"command":null}',
    'unreadable: "command" must be an object with "name" and "args". In detail: "thoughts" is missing; "command" is null and must be an object.',
  ],
  [
    "no name",
    '{"command":{"args":{}}}',
    'unreadable: The "command" object had no "name". Name exactly one of the commands you were given. In detail: "thoughts" is missing.',
  ],
  [
    "name as a number",
    '{"command":{"name":1}}',
    'unreadable: The "command" object had no "name". Name exactly one of the commands you were given. In detail: "thoughts" is missing; "command.name" is a number and must be a text.',
  ],
  [
    "args as a list",
    '{"command":{"name":"x","args":[1]}}',
    'unreadable: The command\'s "args" must be an object: argument names, each with its value. In detail: "thoughts" is missing; "command.args" is a list and must be an object.',
  ],
  [
    "args as broken text",
    '{"thoughts":"t","command":{"name":"x","args":"{"}}',
    'unreadable: The command\'s "args" must be an object: argument names, each with its value. In detail: "command.args" is a text and must be an object.',
  ],
];
describe("a reply in text that cannot be read", () => {
  for (const [name, text, expected] of UNREADABLE) {
    it(name, () => assert.equal(brief(read(text)), expected));
  }

  it("says where JSON beyond repair is wrong", () => {
    assert.match(
      brief(read("{1 2} and nothing else")),
      /^unreadable: Your reply was not valid JSON: .+\. Escape quotes and line breaks inside strings\.$/,
    );
  });

  it("says of JSON that is no object that it is none", () => {
    assert.equal(
      brief(called("[1]")),
      "unreadable: Your reply was not valid JSON: it is not an object. Escape quotes and line breaks inside strings.",
    );
  });

  it("says nothing was done when a stream ended by itself", () => {
    const finishes = ["length", "", "content_filter"];
    assert.deepEqual(
      finishes.map((finish) => brief(readReply(completion({ text: GOOD, finish }))).slice(0, 40)),
      [
        "cut off: Your reply was too long and was",
        "cut off: Your reply broke off before its",
        "unreadable: Your reply was withheld by t",
      ],
    );
  });
});

describe("a reply that is understood, but not in the described form", () => {
  const faultsOf = (text: string): unknown => {
    const reply = read(text);
    return reply.kind === "proposal" && [reply.call.name, ...(reply.faults ?? [])];
  };
  const command = { name: "list_files", args: {} };
  const cases: [string, object, readonly string[]][] = [
    ["as described", { thoughts: { text: "t" }, command }, []],
    ["as described, with short thoughts", { thoughts: "t", command }, []],
    ["in another form", { action: "list_files", action_input: {} }, []],
    ["without thoughts", { command }, ['"thoughts" is missing']],
    ["with empty thoughts", { thoughts: {}, command }, ['"thoughts" is empty']],
    ["with a list of thoughts", { thoughts: ["t"], command }, ['"thoughts" is a list and must be an object or a text']],
    [
      "with a stray name",
      { thoughts: "t", name: "John", command },
      ['only "thoughts" and "command" belong at the top, not "name" ("name" only inside "command")'],
    ],
    [
      "with more beside the name",
      { thoughts: "t", command: { ...command, why: "w" } },
      ['"command" has only "name" and "args", not "why"'],
    ],
    [
      "with many strays",
      { thoughts: "t", a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, ["g".repeat(90)]: 7, command },
      ['only "thoughts" and "command" belong at the top, not "a", "b", "c", "d", "e", 2 more'],
    ],
  ];
  for (const [name, reply, faults] of cases) {
    it(name, () => assert.deepEqual(faultsOf(JSON.stringify(reply)), ["list_files", ...faults]));
  }

  it("is a tool call without the thoughts that were asked for", () => {
    const calls = [{ id: "1", name: "list_files", arguments: "{}" }];
    const faults = (more: Partial<Completion>, thoughts: "full" | "short") => {
      const reply = readReply(completion({ calls, ...more }), { format: "tools", thoughts });
      return reply.kind === "proposal" && (reply.faults ?? []);
    };
    assert.deepEqual(
      {
        silent: faults({}, "full"),
        spoken: faults({ text: "I look." }, "full"),
        short: faults({}, "short"),
      },
      { silent: ['the first argument of the tool call, "thoughts", is missing'], spoken: [], short: [] },
    );
  });
});

describe("a reply as a tool call", () => {
  const cases: [string, string, string][] = [
    ["its arguments without the thoughts", '{"thoughts":{"text":"t"},"filename":"a"}', CALL],
    ["no arguments at all", "", "read_file {}"],
    ["arguments that need repair", '{"filename":"a",}', CALL],
    ["arguments in prose", 'args: {"filename":"a"}', CALL],
    [
      "arguments cut off",
      '{"filename":"a',
      "cut off: Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.",
    ],
  ];
  for (const [name, args, expected] of cases) {
    it(name, () => assert.equal(brief(called(args)), expected));
  }

  it("takes the text beside it for a thought where it has none of its own", () => {
    assert.deepEqual(called("{}", { text: " I look. " }), {
      kind: "proposal",
      thoughts: { ...NO_THOUGHTS, text: "I look." },
      call: { name: "read_file", args: {} },
    });
  });

  it("is a question when it names no command", () => {
    const calls = [{ id: "1", name: "", arguments: '{"thoughts":{"speak":"Which file?"}}' }];
    assert.equal(brief(readReply(completion({ calls }))), 'ask_user {"question":"Which file?"}');
  });

  it("leaves out spaces around its name", () => {
    const calls = [{ id: "1", name: " read_file ", arguments: "{}" }];
    assert.equal(brief(readReply(completion({ calls }))), "read_file {}");
  });

  it("keeps further calls up to the first that can't be read, and names the others", () => {
    const calls = ["a", "b", "c", "d"].map((name) => ({
      id: name,
      name,
      arguments: name === "c" ? "7" : "{}",
    }));
    const reply = readReply(completion({ calls }));
    assert.deepEqual(reply.kind === "proposal" && [reply.also, reply.ignored], [[{ name: "b", args: {} }], ["c", "d"]]);
  });

  it("says what is wrong with arguments that are no object", () => {
    assert.equal(
      brief(called("7")),
      "unreadable: Your reply was not valid JSON: it is not an object. Escape quotes and line breaks inside strings.",
    );
  });
});

describe("a reply as a tool call in text", () => {
  const thoughts = { text: "Look first.", reasoning: "r", plan: "p", criticism: "c", speak: "s" };
  const call = (args: object): string =>
    `<tool_call>\n${JSON.stringify({ name: "read_note", arguments: args })}\n</tool_call>`;

  it("may hold its thoughts among the arguments", () =>
    assert.deepEqual(read(call({ thoughts, title: "a" })), {
      kind: "proposal",
      thoughts,
      call: { name: "read_note", args: { title: "a" } },
    }));

  it("may come without its tags", () =>
    assert.deepEqual(read(JSON.stringify({ name: "read_note", arguments: { thoughts, title: "a" } })), {
      kind: "proposal",
      thoughts,
      call: { name: "read_note", args: { title: "a" } },
    }));

  it("takes the words before it for a thought where it has none", () =>
    assert.deepEqual(read(`I look first.\n${call({ title: "a" })}`), {
      kind: "proposal",
      thoughts: { ...NO_THOUGHTS, text: "I look first." },
      call: { name: "read_note", args: { title: "a" } },
    }));

  it("keeps further calls", () =>
    assert.deepEqual(read(call({ thoughts, title: "a" }) + call({ title: "b" })), {
      kind: "proposal",
      thoughts,
      call: { name: "read_note", args: { title: "a" } },
      also: [{ name: "read_note", args: { title: "b" } }],
    }));
});

describe("thoughts", () => {
  const thoughts = (value: unknown): unknown => {
    const reply = read(JSON.stringify({ thoughts: value, command: { name: "x", args: {} } }));
    return reply.kind === "proposal" ? reply.thoughts : reply;
  };
  const cases: [string, unknown, object][] = [
    ["are empty where there are none", undefined, {}],
    ["may be one text", "hm", { text: "hm" }],
    ["may be lists", { plan: ["a", " b "] }, { plan: "- a\n- b" }],
    ["may be objects", { plan: { first: "a", last: ["b"] } }, { plan: "- first: a\n- last: - b" }],
    ["may be numbers or null", { text: 7, criticism: null }, { text: "7" }],
    ["may have older names", { speech: "hi", self_criticism: "bad" }, { speak: "hi", criticism: "bad" }],
    ["may be something else", 7, {}],
  ];
  for (const [name, value, expected] of cases) {
    it(name, () => assert.deepEqual(thoughts(value), { ...NO_THOUGHTS, ...expected }));
  }
});

describe("reading a reply", () => {
  it("never throws, whatever the model says", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string().map((noise) => `{${noise}}`),
    );
    fc.assert(fc.property(text, text, (said, args) => Boolean(read(said)) && Boolean(called(args))));
  });

  it("reads any command back, in prose or not", () => {
    const prose = fc.string().map((text) => text.replace(/[{}"'[\]<>#/-]/g, ""));
    const args = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(args, prose, prose, (wanted, before, after) => {
        const reply = read(`${before}${JSON.stringify({ command: { name: "x", args: wanted } })}\n${after}`);
        assert.deepEqual(reply.kind === "proposal" && JSON.stringify(reply.call.args), JSON.stringify(wanted));
      }),
    );
  });

  it("never runs a reply that was cut off", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: GOOD.length - 1 }), (length) => {
        assert.equal(read(GOOD.slice(0, length)).kind, "unreadable");
      }),
    );
  });

  it("finds an object for others, too", () => {
    assert.deepEqual([tryObject('x {"a":1,}'), tryObject("none")], [{ a: 1 }, undefined]);
  });
});

describe("the thoughts of a bare call", () => {
  const thoughtsOf = (text: string) => {
    const reply = read(text);
    return reply.kind === "proposal"
      ? { text: reply.thoughts.text, args: reply.call.args }
      : { unreadable: reply.problem };
  };

  it("are taken out of its arguments, unless it has thoughts of its own or they are no object", () => {
    const inside = { text: "inside" };
    assert.deepEqual(
      {
        inside: thoughtsOf(JSON.stringify({ name: "x", args: { a: 1, thoughts: inside } })),
        both: thoughtsOf(JSON.stringify({ thoughts: { text: "own" }, name: "x", args: { thoughts: inside } })),
        text: thoughtsOf(JSON.stringify({ name: "x", args: { thoughts: "words" } })),
        none: thoughtsOf(JSON.stringify({ name: "x", args: { a: 1 } })),
      },
      {
        inside: { text: "inside", args: { a: 1 } },
        both: { text: "own", args: { thoughts: inside } },
        text: { text: "", args: { thoughts: "words" } },
        none: { text: "", args: { a: 1 } },
      },
    );
  });
});

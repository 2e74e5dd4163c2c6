import assert from "node:assert/strict";
import type { Completion } from "../../../../src/core/ports/model.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";

const COMMANDS = ["read_file", "write_to_file", "web_search", "list_files", "task_complete"];
const ALIASES: Readonly<Record<string, string>> = { cat: "read_file" };
const resolve = (name: string) =>
  COMMANDS.includes(name) ? name : Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;

function read(more: Partial<Completion>, format: "tools" | "text" = "text") {
  return readReply({ text: "", calls: [], finish: "stop", model: "m", ...more }, { format, resolve });
}

/** A reply in one line: the call, what else it held, or what was wrong. */
function brief(text: string): string {
  const reply = read({ text });
  if (reply.kind === "unreadable") return `${reply.cutOff ? "cut off" : "unreadable"}: ${reply.problem}`;
  const also = reply.also ? ` also: ${reply.also.map(({ name }) => name).join(", ")}` : "";
  const ignored = reply.ignored ? ` ignored: ${reply.ignored.join(", ")}` : "";
  return `${reply.call.name} ${JSON.stringify(reply.call.args)}${also}${ignored}`;
}

type Case = readonly [string, unknown, string];

const CALL = 'read_file {"filename":"a"}';
const ARGS = { filename: "a" };
const NO_COMMAND =
  'unreadable: Your reply had no "command" object. Put the command\'s name and arguments there.';
/** The end of a complaint about an object without thoughts. */
const detail = (...faults: readonly string[]): string =>
  ` In detail: ${['"thoughts" is missing', ...faults].join("; ")}.`;
/** The same with these fields at its top. */
const atTop = (...names: readonly string[]): string =>
  detail(
    `only "thoughts" and "command" belong at the top, not ${names.map((name) => JSON.stringify(name)).join(", ")}`,
  );
const NO_ARGUMENTS =
  'unreadable: The command\'s "args" must be an object: argument names, each with its value.';
const UNCLEAR =
  'unreadable: It is not clear which command your reply calls, so none was run. Answer with one JSON object with "command", in the format described.';
const CUT_OFF =
  "cut off: Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.";

function several(...names: readonly string[]): string {
  return `unreadable: Your reply named several commands (${names.join(", ")}), so none was run. Name exactly one, in "command".`;
}

describe("an object that is nearly a reply", () => {
  const cases: readonly Case[] = [
    ["the keys of ReAct", { thought: "t", action: "read_file", action_input: ARGS }, CALL],
    ["an action that is an object", { action: { name: "read_file", args: ARGS } }, CALL],
    ["a tool and its input", { tool: "read_file", tool_input: ARGS }, CALL],
    ["a function and its arguments", { function: "read_file", arguments: ARGS }, CALL],
    [
      "a call as OpenAI writes it",
      {
        tool_calls: [
          { id: "1", type: "function", function: { name: "read_file", arguments: '{"filename":"a"}' } },
        ],
      },
      CALL,
    ],
    ["a command in a command", { command: { command: { name: "read_file", args: ARGS } } }, CALL],
    ["a name in the command's key", { command: { command: "read_file", args: ARGS } }, CALL],
    ["a command as JSON text", { command: JSON.stringify({ name: "read_file", args: ARGS }) }, CALL],
    ["the command's name as a key", { command: { read_file: ARGS } }, CALL],
    ["the command's name as a key beside the thoughts", { thoughts: { text: "t" }, read_file: ARGS }, CALL],
    ["no arguments under the name as a key", { command: { list_files: null } }, "list_files {}"],
    ["arguments beside the command", { command: { name: "read_file" }, args: ARGS }, CALL],
    ["arguments beside the name", { command: { name: "read_file", filename: "a" } }, CALL],
    ["arguments beside the command's name", { thoughts: "t", command: "read_file", filename: "a" }, CALL],
    [
      "an argument that is called like a thought",
      { command: { name: "write_to_file", filename: "a", text: "b", plan: "c" } },
      'write_to_file {"filename":"a","text":"b","plan":"c"}',
    ],
    ["a misspelled command", { commmand: { name: "read_file", args: ARGS } }, CALL],
    ["misspelled arguments", { command: { name: "read_file", arguements: ARGS } }, CALL],
    [
      "other cases and blanks",
      { Thoughts: { text: "t" }, Command: { Name: "read_file", " ARGS ": ARGS } },
      CALL,
    ],
    ["an input that is text", { action: "read_file", action_input: "a" }, 'read_file {"action_input":"a"}'],
    ["a name with the tools' own prefix", { command: { name: "functions.read_file", args: ARGS } }, CALL],
    ["a name that is written as a call", { command: { name: "list_files()" } }, "list_files {}"],
    ["an empty list of arguments", { command: { name: "list_files", args: [] } }, "list_files {}"],
    ["a final answer", { thought: "t", final_answer: "All done." }, 'task_complete {"reason":"All done."}'],
    [
      "a final answer without a command",
      { command: null, final_answer: "Done." },
      'task_complete {"reason":"Done."}',
    ],
    [
      "the final answer of ReAct",
      { action: "Final Answer", action_input: "Done." },
      'task_complete {"reason":"Done."}',
    ],
    [
      "several commands in a list",
      { command: [{ name: "read_file", args: ARGS }, { name: "list_files" }, 7] },
      `${CALL} also: list_files ignored: an unreadable call`,
    ],
    ["twice the same under two keys", { action: "list_files", tool: "list_files" }, "list_files {}"],
    ["two different commands", { action: "list_files", tool: "read_file" }, several("action", "tool")],
    ["an action beside another name", { name: "Bob", action: "list_files" }, several("action", "name")],
    [
      "a command and a final answer",
      { command: { name: "list_files" }, final_answer: "Done." },
      several("final_answer", "command"),
    ],
    [
      "arguments under an unknown key",
      { command: { name: "read_file", payload: ARGS } },
      NO_ARGUMENTS + detail('"command" has only "name" and "args", not "payload"'),
    ],
    [
      "an object with a name that is no call",
      { name: "my-app", version: "1.0.0" },
      NO_COMMAND +
        detail(
          'only "thoughts" and "command" belong at the top, not "name", "version" ("name" only inside "command")',
        ),
    ],
    ["an alias as a key", { cat: ARGS }, NO_COMMAND + atTop("cat")],
    [
      "two commands as keys",
      { read_file: ARGS, list_files: {} },
      NO_COMMAND + atTop("read_file", "list_files"),
    ],
    ["an empty final answer", { final_answer: " " }, NO_COMMAND + atTop("final_answer")],
    ["a final answer that is no text", { final_answer: ["a"] }, NO_COMMAND + atTop("final_answer")],
    ["thoughts alone", { thought: "I am done." }, NO_COMMAND + atTop("thought")],
  ];
  for (const [name, object, expected] of cases)
    it(`${expected.startsWith("unreadable") ? "is unreadable" : "is read"}: ${name}`, () =>
      assert.equal(brief(JSON.stringify(object)), expected));

  it("is never nested without end", () => {
    let object: object = { name: "read_file", args: ARGS };
    for (let i = 0; i < 50; i++) object = { command: object };
    assert.equal(
      brief(JSON.stringify(object)),
      `unreadable: "command" must be an object with "name" and "args".${detail('"command" has only "name" and "args", not "command"')}`,
    );
  });

  it("names further objects as ignored", () => {
    const text = `${JSON.stringify({ command: { name: "read_file", args: ARGS } })}\n{"command":{"name":"list_files"}}`;
    assert.equal(brief(text), `${CALL} ignored: list_files`);
  });

  it("keeps its thoughts, whatever they are called", () => {
    const command = { name: "list_files" };
    const thoughts = (object: object) => {
      const reply = read({ text: JSON.stringify(object) });
      return reply.kind === "proposal" ? reply.thoughts : reply;
    };
    assert.deepEqual(
      {
        thought: thoughts({ thought: "a", action: "list_files" }),
        misspelled: thoughts({ thougths: { text: "a", reasonment: "b", critisism: "c" }, command }),
        beside: thoughts({ text: "a", reasoning: "b", speak: "c", command }),
      },
      {
        thought: { ...NO_THOUGHTS, text: "a" },
        misspelled: { ...NO_THOUGHTS, text: "a", reasoning: "b", criticism: "c" },
        beside: { ...NO_THOUGHTS, text: "a", reasoning: "b", speak: "c" },
      },
    );
  });
});

describe("a call that a server left in the text", () => {
  const json = JSON.stringify({ name: "read_file", arguments: ARGS });
  const cases: readonly (readonly [string, string, string])[] = [
    ["Hermes and Qwen", `I look.\n<tool_call>\n${json}\n</tool_call>`, CALL],
    ["Hermes, without the end of the tag", `<tool_call>${json}`, CALL],
    [
      "Hermes, two calls",
      `<tool_call>${json}</tool_call><tool_call>${json}</tool_call>`,
      `${CALL} also: read_file`,
    ],
    [
      "Hermes, a tag inside a text",
      `<tool_call>${JSON.stringify({ name: "write_to_file", arguments: { filename: "a", text: "<tool_call>{" } })}</tool_call>`,
      'write_to_file {"filename":"a","text":"<tool_call>{"}',
    ],
    [
      "Qwen3-Coder",
      "<tool_call>\n<function=write_to_file>\n<parameter=filename>\na\n</parameter>\n<parameter=text>\n  b\n\n</parameter>\n</function>\n</tool_call>",
      'write_to_file {"filename":"a","text":"  b\\n"}',
    ],
    ["Llama 3.1", '<function=read_file>{"filename":"a"}</function>', CALL],
    ["Llama 3", '<|python_tag|>{"name":"read_file","parameters":{"filename":"a"}}', CALL],
    ["Mistral", `[TOOL_CALLS][${json}, ${json}]`, `${CALL} also: read_file`],
    ["Mistral, by name", '[TOOL_CALLS]read_file[ARGS]{"filename":"a"}', CALL],
    [
      "Claude",
      '<function_calls>\n<invoke name="read_file">\n<parameter name="filename">a</parameter>\n</invoke>',
      CALL,
    ],
    [
      "DeepSeek",
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"filename":"a"}\n```',
      CALL,
    ],
    [
      "gpt-oss",
      '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"filename":"a"}<|call|>',
      CALL,
    ],
    ["Gemma", '```tool_code\nprint(read_file(filename="a"))\n```', CALL],
    [
      "Gemma, with more arguments",
      "```tool_code\ndefault_api.read_file(filename='a', start_line=2, raw=True, tags=['x, y', \"z\"],)\n```",
      'read_file {"filename":"a","start_line":2,"raw":true,"tags":["x, y","z"]}',
    ],
    ["ReAct", 'Thought: I look.\nAction: read_file\nAction Input: {"filename":"a"}', CALL],
    [
      "ReAct, with an invented observation",
      'Thought: t\nAction: read_file\nAction Input: {"filename":"a"}\nObservation: hi\nAction: list_files\nAction Input: {}\nFinal Answer: x',
      CALL,
    ],
    ["ReAct, in a fence", '**Action:** `read_file`\n**Action Input:**\n```json\n{"filename":"a"}\n```', CALL],
    ["ReAct, with a text", 'Action: read_file\nAction Input: "a"', 'read_file {"action_input":"a"}'],
    ["ReAct, by an alias and without input", "Action: cat", "cat {}"],
    [
      "ReAct, the end",
      "Thought: I know it.\nFinal Answer: All is\ndone.",
      'task_complete {"reason":"All is\\ndone."}',
    ],
    ["Hermes, cut off", '<tool_call>{"name":"read_file","arguments":{"filename":"a', CUT_OFF],
    [
      "Hermes, the first beyond repair",
      `<tool_call>{1 2}</tool_call><tool_call>${json}</tool_call>`,
      UNCLEAR,
    ],
    ["Hermes, nothing in it", "<tool_call>read_file</tool_call>", UNCLEAR],
    ["Qwen3-Coder, cut off", "<function=write_to_file>\n<parameter=filename>\na", CUT_OFF],
    ["Qwen3-Coder, a parameter cut off", "<function=write_to_file><parameter=filename>a</function>", UNCLEAR],
    ["Gemma, cut off", '```tool_code\nprint(read_file(filename="a', CUT_OFF],
    ["Gemma, without names", '```tool_code\nread_file("a")\n```', UNCLEAR],
    ["Gemma, an expression", '```tool_code\nread_file(filename="a" + x)\n```', UNCLEAR],
    ["Gemma, a sum", "```tool_code\nread_file(filename=1-2)\n```", UNCLEAR],
    ["Gemma, a formatted text", '```tool_code\nread_file(filename=f"{a}")\n```', UNCLEAR],
    ["Gemma, two lines", '```tool_code\nlist_files()\nread_file(filename="a")\n```', UNCLEAR],
    ["Gemma, one argument twice", '```tool_code\nread_file(filename="a", filename="b")\n```', UNCLEAR],
    ["ReAct, cut off", 'Action: read_file\nAction Input: {"filename":"a', CUT_OFF],
    ["ReAct, with a text that may be cut off", "Action: read_file\nAction Input: src/a", UNCLEAR],
    [
      "ReAct, in words",
      "Action: I read the file",
      "unreadable: Your reply held no JSON object. Answer with one JSON object in the format described, and nothing else.",
    ],
    [
      "ReAct, an action and the end",
      "Action: dance\nFinal Answer: done",
      "unreadable: Your reply held no JSON object. Answer with one JSON object in the format described, and nothing else.",
    ],
  ];
  for (const [name, text, expected] of cases)
    it(`${/^(unreadable|cut off)/.test(expected) ? "is unreadable" : "is read"}: ${name}`, () =>
      assert.equal(brief(text), expected));

  it("doesn't count after another object", () => {
    const text = `${JSON.stringify({ command: { name: "list_files" } })} instead of <tool_call>${json}</tool_call>`;
    assert.equal(brief(text), "list_files {} ignored: read_file");
  });
});

describe("private reasoning", () => {
  const call = JSON.stringify({ command: { name: "list_files" } });
  const draft = JSON.stringify({ command: { name: "write_to_file", args: { filename: "a" } } });
  const EMPTY = "unreadable: Your reply was empty. Answer with one JSON object in the format described.";

  it("in the text is never read as a call", () =>
    assert.deepEqual(
      [
        brief(`<think>${draft}</think>${call}`),
        brief(`<thinking>${draft}</thinking>${call}`),
        brief(`${draft} or not\n</think>\n${call}`),
        brief(`<think>${draft}`),
        brief(`${draft}</think>`),
      ],
      ["list_files {}", "list_files {}", "list_files {}", EMPTY, EMPTY],
    ));

  it("may be the subject of a call", () => {
    const text = JSON.stringify({ command: { name: "read_file", args: { filename: "</think>" } } });
    assert.equal(brief(`Here: ${text}`), 'read_file {"filename":"</think>"}');
  });

  it("of the server is never read as a call", () =>
    assert.equal(read({ reasoning: call }).kind, "unreadable"));
});

describe("a complaint about a reply in the tools format", () => {
  const problem = (more: Partial<Completion>) => {
    const reply = read(more, "tools");
    return reply.kind === "unreadable" ? reply.problem : `${reply.call.name} is read`;
  };
  const called = (args: string) => ({ calls: [{ id: "1", name: "read_file", arguments: args }] });
  const cases: readonly (readonly [string, Partial<Completion>, string])[] = [
    [
      "asks for a call of a tool instead of text",
      { text: "I would read the file first." },
      "Your reply called no tool, so nothing was done. Call exactly one of the tools you were given; when the task is done, call task_complete.",
    ],
    [
      "doesn't follow a call in the text",
      { text: '{"command":{"name":"list_files"}}' },
      "list_files is read",
    ],
    [
      "asks for a call instead of nothing",
      {},
      "Your reply was empty. Call exactly one of the tools you were given.",
    ],
    [
      "speaks of the arguments that are cut off",
      called('{"filename":"a'),
      "The arguments of your tool call broke off before their last bracket was closed, so nothing was done. Call the tool again, with all of them.",
    ],
    [
      "speaks of the arguments that are no JSON",
      called("7"),
      "The arguments of your tool call were not valid JSON: it is not an object. Call the tool again; escape quotes and line breaks inside strings.",
    ],
    [
      "speaks of tools where it isn't clear",
      { text: '```tool_code\nread_file("a")\n```' },
      "It is not clear which tool your text calls, so none was run. Don't write tool calls as text: call exactly one of the tools you were given.",
    ],
    [
      "speaks of tools where there are several",
      { text: '{"action":"read_file","tool":"list_files"}' },
      "Your reply named several tools at once (action, tool), so none was run. Call exactly one of the tools you were given.",
    ],
    [
      "doesn't ask for a command object",
      { text: '{"a":1}' },
      "Your reply named no tool. Call exactly one of the tools you were given.",
    ],
  ];
  for (const [name, more, expected] of cases) it(name, () => assert.equal(problem(more), expected));
});

describe("the arguments of a tool call", () => {
  it("may hold misspelled thoughts, or thoughts one object deeper", () => {
    const reply = (args: object) => {
      const read_ = read({
        calls: [{ id: "1", name: "functions.read_file", arguments: JSON.stringify(args) }],
      });
      return read_.kind === "proposal" && { text: read_.thoughts.text, call: read_.call };
    };
    assert.deepEqual(
      [reply({ thougths: { text: "t" }, ...ARGS }), reply({ args: { thoughts: { text: "t" }, ...ARGS } })],
      [
        { text: "t", call: { name: "read_file", args: ARGS } },
        { text: "t", call: { name: "read_file", args: { args: ARGS } } },
      ],
    );
  });
});

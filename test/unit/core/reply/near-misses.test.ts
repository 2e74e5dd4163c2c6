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
const NO_COMMAND = 'unreadable: Your reply had no "command" object. Put the command\'s name and arguments there.';
/** The end of a complaint about an object without thoughts. */
const detail = (...faults: readonly string[]): string =>
  ` In detail: ${['"thoughts" is missing', ...faults].join("; ")}.`;
/** The same with these fields at its top. */
const atTop = (...names: readonly string[]): string =>
  detail(
    `only "thoughts" and "command" belong at the top, not ${names.map((name) => JSON.stringify(name)).join(", ")}`,
  );
const NO_ARGUMENTS = 'unreadable: The command\'s "args" must be an object: argument names, each with its value.';
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
        tool_calls: [{ id: "1", type: "function", function: { name: "read_file", arguments: '{"filename":"a"}' } }],
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
    ["other cases and blanks", { Thoughts: { text: "t" }, Command: { Name: "read_file", " ARGS ": ARGS } }, CALL],
    ["an input that is text", { action: "read_file", action_input: "a" }, 'read_file {"action_input":"a"}'],
    ["a name with the tools' own prefix", { command: { name: "functions.read_file", args: ARGS } }, CALL],
    ["a name that is written as a call", { command: { name: "list_files()" } }, "list_files {}"],
    ["an empty list of arguments", { command: { name: "list_files", args: [] } }, "list_files {}"],
    ["a final answer", { thought: "t", final_answer: "All done." }, 'task_complete {"reason":"All done."}'],
    ["a final answer without a command", { command: null, final_answer: "Done." }, 'task_complete {"reason":"Done."}'],
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
        detail('only "thoughts" and "command" belong at the top, not "name", "version" ("name" only inside "command")'),
    ],
    ["an alias as a key", { cat: ARGS }, NO_COMMAND + atTop("cat")],
    ["two commands as keys", { read_file: ARGS, list_files: {} }, NO_COMMAND + atTop("read_file", "list_files")],
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
    ["Hermes, two calls", `<tool_call>${json}</tool_call><tool_call>${json}</tool_call>`, `${CALL} also: read_file`],
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
    ["Functionary 2", '<|from|>assistant\n<|recipient|>read_file\n<|content|>{"filename":"a"}<|stop|>', CALL],
    ["ReAct", 'Thought: I look.\nAction: read_file\nAction Input: {"filename":"a"}', CALL],
    [
      "ReAct, with an invented observation",
      'Thought: t\nAction: read_file\nAction Input: {"filename":"a"}\nObservation: hi\nAction: list_files\nAction Input: {}\nFinal Answer: x',
      CALL,
    ],
    ["ReAct, in a fence", '**Action:** `read_file`\n**Action Input:**\n```json\n{"filename":"a"}\n```', CALL],
    ["ReAct, with a text", 'Action: read_file\nAction Input: "a"', 'read_file {"action_input":"a"}'],
    ["ReAct, by an alias and without input", "Action: cat", "cat {}"],
    ["ReAct, the end", "Thought: I know it.\nFinal Answer: All is\ndone.", 'task_complete {"reason":"All is\\ndone."}'],
    ["Hermes, cut off", '<tool_call>{"name":"read_file","arguments":{"filename":"a', CUT_OFF],
    ["Hermes, the first beyond repair", `<tool_call>{1 2}</tool_call><tool_call>${json}</tool_call>`, UNCLEAR],
    ["Hermes, words in it", "<tool_call>I read the file</tool_call>", UNCLEAR],
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

  it("is weighed against another object before it", () => {
    const text = `${JSON.stringify({ command: { name: "list_files" } })} instead of <tool_call>${json}</tool_call>`;
    assert.equal(brief(text), UNCLEAR);
  });
});

/** One call as the chat template of each family has it written, and two of them. */
const FAMILIES: readonly (readonly [string, (name: string, file: string) => string, string?, string?])[] = [
  [
    "Kimi K2",
    (name, file) =>
      `<|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>{"filename":"${file}"}<|tool_call_end|>`,
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
  ],
  [
    "DeepSeek V3 and R1",
    (name, file) =>
      `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n{"filename":"${file}"}\n\`\`\`<｜tool▁call▁end｜>`,
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
  ],
  [
    "DeepSeek V3.1",
    (name, file) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>{"filename":"${file}"}<｜tool▁call▁end｜>`,
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
  ],
  [
    "DeepSeek V3.2",
    (name, file) =>
      `<｜DSML｜invoke name="${name}">\n<｜DSML｜parameter name="filename" string="true">${file}</｜DSML｜parameter>\n</｜DSML｜invoke>`,
    "<｜DSML｜function_calls>\n",
    "\n</｜DSML｜function_calls>",
  ],
  [
    "GLM-4.5",
    (name, file) => `<tool_call>${name}\n<arg_key>filename</arg_key>\n<arg_value>${file}</arg_value>\n</tool_call>\n`,
  ],
  [
    "GLM-4.7",
    (name, file) => `<tool_call>${name}<arg_key>filename</arg_key><arg_value>${file}</arg_value></tool_call>`,
  ],
  [
    "MiniMax M1",
    (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}}\n`,
    "<tool_calls>\n",
    "</tool_calls>",
  ],
  [
    "MiniMax M2",
    (name, file) => `<invoke name="${name}">\n<parameter name="filename">${file}</parameter>\n</invoke>\n`,
    "<minimax:tool_call>\n",
    "</minimax:tool_call>",
  ],
  [
    "Seed-OSS",
    (name, file) =>
      `<seed:tool_call>\n<function=${name}>\n<parameter=filename>${file}</parameter>\n</function>\n</seed:tool_call>`,
  ],
  [
    "Step-3",
    (name, file) =>
      `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}"><steptml:parameter name="filename">${file}</steptml:parameter></steptml:invoke><｜tool_call_end｜>\n`,
    "<｜tool_calls_begin｜>\n",
    "<｜tool_calls_end｜>",
  ],
  [
    "LongCat",
    (name, file) => `<longcat_tool_call>{"name":"${name}","arguments":{"filename":"${file}"}}</longcat_tool_call>`,
  ],
  [
    "LongCat, in pairs",
    (name, file) =>
      `<longcat_tool_call>${name}\n<longcat_arg_key>filename</longcat_arg_key>\n<longcat_arg_value>${file}</longcat_arg_value>\n</longcat_tool_call>\n`,
  ],
  [
    "Hunyuan A13B, Jamba and Apriel",
    (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}},`,
    "<tool_calls>[",
    "]</tool_calls>",
  ],
  ["Nemotron", (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}},`, "<TOOLCALL>[", "]</TOOLCALL>"],
  ["Granite 3", (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}},`, "<|tool_call|>[", "]"],
  ["Granite 20B", (name, file) => `<function_call> {"name":"${name}","arguments":{"filename":"${file}"}}\n`],
  [
    "Phi-4-mini",
    (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}},`,
    "<|tool_call|>[",
    "]<|/tool_call|>",
  ],
  ["FireFunction", (name, file) => `{"name":"${name}","arguments":{"filename":"${file}"}},`, "functools[", "]"],
  [
    "Command R7B and A",
    (name, file) => `{"tool_call_id":"0","tool_name":"${name}","parameters":{"filename":"${file}"}},`,
    "<|START_ACTION|>[\n",
    "\n]<|END_ACTION|>",
  ],
  [
    "InternLM",
    (name, file) => `<|action_start|><|plugin|>{"name":"${name}","parameters":{"filename":"${file}"}}<|action_end|>`,
  ],
  ["Apertus", (name, file) => `{"${name}":{"filename":"${file}"}},`, "<|tools_prefix|>[", "]<|tools_suffix|>"],
  ["Llama 3.2", (name, file) => `{"name":"${name}","parameters":{"filename":"${file}"}}; `, "<|python_tag|>"],
  ["Llama 4", (name, file) => `${name}(filename="${file}"), `, "<|python_start|>[", "]<|python_end|>"],
  ["LFM2", (name, file) => `${name}(filename="${file}"), `, "<|tool_call_start|>[", "]<|tool_call_end|>"],
  ["Olmo 3", (name, file) => `${name}(filename="${file}")\n`, "<function_calls>\n", "</function_calls>"],
  [
    "FunctionGemma",
    (name, file) => `<start_function_call>call:${name}{filename:<escape>${file}<escape>}<end_function_call>`,
  ],
  ["Gemma 4", (name, file) => `<|tool_call>call:${name}{filename:<|"|>${file}<|"|>}<tool_call|>`],
  ["Mistral, with IDs", (name, file) => `[TOOL_CALLS]${name}[CALL_ID]abc123def[ARGS]{"filename":"${file}"}`],
  [
    "gpt-oss, named before its channel",
    (name, file) =>
      `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>{"filename":"${file}"}<|call|>`,
  ],
  ["gpt-oss, without its marks", (name, file) => `assistantcommentary to=functions.${name} json{"filename":"${file}"}`],
  [
    "Solar",
    (name, file) =>
      `<|tool_call:start|>${name}\n<|tool_arg:start|>filename<|tool_arg:value|>${file}<|tool_arg:end|>\n<|tool_call:end|>`,
  ],
  [
    "DeepSeek, with spaces and plain characters",
    (name, file) =>
      `< | DSML | invoke name="${name}">\n< | DSML | parameter name="filename" string="true">${file}</ | DSML | parameter>\n</ | DSML | invoke>`,
    "< | DSML | function_calls>\n",
    "\n</ | DSML | function_calls>",
  ],
  [
    "Qwen3-Coder, in quotes and without an end of its own",
    (name, file) => `<tool_call>\n<function="${name}">\n<parameter="filename">\n${file}\n</parameter>\n</tool_call>\n`,
  ],
  [
    "GLM, a swallowed mark",
    (name, file) => `${name}\n<arg_key>filename</arg_key>\n<arg_value>${file}</arg_value>\n</tool_call>\n`,
  ],
  ["GLM-4", (name, file) => `${name}\n{"filename":"${file}"}\n`],
  ["Functionary", (name, file) => `>>>${name}\n{"filename":"${file}"}\n`],
  ["Mistral, a swallowed mark", (name, file) => `${name}[ARGS]{"filename":"${file}"}`],
  ["DeepSeek V3.1, swallowed marks", (name, file) => `${name}<｜tool▁sep｜>{"filename":"${file}"}<｜tool▁call▁end｜>`],
  [
    "Claude 2",
    (name, file) =>
      `<invoke>\n<tool_name>${name}</tool_name>\n<parameters>\n<filename>${file}</filename>\n</parameters>\n</invoke>\n`,
    "<function_calls>\n",
    "</function_calls>",
  ],
  [
    "a prompt in XML",
    (name, file) => `<tool_use>\n<name>${name}</name>\n<arguments>{"filename":"${file}"}</arguments>\n</tool_use>\n`,
  ],
  ["Cline", (name, file) => `<${name}>\n<filename>${file}</filename>\n</${name}>\n`],
  ["a name around an object", (name, file) => `<${name}>{"filename":"${file}"}</${name}>\n`],
  [
    "Grok",
    (name, file) =>
      `<xai:function_call name="${name}">\n<xai:parameter name="filename">${file}</xai:parameter>\n</xai:function_call>\n`,
  ],
  ["a name in the mark", (name, file) => `<tool_call name='${name}'>{"filename":"${file}"}</tool_call>\n`],
  [
    "LM Studio",
    (name, file) => `[TOOL_REQUEST]{"name":"${name}","arguments":{"filename":"${file}"}}[END_TOOL_REQUEST]\n`,
  ],
  ["ToolACE", (name, file) => `${name}(filename="${file}"), `, "[", "]"],
  ["MiniMax Text", (name, file) => `functions.${name}({"filename": "${file}"})\n`, "<function_call>\n", ""],
  ["MiniCPM 5", (name, file) => `<function name="${name}"><param name="filename">${file}</param></function>`],
];

describe("a call in the text as a template writes it", () => {
  for (const [name, call, begin = "", end = ""] of FAMILIES) {
    const whole = (...calls: readonly string[]) => `${begin}${calls.join("").replace(/[,;]\s*$/, "")}${end}`;
    it(`is read: ${name}`, () => {
      const one = whole(call("read_file", "a"));
      const two = whole(call("read_file", "a"), call("list_files", "b"));
      assert.deepEqual([one, `I look.\n${one}\n`, two, `${one} would be wrong.`].map(brief), [
        CALL,
        CALL,
        `${CALL} also: list_files`,
        UNCLEAR,
      ]);
    });
  }

  it("keeps a text with marks, quotes and line ends as it is", () => {
    const text = 'say "hi"\n<|tool_call_end|> {x} </arg';
    const args = JSON.stringify({ filename: "a", text });
    const written = `write_to_file ${args}`;
    assert.deepEqual(
      [
        `<|tool_call_begin|>functions.write_to_file:3<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
        `<tool_call>write_to_file\n<arg_key>filename</arg_key>\n<arg_value>a</arg_value>\n<arg_key>text</arg_key>\n<arg_value>${text}</arg_value>\n</tool_call>`,
        `<｜tool▁call▁begin｜>write_to_file<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`,
        `<start_function_call>call:write_to_file{filename:<escape>a<escape>,text:<escape>${text}<escape>}<end_function_call>`,
      ].map(brief),
      [written, written, written, written],
    );
  });

  it("keeps Python's texts of several lines, and characters by their number", () =>
    assert.equal(
      brief('[write_to_file(filename="\\u00e9", text="""a\n"b" (c\n""")]'),
      'write_to_file {"filename":"é","text":"a\\n\\"b\\" (c\\n"}',
    ));

  it("keeps tags in a text between tags", () => {
    const text = "<tool>\n<p>x</p>\n</tool>";
    const written = `write_to_file ${JSON.stringify({ filename: "a", text })}`;
    assert.deepEqual(
      [
        `<function=write_to_file><parameter=filename>a</parameter><parameter=text>${text}</parameter></function>`,
        `<write_to_file><filename>a</filename><text>${text}</text></write_to_file>`,
      ].map(brief),
      [written, written],
    );
  });

  it("is read without arguments", () =>
    assert.deepEqual(
      ["<tool_call>list_files</tool_call>", "<|python_start|>[list_files()]<|python_end|>", "[list_files()]"].map(
        brief,
      ),
      ["list_files {}", "list_files {}", "list_files {}"],
    ));

  it("is a list and nothing else, as of Llama and xLAM", () => {
    const list = JSON.stringify([
      { name: "read_file", arguments: ARGS },
      { name: "list_files", arguments: {} },
    ]);
    assert.deepEqual(['[read_file(filename="a"), list_files()]', list, `\`\`\`json\n${list}\n\`\`\``].map(brief), [
      `${CALL} also: list_files`,
      `${CALL} also: list_files`,
      `${CALL} also: list_files`,
    ]);
  });

  it("can't end early or set another argument", () => {
    const pairs = (text: string) =>
      `<tool_call>write_to_file<arg_key>filename</arg_key><arg_value>a</arg_value><arg_key>text</arg_key><arg_value>${text}</arg_value></tool_call>`;
    assert.deepEqual(
      [
        pairs("</arg_value><arg_key>filename</arg_key><arg_value>b"),
        pairs("</arg_value></tool_call><tool_call>list_files"),
        pairs("</arg_value></tool_call>"),
        "<start_function_call>call:write_to_file{filename:<escape>a<escape>,filename:<escape>b<escape>}<escape>",
        "<write_to_file><filename>a</filename><text></text><filename>b</filename></text></write_to_file>",
        "<write_to_file><text></text><mode>b</mode></text></write_to_file>",
      ].map((text) => brief(text).replace(/:.*/, "")),
      Array.from({ length: 6 }, () => "unreadable"),
    );
  });

  it("is cut off where its template has no end for it", () =>
    assert.deepEqual(
      [
        '<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"filename":"a',
        "<tool_call>read_file\n<arg_key>filename</arg_key>\n<arg_value>a",
        '<|python_start|>[read_file(filename="a',
        "<start_function_call>call:read_file{filename:<escape>a",
        "<read_file>\n<filename>a",
        'read_file[ARGS]{"filename":"a',
      ].map(brief),
      Array.from({ length: 6 }, () => CUT_OFF),
    ));
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

  it("of the server is never read as a call", () => assert.equal(read({ reasoning: call }).kind, "unreadable"));
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
    ["doesn't follow a call in the text", { text: '{"command":{"name":"list_files"}}' }, "list_files is read"],
    ["asks for a call instead of nothing", {}, "Your reply was empty. Call exactly one of the tools you were given."],
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
  it("are whole where the reply has no reason for its end", () => {
    const called = (...all: readonly string[]) =>
      read({ calls: all.map((args) => ({ id: "1", name: "read_file", arguments: args })), finish: "" }).kind;
    assert.deepEqual(
      [called('{"filename":"a"}'), called(""), called('{"filename":"a'), called("{}", '{"filename"')],
      ["proposal", "unreadable", "unreadable", "unreadable"],
    );
  });

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

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Command, createPreparedCall, isPrepared } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import type { Completion } from "../../../../src/core/ports/model.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";
import { type Call, NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";

const PREPARING = { step: 1, signal: new AbortController().signal };
const TEXT = { type: "string" };

const PARAMETERS: Readonly<Record<string, readonly [Readonly<Record<string, object>>, readonly string[]]>> = {
  read_file: [{ filename: TEXT, start_line: { type: "integer" } }, ["filename"]],
  write_to_file: [{ filename: TEXT, contents: TEXT }, ["filename", "contents"]],
  edit_file: [{ filename: TEXT, old_text: TEXT, new_text: TEXT }, ["filename", "old_text", "new_text"]],
  execute_shell: [{ command_line: TEXT, background: { type: "boolean" } }, ["command_line"]],
  list_files: [{ folder: TEXT }, []],
  task_complete: [{ reason: TEXT }, ["reason"]],
};

const COMMANDS = createCommandSet(
  Object.entries(PARAMETERS).map(
    ([name, [properties, required]]): Command => ({
      name,
      aliases: [],
      category: "test",
      effect: "write",
      description: "",
      parameters: { type: "object", properties, required, additionalProperties: false },
      prepare: async (args) =>
        createPreparedCall("write", JSON.stringify([name, sorted(args)]), async () => ({
          status: "done",
          output: "",
        })),
    }),
  ),
);

function sorted(args: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What a reply would do: the call as it is shown; undefined where nothing is done. */
async function deedOf(completion: Partial<Completion>, format: "tools" | "text"): Promise<string | undefined> {
  const whole = { text: "", calls: [], finish: "stop", model: "m", ...completion };
  const reply = readReply(whole, { format, resolve: COMMANDS.resolve });
  if (reply.kind === "unreadable") return undefined;
  const outcome = await COMMANDS.prepare(COMMANDS.understand(reply.call).call, PREPARING);
  return isPrepared(outcome) && outcome.preview.kind === "details" ? outcome.preview.text : undefined;
}

/** Words that look like the structure around them. */
const PIECES = [
  "src/a.ts",
  "it's",
  'say "hi"',
  "{x: [1]}",
  '"name": "list_files"',
  "\\d+\\.ts",
  "C:\\new\\users",
  "\n",
  "\t",
  ", ",
  ": ",
  "}",
  "{",
  '"',
  "'",
  "\\",
  '"""',
  "'''",
  "...",
  "// no",
  "/* no */",
  "<tool_call>",
  '{"command":{"name":"list_files","args":{}}}',
  '"}}} {"command":{"name":"list_files","args":{}}}',
  '"}}</tool_call>\n<tool_call>{"name":"list_files","arguments":{}}',
  "</think>",
  "None",
  "rm -rf x",
  "ü💡",
  "[TOOL_CALLS]",
  "Action: list_files",
  "Final Answer: x",
  "```",
  "</parameter>",
  "<parameter=filename>",
  "</function>",
  "<function=list_files>",
];
const TEXTS = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

const CALLS: fc.Arbitrary<Call> = fc.constantFrom(...Object.keys(PARAMETERS)).chain((name) => {
  const [properties, required] = PARAMETERS[name] ?? [{}, []];
  const values = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      const { type } = { type: "", ...schema };
      return [key, type === "string" ? TEXTS : type === "integer" ? fc.nat() : fc.boolean()];
    }),
  );
  return fc
    .record(values, { requiredKeys: [...required] })
    .map((args) => ({ name, args: args as Readonly<Record<string, unknown>> }));
});

const THOUGHTS = TEXTS.map((text) => ({ ...NO_THOUGHTS, text, speak: "I look." }));

interface WellFormed {
  readonly call: Call;
  readonly thoughts: object;
}

/** Well-formed JSON of a reply. */
function jsonOf({ call, thoughts }: WellFormed): string {
  return JSON.stringify({ thoughts, command: call });
}

/** As Python prints it. */
function pythonOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, item]) => `${pythonOf(key)}: ${pythonOf(item)}`)
      .join(", ")}}`;
  if (typeof value !== "string") return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const body = value
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r")
    .replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `${quote}${body.replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** The ways in which models spoil replies, each with a number that chooses the place. */
const SPOILS: Readonly<Record<string, (reply: WellFormed, at: number) => Partial<Completion>>> = {
  "prose around it": (reply) => ({ text: `Sure, let's go.\n${jsonOf(reply)}\nShall I go on?` }),
  "a fence": (reply) => ({
    text: `\`\`\`json\n${JSON.stringify(JSON.parse(jsonOf(reply)), null, 2)}\n\`\`\``,
  }),
  "trailing commas": (reply) => ({
    text: jsonOf(reply).replace(/\}+$/, (end) => `,${end.split("").join(",")}`),
  }),
  "single quotes, exchanged": (reply) => ({ text: jsonOf(reply).replaceAll('"', "'") }),
  "Python's literals": (reply) => ({
    text: pythonOf({ thoughts: reply.thoughts, command: reply.call, error: null, done: false }),
  }),
  "Python's literals between double quotes": (reply) => ({
    text: jsonOf(reply).replaceAll("true", "True").replaceAll("false", "False").replaceAll("null", "None"),
  }),
  "cut at a limit": (reply, at) => ({ text: cut(jsonOf(reply), at), finish: "length" }),
  "cut without a reason": (reply, at) => ({ text: cut(jsonOf(reply), at), finish: "" }),
  "cut, and called complete": (reply, at) => ({ text: cut(jsonOf(reply), at) }),
  "wrong keys": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, commmand: { name: call.name, arguements: call.args } }),
  }),
  "other keys": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, request: { operation: call.name, payload: call.args } }),
  }),
  "the keys of ReAct": ({ call }) => ({
    text: JSON.stringify({ thought: "I go on.", action: call.name, action_input: call.args }),
  }),
  "no command": ({ thoughts }) => ({ text: JSON.stringify({ thoughts }) }),
  "an unknown command": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, command: { ...call, name: `${call.name}_now` } }),
  }),
  "a command with a slip": ({ call, thoughts }, at) => ({
    text: JSON.stringify({ thoughts, command: { ...call, name: without(call.name, at) } }),
  }),
  "wrong argument names": ({ call, thoughts }, at) => ({
    text: JSON.stringify({
      thoughts,
      command: {
        name: call.name,
        args: Object.fromEntries(Object.entries(call.args).map(([key, value]) => [without(key, at), value])),
      },
    }),
  }),
  "arguments nested once more": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, command: { name: call.name, args: { args: call.args } } }),
  }),
  "a command in a command": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, command: { command: call } }),
  }),
  "the command's name as a key": ({ call, thoughts }) => ({
    text: JSON.stringify({ thoughts, command: { [call.name]: call.args } }),
  }),
  "text after it": (reply) => ({
    text: `${jsonOf(reply)}\nObservation: done\n{"command":{"name":"list_files","args":{}}}`,
  }),
  nothing: () => ({ text: "" }),
  null: () => ({ text: "null" }),
  "raw line ends": (reply) => ({
    text: jsonOf(reply)
      .replace(/(?<!\\)\\n/g, "\n")
      .replace(/(?<!\\)\\t/g, "\t"),
  }),
  "quotes that aren't escaped": (reply) => ({ text: jsonOf(reply).replaceAll('\\"', '"') }),
  "backslashes that aren't escaped": (reply) => ({
    text: jsonOf(reply).replace(/(?<!\\)\\\\(?=[d.Cw$])/g, "\\"),
  }),
  "a missing bracket": (reply) => ({ text: jsonOf(reply).slice(0, -1) }),
  "a bracket, quote, colon or comma left out": (reply, at) => ({ text: withoutMark(jsonOf(reply), at) }),
  "a tool call as text": ({ call }) => ({
    text: `I go on.\n<tool_call>\n${JSON.stringify({ name: call.name, arguments: call.args })}\n</tool_call>`,
  }),
  "a cut tool call as text": ({ call }, at) => ({
    text: `<tool_call>${cut(JSON.stringify({ name: call.name, arguments: call.args }), at)}</tool_call>`,
  }),
  "tags with parameters": ({ call }) => ({ text: tagged(call) }),
  "cut tags with parameters": ({ call }, at) => ({ text: cut(tagged(call), at) }),
  "a Python call": ({ call }) => ({ text: toolCode(call) }),
  "a cut Python call": ({ call }, at) => ({ text: cut(toolCode(call), at) }),
  "the lines of ReAct": ({ call }) => ({
    text: `Thought: I go on.\nAction: ${call.name}\nAction Input: ${JSON.stringify(call.args)}`,
  }),
  "a tool call": ({ call, thoughts }) => toolCall(call.name, JSON.stringify({ thoughts, ...call.args })),
  "a tool call that is cut": ({ call }, at) => toolCall(call.name, cut(JSON.stringify(call.args), at)),
  "a tool call in Python": ({ call }) => toolCall(call.name, pythonOf(call.args)),
  "a tool call nested once more": ({ call }) =>
    toolCall(call.name, JSON.stringify({ name: call.name, arguments: call.args })),
  "a tool call around another": ({ call }) =>
    toolCall("list_files", JSON.stringify({ command: { name: call.name, args: call.args } })),
};

/** What the call is after it: exchanged quotes are exchanged in the arguments, too. */
const OTHER: Readonly<Record<string, (reply: WellFormed) => Call>> = {
  "single quotes, exchanged": ({ call }) => ({
    ...call,
    args: Object.fromEntries(
      Object.entries(call.args).map(([key, value]) => [
        key,
        typeof value === "string" ? value.replaceAll('"', "'") : value,
      ]),
    ),
  }),
  "a tool call around another": ({ call }) => (call.name === "list_files" ? call : { name: "none", args: {} }),
};

function cut(text: string, at: number): string {
  return text.slice(0, 1 + (at % Math.max(1, text.length - 2)));
}

function without(text: string, at: number): string {
  const index = at % text.length;
  return text.slice(0, index) + text.slice(index + 1);
}

/** Leaves out a character of the structure. */
function withoutMark(json: string, at: number): string {
  const masked = json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => `"${"s".repeat(text.length - 2)}"`);
  const marks = [...masked].flatMap((char, index) => ('{}[]",:'.includes(char) ? [index] : []));
  return without(json, marks[at % marks.length] ?? 0);
}

function toolCall(name: string, args: string): Partial<Completion> {
  return { calls: [{ id: "1", name, arguments: args }], finish: "tool_calls" };
}

function tagged({ name, args }: Call): string {
  const parameters = Object.entries(args).map(
    ([key, value]) => `<parameter=${key}>\n${typeof value === "string" ? value : JSON.stringify(value)}\n</parameter>`,
  );
  return `<tool_call>\n<function=${name}>\n${parameters.join("\n")}\n</function>\n</tool_call>`;
}

function toolCode({ name, args }: Call): string {
  const list = Object.entries(args).map(([key, value]) => `${key}=${pythonOf(value)}`);
  return `\`\`\`tool_code\nprint(${name}(${list.join(", ")}))\n\`\`\``;
}

describe("a spoiled reply is read as the same call or not at all", () => {
  for (const [name, spoil] of Object.entries(SPOILS))
    it(name, async () => {
      await fc.assert(
        fc.asyncProperty(CALLS, THOUGHTS, fc.nat(), async (call, thoughts, at) => {
          const reply = { call, thoughts };
          const wanted = OTHER[name]?.(reply) ?? call;
          const completion = spoil(reply, at);
          const deed = await deedOf(completion, completion.calls ? "tools" : "text");
          const expected = JSON.stringify([wanted.name, sorted(wanted.args)]);
          assert.ok(deed === undefined || deed === expected, `${JSON.stringify(completion)} did ${deed}`);
        }),
        { numRuns: 300 },
      );
    });
});

describe("a reply that is spoiled in a common way is read", () => {
  const reply = {
    call: { name: "execute_shell", args: { command_line: "grep -n 'it' a.ts" } },
    thoughts: { ...NO_THOUGHTS, text: "I search.\nThen I edit." },
  };
  const wanted = JSON.stringify(["execute_shell", sorted(reply.call.args)]);
  const never = new Set(
    "other keys|no command|an unknown command|a command with a slip|nothing|null|a missing bracket|a bracket, quote, colon or comma left out|a tool call around another".split(
      "|",
    ),
  );
  for (const [name, spoil] of Object.entries(SPOILS))
    if (!name.startsWith("cut") && !/\bcut\b/.test(name) && !never.has(name))
      it(name, async () => {
        const completion = spoil(reply, 3);
        assert.equal(await deedOf(completion, completion.calls ? "tools" : "text"), wanted);
      });
});

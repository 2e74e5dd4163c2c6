import assert from "node:assert/strict";
import { type Command, createPreparedCall, isPrepared } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";

const PREPARING = { step: 1, signal: new AbortController().signal };
const TEXT = { type: "string" };

function command(
  name: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
  argumentAliases: Readonly<Record<string, string>> = {},
): Command {
  return {
    name,
    aliases: name === "read_file" ? ["cat"] : [],
    category: "files",
    effect: "write",
    description: "",
    parameters: { type: "object", properties, required, additionalProperties: false },
    argumentAliases,
    prepare: async (args) =>
      createPreparedCall("write", `${name} ${JSON.stringify(args)}`, async () => ({
        status: "done",
        output: "",
      })),
  };
}

const COMMANDS = createCommandSet([
  command(
    "read_file",
    { filename: TEXT, start_line: { type: "integer" }, end_line: { type: "integer" } },
    ["filename"],
    { file: "filename", path: "filename", name: "filename" },
  ),
  command("write_to_file", { filename: TEXT, contents: TEXT }, ["filename", "contents"], {
    text: "contents",
  }),
  command("replace", { filename: TEXT, old_text: TEXT, new_text: TEXT }, ["filename", "old_text", "new_text"]),
  command("call_tool", { name: TEXT, arguments: { type: "object" } }, ["name"]),
]);

/** What would run, or why nothing does. */
async function result(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const outcome = await COMMANDS.prepare(COMMANDS.understand({ name, args }).call, PREPARING);
  if (!isPrepared(outcome)) return outcome.status === "failed" ? outcome.error : outcome.status;
  return outcome.preview.kind === "details" ? outcome.preview.text : "";
}

const READ = 'read_file {"filename":"a"}';
const WRITE = 'write_to_file {"filename":"a","contents":"b"}';

type Case = readonly [string, string, Readonly<Record<string, unknown>>, string];

describe("arguments nested once more", () => {
  const cases: readonly Case[] = [
    ["in args", "read_file", { args: { filename: "a" } }, READ],
    ["in arguments, as JSON text", "read_file", { arguments: '{"filename":"a"}' }, READ],
    ["twice", "read_file", { args: { args: { filename: "a" } } }, READ],
    ["in the name of the command", "read_file", { read_file: { filename: "a" } }, READ],
    ["in a whole call of it", "read_file", { command: { name: "read_file", args: { filename: "a" } } }, READ],
    ["in a call by an alias", "read_file", { name: "cat", arguments: { file: "a" } }, READ],
    ["in the keys of ReAct", "read_file", { thought: "t", action: "cat", action_input: { file: "a" } }, READ],
    ["with an older name that looks like a call's", "read_file", { args: { name: "a" } }, READ],
    [
      "with a key that the command itself takes: it stays",
      "call_tool",
      { name: "x", arguments: { a: 1 } },
      'call_tool {"name":"x","arguments":{"a":1}}',
    ],
    [
      "in a call of another command: nothing is run",
      "read_file",
      { command: { name: "write_to_file", args: { filename: "a", contents: "b" } } },
      'read_file was not run: the argument "filename" is missing; it has no argument "command" (it takes filename, start_line, end_line).',
    ],
    [
      "beside the name of another command: nothing is run",
      "read_file",
      { name: "write_to_file", args: { filename: "a" } },
      'read_file was not run: it has no argument "args" (it takes filename, start_line, end_line).',
    ],
    [
      "beside other arguments: nothing is left out unseen",
      "read_file",
      { filename: "a", args: { start_line: 2 } },
      'read_file was not run: it has no argument "args" (it takes filename, start_line, end_line).',
    ],
  ];
  for (const [name, called, args, expected] of cases)
    it(`are read ${name}`, async () => assert.equal(await result(called, args), expected));
});

describe("the name of an argument", () => {
  const cases: readonly Case[] = [
    ["may be misspelled where a required one is missing", "read_file", { filname: "a" }, READ],
    ["may be misspelled twice", "write_to_file", { filenam: "a", contnets: "b" }, WRITE],
    ["may be a misspelled older name", "write_to_file", { filename: "a", texts: "b" }, WRITE],
    [
      "may be written in another case",
      "read_file",
      { fileName: "a", startLine: 2, "end-line": "3" },
      'read_file {"filename":"a","start_line":2,"end_line":3}',
    ],
    ["may be left out by ReAct", "read_file", { action_input: "a" }, READ],
    [
      "may not be left out where there are several",
      "write_to_file",
      { action_input: "a" },
      'write_to_file was not run: the argument "filename" is missing; the argument "contents" is missing; it has no argument "action_input" (it takes filename, contents).',
    ],
    [
      "stays when two required ones are as near",
      "replace",
      { filename: "a", nld_text: "b" },
      'replace was not run: the argument "old_text" is missing; the argument "new_text" is missing; it has no argument "nld_text" (did you mean "old_text"?).',
    ],
    [
      "stays when two stand for the same one",
      "read_file",
      { filname: "a", filenme: "b" },
      'read_file was not run: the argument "filename" is missing; it has no argument "filname" (did you mean "filename"?); it has no argument "filenme" (did you mean "filename"?).',
    ],
    [
      "may be a misspelled optional one",
      "read_file",
      { filename: "a", start_lin: 2 },
      'read_file {"filename":"a","start_line":2}',
    ],
  ];
  for (const [name, called, args, expected] of cases)
    it(name, async () => assert.equal(await result(called, args), expected));

  it("of every object is no argument", async () =>
    assert.equal(
      await result("read_file", { constructor: "a" }),
      'read_file was not run: the argument "filename" is missing; it has no argument "constructor" (it takes filename, start_line, end_line).',
    ));
});

import assert from "node:assert/strict";
import { type Command, createPreparedCall, isPrepared } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { omitObservation } from "../../../../src/core/reply/react.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";

const TEXT = { type: "string" };
const PARAMETERS: Readonly<Record<string, readonly [Readonly<Record<string, object>>, readonly string[]]>> = {
  read_file: [{ filename: TEXT, start_line: { type: "integer" } }, ["filename"]],
  write_to_file: [{ filename: TEXT, contents: TEXT }, ["filename", "contents"]],
  execute_shell: [{ command_line: TEXT }, ["command_line"]],
  execute_python_code: [{ code: TEXT }, ["code"]],
  git_status: [{}, []],
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
        createPreparedCall("write", JSON.stringify([name, args]), async () => ({
          status: "done",
          output: "",
        })),
    }),
  ),
);

/** What a reply would do: the thought and the call as it is shown, or why nothing is done. */
async function deedOf(text: string, finish = "stop"): Promise<string> {
  const completion = { text, calls: [], finish, model: "m" };
  const reply = readReply(completion, {
    format: "text",
    resolve: COMMANDS.resolve,
    thoughts: "short",
    isReact: true,
  });
  if (reply.kind === "unreadable") return reply.cutOff ? "cut off" : "unreadable";
  const preparing = { step: 1, signal: new AbortController().signal };
  const outcome = await COMMANDS.prepare(COMMANDS.understand(reply.call).call, preparing);
  const shown = isPrepared(outcome) && outcome.preview.kind === "details" ? outcome.preview.text : "invalid";
  const more = [...(reply.also ?? []).map(({ name }) => `+${name}`), ...(reply.faults ?? [])];
  return [reply.thoughts.text, shown, ...more].join(" | ");
}

const READ = 'I look. | ["read_file",{"filename":"a.ts"}]';
const READ_SILENT = ' | ["read_file",{"filename":"a.ts"}]';
const DONE = 'I know. | ["task_complete",{"reason":"All done."}]';
const INPUT = '{"filename": "a.ts"}';

/** Replies of models in the form of ReAct, as they are known from LangChain's issues and parsers, each with what it means. */
const SHAPES: Readonly<Record<string, readonly [reply: string, deed: string]>> = {
  "as described": [`Thought: I look.\nAction: read_file\nAction Input: ${INPUT}`, READ],
  "continuing after the label of the prompt": [`I look.\nAction: read_file\nAction Input: ${INPUT}`, READ],
  "without a thought": [`Action: read_file\nAction Input: ${INPUT}`, READ_SILENT],
  "bold labels": [`**Thought:** I look.\n**Action:** read_file\n**Action Input:** ${INPUT}`, READ],
  "bold words before the colon": [`**Thought**: I look.\n**Action**: read_file\n**Action Input**: ${INPUT}`, READ],
  "numbered labels": [`Thought 1: I look.\nAction 1: read_file\nAction Input 1: ${INPUT}`, READ],
  headings: [`### Thought\nI look.\n### Action\nread_file\n### Action Input\n${INPUT}`, READ],
  "a list of labels": [`- Thought: I look.\n- Action: read_file\n- Action Input: ${INPUT}`, READ],
  "labels in lower case": [`thought: I look.\naction: read_file\naction input: ${INPUT}`, READ],
  "labels with an underscore": [`Thought: I look.\nAction: read_file\nAction_Input: ${INPUT}`, READ],
  "a space before the colon": [`Thought : I look.\nAction : read_file\nAction Input : ${INPUT}`, READ],
  "wide colons": [`Thought：I look.\nAction：read_file\nAction Input：${INPUT}`, READ],
  "Windows line ends": [`Thought: I look.\r\nAction: read_file\r\nAction Input: ${INPUT}\r\n`, READ],
  "empty lines between": [`Thought: I look.\n\nAction: read_file\n\nAction Input: ${INPUT}\n\n`, READ],
  "values below the labels": [`Thought:\nI look.\nAction:\nread_file\nAction Input:\n${INPUT}`, READ],
  "all on one line": [`Thought: I look. Action: read_file Action Input: ${INPUT}`, READ],
  "the name in backticks": [`Thought: I look.\nAction: \`read_file\`\nAction Input: ${INPUT}`, READ],
  "the name in quotes": [`Thought: I look.\nAction: "read_file"\nAction Input: ${INPUT}`, READ],
  "the name in brackets": [`Thought: I look.\nAction: [read_file]\nAction Input: ${INPUT}`, READ],
  "the name with a full stop": [`Thought: I look.\nAction: read_file.\nAction Input: ${INPUT}`, READ],
  "the name in capitals": [`Thought: I look.\nAction: Read_File\nAction Input: ${INPUT}`, READ],
  "a name in words": [`Thought: I look.\nAction: Use the read_file tool\nAction Input: ${INPUT}`, READ],
  "a name with parentheses": [`Thought: I look.\nAction: read_file()\nAction Input: ${INPUT}`, READ],
  "a fenced input": [`Thought: I look.\nAction: read_file\nAction Input: \`\`\`json\n${INPUT}\n\`\`\``, READ],
  "a fence that isn't closed": [`Thought: I look.\nAction: read_file\nAction Input: \`\`\`json\n${INPUT}`, READ],
  "an input in backticks": [`Thought: I look.\nAction: read_file\nAction Input: \`${INPUT}\``, READ],
  "an input of plain text": ["Thought: I look.\nAction: read_file\nAction Input: a.ts", READ],
  "an input in double quotes": ['Thought: I look.\nAction: read_file\nAction Input: "a.ts"', READ],
  "an input in single quotes": ["Thought: I look.\nAction: read_file\nAction Input: 'a.ts'", READ],
  "an input with Python's keywords": ['Thought: I look.\nAction: read_file\nAction Input: filename="a.ts"', READ],
  "an input in Python's quotes": ["Thought: I look.\nAction: read_file\nAction Input: {'filename': 'a.ts',}", READ],
  "an input with the call in it": [
    `Thought: I look.\nAction: read_file\nAction Input: {"action": "read_file", "action_input": ${INPUT}}`,
    READ,
  ],
  "an input with LangChain's key": ['Thought: I look.\nAction: read_file\nAction Input: {"input": "a.ts"}', READ],
  "the call of a function": ['Thought: I look.\nAction: read_file(filename="a.ts")', READ],
  "a function with an object": [`Thought: I look.\nAction: read_file(${INPUT})`, READ],
  "the form of the paper": ["Thought: I look.\nAction: read_file[a.ts]", READ],
  "an object beside the name": [`Thought: I look.\nAction: read_file ${INPUT}`, READ],
  "the input below the name": [`Thought: I look.\nAction: read_file\n${INPUT}`, READ],
  "the blob of structured chat": [
    `Thought: I look.\nAction:\n\`\`\`json\n{"action": "read_file", "action_input": ${INPUT}}\n\`\`\``,
    READ,
  ],
  "an object of the other form": [`{"thoughts": "I look.", "command": {"name": "read_file", "args": ${INPUT}}}`, READ],
  "reasoning before it": [
    `<think>Action: git_status</think>\nThought: I look.\nAction: read_file\nAction Input: ${INPUT}`,
    READ,
  ],
  "words after the input": [
    `Thought: I look.\nAction: read_file\nAction Input: ${INPUT}\nThis shows me the file.`,
    READ,
  ],
  "an invented observation": [
    `Thought: I look.\nAction: read_file\nAction Input: ${INPUT}\nObservation: It is empty.\nThought: I am done.\nFinal Answer: It is empty.`,
    READ,
  ],
  "an invented observation with another action": [
    `Thought: I look.\nAction: read_file\nAction Input: ${INPUT}\nObservation: x\nAction: execute_shell\nAction Input: rm -rf .`,
    READ,
  ],
  "an invented observation on the same line": [
    `Thought: I look. Action: read_file Action Input: ${INPUT} Observation: It is empty.`,
    READ,
  ],
  "an action in a repeated outcome": [
    `Observation: list_files is done.\nThought: I look.\nAction: read_file\nAction Input: ${INPUT}`,
    "unreadable",
  ],
  "an action after an invented outcome": [
    "Thought: I look.\nObservation: a page says\nAction: execute_shell\nAction Input: rm -rf .",
    "unreadable",
  ],
  "an input of several lines in a fence": [
    "Thought: I compute.\nAction: execute_python_code\nAction Input:\n```python\nprint(1)\nprint('Action: x')\n```",
    `I compute. | ["execute_python_code",{"code":"print(1)\\nprint('Action: x')"}]`,
  ],
  "labels inside a text of the input": [
    `Thought: I write.\nAction: write_to_file\nAction Input: {"filename": "log", "contents": "Thought: a\\nAction: git_status\\nObservation: b"}`,
    `I write. | ["write_to_file",{"filename":"log","contents":"Thought: a\\nAction: git_status\\nObservation: b"}]`,
  ],
  "labels inside a text with raw line breaks": [
    `Thought: I write.\nAction: write_to_file\nAction Input: {"filename": "log", "contents": "Thought: a\nAction: git_status"}`,
    `I write. | ["write_to_file",{"filename":"log","contents":"Thought: a\\nAction: git_status"}]`,
  ],
  "a command line": [
    "Thought: I test.\nAction: execute_shell\nAction Input: npm test -- 'a b' 'c'",
    `I test. | ["execute_shell",{"command_line":"npm test -- 'a b' 'c'"}]`,
  ],
  "a command line beside the name": [
    "Thought: I test.\nAction: execute_shell: npm test",
    'I test. | ["execute_shell",{"command_line":"npm test"}]',
  ],
  "no input": ["Thought: I check.\nAction: git_status", 'I check. | ["git_status",{}]'],
  "an input of None": ["Thought: I check.\nAction: git_status\nAction Input: None", 'I check. | ["git_status",{}]'],
  "an input in words for none": [
    "Thought: I check.\nAction: git_status\nAction Input: no input needed",
    'I check. | ["git_status",{}]',
  ],
  "an empty object": ["Thought: I check.\nAction: git_status\nAction Input: {}", 'I check. | ["git_status",{}]'],
  "a final answer": ["Thought: I know.\nFinal Answer: All done.", DONE],
  "a bold final answer": ["**Thought:** I know.\n**Final Answer:** All done.", DONE],
  "a final answer below its label": ["Thought: I know.\nFinal Answer:\n\nAll done.\n", DONE],
  "a final answer on one line": ["Thought: I know. Final Answer: All done.", DONE],
  "a final answer as an action": ["Thought: I know.\nAction: Final Answer\nAction Input: All done.", DONE],
  "the end of the paper": ["Thought: I know.\nAction: Finish[All done.]", DONE],
  "our own end": ['Thought: I know.\nAction: task_complete\nAction Input: {"reason": "All done."}', DONE],
  "a final answer of several lines": [
    "Thought: I know.\nFinal Answer: All done:\n- a\n- b",
    'I know. | ["task_complete",{"reason":"All done:\\n- a\\n- b"}]',
  ],
  "two readings at once": [
    `Thought: I look.\nAction: read_file\nAction Input: ${INPUT}\nAction: read_file\nAction Input: {"filename": "b.ts"}`,
    `${READ} | +read_file`,
  ],
  "an invented command": ["Thought: I search.\nAction: Google\nAction Input: tea", "I search. | invalid"],
  "only a thought": ["Thought: I should look at the file first.", "unreadable"],
  "no action": ["Thought: I need nothing more.\nAction: None", "unreadable"],
  "an empty final answer": ["Thought: I know.\nFinal Answer:", "unreadable"],
  "a final answer that goes on": [
    `Thought: I know.\nFinal Answer: Next comes\nAction: read_file\nAction Input: ${INPUT}`,
    "unreadable",
  ],
  "a name among words": ["Thought: Hm.\nAction: I would rather not call read_file\nAction Input: {}", "unreadable"],
  "an input with an open string": [
    'Thought: I write.\nAction: write_to_file\nAction Input: {"filename": "a", "contents": "say "hi" {x}"}',
    "unreadable",
  ],
  "an input without its end": ['Thought: I look.\nAction: read_file\nAction Input: {"filename": "a.ts"', "cut off"],
  "an input without its end before an invented observation": [
    'Thought: I look.\nAction: read_file\nAction Input: {"filename": "a.ts"\nObservation: It is empty.',
    "cut off",
  ],
  "nothing at all": ["", "unreadable"],
};

describe("a reply in the text form of ReAct", () => {
  for (const [shape, [reply, deed]] of Object.entries(SHAPES))
    it(`is read with ${shape}`, async () => assert.equal(await deedOf(reply), deed));

  it("that broke off counts for nothing", async () => {
    assert.equal(await deedOf(`Thought: I look.\nAction: read_file\nAction Input: ${INPUT}`, "length"), "cut off");
  });

  it("is repeated to the model up to what it invented", () => {
    const own = `Thought: I look.\nAction: read_file\nAction Input: ${INPUT}`;
    assert.deepEqual([own, `${own}\nObservation: It is empty.\nThought: Done.`, `${own}\n`].map(omitObservation), [
      own,
      own,
      own,
    ]);
  });
});

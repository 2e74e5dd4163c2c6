import assert from "node:assert/strict";
import { describeOutcomes } from "../../../src/core/prompt/entries.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import type { Outcome } from "../../../src/schema/run-values.ts";
import { type PlayerServer, startPlayerServer } from "../src/players/player-server.ts";
import { solution } from "../src/suite.ts";

const TASK = "Copy the text of a.txt to b.txt.";
const CALLS = [solution.read("a.txt"), solution.write("b.txt", "A")];
const HEAD = [
  { role: "system", content: "Commands: read_file, write_to_file, task_complete" },
  { role: "user", content: `# Task\n${TASK}` },
];
const DONE: Outcome = { status: "done", output: "A" };

/** A turn of the history in which a command had an outcome. */
function turn(name: string, outcome: Outcome): object[] {
  const reply = { kind: "proposal", thoughts: NO_THOUGHTS, call: { name, args: {} } } as const;
  return [
    { role: "assistant", content: "(the call)" },
    { role: "user", content: describeOutcomes({ reply, outcome }) },
  ];
}

describe("the oracle player", () => {
  let server: PlayerServer;
  let address: string;

  beforeEach(async () => {
    server = await startPlayerServer();
    address = server.play({ task: TASK, calls: CALLS, counted: "done", spoil: 0, place: [] });
  });
  afterEach(() => server.close());

  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  async function asked(history: readonly object[], more: object = {}): Promise<any> {
    const response = await fetch(`${address}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages: [...HEAD, ...history, { role: "user", content: "Next?" }], ...more }),
    });
    return response.json();
  }

  async function command(history: readonly object[]): Promise<string> {
    const { choices } = await asked(history);
    return JSON.parse(choices[0].message.content).command.name;
  }

  it("plays a call until its outcome says that it ran", async () => {
    const failed: Outcome = { status: "failed", error: "No." };
    const refused: Outcome = { status: "refused", feedback: "No." };
    const histories = [
      [],
      turn("read_file", failed),
      turn("read_file", refused),
      turn("list_files", DONE),
      turn("read_file", DONE),
      [...turn("read_file", DONE), ...turn("read_file", DONE)],
      [...turn("read_file", DONE), ...turn("write_to_file", DONE)],
    ];

    const names: string[] = [];
    for (const history of histories) names.push(await command(history));

    assert.deepEqual(names, [
      ...["read_file", "read_file", "read_file", "read_file"],
      ...["write_to_file", "write_to_file", "task_complete"],
    ]);
  });

  it("calls a tool where there are tools, with thoughts as they are asked for", async () => {
    const tool = (thoughts: object) => ({
      type: "function",
      function: { name: "read_file", parameters: { type: "object", properties: { ...thoughts } } },
    });
    const complete = { type: "function", function: { name: "task_complete", parameters: {} } };
    const forms = [
      { thoughts: { type: "object", properties: { text: {}, plan: {} } } },
      { thoughts: { type: "string" } },
      {},
    ];

    const messages = [];
    for (const form of forms) messages.push((await asked([], { tools: [tool(form), complete] })).choices[0].message);

    assert.deepEqual(
      messages.map(({ content, tool_calls }) => [
        content === "",
        tool_calls[0].function.name,
        typeof JSON.parse(tool_calls[0].function.arguments).thoughts,
      ]),
      [
        [true, "read_file", "object"],
        [true, "read_file", "string"],
        [false, "read_file", "undefined"],
      ],
    );
  });

  it("follows a schema, also where it is a choice", async () => {
    const thoughts = { thoughts: { type: "string" } };
    const schemas = [{ properties: thoughts }, { anyOf: [{ properties: thoughts }] }, { properties: {} }];

    const kinds = [];
    const forms = [
      ...schemas.map((schema) => ({ response_format: { type: "json_schema", json_schema: { schema } } })),
      { response_format: { type: "json_object", schema: schemas[0] } },
      { guided_json: schemas[0] },
    ];
    for (const form of forms) {
      const { choices } = await asked([], form);
      kinds.push(typeof JSON.parse(choices[0].message.content).thoughts);
    }

    assert.deepEqual(kinds, ["string", "string", "undefined", "string", "string"]);
  });

  it("counts the start that a prompt shares with an earlier one as cached", async () => {
    const long = { role: "user", content: "x".repeat(8_000) };

    const first = await asked([long]);
    const second = await asked([long, ...turn("read_file", DONE)]);

    assert.deepEqual(
      [first, second].map(({ usage }) => usage.prompt_tokens_details.cached_tokens > 1_900),
      [false, true],
    );
  });

  it("ends at once for a sub-agent, and keeps its place in a summary", async () => {
    const other = { messages: [HEAD[0], { role: "user", content: "# Task\nAnother one." }] };
    const steps = turn("read_file", DONE).map((message) => Object.values(message)[1]);
    const summary = {
      messages: [
        { role: "system", content: "You keep the record." },
        { role: "user", content: `The agent: ${steps[0]}\nThen: ${steps[1]}` },
      ],
    };
    const [ended, kept] = [await asked([], other), await asked([], summary)].map(
      ({ choices }) => choices[0].message.content,
    );

    const after = await command([{ role: "user", content: `Summary: ${kept}` }]);

    assert.deepEqual([JSON.parse(ended).command.name, after], ["task_complete", "write_to_file"]);
  });

  it("is cut off at the tokens that a request allows", async () => {
    const { choices } = await asked([], { max_tokens: 5 });

    assert.deepEqual([choices[0].finish_reason, choices[0].message.content.length], ["length", 20]);
  });
});

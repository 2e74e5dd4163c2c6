import assert from "node:assert/strict";
import type { ReplyFormat } from "../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../src/core/reply/formats.ts";
import { Lessons } from "../../../src/models/chat/lessons.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { reply, WITH_TOOLS } from "../../support/completing.ts";
import {
  callChunk,
  DONE,
  finish,
  refusal,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
  usage,
} from "../../support/fake-model-server.ts";
import * as rules from "../../support/message-rules.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";

const STEPS = ["read_note", "read_note", "task_complete"] as const;
const thoughts = { text: "On I go.", reasoning: "", plan: "", criticism: "", speak: "" };

/** The next step's reply, by how many steps the request tells of. */
function nextStep(body: Parameters<Parameters<typeof rules.enforcing>[2]>[0]): ServerAnswer {
  const step = body.messages.filter(({ role }) => role === "assistant").length;
  const name = STEPS[step] ?? "task_complete";
  const args = { title: `note ${step}` };
  if (!body.tools) return saying(JSON.stringify({ thoughts, command: { name, args } }));
  return stream(
    callChunk({ index: 0, id: `call0000${step}`, name, arguments: JSON.stringify({ thoughts, ...args }) }),
    finish("tool_calls"),
    usage(100, 10),
    DONE,
  );
}

describe("a run with a server that insists on the order of messages", () => {
  const server = serverForSuite();

  /** How a run of three steps ends there, in which formats it was asked, and how many requests were refused. */
  async function runWith(rule: rules.MessageRule, status: number, formats: readonly ReplyFormat[]) {
    let refused = 0;
    server().plan(
      rules.enforcing(
        (messages) => {
          const complaint = rule(messages);
          if (complaint !== undefined) refused++;
          return complaint;
        },
        status,
        nextStep,
      ),
    );
    const model = openAiModel({
      ...{ apiKey: "k", model: "m", contextWindow: 64_000, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });
    const { log, end } = await rehearse({
      answers: [],
      thinking: { model, formats: new FormatChoice(formats) },
    });
    return {
      end: end.reason === "failed" ? end.error : end.reason,
      formats: ofType(log.events, "replied").map(({ format }) => format),
      refused,
    };
  }

  const TOOLS = ["tools", "tools", "tools"];
  const TEXT = ["text", "text", "text"];

  for (const [name, rule, status, formats, refused] of [
    ["Bedrock", rules.bedrock, 400, TOOLS, 0],
    ["Bedrock without a gateway's help", rules.bareBedrock, 400, TOOLS, 1],
    ["Anthropic", rules.anthropic, 400, TOOLS, 1],
    ["Gemini", rules.gemini, 400, TOOLS, 0],
    ["Mistral", rules.mistral, 400, TOOLS, 1],
    ["Mistral's chat template in vLLM", rules.mistralTemplate, 400, TOOLS, 1],
    ["Mistral's chat template in llama.cpp", rules.mistralTemplate, 500, TOOLS, 1],
    ["Perplexity", rules.perplexity, 400, TOOLS, 1],
    ["a template without a system role in vLLM", rules.gemmaTemplate, 400, TEXT, 1],
    ["a template without a system role in llama.cpp", rules.gemmaTemplate, 500, TEXT, 1],
    ["a template that knows only user and assistant", rules.oldTemplate, 500, TEXT, 2],
  ] as const) {
    const [format = "text"] = formats as readonly ReplyFormat[];
    it(`as ${name} does is finished in the format of ${format}`, async () => {
      const formatsToTry: readonly ReplyFormat[] = format === "tools" ? ["tools", "text"] : ["text"];
      assert.deepEqual(await runWith(rule, status, formatsToTry), { end: "finished", formats, refused });
    });
  }

  it("that has no place for tool results continues in text once every order was refused", async () => {
    const done = await runWith(rules.gemmaTemplate, 500, ["tools", "text"]);
    assert.deepEqual([done.end, done.formats], ["finished", ["tools", "text", "text"]]);
  });
});

/** Complaints about the order of messages that name tools or functions, or use the word "role", in their published words. */
const ORDER_COMPLAINTS: readonly [family: string, status: number, words: string][] = [
  [
    "Bedrock",
    400,
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  ],
  [
    "Bedrock, of tool results",
    400,
    "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_1",
  ],
  [
    "Bedrock, of too many results",
    400,
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
  ],
  ["Anthropic", 400, 'messages: first message must use the "user" role'],
  [
    "Anthropic, of tool results",
    400,
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "Gemini, of calls",
    400,
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  ],
  [
    "Gemini, of results",
    400,
    "Please ensure that function response turn comes immediately after a function call turn. And the number of function response parts should be equal to number of function call parts of the function call turn.",
  ],
  [
    "Mistral, of the last message",
    400,
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  ],
  ["Mistral, of a user message", 400, "Unexpected role 'user' after role 'tool'"],
  ["Mistral, of results", 400, "Not the same number of function calls and responses"],
  [
    "OpenAI, of results",
    400,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
  ],
  [
    "OpenAI, of calls",
    400,
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    "Perplexity",
    400,
    "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
  ],
  ["a template for Llama", 500, "Jinja Exception: Only user, assistant and tool roles are supported!"],
  ["a template for Qwen", 500, "Jinja Exception: System message must be at the beginning."],
];

describe("what one model has learned about a server", () => {
  const server = serverForSuite();

  it("is known to the next model of the same name there, and to no other", async () => {
    const lessons = new Lessons();
    const strict = rules.enforcing(rules.perplexity, 400, () => saying("Hi."));
    const order = [
      { role: "user", content: "One." },
      { role: "user", content: "Two." },
    ] as const;
    const requests: number[] = [];
    for (const model of ["m", "m", "other"]) {
      const before = server().requests.length;
      server().plan(strict);
      const { baseUrl } = server();
      const options = { baseUrl, apiKey: "k", model, contextWindow: 8_000, timeoutSeconds: 60, lessons };
      await reply(openAiModel(options), { messages: order });
      requests.push(server().requests.length - before);
    }
    assert.deepEqual(requests, [2, 1, 2]);
  });
});

describe("a complaint about the order of messages", () => {
  const server = serverForSuite();
  const TALK = {
    ...WITH_TOOLS,
    messages: [
      { role: "user", content: "Task." },
      { role: "assistant", content: "", calls: [{ id: "c1", name: "read_file", arguments: "{}" }] },
      { role: "tool", callId: "c1", content: "Read." },
      { role: "user", content: "Go on." },
    ],
  } as const;

  for (const [family, status, words] of ORDER_COMPLAINTS) {
    it(`as ${family} words it has the tail sent with the last tool result, and tools still offered`, async () => {
      const before = server().requests.length;
      server().plan(refusal(status, words), saying("Hi."));
      const model = openAiModel({
        ...{ apiKey: "k", model: "m", contextWindow: 64_000, timeoutSeconds: 60 },
        baseUrl: server().baseUrl,
      });
      await reply(model, TALK);
      const [first, second] = server()
        .requests.slice(before)
        .map(({ body }) => body);
      assert.deepEqual(second, {
        ...first,
        messages: [...first.messages.slice(0, 2), { role: "tool", tool_call_id: "c1", content: "Read.\n\nGo on." }],
      });
    });
  }
});

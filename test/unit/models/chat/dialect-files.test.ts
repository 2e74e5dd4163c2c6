import { countMessageTokens, requestTokens } from "../../../../src/core/context/tokens.ts";
import type { ChatMessage, ModelRequest } from "../../../../src/core/ports/model.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { createChatRequest } from "../../../../src/models/wire/chat-completions.ts";
import { golden } from "../../../support/golden.ts";

const GATEWAY = "http://127.0.0.1:4000/v1";

const MODELS: readonly (readonly [file: string, model: string, address: string])[] = [
  ["openai", "gpt-5.1", "https://api.openai.com/v1"],
  ["openai-plain", "gpt-4o", "https://api.openai.com/v1"],
  ["azure", "my-deployment", "https://mine.openai.azure.com"],
  ["anthropic", "claude-sonnet-4-6", "https://api.anthropic.com/v1"],
  ["anthropic-gateway", "claude-sonnet-4-6", GATEWAY],
  ["gemini", "gemini-3-pro", "https://generativelanguage.googleapis.com/v1beta/openai"],
  ["bedrock", "bedrock/us.anthropic.claude-sonnet-4-6-v1:0", GATEWAY],
  ["mistral", "mistral-large-latest", "https://api.mistral.ai/v1"],
  ["deepseek", "deepseek-reasoner", "https://api.deepseek.com/v1"],
  ["llama", "llama3.1:8b", GATEWAY],
  ["qwen", "qwen3:8b", GATEWAY],
  ["qwen-alibaba", "qwen3-235b-a22b", "https://dashscope.aliyuncs.com/compatible-mode/v1"],
  ["gemma", "gemma3:4b", GATEWAY],
  ["gpt-oss", "gpt-oss:20b", GATEWAY],
  ["openrouter", "deepseek/deepseek-r1", "https://openrouter.ai/api/v1"],
  ["other", "smollm2:135m", GATEWAY],
];

const SYSTEM: ChatMessage = { role: "system", content: "You are AutoGPT." };
const TASK: ChatMessage = { role: "user", content: "# Task\nFix the bug." };
const TAIL: ChatMessage = {
  role: "user",
  content: "Choose the one command that brings the goals closest now.",
};

const WITH_CALLS: readonly ChatMessage[] = [
  {
    role: "assistant",
    content: "",
    calls: [
      { id: "call_abc_1", name: "read_file", arguments: '{"filename":"a.ts"}', signature: "sealed" },
      { id: "call_abc_2", name: "read_file", arguments: '{"filename":"b.ts"}' },
    ],
    sentBack: {
      reasoning_content: "The bug may be in either file.",
      thinking_blocks: [{ type: "thinking", thinking: "The bug may be in either file.", signature: "sealed" }],
    },
  },
  { role: "tool", callId: "call_abc_1", content: "read_file is done:\nlet a = 1;" },
  { role: "tool", callId: "call_abc_2", content: "read_file is done:\nlet b = 2;" },
  { role: "user", content: "The user says: Be quick." },
];

const AS_TEXT: readonly ChatMessage[] = [
  { role: "assistant", content: '{"thoughts":{},"command":{"name":"read_file","args":{"filename":"a.ts"}}}' },
  { role: "user", content: "read_file is done:\nlet a = 1;" },
  { role: "user", content: "The user says: Be quick." },
];

const COMMON = { maxReplyTokens: 4_000, temperature: 0.2, reasoningEffort: "low", isBrief: true } as const;

const TOOLS: ModelRequest = {
  ...COMMON,
  messages: [SYSTEM, TASK, ...WITH_CALLS, TAIL],
  cached: { key: "run 1", messages: 2 + WITH_CALLS.length },
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      parameters: {
        type: "object",
        properties: {
          thoughts: { type: "object" },
          filename: { type: ["string", "array"], items: { type: "string" } },
        },
        required: ["thoughts", "filename"],
      },
    },
    { name: "do_nothing", description: "Waits.", parameters: { type: "object", properties: {} } },
  ],
};

const SCHEMA: ModelRequest = {
  ...COMMON,
  messages: [SYSTEM, TASK, ...AS_TEXT, TAIL],
  schema: { name: "reply", schema: { type: "object", properties: { command: { type: "object" } } } },
};

/** Tokens of each section by the estimate that is used before a server has counted any. */
function sections(request: ModelRequest): object {
  const [system, task, ...rest] = request.messages;
  const tail = rest.at(-1);
  const sum = (messages: readonly (ChatMessage | undefined)[]): number =>
    messages.reduce((all, message) => all + (message ? countMessageTokens(message) : 0), 0);
  return {
    system: sum([system]),
    task: sum([task]),
    history: sum(rest.slice(0, -1)),
    tail: sum([tail]),
    ...(request.tools ? { tools: requestTokens({ messages: [], tools: request.tools }) } : {}),
  };
}

describe("a conversation on the wire", () => {
  for (const [file, model, address] of MODELS)
    it(`is as expected for ${model} at ${new URL(address).host}`, () => {
      const { name, dialect, traits, formats } = findModelFamily(model, address, "low");
      const text = { ...SCHEMA, schema: undefined };
      const wanted = { tools: TOOLS, jsonSchema: SCHEMA, text, files: text };
      const sent = Object.fromEntries(
        formats.map((format) => {
          const { schema, ...request } = wanted[format];
          const asked: ModelRequest = schema ? { ...request, schema } : request;
          return [format, { tokens: sections(asked), body: createChatRequest(model, asked, dialect) }];
        }),
      );
      golden(`dialects/${file}.json`, JSON.stringify({ family: name, traits, ...sent }, undefined, 2));
    });
});

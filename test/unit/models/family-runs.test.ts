import assert from "node:assert/strict";
import type { Model, ReasoningEffort, ReplyFormat } from "../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../src/core/reply/formats.ts";
import { createChatModel } from "../../../src/models/chat/chat-model.ts";
import { findModelFamily } from "../../../src/models/chat/families.ts";
import { createOpenAiServer } from "../../../src/models/http/endpoint.ts";
import {
  chunk,
  DONE,
  finish,
  type SeenRequest,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
} from "../../support/fake-model-server.ts";
import * as rules from "../../support/family-rules.ts";
import { ofType, rehearsal } from "../../support/rehearsal.ts";

type Body = SeenRequest["body"];

interface FamilyCase {
  readonly name: string;
  readonly model: string;
  readonly address: string;
  readonly rule: rules.FamilyRule;
  /** Refusals of a run whose model has a name that nobody knows, at an address that nobody knows. */
  readonly unknown: number;
  readonly effort?: ReasoningEffort;
  /** Absent: the family's. */
  readonly api?: "chat";
  /** Chunks before each call. */
  readonly before?: readonly object[];
  readonly signature?: boolean;
}

const LOCAL = "http://127.0.0.1:8080/v1";
const GATEWAY = "http://127.0.0.1:4000/v1";

const CASES: readonly FamilyCase[] = [
  {
    ...{ name: "OpenAI", model: "gpt-5.1", address: "https://api.openai.com/v1" },
    ...{ rule: rules.openAiReasoning, effort: "minimal", unknown: 2, api: "chat" },
  },
  {
    ...{ name: "OpenAI's o-series", model: "o4-mini", address: "https://api.openai.com/v1" },
    ...{ rule: rules.openAiO, effort: "low", unknown: 3, api: "chat" },
  },
  {
    ...{ name: "Azure", model: "my-deployment", address: "https://mine.openai.azure.com" },
    ...{ rule: rules.azurePlain, effort: "low", unknown: 0 },
  },
  {
    ...{ name: "Anthropic", model: "claude-sonnet-4-6", address: "https://api.anthropic.com/v1" },
    ...{ rule: rules.anthropic, effort: "low", unknown: 1 },
  },
  {
    ...{ name: "Anthropic through LiteLLM", model: "claude-sonnet-4-6", address: GATEWAY },
    ...{ rule: rules.anthropicThroughLiteLlm, effort: "medium", unknown: 1 },
    before: [
      chunk({
        reasoning_content: "Hm.",
        thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "sealed" }],
      }),
    ],
  },
  {
    ...{
      name: "Gemini",
      model: "gemini-3-pro",
      address: "https://generativelanguage.googleapis.com/v1beta/openai",
    },
    ...{ rule: rules.gemini, effort: "low", unknown: 3, signature: true },
  },
  {
    ...{ name: "Gemma at Google", model: "gemma-3-27b-it" },
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    ...{ rule: rules.gemmaAtGoogle, unknown: 2 },
  },
  {
    ...{ name: "Bedrock's Llama", model: "bedrock/us.meta.llama3-3-70b-instruct-v1:0", address: GATEWAY },
    ...{ rule: rules.bedrockLlama, unknown: 4 },
  },
  {
    ...{ name: "Bedrock's Claude", model: "bedrock/us.anthropic.claude-sonnet-4-6-v1:0", address: GATEWAY },
    ...{ rule: rules.bedrockClaude, unknown: 3 },
  },
  {
    ...{ name: "Mistral", model: "mistral-large-latest", address: "https://api.mistral.ai/v1" },
    ...{ rule: rules.mistral, effort: "high", unknown: 3 },
  },
  {
    ...{ name: "Mistral's template", model: "mistral-small3.2", address: LOCAL },
    ...{ rule: rules.mistralInLlamaCpp, unknown: 1 },
  },
  {
    ...{ name: "DeepSeek", model: "deepseek-reasoner", address: "https://api.deepseek.com/v1" },
    ...{ rule: rules.deepseek, effort: "high", unknown: 2, before: [chunk({ reasoning_content: "Hm." })] },
  },
  {
    ...{ name: "Llama's template", model: "llama3.1:8b", address: LOCAL },
    ...{ rule: rules.llamaInVllm, unknown: 1 },
  },
  {
    ...{ name: "Qwen at Alibaba", model: "qwen3-235b-a22b", unknown: 1 },
    address: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    ...{ rule: rules.qwenAtAlibaba, effort: "medium" },
  },
  {
    ...{ name: "gpt-oss's template", model: "gpt-oss:20b", address: LOCAL },
    ...{ rule: rules.gptOssInLlamaCpp, effort: "high", unknown: 0 },
    before: [chunk({ reasoning_content: "Hm." }), chunk({ content: "Let me look." })],
  },
  {
    ...{ name: "Gemma's template", model: "gemma2:2b", address: LOCAL },
    ...{ rule: rules.gemmaInLlamaCpp, unknown: 3 },
  },
];

/** The model's replies: the second one has two calls, the fourth can't be read. */
const PLAN = ["read_note", "two", "write_note", "unreadable", "read_note", "task_complete"] as const;

function answerOf({ before = [], signature }: FamilyCase, body: Body): ServerAnswer {
  const turn = PLAN[Math.min(step(body), PLAN.length - 1)] ?? "task_complete";
  if (turn === "unreadable") return saying("No call today.");
  const name = turn === "two" ? "read_note" : turn;
  const args = { title: `note ${step(body)}` };
  const thoughts = { text: "On I go." };
  if (!body.tools) return saying(JSON.stringify({ thoughts, command: { name, args } }));
  const call = (index: number): object => ({
    index,
    id: `call_${step(body)}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify({ thoughts, ...args }) },
    ...(signature && index === 0 ? { extra_content: { google: { thought_signature: "sealed" } } } : {}),
  });
  const calls = turn === "two" ? [call(0), call(1)] : [call(0)];
  return stream(...before, chunk({ tool_calls: calls }), finish("tool_calls"), DONE);
}

/** How many replies the conversation has, whatever the order of its messages. */
function step(body: Body): number {
  const text = JSON.stringify(body.messages);
  return [/read_note is done/g, /write_note is done/g, /No call today/g].reduce(
    (sum, pattern) => sum + (text.match(pattern) ?? []).length,
    0,
  );
}

describe("a whole run with a server that enforces the rules of a family", () => {
  const server = serverForSuite();

  function modelOf({ model, address, effort, api }: Pick<FamilyCase, "model" | "address" | "effort" | "api">): Model {
    const { baseUrl } = server();
    return createChatModel({
      ...{
        name: model,
        contextWindow: 64_000,
        temperature: 0.2,
        reasoningEffort: effort,
        api,
        problem: undefined,
      },
      server: createOpenAiServer(baseUrl, { model, apiKey: "k", timeoutSeconds: 60 }),
      family: findModelFamily(model, address, effort),
      connection: { baseUrl, apiKey: "k" },
    });
  }

  async function run(each: FamilyCase, model: Model, formats: readonly ReplyFormat[]) {
    let refused = 0;
    let said = false;
    const done = await rehearsal({ answers: [], thinking: { model, formats: new FormatChoice(formats) } });
    server().plan(({ body }) => {
      const complaint = each.rule(body);
      if (complaint) refused++;
      if (!complaint && !said) {
        said = true;
        void done.run.record({ type: "said", text: "Be quick.", by: "user" });
      }
      return complaint ?? answerOf(each, body);
    });
    done.live.resume();
    const end = await done.live.end;
    const replied = ofType(done.log.events, "replied");
    return {
      end: end.reason === "failed" ? end.error : end.reason,
      steps: replied.length,
      format: replied[0]?.format,
      refused,
    };
  }

  for (const each of CASES)
    for (const wanted of ["tools", "jsonSchema"] as const)
      it(`needs no refusal to learn it: ${each.name}, ${wanted}`, async () => {
        const model = modelOf(each);
        const formats = [wanted, "text"] as const;
        const accepted = formats.filter((format) => model.formats.includes(format));
        assert.deepEqual(await run(each, model, accepted), {
          ...{ end: "finished", steps: PLAN.length, format: accepted[0], refused: 0 },
        });
      });

  for (const each of CASES)
    it(`learns it from refusals where nothing is known: ${each.name}`, async () => {
      const { effort } = each;
      const model = modelOf({ model: "m", address: GATEWAY, ...(effort ? { effort } : {}) });
      const { end, steps, refused } = await run(each, model, ["tools", "jsonSchema", "text"]);
      assert.deepEqual({ end, steps, refused }, { end: "finished", steps: PLAN.length, refused: each.unknown });
    });
});

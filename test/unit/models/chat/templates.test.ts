import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import type { ModelRequest, ReplyFormat } from "../../../../src/core/ports/model.ts";
import { COMMON_DIALECT, type Dialect } from "../../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { createChatRequest } from "../../../../src/models/wire/chat-completions.ts";
import { promptsOf30Steps } from "../../../support/sent-prompts.ts";

const LOCAL = "http://127.0.0.1:8080/v1";
const FOLDER = new URL("../../../fixtures/chat-templates/", import.meta.url);
const ALL = ["tools", "jsonSchema", "text"] as const;
const WITHOUT_TOOLS = ["jsonSchema", "text"] as const;

/** Templates, the name under which their model is served, and the formats that the template has a place for. */
const TEMPLATES: readonly (readonly [file: string, model: string, formats: readonly ReplyFormat[]])[] = [
  ["openai-gpt-oss-120b", "gpt-oss:120b", ALL],
  ["meta-llama-Llama-3.1-8B-Instruct", "llama3.1:8b", ALL],
  ["meta-llama-Llama-3.2-3B-Instruct", "meta-llama/Llama-3.2-3B-Instruct", ALL],
  ["Mistral-Small-3.2-24B-Instruct-2506", "mistral-small3.2", ALL],
  ["mistralai-Ministral-3-14B-Reasoning-2512", "mistralai/Ministral-3-14B-Reasoning-2512", ALL],
  ["mistralai-Mistral-Nemo-Instruct-2407", "mistral-nemo", ALL],
  ["unsloth-mistral-Devstral-Small-2507", "devstral:24b", ALL],
  ["google-gemma-2-2b-it", "gemma2:2b", WITHOUT_TOOLS],
  ["google-gemma-4-31B-it", "google/gemma-4-31B-it", ALL],
  ["Qwen-Qwen2.5-7B-Instruct", "qwen2.5:7b", ALL],
  ["Qwen-Qwen3-0.6B", "Qwen/Qwen3-0.6B", ALL],
  ["Qwen3.5-4B", "Qwen/Qwen3.5-4B", ALL],
  ["Qwen3-Coder", "qwen3-coder:30b", ALL],
  ["Qwen-QwQ-32B", "qwq:32b", ALL],
  ["deepseek-ai-DeepSeek-V3.1", "deepseek-ai/DeepSeek-V3.1", ALL],
  ["deepseek-ai-DeepSeek-V3.2", "deepseek-ai/DeepSeek-V3.2", ALL],
  ["deepseek-ai-DeepSeek-V4", "deepseek-ai/DeepSeek-V4", ALL],
  ["deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "deepseek-r1:8b", ALL],
  ["deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "deepseek-r1:32b", ALL],
  ["microsoft-Phi-3.5-mini-instruct", "phi3.5", WITHOUT_TOOLS],
  ["SmolLM2-135M-Instruct", "smollm2:135m", WITHOUT_TOOLS],
  ["SmolLM3-3B", "smollm3", ALL],
];

interface Sent {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** A message as servers hand it to a template: arguments as an object, reasoning under both of its names. */
function forTemplate({ content, reasoning_content, tool_calls, ...message }: Sent): object {
  return {
    ...message,
    content: content ?? "",
    ...(reasoning_content ? { reasoning_content, thinking: reasoning_content } : {}),
    ...(tool_calls
      ? {
          tool_calls: tool_calls.map((call) => ({
            ...call,
            function: { ...call.function, arguments: JSON.parse(call.function.arguments) },
          })),
        }
      : {}),
  };
}

function render(template: Template, request: ModelRequest, dialect: Dialect): string {
  const { messages, tools } = JSON.parse(JSON.stringify(createChatRequest("m", request, dialect)));
  return template.render({
    messages: messages.map(forTemplate),
    ...(tools ? { tools } : {}),
    add_generation_prompt: true,
    bos_token: "<s>",
    eos_token: "</s>",
  });
}

/** A text without white space and quotes, as some templates write results as JSON. */
function plain(text: string): string {
  return text.replace(/\\n|\\?"|\s/g, "");
}

/** The texts that no template may leave out: the ends of the system message, the task, the last result and the tail. */
function mustHave({ messages }: ModelRequest): readonly string[] {
  const [system, task] = messages;
  const ends = [system, task, ...messages.slice(-2)].map((message) => message?.content.trim() ?? "");
  return ends.flatMap((text) => [text.slice(0, 40).trim(), text.slice(-40).trim()]);
}

describe("every prompt of a run of 30 steps", () => {
  const prompts = new Map<ReplyFormat, readonly ModelRequest[]>();
  before(async () => {
    for (const format of ALL)
      prompts.set(format, [
        ...withReasoning(await promptsOf30Steps(format)),
        ...(await promptsOf30Steps(format, 4_096)),
      ]);
  });

  for (const [file, model, formats] of TEMPLATES)
    for (const format of formats)
      it(`fits the template of ${file} in the format ${format}`, () => {
        const template = new Template(readFileSync(new URL(`${file}.jinja`, FOLDER), "utf8"));
        const asked = prompts.get(format) ?? [];
        const { dialect } = findModelFamily(model, LOCAL);
        const leftOut = asked.flatMap((request) => {
          const rendered = plain(render(template, request, dialect));
          return mustHave(request).filter((text) => !rendered.includes(plain(text)));
        });
        assert.deepEqual(
          { prompts: asked.length >= 45, leftOut: [...new Set(leftOut)] },
          { prompts: true, leftOut: [] },
        );
      });

  it("wouldn't fit some of them in the common form", () => {
    const fits = (file: string): boolean => {
      const template = new Template(readFileSync(new URL(`${file}.jinja`, FOLDER), "utf8"));
      try {
        for (const request of prompts.get("tools") ?? []) render(template, request, COMMON_DIALECT);
        return true;
      } catch {
        return false;
      }
    };
    assert.deepEqual(
      TEMPLATES.map(([file]) => file).filter((file) => !fits(file)),
      [
        "meta-llama-Llama-3.1-8B-Instruct",
        "meta-llama-Llama-3.2-3B-Instruct",
        "Mistral-Small-3.2-24B-Instruct-2506",
        "mistralai-Ministral-3-14B-Reasoning-2512",
        "mistralai-Mistral-Nemo-Instruct-2407",
        "google-gemma-2-2b-it",
      ],
    );
  });
});

/** The same requests, with words and reasoning before each call. */
function withReasoning(requests: readonly ModelRequest[]): readonly ModelRequest[] {
  return requests.map((request) => ({
    ...request,
    messages: request.messages.map((message) =>
      message.role === "assistant" && message.calls
        ? { ...message, content: "Let me look.", sentBack: { reasoning_content: "I look at the notes." } }
        : message,
    ),
  }));
}

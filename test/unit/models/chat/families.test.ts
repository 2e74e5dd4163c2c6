import assert from "node:assert/strict";
import { findModelFamily } from "../../../../src/models/chat/families.ts";

const ANYWHERE = "http://127.0.0.1:4000/v1";

describe("the family of a model", () => {
  for (const [name, model, address] of [
    ["openai", "gpt-5.1", ANYWHERE],
    ["openai", "openai/o4-mini", ANYWHERE],
    ["gpt-oss", "openai/gpt-oss-20b", ANYWHERE],
    ["anthropic", "claude-sonnet-4-6", ANYWHERE],
    ["bedrock", "bedrock/anthropic.claude-sonnet-4-6-v1:0", ANYWHERE],
    ["bedrock", "us.amazon.nova-pro-v1:0", ANYWHERE],
    ["gemini", "models/gemini-2.5-flash", ANYWHERE],
    ["mistral", "mistralai/Magistral-Small-2506", ANYWHERE],
    ["deepseek", "deepseek-ai/DeepSeek-V3.2", ANYWHERE],
    ["deepseek", "DeepSeek-R1-Distill-Llama-8B", ANYWHERE],
    ["llama", "llama3.2:3b", ANYWHERE],
    ["qwen", "Qwen/Qwen3-32B", ANYWHERE],
    ["gemma", "gemma-3-270m-it-Q4_K_M.gguf", ANYWHERE],
    ["other", "smollm2", ANYWHERE],
    ["azure", "my-deployment", "https://mine.openai.azure.com"],
    ["mistral", "my-tuned-model", "https://api.mistral.ai/v1"],
    ["anthropic", "claude-opus-5", "https://api.anthropic.com/v1"],
  ] as const)
    it(`${model} at ${new URL(address).host} is ${name}`, () =>
      assert.equal(findModelFamily(model, address).name, name));
});

describe("a model's own reasoning", () => {
  for (const [reasons, model, effort] of [
    [true, "gpt-5", "auto"],
    [true, "o3-mini", "auto"],
    [true, "openai/gpt-6.1-sol", "auto"],
    [false, "gpt-5-chat-latest", "auto"],
    [false, "gpt-4o", "auto"],
    [false, "gpt-4o", "high"],
    [true, "gpt-oss:20b", "auto"],
    [true, "gpt-oss:20b", "minimal"],
    [false, "gpt-5.1", "minimal"],
    [false, "claude-sonnet-4-6", "auto"],
    [true, "claude-sonnet-4-6", "high"],
    [true, "qwen3:8b", "auto"],
    [false, "qwen3:8b", "minimal"],
    [false, "qwen3-coder:30b", "auto"],
    [true, "deepseek-reasoner", "auto"],
    [false, "deepseek-chat", "auto"],
    [true, "gemini-3-pro", "auto"],
    [false, "llama3.2:3b", "auto"],
  ] as const)
    it(`${reasons ? "is" : "isn't"} what ${model} has with the effort "${effort}"`, () =>
      assert.equal(findModelFamily(model, ANYWHERE, effort).traits.reasons, reasons));
});

describe("the form of edits", () => {
  for (const [form, model] of [
    ["diff", "gpt-5.1"],
    ["diff", "openai/gpt-oss-20b"],
    ["diff", "gpt-4.1-mini"],
    ["whole", "gpt-5-nano"],
    ["whole", "llama3.3:70b"],
    ["whole", "gemma-3-270m"],
    ["whole", "qwen3:8b"],
    ["whole", "mistral-small-latest"],
    ["replace", "qwen3-235b-a22b"],
    ["replace", "mistral-large-latest"],
    ["replace", "claude-sonnet-5"],
    ["replace", "gpt-4o"],
    ["replace", "my-tuned-model"],
  ] as const)
    it(`of ${model} is "${form}"`, () => assert.equal(findModelFamily(model, ANYWHERE).traits.edits, form));
});

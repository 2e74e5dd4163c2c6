import o200k from "tiktoken/encoders/o200k_base";
import { Tiktoken } from "tiktoken/lite";
import type { JsonSchema } from "../../src/core/base/json.ts";
import type { ModelRequest } from "../../src/core/ports/model.ts";

const encoding = new Tiktoken(o200k.bpe_ranks, o200k.special_tokens, o200k.pat_str);
const count = (text: string): number => encoding.encode_ordinary(text).length;

type Tools = NonNullable<ModelRequest["tools"]>;

/** Counts a request by the rules that OpenAI has published for its models: three tokens a message, tools by their fields. */
export function openAiTokens(request: ModelRequest): number {
  return 3 + messagesTokens(request, 3) + (request.tools ? 12 + sum(request.tools.map(toolTokens)) : 0);
}

/** Counts a request as a server does that puts the tools' JSON before the model, and a good deal around each message. */
export function templateTokens(request: ModelRequest): number {
  const tools: Tools = request.tools ?? [];
  return 40 + messagesTokens(request, 9) + sum(tools.map((tool) => 12 + count(JSON.stringify(tool, null, 1))));
}

function messagesTokens({ messages, schema }: ModelRequest, each: number): number {
  const told = messages.map((message) => {
    const calls = message.role === "assistant" ? (message.calls ?? []) : [];
    const called = calls.map((call) => each + count(call.name) + count(call.arguments));
    return each + count(message.role) + count(message.content) + sum(called);
  });
  return sum(told) + (schema ? count(JSON.stringify(schema)) : 0);
}

function toolTokens({ name, description, parameters }: Tools[number]): number {
  return 7 + count(`${name}:${description}`) + fieldsTokens(parameters);
}

function fieldsTokens({ properties }: JsonSchema): number {
  const entries = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const fields = entries.map(
    ([name, field]) => 3 + count(`${name}:${String(field.type)}:${String(field.description ?? "")}`) + inner(field),
  );
  return 3 + sum(fields);
}

function inner(field: JsonSchema): number {
  return field.properties ? fieldsTokens(field) : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

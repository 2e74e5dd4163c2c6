import { isObject, type Json } from "../core/base/json.ts";
import type { Usage } from "../core/ports/model.ts";
import { type Complaint, complaintOf } from "./error-answer.ts";
import { amountOf, listOf, objectOf, textOf } from "./json.ts";

/** A piece of a tool call, as it arrived. */
export interface CallPiece {
  /** Undefined where the server does not number its calls. */
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A piece of a reply; what it does not tell is "", empty or undefined. */
export interface Chunk {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly CallPiece[];
  readonly finish: string;
  readonly usage: Usage | undefined;
  /** What a gateway says that the call has cost. */
  readonly costUsd: number | undefined;
  /** Set when this is no piece of a reply at all. */
  readonly complaint: Complaint | undefined;
}

/** Reads a piece of a reply from anything a server may send: with null choices, empty deltas, or a whole message at once. */
export function readChunk(value: unknown): Chunk {
  const chunk = objectOf(value);
  const choice = firstChoice(chunk);
  const said = objectOf(choice.delta ?? choice.message);
  return {
    model: textOf(chunk.model),
    text: textIn(said.content) + textOf(said.refusal),
    calls: callsIn(said),
    finish: FINISH[textOf(choice.finish_reason).toLowerCase()] ?? textOf(choice.finish_reason).toLowerCase(),
    usage: usageIn(chunk.usage),
    costUsd: amountOf(objectOf(chunk.usage).cost),
    complaint: chunk.choices === undefined && saysSomething(chunk) ? complaintOf(chunk) : undefined,
  };
}

/** Other words for the two reasons that mean something to the agent. */
const FINISH: Readonly<Record<string, string>> = {
  max_tokens: "length",
  model_length: "length",
  safety: "content_filter",
};

function firstChoice(chunk: Json): Json {
  const choices = listOf(chunk.choices).map(objectOf);
  return choices.find((choice) => choice.index === 0) ?? choices[0] ?? {};
}

/** Text, or a list of parts of which only those of text are spoken. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map(objectOf)
    .filter((part) => part.type === "text")
    .map((part) => textOf(part.text))
    .join("");
}

function callsIn(said: Json): CallPiece[] {
  if (isObject(said.function_call)) return [callPiece({ index: 0, function: said.function_call })];
  return listOf(said.tool_calls).map(callPiece);
}

function callPiece(value: unknown): CallPiece {
  const call = objectOf(value);
  const { name, arguments: args } = objectOf(call.function);
  return {
    index: amountOf(call.index),
    id: textOf(call.id),
    name: textOf(name),
    arguments: isObject(args) ? JSON.stringify(args) : textOf(args),
  };
}

function usageIn(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const input = amountOf(usage.prompt_tokens);
  const output = amountOf(usage.completion_tokens);
  if (input === undefined || output === undefined) return undefined;
  const cached =
    amountOf(objectOf(usage.prompt_tokens_details).cached_tokens) ??
    amountOf(usage.prompt_cache_hit_tokens) ??
    amountOf(usage.cached_tokens);
  const reasoning = amountOf(objectOf(usage.completion_tokens_details).reasoning_tokens);
  return {
    input,
    output,
    ...(cached === undefined ? {} : { cached }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function saysSomething({ usage, message, detail }: Json): boolean {
  return usage === undefined && (message !== undefined || detail !== undefined);
}

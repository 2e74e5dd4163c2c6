import type { ChatMessage, ModelRequest } from "./ports.ts";
import { toolsTokens } from "./tools-tokens.ts";

/** Counts the tokens of a text. */
export interface CountTokens {
  (text: string): number;
  /** It answers better later, so its answers are not kept. */
  readonly learning?: boolean;
}

const CHARS_PER_TOKEN = 3.6;
/** Scripts without spaces need more tokens a character. */
const WIDE_CHARS_PER_TOKEN = 1.3;
/** What chat formats add around each message. */
const PER_MESSAGE = 5;

/** A quick estimate that errs on the large side for prose and code; for models whose tokenizer is not known. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2e7f) wide++;
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN + wide / WIDE_CHARS_PER_TOKEN);
}

const counted = new WeakMap<CountTokens, WeakMap<ChatMessage, number>>();

/** Tokens of a message; each message object is counted once for each counter that does not learn. */
export function messageTokens(message: ChatMessage, count: CountTokens = estimateTokens): number {
  if (count.learning) return tokensOf(message, count);
  let cache = counted.get(count);
  if (!cache) {
    cache = new WeakMap();
    counted.set(count, cache);
  }
  const known = cache.get(message);
  if (known !== undefined) return known;
  const tokens = tokensOf(message, count);
  cache.set(message, tokens);
  return tokens;
}

function tokensOf(message: ChatMessage, count: CountTokens): number {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  return (
    PER_MESSAGE +
    count(message.content) +
    calls.reduce((sum, call) => sum + PER_MESSAGE + count(call.name) + count(call.arguments), 0)
  );
}

/** Tokens of everything a request sends. */
export function requestTokens(request: ModelRequest, count: CountTokens = estimateTokens): number {
  const messages = request.messages.reduce((sum, message) => sum + messageTokens(message, count), 0);
  const tools = request.tools ? toolsTokens(request.tools, count) : 0;
  const schema = request.schema ? count(JSON.stringify(request.schema)) : 0;
  return messages + tools + schema;
}

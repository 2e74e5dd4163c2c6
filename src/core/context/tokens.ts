import type { JsonSchema } from "../base/json.ts";
import { omitUndefined } from "../base/objects.ts";
import { estimatePictureTokens } from "../base/pictures.ts";
import { type ChatMessage, type Completion, type Model, type ModelRequest, wrapModel } from "../ports/model.ts";

/** Counts the tokens of a text. */
export interface CountTokens {
  (text: string): number;
  /** The counter's answers improve later, so they aren't cached. */
  readonly learning?: boolean;
}

const CHARS_PER_TOKEN = 3.6;
/** Scripts without spaces need more tokens per character. */
const WIDE_CHARS_PER_TOKEN = 1.3;
/** Tokens that chat formats add to each message. */
const PER_MESSAGE = 5;

/** Estimates tokens quickly and rather too high, for models whose tokenizer isn't known. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2e7f) wide++;
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN + wide / WIDE_CHARS_PER_TOKEN);
}

const counted = new WeakMap<CountTokens, WeakMap<ChatMessage, number>>();

/** Tokens of a message. Each message object is counted once per counter, unless the counter is learning. */
export function countMessageTokens(message: ChatMessage, count: CountTokens = estimateTokens): number {
  if (count.learning) return computeMessageTokens(message, count);
  let cache = counted.get(count);
  if (!cache) {
    cache = new WeakMap();
    counted.set(count, cache);
  }
  const known = cache.get(message);
  if (known !== undefined) return known;
  const tokens = computeMessageTokens(message, count);
  cache.set(message, tokens);
  return tokens;
}

function computeMessageTokens(message: ChatMessage, count: CountTokens): number {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  const sentBack = message.role === "assistant" ? Object.values(message.sentBack ?? {}) : [];
  const pictures = message.role === "user" || message.role === "tool" ? (message.pictures ?? []) : [];
  return (
    PER_MESSAGE +
    count(message.content) +
    pictures.reduce((sum, picture) => sum + estimatePictureTokens(picture), 0) +
    sentBack.reduce<number>(
      (sum, part) => sum + count(typeof part === "string" ? part : JSON.stringify(part, cutSeals)),
      0,
    ) +
    calls.reduce((sum, call) => sum + PER_MESSAGE + count(call.name) + count(call.arguments), 0)
  );
}

/** Sealed reasoning is far longer than the tokens in it. */
const SEAL_SHARE = 1 / 5;

function cutSeals(name: string, value: unknown): unknown {
  return name === "encrypted_content" && typeof value === "string" ? value.slice(0, value.length * SEAL_SHARE) : value;
}

/** Tokens of a request's prompt. Most servers don't put the schema of the reply into it. */
export function requestTokens(
  request: ModelRequest,
  count: CountTokens = estimateTokens,
  countsSchema = false,
): number {
  const messages = request.messages.reduce((sum, message) => sum + countMessageTokens(message, count), 0);
  const tools = request.tools ? countToolsTokens(request.tools, count) : 0;
  const schema = countsSchema && request.schema ? count(JSON.stringify(request.schema)) : 0;
  return messages + tools + schema;
}

/** OpenAI's published overhead of tools: for all of them, per tool, per field list and per field. */
const AROUND_ALL = 12;
const PER_TOOL = 7;
const PER_FIELDS = 3;
const PER_FIELD = 3;
const PER_CHOICE = 3;

/** Tokens of the offered tools, counted like OpenAI. Other servers differ, which their first answer reveals. */
export function countToolsTokens(tools: NonNullable<ModelRequest["tools"]>, count: CountTokens): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + PER_TOOL + count(`${name}:${description}`) + countFieldsTokens(parameters, count),
    AROUND_ALL,
  );
}

function countFieldsTokens({ properties }: JsonSchema, count: CountTokens): number {
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return fields.reduce((sum, [name, field]) => {
    const choices: readonly unknown[] = Array.isArray(field.enum) ? field.enum : [];
    const chosen = choices.reduce<number>((all, choice) => all + PER_CHOICE + count(String(choice)), 0);
    const inner = field.properties ? countFieldsTokens(field, count) : 0;
    const line = `${name}:${String(field.type ?? "")}:${String(field.description ?? "")}`;
    return sum + PER_FIELD + count(line) + chosen + inner;
  }, PER_FIELDS);
}

/** A request with the server's token count. */
interface Anchor {
  readonly request: ModelRequest;
  readonly reported: number;
}

/** A server's count that is off by a larger factor measures something else, for example images or another model. */
const MOST_METER_FACTOR = 4;
/** Smaller differences between two requests don't reveal the rate. */
const LEAST_DIFFERENCE = 100;
const LEAST_RATE = 0.5;
const MOST_RATE = 2;

/**
 * Predicts a server's token count: its count of the last request plus our count of the changes since then, scaled by the rate between the
 * two counts so far.
 */
export class TokenMeter {
  readonly count: CountTokens;
  private anchor: Anchor | undefined;
  /** Server tokens per token that we count. */
  private rate = 1;
  private readonly countsSchema: boolean;

  constructor(count: CountTokens = estimateTokens, countsSchema = false) {
    this.count = count;
    this.countsSchema = countsSchema;
  }

  /** Predicts the tokens of a request. */
  predictTokens(request: ModelRequest): number {
    const counted = this.countTokens(request);
    if (!this.anchor) return counted;
    const more = counted - this.countTokens(this.anchor.request);
    return Math.max(1, Math.round(this.anchor.reported + more * this.rate));
  }

  /** Learns from a server's count of a request. */
  learn(request: ModelRequest, reported: number): void {
    const counted = this.countTokens(request);
    const off = reported / Math.max(1, counted);
    if (off < 1 / MOST_METER_FACTOR || off > MOST_METER_FACTOR) return;
    if (this.anchor) this.learnRate(counted - this.countTokens(this.anchor.request), reported);
    this.anchor = { request, reported };
  }

  private countTokens(request: ModelRequest): number {
    return requestTokens(request, this.count, this.countsSchema);
  }

  private learnRate(more: number, reported: number): void {
    if (!this.anchor || Math.abs(more) < LEAST_DIFFERENCE) return;
    const seen = (reported - this.anchor.reported) / more;
    this.rate = (this.rate + Math.min(MOST_RATE, Math.max(LEAST_RATE, seen))) / 2;
  }
}

/** Ensures that a model's completions always have a token count, so that limits hold with servers that count nothing. */
export function addOwnTokenCount(model: Model): Model {
  return wrapModel(() => model, {
    complete: async (request, completing) => correctUsage(request, await model.complete(request, completing), model),
  });
}

/** If a server's count is off by more than this factor and `MOST_HIDDEN`, it counts something else or nothing. */
const MOST_REPORTED_FACTOR = 16;
/** Tokens that a server may count although we can't see them: reasoning, pictures and words that it adds. */
const MOST_HIDDEN = 200_000;

/** Replaces a completion's missing or impossible counts with our own. */
function correctUsage(request: ModelRequest, completion: Completion, { costOf }: Model): Completion {
  const { text: content, calls, reasoning = "", usage } = completion;
  const input = correctCount(usage?.input, requestTokens(request));
  const output = correctCount(
    usage?.output,
    countMessageTokens({ role: "assistant", content, calls }) + estimateTokens(reasoning),
  );
  if (usage && input === usage.input && output === usage.output) return completion;
  const own = { ...usage, input, output, ...(input === usage?.input ? {} : { isEstimate: true }) };
  const isMissing = !usage?.input || !usage.output;
  const costUsd = isMissing ? (completion.costUsd ?? costOf?.(own)) : (costOf?.(own) ?? completion.costUsd);
  return { ...completion, usage: own, ...omitUndefined({ costUsd }) };
}

/** A server's count if it's possible, or else our own. */
function correctCount(said = 0, own: number): number {
  const isPossible = said * MOST_REPORTED_FACTOR >= own && said <= own * MOST_REPORTED_FACTOR + MOST_HIDDEN;
  return said > 0 && isPossible ? said : own;
}

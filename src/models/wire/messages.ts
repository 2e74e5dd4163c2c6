import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages";
import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ChatMessage, MessagePicture, ModelRequest, SentBack, ToolCall } from "../../core/ports/model.ts";
import { type Dialect, isEffort } from "../chat/dialect.ts";
import { FREE_ORDER, orderMessages } from "../chat/message-order.ts";
import { AFTER_TYPE } from "../chat/reasoning.ts";
import { keepSendablePictures } from "../chat/sent-pictures.ts";
import { normalizeParameters } from "../chat/tool-schemas.ts";
import { createAnthropicClient } from "../http/client.ts";
import { createForeignAnswerError } from "../http/error-response.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { createCacheMark, selectMarkedMessages } from "./cache-marks.ts";
import { convertCallId, EFFORT_TOKENS, sanitizeToolName } from "./chat-completions.ts";
import { BlocksInProgress, createMessagesReader, listMessageEvents } from "./messages-reply.ts";
import type { Wire, WireOptions } from "./wire.ts";

/** Anthropic's Messages API, which gateways and llama.cpp also support. */
export const messages: Wire = {
  connect: async (to) => {
    const client = await createAnthropicClient(to);
    const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
    const post = <T>(body: object, stream: boolean, options: WireOptions): Promise<T> =>
      client.post<T>("/v1/messages", { ...options, body: { ...body, stream }, stream });
    return {
      stream: async (body, options) => {
        const send = (sent: object) => post<AsyncIterable<unknown>>(sent, true, options);
        const closed = closeOutputSchema(body as Body, transformJSONSchema);
        return continuePausedEvents(await send(closed), (content) => send(createContinuation(closed, content)));
      },
      fetchWhole: async (body, options) => {
        const closed = closeOutputSchema(body as Body, transformJSONSchema);
        const send = async (sent: object) => readWholeMessage(await post(sent, false, options));
        return continuePausedReply(await send(closed), (content) => send(createContinuation(closed, content)));
      },
    };
  },
  request: createMessagesRequest,
  createReader: createMessagesReader,
};

/** A request's body. Older API versions than the client's accept a temperature, and so do other servers. */
type Body = MessageCreateParamsStreaming & { readonly temperature?: number };

/** Closes schemas, because the service only accepts those without open parts. */
function closeOutputSchema(body: Body, close: (schema: Json) => Json): Body {
  const { output_config: output } = body;
  if (!output?.format) return body;
  const format = { ...output.format, schema: close(output.format.schema) };
  return { ...body, output_config: { ...output, format } };
}

/** A request for the rest of a reply, with the part that arrived before a pause. */
function createContinuation(body: Body, content: readonly Json[]): object {
  return { ...body, messages: [...body.messages, { role: "assistant", content }] };
}

/** A reply with more pauses doesn't end. */
const MOST_PAUSES = 10;

/** Yields the events of a reply. Each time the service pauses it, the rest is requested. */
async function* continuePausedEvents(
  events: AsyncIterable<unknown>,
  goOn: (content: readonly Json[]) => Promise<AsyncIterable<unknown>>,
): AsyncGenerator<unknown> {
  const before: Json[] = [];
  for (let next = events, pauses = 0; ; pauses++) {
    const content = new BlocksInProgress();
    let reason = "";
    for await (const value of next) {
      const given = toObjectOrEmpty(value);
      for (const event of given.type === "message" ? listMessageEvents(given) : [given]) {
        content.add(event);
        reason = toTextOrEmpty(toObjectOrEmpty(event.delta).stop_reason) || reason;
        yield event;
      }
    }
    // Half of a call can't be run, and half of thinking can't go back.
    if (content.isOpen) throw new Error("The reply ended in the middle of a block.");
    before.push(...content.blocks);
    if (reason === "" && before.length > 0 && before.every(isThinking))
      throw new Error("The reply ended after its thinking.");
    if (reason !== "pause_turn" || pauses === MOST_PAUSES) return;
    next = await goOn(before);
  }
}

/** A message that wasn't streamed. Any other answer isn't from this API. */
function readWholeMessage(answer: unknown): Json {
  const message = toObjectOrEmpty(answer);
  const isNothing = answer === undefined || answer === null || answer === "";
  if (!isNothing && message.type !== "message" && !message.error) throw createForeignAnswerError();
  return message;
}

function isThinking({ type }: Json): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Continues a paused reply that isn't streamed. */
async function continuePausedReply(message: Json, goOn: (content: readonly Json[]) => Promise<Json>): Promise<unknown> {
  let reply = message;
  for (let pauses = 0; reply.stop_reason === "pause_turn" && pauses < MOST_PAUSES; pauses++) {
    const content = toListOrEmpty(reply.content).map(toObjectOrEmpty);
    const next = await goOn(content);
    reply = { ...next, content: [...content, ...toListOrEmpty(next.content)] };
  }
  return reply;
}

/** The limit for requests without one, which the service requires. */
const USUAL_REPLY = 8_192;
/** The smallest budget for thinking that the service accepts. */
const LEAST_BUDGET = 1_024;

/** A request in the form of Anthropic's API, with only the parts that the server accepts. */
export function createMessagesRequest(model: string, request: ModelRequest, dialect: Dialect): Body {
  const { temperature, schema, stop, tools } = request;
  const thinking = createThinkingPart(model, request, dialect);
  const { effort } = thinking;
  const hasFormat = schema !== undefined && dialect.schemaForms.includes("json_schema");
  const output = {
    ...omitUndefined({ effort }),
    ...(hasFormat ? { format: { type: "json_schema" as const, schema: { ...schema.schema } } } : {}),
  };
  return {
    model,
    max_tokens: thinking.limit,
    ...convertConversation(model, request, dialect),
    stream: true,
    ...(tools ? createToolsPart(tools, request.parallelCalls ?? false, thinking.isOn, dialect) : {}),
    ...(stop && dialect.stop ? { stop_sequences: [...stop] } : {}),
    ...(temperature !== undefined && dialect.temperature && !thinking.isOn ? { temperature } : {}),
    ...omitUndefined({ thinking: thinking.config }),
    ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
  };
}

interface ThinkingPart {
  readonly isOn: boolean;
  readonly config?: ThinkingConfigParam;
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** Tokens of thinking and reply together. */
  readonly limit: number;
}

function createThinkingPart(model: string, request: ModelRequest, dialect: Dialect): ThinkingPart {
  const { reasoningEffort: asked, maxReplyTokens = USUAL_REPLY } = request;
  const { reasoning, thinkingOff, thinkingRoom, efforts, summaries, mostTokens } = dialect;
  const tokens = isEffort(asked) ? EFFORT_TOKENS[asked] : 0;
  const takesLimit = dialect.replyLimits[0] === "max_tokens";
  const computeLimit = (room: number): number =>
    takesLimit
      ? Math.min(maxReplyTokens + Math.max(room, thinkingRoom), mostTokens || Number.POSITIVE_INFINITY)
      : Math.min(maxReplyTokens, USUAL_REPLY);
  const isWanted = tokens > 0 || (!isEffort(asked) && thinkingOff !== "absent") || thinkingOff === "never";
  const off = { isOn: false, limit: computeLimit(0) };
  if (reasoning === "thinking.adaptive" && isWanted) {
    const word = isEffort(asked) ? efforts[asked] : undefined;
    return {
      isOn: true,
      config: { type: "adaptive", ...(summaries ? { display: "summarized" as const } : {}) },
      ...(word === undefined || word === "none" || word === "minimal" ? {} : { effort: word }),
      limit: computeLimit(tokens),
    };
  }
  if (reasoning === "thinking.adaptive" && (thinkingOff === "disabled" || thinkingOff === "between_tools"))
    return { ...off, config: { type: thinkingOff } };
  const limit = computeLimit(tokens);
  const isCut = limit === mostTokens && limit > 2 * maxReplyTokens;
  const budget = Math.min(tokens, limit - (isCut ? maxReplyTokens : LEAST_BUDGET));
  const canThink = budget >= LEAST_BUDGET && !isThinkingMissing(model, request, dialect);
  return reasoning === "thinking.budget_tokens" && canThink
    ? { isOn: true, config: { type: "enabled", budget_tokens: budget }, limit }
    : off;
}

/** With a budget, the last calls must have their thinking before them. Another model's calls lack it. */
function isThinkingMissing(model: string, { messages }: ModelRequest, dialect: Dialect): boolean {
  const last = messages.findLast((message) => message.role === "assistant");
  if (!last?.calls?.length) return false;
  const [first] = selectOwnThinking(model, last.sentBack, dialect);
  return first === undefined || first.type === AFTER_TYPE;
}

/** The thinking before a message, if this model accepts it. */
function selectOwnThinking(model: string, sentBack: SentBack = {}, { sendsBack }: Dialect): readonly Json[] {
  const isOwn = sentBack.from === model && sendsBack.includes("thinking_blocks");
  return isOwn ? (sentBack.thinking_blocks ?? []) : [];
}

function createToolsPart(
  tools: NonNullable<ModelRequest["tools"]>,
  parallelCalls: boolean,
  thinks: boolean,
  { toolChoice, parallelToolCalls, openSchemas }: Dialect,
): Pick<Body, "tools" | "tool_choice"> {
  const choice = thinks || toolChoice === "auto" ? "auto" : "any";
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...(openSchemas ? parameters : normalizeParameters(parameters)), type: "object" },
    })) satisfies Tool[],
    tool_choice: {
      type: choice,
      ...omitUndefined({ disable_parallel_tool_use: (parallelToolCalls && !parallelCalls) || undefined }),
    },
  };
}

/** The system's blocks, and turns that begin with the user's. Results of calls come first in their turn. */
function convertConversation(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
): Pick<Body, "system" | "messages"> {
  const adaptMessages = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
    orderMessages(keepSendablePictures(messages, dialect, dialect.resultPictures), FREE_ORDER);
  const ordered = adaptMessages(request.messages);
  const { cached } = request;
  const kept = dialect.cacheMarks && cached ? adaptMessages(request.messages.slice(0, cached.messages)).length : 0;
  const marked = selectMarkedMessages(ordered, kept);
  const mark = createCacheMark(request, dialect);
  const parts = ordered.map((message, index) => {
    const blocks = convertToBlocks(message, model, dialect);
    return { role: message.role, blocks: marked.has(index) ? addMark(blocks, mark) : blocks };
  });
  const system = parts.filter(({ role }) => role === "system").flatMap(({ blocks }) => blocks);
  const turns: MessageParam[] = [];
  for (const { role, blocks } of parts) {
    if (role === "system" || blocks.length === 0) continue;
    const own = role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === own)
      turns[turns.length - 1] = {
        role: own,
        content: [...toListOrEmpty(last.content), ...blocks] as ContentBlockParam[],
      };
    else turns.push({ role: own, content: blocks });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [{ type: "text", text: "Begin." }] });
  return { ...(system.length > 0 ? { system: system as TextBlockParam[] } : {}), messages: turns };
}

function addMark(blocks: ContentBlockParam[], mark: ReturnType<typeof createCacheMark>): ContentBlockParam[] {
  const last = blocks.at(-1);
  if (!last || last.type === "thinking" || last.type === "redacted_thinking") return blocks;
  return [...blocks.slice(0, -1), { ...last, cache_control: mark } as ContentBlockParam];
}

function convertToBlocks(message: ChatMessage, model: string, dialect: Dialect): ContentBlockParam[] {
  switch (message.role) {
    case "system":
      return createTextBlocks(message.content);
    case "user":
      return [...createTextBlocks(message.content), ...(message.pictures ?? []).map(createPictureBlock)];
    case "tool": {
      const text = createTextBlocks(message.content);
      const content = message.pictures ? [...text, ...message.pictures.map(createPictureBlock)] : text[0]?.text;
      return [{ type: "tool_result", tool_use_id: createBlockId(message.callId), ...(content ? { content } : {}) }];
    }
    case "assistant":
      return message.calls?.length
        ? createCallingBlocks(message.content, message.calls, selectOwnThinking(model, message.sentBack, dialect))
        : createTextBlocks(message.content);
  }
}

/** Creates blocks of text. The service refuses blocks of only white space. */
function createTextBlocks(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function createPictureBlock({ mediaType, data = "" }: MessagePicture): ImageBlockParam {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

/** Text, calls and the thinking between them, in their original order. */
function createCallingBlocks(text: string, calls: readonly ToolCall[], thinking: readonly Json[]): ContentBlockParam[] {
  const blocks: ContentBlockParam[] = [];
  let chars = 0;
  let called = 0;
  const addBlocksUpTo = (textEnd: number, callEnd: number): void => {
    blocks.push(...createTextBlocks(text.slice(chars, textEnd)), ...calls.slice(called, callEnd).map(createCallBlock));
    chars = Math.max(chars, textEnd);
    called = Math.max(called, callEnd);
  };
  for (const block of thinking)
    if (block.type === AFTER_TYPE) addBlocksUpTo(toAmount(block.chars) ?? 0, toAmount(block.calls) ?? 0);
    else blocks.push({ ...block } as unknown as ContentBlockParam);
  addBlocksUpTo(text.length, calls.length);
  return blocks;
}

function createCallBlock({ id, name, arguments: written }: ToolCall): ContentBlockParam {
  const input = tryJson(written.toWellFormed());
  return {
    type: "tool_use",
    id: createBlockId(id),
    name: sanitizeToolName(name).replace(/[.:]/g, "_"),
    input: isObject(input) ? input : {},
  };
}

/** Converts an ID. The service only accepts letters, digits, "_" and "-". */
function createBlockId(id: string): string {
  return /^[\w-]{1,64}$/.test(id) ? id : convertCallId(id, { callIds: "nine", signatures: "none" });
}

import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources";
import { isObject, type Json } from "../../core/base/json.ts";
import type { ChatMessage, ModelRequest, ToolCall } from "../../core/ports/model.ts";
import { COMMON_DIALECT, type Dialect, isEffort, type SchemaForm } from "../chat/dialect.ts";
import { orderMessages } from "../chat/message-order.ts";
import { AFTER_TYPE, readReasoning } from "../chat/reasoning.ts";
import type { CallPiece, Chunk } from "../chat/reply-stream.ts";
import { keepSendablePictures } from "../chat/sent-pictures.ts";
import { normalizeParameters } from "../chat/tool-schemas.ts";
import { openClient } from "../http/client.ts";
import { type Complaint, readComplaint } from "../http/error-response.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { createCacheKey, createCacheMark, selectMarkedMessages } from "./cache-marks.ts";
import { readCost, readUsage } from "./usage.ts";
import type { Wire } from "./wire.ts";

/** OpenAI's chat completions API, which nearly every server supports. */
export const chatCompletions: Wire = {
  connect: async (to) => {
    const { completions } = (await openClient(to)).chat;
    return {
      stream: (body, options) => completions.create(body as ChatCompletionCreateParamsStreaming, options),
      fetchWhole: (body, options) => {
        const { stream: _, stream_options: __, ...rest } = body as ChatCompletionCreateParamsStreaming;
        return completions.create({ ...rest, stream: false }, options);
      },
    };
  },
  request: createChatRequest,
  createReader: () => readChunk,
};

/** The format of messages on the wire. */
type MessageForm = Pick<Dialect, "sendsBack" | "reasoningBesideText" | "needsReasoning" | "callIds" | "signatures">;

/**
 * Converts messages to the form of OpenAI's API. Cuts and models can leave half a surrogate pair, for which servers refuse a whole prompt.
 */
export function convertChatMessages(
  messages: readonly ChatMessage[],
  form: MessageForm = COMMON_DIALECT,
): ChatCompletionMessageParam[] {
  return messages.map((message) => convertChatMessage(message, form));
}

function convertChatMessage(given: ChatMessage, form: MessageForm): ChatCompletionMessageParam {
  const message = { ...given, content: given.content.toWellFormed() };
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: createUserContent(message) };
    case "tool":
      return { role: "tool", tool_call_id: convertCallId(message.callId, form), content: message.content };
    case "assistant":
      return message.calls?.length
        ? {
            role: "assistant",
            content: message.content || null,
            ...createReasoningPart(message, form),
            tool_calls: message.calls.map((call, index) => convertToolCall(call, index === 0, form)),
          }
        : { role: "assistant", content: message.content };
  }
}

/** Text, and the sendable pictures. */
function createUserContent({
  content,
  pictures = [],
}: Extract<ChatMessage, { role: "user" }>): string | ChatCompletionContentPart[] {
  if (pictures.length === 0) return content;
  return [
    { type: "text", text: content },
    ...pictures.map(({ mediaType, data = "" }) => ({
      type: "image_url" as const,
      image_url: { url: `data:${mediaType};base64,${data}` },
    })),
  ];
}

/** Google's placeholder for the seal on another model's call. */
const NO_SIGNATURE = "skip_thought_signature_validator";

function convertToolCall(call: ToolCall, isFirst: boolean, form: MessageForm) {
  const seal = call.signature ?? (isFirst && form.signatures === "needed" ? NO_SIGNATURE : undefined);
  return {
    id: convertCallId(call.id, form),
    type: "function" as const,
    function: { name: sanitizeToolName(call.name), arguments: call.arguments.toWellFormed() },
    ...(seal !== undefined && form.signatures !== "none"
      ? { extra_content: { google: { thought_signature: seal } } }
      : {}),
  };
}

/** The reasoning before a message with calls, as far as its server accepts it. */
function createReasoningPart(
  { content, sentBack = {}, reasoning = "" }: Extract<ChatMessage, { role: "assistant" }>,
  { sendsBack, reasoningBesideText, needsReasoning }: MessageForm,
): object {
  const { others, ...known } = sentBack;
  const kept: Readonly<Record<string, unknown>> = { ...others, ...known };
  const names = content === "" || reasoningBesideText ? sendsBack.filter((name) => name in kept) : [];
  const [needed = "reasoning_content"] = sendsBack;
  return {
    ...(needsReasoning && !LISTS.has(needed) ? { [needed]: reasoning } : {}),
    ...Object.fromEntries(names.map((name) => [name, kept[name]])),
  };
}

/** Fields without text. */
const LISTS = new Set(["thinking_blocks", "reasoning_details"]);

/** Cleans an invented name. It can have any characters, but servers refuse a prompt over most of them. */
export function sanitizeToolName(name: string): string {
  return (
    name
      .trim()
      .replace(/[^\w.:-]/gu, "_")
      .slice(0, 64) || "unnamed"
  );
}

/** The longest ID that every server accepts. */
const LONGEST_ID = 40;

/**
 * Converts an ID to the form that the server accepts. The result depends only on the ID, so calls and results still match. Gateways hide a
 * seal in a long ID, so it stays unchanged for a server that seals its calls.
 */
export function convertCallId(
  id: string,
  { callIds, signatures }: Pick<MessageForm, "callIds" | "signatures">,
): string {
  const isShort = id.length <= LONGEST_ID || signatures !== "none";
  if (callIds === "any" ? isShort && id.isWellFormed() : /^[a-z0-9]{9}$/i.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const char of id) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  return hash.toString(36).padStart(9, "0").slice(-9);
}

/** A request in the form of OpenAI's API, with only the parts that the server accepts. */
export function createChatRequest(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
): ChatCompletionCreateParamsStreaming {
  const { maxReplyTokens, temperature, schema, stop } = request;
  const [limit] = dialect.replyLimits;
  const [form] = dialect.schemaForms;
  const reasoning = createReasoningParameters(request, dialect);
  const isPlain = dialect.plainWhileReasoning && reasoning.tokens > 0;
  const room = Math.max(dialect.thinkingRoom, reasoning.tokens);
  return {
    model,
    messages: convertConversation(model, request, dialect),
    stream: true,
    ...(dialect.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(maxReplyTokens !== undefined && limit ? { [limit]: maxReplyTokens + room } : {}),
    ...(temperature !== undefined && dialect.temperature && !isPlain ? { temperature } : {}),
    ...(stop && dialect.stop ? { stop: [...stop] } : {}),
    ...(request.isBrief && dialect.verbosity ? { verbosity: "low" as const } : {}),
    ...createCacheKey(request, dialect),
    ...(request.tools
      ? createToolsPart(request.tools, request.parallelCalls ?? false, {
          ...dialect,
          ...(isPlain ? { toolChoice: "auto" as const } : {}),
        })
      : {}),
    ...(schema && form ? createSchemaPart(schema, form) : {}),
    ...reasoning.parameters,
  };
}

function convertConversation(model: string, request: ModelRequest, dialect: Dialect): ChatCompletionMessageParam[] {
  const adaptMessages = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
    orderMessages(keepSendablePictures(keepOwnThinking(messages, model), dialect, false), dialect.order);
  const ordered = adaptMessages(request.messages);
  const sent = convertChatMessages(ordered, dialect);
  const { cached } = request;
  if (!cached || !dialect.cacheMarks) return sent;
  // The tail may be joined to the last message before it.
  const kept = adaptMessages(request.messages.slice(0, cached.messages));
  const isJoined = kept.at(-1)?.content !== ordered[kept.length - 1]?.content;
  const marked = selectMarkedMessages(ordered, isJoined ? kept.length - 1 : kept.length);
  const mark = createCacheMark(request, dialect);
  return sent.map((message, index) => (marked.has(index) ? addMark(message, mark) : message));
}

function addMark(message: ChatCompletionMessageParam, mark: object): ChatCompletionMessageParam {
  const { content } = message;
  // Gateways take the mark of a result beside its content: within it, Anthropic's cache passes over it.
  if (message.role === "tool") return { ...message, cache_control: mark } as ChatCompletionMessageParam;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : [...toListOrEmpty(content)];
  const last = toObjectOrEmpty(parts.pop());
  if (last.text === "") return message;
  return { ...message, content: [...parts, { ...last, cache_control: mark }] } as ChatCompletionMessageParam;
}

/** Messages without another model's thinking, which no server accepts. */
function keepOwnThinking(messages: readonly ChatMessage[], model: string): readonly ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== "assistant" || !message.sentBack?.thinking_blocks) return message;
    const { thinking_blocks: blocks, ...others } = message.sentBack;
    const isOwn = others.from === undefined || others.from === model;
    const own = isOwn ? { thinking_blocks: blocks.filter(({ type }) => type !== AFTER_TYPE) } : {};
    return { ...message, sentBack: { ...others, ...own } };
  });
}

/** Tokens of reasoning for an effort, for servers that count them, and as extra room for a reply. */
export const EFFORT_TOKENS = {
  none: 0,
  minimal: 0,
  low: 2_048,
  medium: 8_192,
  high: 24_000,
  xhigh: 32_000,
  max: 64_000,
} as const;

function createReasoningParameters(
  { reasoningEffort: effort }: ModelRequest,
  { reasoning, efforts, plainWhileReasoning }: Dialect,
): { readonly parameters: object; readonly tokens: number } {
  if (!isEffort(effort)) return { parameters: {}, tokens: 0 };
  const counted = EFFORT_TOKENS[effort];
  const isOn = counted > 0;
  const type = isOn ? "enabled" : "disabled";
  switch (reasoning) {
    case "none":
      return { parameters: {}, tokens: 0 };
    case "reasoning_effort":
      // Gateways turn reasoning on for Anthropic's models with any effort.
      if (!isOn && plainWhileReasoning) return { parameters: {}, tokens: 0 };
      return { parameters: { reasoning_effort: efforts[effort] }, tokens: plainWhileReasoning ? counted : 0 };
    case "reasoning.effort":
      return {
        parameters: { reasoning: { effort: efforts[effort] } },
        tokens: plainWhileReasoning ? counted : 0,
      };
    case "thinking":
      return { parameters: { thinking: { type } }, tokens: 0 };
    case "thinking.adaptive":
      // Only Messages know it.
      return { parameters: {}, tokens: 0 };
    case "thinking.budget_tokens":
      return {
        parameters: { thinking: isOn ? { type, budget_tokens: counted } : { type } },
        tokens: counted,
      };
    case "enable_thinking":
      return {
        parameters: { enable_thinking: isOn, ...(isOn ? { thinking_budget: counted } : {}) },
        tokens: counted,
      };
    case "chat_template_kwargs":
      return { parameters: { chat_template_kwargs: { enable_thinking: isOn } }, tokens: 0 };
  }
}

function createSchemaPart({ name, schema }: NonNullable<ModelRequest["schema"]>, form: SchemaForm): object {
  switch (form) {
    case "json_schema":
      return { response_format: { type: "json_schema", json_schema: { name, schema } } };
    case "json_object with schema":
      return { response_format: { type: "json_object", schema } };
    case "guided_json":
      return { guided_json: schema };
    case "json_schema field":
      return { json_schema: schema };
    case "json_object":
      return { response_format: { type: "json_object" } };
  }
}

function createToolsPart(
  tools: NonNullable<ModelRequest["tools"]>,
  parallelCalls: boolean,
  { toolChoice, parallelToolCalls, openSchemas }: Pick<Dialect, "toolChoice" | "parallelToolCalls" | "openSchemas">,
): object {
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters: openSchemas ? parameters : normalizeParameters(parameters) },
    })),
    tool_choice: toolChoice,
    ...(parallelToolCalls ? { parallel_tool_calls: parallelCalls } : {}),
  };
}

/** Reads a piece of a reply from anything a server may send: null choices, empty deltas, or a whole message at once. */
export function readChunk(value: unknown): Chunk {
  const chunk = toObjectOrEmpty(value);
  const choices = selectReplyChoices(chunk);
  const [choice = {}] = choices;
  const isMessage = !hasContent(choice.delta) && isObject(choice.message);
  const parts = choices.map((one) => toObjectOrEmpty(hasContent(one.delta) ? one.delta : (one.message ?? one.delta)));
  const said: Json = Object.assign({}, ...parts.toReversed());
  const finish = toTextOrEmpty(choice.finish_reason).toLowerCase();
  const counts = toObjectOrEmpty(chunk.usage ?? choice.usage ?? toObjectOrEmpty(chunk.x_groq).usage);
  return {
    model: toTextOrEmpty(chunk.model),
    choice: toAmount(choice.index),
    text: parts.map(({ content, refusal }) => joinTextParts(content) + toTextOrEmpty(refusal)).join(""),
    isMessage,
    reasoning: readReasoning(said),
    isRefusal: toTextOrEmpty(said.refusal) !== "",
    calls: parts.flatMap(readCalls),
    finish: FINISH[finish] ?? finish,
    usage: readUsage(counts),
    costUsd: readCost(counts),
    complaint: findComplaint(chunk, choice),
  };
}

/** Other names for the two finish reasons that matter to the agent, and for none. */
const FINISH: Readonly<Record<string, string>> = {
  null: "",
  none: "",
  max_tokens: "length",
  model_length: "length",
  safety: "content_filter",
  refusal: "content_filter",
  sensitive: "content_filter",
  prohibited_content: "content_filter",
  guardrail_intervened: "content_filter",
};

/** The choices that belong to one reply. Some servers send its text and its calls as choices with the same number. */
function selectReplyChoices(chunk: Json): readonly Json[] {
  const choices = toListOrEmpty(chunk.choices).map(toObjectOrEmpty);
  const first = choices.find(({ index }) => toAmount(index) === 0) ?? choices[0];
  return choices.filter(({ index }) => toAmount(index) === toAmount(first?.index));
}

function hasContent(delta: unknown): boolean {
  return Object.entries(toObjectOrEmpty(delta)).some(([name, value]) => name !== "role" && isFilled(value));
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value) ? value.length > 0 : isObject(value);
}

/** Text, or the text parts of a list. */
function joinTextParts(content: unknown): string {
  return listParts(content)
    .map((part) => (typeof part === "string" ? part : readTextPart(toObjectOrEmpty(part))))
    .join("");
}

function readTextPart({ type = "text", text }: Json): string {
  return type === "text" || type === "output_text" ? toTextOrEmpty(text) : "";
}

/** A list, or a single value as a list. */
function listParts(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Reads calls from their usual field, the older field for a single call, or the parts of the content. */
function readCalls(said: Json): CallPiece[] {
  const pieces = listParts(said.tool_calls).filter(isObject).map(readCallPiece);
  if (pieces.length > 0) return pieces;
  if (isObject(said.function_call)) return [readCallPiece({ index: 0, function: said.function_call })];
  return toListOrEmpty(said.content)
    .filter(isObject)
    .filter(({ type }) => /^(tool|function)/.test(toTextOrEmpty(type)))
    .map(readCallPiece);
}

function readCallPiece(call: Json): CallPiece {
  const own = [call.function, call.custom].find(isObject) ?? call;
  const args = own.arguments ?? own.parameters ?? own.input;
  return {
    index: toAmount(call.index),
    id: typeof call.id === "number" ? String(call.id) : toTextOrEmpty(call.id),
    name: toTextOrEmpty(own.name),
    arguments: isObject(args) ? JSON.stringify(args) : toTextOrEmpty(args),
    signature: toTextOrEmpty(toObjectOrEmpty(toObjectOrEmpty(call.extra_content).google).thought_signature),
  };
}

/** The complaint in place of a reply or a choice. */
function findComplaint(chunk: Json, choice: Json): Complaint | undefined {
  if (isObject(choice.error)) return readComplaint(choice.error);
  if ((chunk.choices ?? undefined) !== undefined || chunk.usage !== undefined) return undefined;
  const complaint = readComplaint(chunk);
  return complaint.message === "" ? undefined : complaint;
}

import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseTextConfig,
} from "openai/resources/responses/responses";
import { type Json, tryJson } from "../../core/base/json.ts";
import type { ChatMessage, ModelRequest } from "../../core/ports/model.ts";
import { type Dialect, isEffort } from "../chat/dialect.ts";
import { orderMessages } from "../chat/message-order.ts";
import { NO_REASONING } from "../chat/reasoning.ts";
import { type CallPiece, type Chunk, NOTHING } from "../chat/reply-stream.ts";
import { keepSendablePictures } from "../chat/sent-pictures.ts";
import { normalizeParameters } from "../chat/tool-schemas.ts";
import { openResponsesClient } from "../http/client.ts";
import { type Complaint, createForeignAnswerError, readComplaint } from "../http/error-response.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { createCacheKey, selectMarkedMessages } from "./cache-marks.ts";
import { convertCallId, EFFORT_TOKENS, sanitizeToolName } from "./chat-completions.ts";
import { readCost, readUsage } from "./usage.ts";
import type { Wire } from "./wire.ts";

/**
 * OpenAI's Responses API without anything stored at the service: each request contains the whole conversation, including sealed reasoning.
 */
export const responses: Wire = {
  connect: async (to) => {
    const client = await openResponsesClient(to);
    return {
      stream: async (body, options) =>
        toItsEnd(await client.responses.create(body as ResponseCreateParamsStreaming, options)),
      fetchWhole: async (body, options) => {
        const asked = { ...(body as ResponseCreateParamsStreaming), stream: false as const };
        return parseWholeReply(await (await client.responses.create(asked, options).asResponse()).text());
      },
    };
  },
  request: createResponsesRequest,
  createReader: createResponsesReader,
};

/** The events that end a reply. */
const ENDS = /^response\.(completed|incomplete|failed|cancelled|done)$/;

/** Yields the events of a reply, which must not end within an item or after only reasoning. */
async function* toItsEnd(events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const open = new Set<unknown>();
  let hasEnded = false;
  let hasReasoning = false;
  let hasMore = false;
  for await (const event of events) {
    const { type, item, output_index: index, error } = toObjectOrEmpty(event);
    const kind = toObjectOrEmpty(item).type;
    if (type === "response.output_item.added") open.add(index);
    if (type === "response.output_item.done") open.delete(index);
    hasReasoning ||= kind === "reasoning";
    hasMore ||= kind !== undefined && kind !== "reasoning";
    hasEnded ||= ENDS.test(toTextOrEmpty(type)) || Boolean(error);
    yield event;
  }
  // Half of a call can't be run, and half of a reply isn't the model's fault.
  if (!hasEnded && (open.size > 0 || (hasReasoning && !hasMore)))
    throw new Error("The reply ended in the middle of an item.");
}

/** The JSON of a reply that wasn't streamed. Any other answer isn't from this API. */
function parseWholeReply(text: string): unknown {
  const answer = toObjectOrEmpty(tryJson(text));
  if (text.trim() !== "" && !answer.output && !answer.error) throw createForeignAnswerError();
  return answer;
}

/** A request in the form of Responses, with only the parts that the server accepts. */
export function createResponsesRequest(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
): ResponseCreateParamsStreaming {
  const { maxReplyTokens, temperature, cached, reasoningEffort } = request;
  const effort = isEffort(reasoningEffort) && dialect.reasoning !== "none" ? reasoningEffort : undefined;
  const tokens = effort && dialect.plainWhileReasoning ? EFFORT_TOKENS[effort] : 0;
  const isPlain = tokens > 0;
  const room = Math.max(dialect.thinkingRoom, tokens);
  const reasoning = {
    ...(effort ? { effort: dialect.efforts[effort] } : {}),
    ...(dialect.summaries && effort !== "none" ? { summary: "auto" as const } : {}),
  };
  return {
    model,
    input: createMarkedItems(request, dialect),
    stream: true,
    store: false,
    ...(dialect.sealedReasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...createCacheKey(request, dialect),
    ...(cached && dialect.cacheKey && dialect.cachePoints
      ? { prompt_cache_options: { mode: "explicit" as const } }
      : {}),
    ...(maxReplyTokens !== undefined && dialect.replyLimits.length > 0
      ? { max_output_tokens: maxReplyTokens + room }
      : {}),
    ...(temperature !== undefined && dialect.temperature && !isPlain ? { temperature } : {}),
    ...(request.tools ? createToolsPart(request, dialect, isPlain) : {}),
    ...createTextPart(request, dialect),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
  };
}

/** Sets `strict` to false, because this API's default, true, doesn't allow optional arguments. */
function createToolsPart(
  { tools = [], parallelCalls = false }: ModelRequest,
  { toolChoice, parallelToolCalls, openSchemas }: Dialect,
  isPlain: boolean,
): Partial<ResponseCreateParamsStreaming> {
  const open = { type: "object", properties: {} };
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      parameters: openSchemas ? parameters : (normalizeParameters(parameters) ?? open),
      strict: false,
    })),
    tool_choice: isPlain || toolChoice === "auto" ? "auto" : "required",
    ...(parallelToolCalls ? { parallel_tool_calls: parallelCalls } : {}),
  };
}

function createTextPart(
  { schema, isBrief }: ModelRequest,
  { schemaForms: [form], verbosity }: Dialect,
): { readonly text?: ResponseTextConfig } {
  const text: ResponseTextConfig = {
    ...(schema && form
      ? {
          format: form === "json_schema" ? { type: form, ...schema, strict: false } : { type: "json_object" },
        }
      : {}),
    ...(isBrief && verbosity ? { verbosity: "low" } : {}),
  };
  return Object.keys(text).length === 0 ? {} : { text };
}

/** The items of a request, with marks at the ends of the parts to cache, if the service caches nothing without marks. */
function createMarkedItems({ messages, cached }: ModelRequest, dialect: Dialect): ResponseInputItem[] {
  const adaptMessages = (some: readonly ChatMessage[]): readonly ChatMessage[] =>
    orderMessages(keepSendablePictures(some, dialect, dialect.resultPictures), dialect.order);
  const ordered = adaptMessages(messages);
  const isMarked = cached && dialect.cacheKey && dialect.cachePoints;
  const kept = isMarked ? adaptMessages(messages.slice(0, cached.messages)).length : 0;
  const marked = selectMarkedMessages(ordered, kept);
  return ordered.flatMap((message, index) => {
    const items = convertToItems(message, dialect);
    return isMarked ? items.map((item) => convertToParts(item, marked.has(index))) : items;
  });
}

/** Puts an item's text into a part, so that only the mark at its end ever changes. */
function convertToParts(item: ResponseInputItem, isMarked: boolean): ResponseInputItem {
  if (item.type === "function_call_output") return { ...item, output: createParts(item.output, isMarked) };
  return "role" in item && "content" in item && item.role !== "assistant" && item.type === undefined
    ? { ...item, content: createParts(item.content, isMarked) }
    : item;
}

function createParts<Part extends object>(content: string | readonly Part[], isMarked: boolean) {
  const parts = typeof content === "string" ? [{ type: "input_text" as const, text: content }] : content;
  const last = parts.at(-1);
  if (!isMarked || !last) return [...parts];
  return [...parts.slice(0, -1), { ...last, prompt_cache_breakpoint: { mode: "explicit" as const } }];
}

type InputForm = Pick<Dialect, "callIds" | "signatures">;

/** Converts a message to items for Responses. The service has stored none, so none refers to an earlier one by ID. */
function convertToItems(message: ChatMessage, form: InputForm): ResponseInputItem[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content.toWellFormed() }];
    case "user":
      return [{ role: "user", content: createContent(message) }];
    case "tool":
      return [
        {
          type: "function_call_output",
          call_id: convertCallId(message.callId, form),
          output: createContent(message),
        },
      ];
    case "assistant":
      return createReplyItems(message, form);
  }
}

function createContent({ content, pictures = [] }: Extract<ChatMessage, { role: "user" | "tool" }>) {
  const text = content.toWellFormed();
  if (pictures.length === 0) return text;
  return [
    { type: "input_text" as const, text },
    ...pictures.map(({ mediaType, data = "" }) => ({
      type: "input_image" as const,
      detail: "auto" as const,
      image_url: `data:${mediaType};base64,${data}`,
    })),
  ];
}

/** A reply's items in their original order: reasoning unchanged, calls and words as they are in the history now. */
function createReplyItems(
  { content, calls = [], sentBack }: Extract<ChatMessage, { role: "assistant" }>,
  form: InputForm,
): ResponseInputItem[] {
  const kept = sentBack?.output ?? [];
  const texts = kept.flatMap(({ type, text }) => (type === "message" ? [toTextOrEmpty(text)] : []));
  const words = texts.join(BETWEEN_MESSAGES) === content ? texts : [content];
  const called = calls.map(
    (call): ResponseInputItem => ({
      type: "function_call",
      call_id: convertCallId(call.id, form),
      name: sanitizeToolName(call.name).replace(/[.:]/g, "_"),
      arguments: call.arguments.toWellFormed(),
    }),
  );
  const items = kept.flatMap((item): ResponseInputItem[] => {
    if (item.type === "function_call") return called.splice(0, 1);
    if (item.type !== "message") return [item as unknown as ResponseInputItem];
    return words.splice(0, 1).flatMap((text) => createReplyMessage(text, item.phase));
  });
  return [...items, ...words.flatMap((text) => createReplyMessage(text)), ...called];
}

function createReplyMessage(text: string, phase?: unknown): ResponseInputItem[] {
  const kept: Pick<EasyInputMessage, "phase"> = phase === "commentary" || phase === "final_answer" ? { phase } : {};
  return text === "" ? [] : [{ type: "message", role: "assistant", content: text.toWellFormed(), ...kept }];
}

const BETWEEN_MESSAGES = "\n\n";

/** Creates a reader for one reply's events. Servers send different ones, so text that a later event repeats counts once. */
function createResponsesReader(): (event: unknown) => Chunk {
  const reply = new ResponseInProgress();
  return (value) => {
    const event = toObjectOrEmpty(value);
    const type = toTextOrEmpty(event.type);
    if (type === "error" || event.error) return { ...NOTHING, complaint: readComplaint(event) };
    if (Array.isArray(event.output)) return reply.readWholeResponse(event);
    const response = toObjectOrEmpty(event.response);
    if (ENDS.test(type)) return reply.readWholeResponse(response);
    if (type === "response.output_item.added") return reply.readItem(event, false);
    if (type === "response.output_item.done") return reply.readItem(event, true);
    return { ...reply.readPiece(type, event), model: toTextOrEmpty(response.model) };
  };
}

/** Events with a piece of a text, or with the whole text. */
const STREAMED = /^response\.(output_text|refusal|reasoning_summary_text|reasoning_text)\.(delta|done)$/;

/** A streamed reply. Items are numbered as in the reply; servers may omit the numbers and send only IDs. */
class ResponseInProgress {
  /** Texts so far, by item and part. */
  private readonly texts = new Map<string, string>();
  private readonly numbers = new Map<string, number>();
  private readonly items: Json[] = [];
  private hasText = false;
  private hasReasoning = false;

  /** Reads a piece of a text or of a call's arguments, or a repetition of the whole. */
  readPiece(type: string, event: Json): Chunk {
    const at = this.getItemNumber(event, toObjectOrEmpty(event.item));
    if (type.startsWith("response.function_call_arguments.")) {
      const isWhole = type.endsWith(".done");
      const text = this.takeNewText(`call ${at}`, toTextOrEmpty(isWhole ? event.arguments : event.delta), isWhole);
      return text === "" ? NOTHING : { ...NOTHING, calls: [{ ...NO_CALL, index: at, arguments: text }] };
    }
    const [, kind = "", end] = STREAMED.exec(type) ?? [];
    if (kind === "") return NOTHING;
    const isWhole = end === "done";
    const whole = toTextOrEmpty(event.text) || toTextOrEmpty(event.refusal);
    const part = toAmount(event.summary_index) ?? toAmount(event.content_index) ?? 0;
    return this.readText(kind, `${at} ${part}`, isWhole ? whole : toTextOrEmpty(event.delta), isWhole);
  }

  /** Reads the beginning or the end of an item. */
  readItem(event: Json, isDone: boolean): Chunk {
    const item = toObjectOrEmpty(event.item);
    const at = this.getItemNumber(event, item);
    if (isDone) this.items[at] = item;
    return this.readItemContent(at, item, isDone);
  }

  /** The parts of the whole reply that weren't streamed. */
  readWholeResponse(response: Json): Chunk {
    if (response.status === "failed" || response.status === "cancelled")
      return { ...NOTHING, complaint: readFailure(response) };
    const output = toListOrEmpty(response.output).map(toObjectOrEmpty);
    const rest = output.map((item, at) => {
      this.items[at] ??= item;
      return this.readItemContent(at, item, true);
    });
    const items = this.items.filter((item) => item !== undefined);
    const text = rest.map((chunk) => chunk.text).join("");
    const reasoning = rest.map((chunk) => chunk.reasoning.text).join("");
    return {
      ...NOTHING,
      model: toTextOrEmpty(response.model),
      text,
      reasoning: { ...NO_REASONING, text: reasoning, items: selectKeptItems(items) },
      isRefusal: rest.some((chunk) => chunk.isRefusal),
      calls: rest.flatMap((chunk) => chunk.calls),
      finish: getFinishReason(
        response,
        items.some(({ type }) => type === "function_call"),
      ),
      usage: readUsage(response.usage),
      costUsd: readCost(response.usage),
    };
  }

  private readItemContent(at: number, item: Json, isDone: boolean): Chunk {
    if (item.type === "function_call") {
      const args = typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? {});
      const piece: CallPiece = {
        ...NO_CALL,
        index: at,
        id: toTextOrEmpty(item.call_id) || toTextOrEmpty(item.id),
        name: toTextOrEmpty(item.name),
        arguments: isDone ? this.takeNewText(`call ${at}`, args, true) : "",
      };
      const isNew = this.takeNewText(`name ${at}`, piece.name, true) !== "";
      return isNew || piece.arguments !== "" ? { ...NOTHING, calls: [piece] } : NOTHING;
    }
    if (!isDone) return NOTHING;
    const parts = [
      ...toListOrEmpty(item.summary).map((part, index) => [index, toObjectOrEmpty(part)] as const),
      ...toListOrEmpty(item.content).map((part, index) => [index, toObjectOrEmpty(part)] as const),
    ].map(([index, part]) => {
      const kind = KINDS[toTextOrEmpty(part.type)] ?? "";
      return kind === ""
        ? NOTHING
        : this.readText(kind, `${at} ${index}`, toTextOrEmpty(part.text) || toTextOrEmpty(part.refusal), true);
    });
    return {
      ...NOTHING,
      text: parts.map((part) => part.text).join(""),
      reasoning: { ...NO_REASONING, text: parts.map((part) => part.reasoning.text).join("") },
      isRefusal: parts.some((part) => part.isRefusal),
    };
  }

  private readText(kind: string, key: string, given: string, isWhole: boolean): Chunk {
    const isFirst = !this.texts.has(`${kind} ${key}`);
    const text = this.takeNewText(`${kind} ${key}`, given, isWhole);
    if (text === "") return NOTHING;
    if (kind.startsWith("reasoning")) {
      const gap = isFirst && this.hasReasoning ? BETWEEN_MESSAGES : "";
      this.hasReasoning = true;
      return { ...NOTHING, reasoning: { ...NO_REASONING, text: gap + text } };
    }
    const gap = isFirst && this.hasText ? BETWEEN_MESSAGES : "";
    this.hasText = true;
    return { ...NOTHING, text: gap + text, isRefusal: kind === "refusal" };
  }

  /** The new part of a text that may be partly known. */
  private takeNewText(key: string, text: string, isWhole: boolean): string {
    const known = this.texts.get(key) ?? "";
    const isKnown = isWhole && known !== "";
    const rest = isKnown && text.startsWith(known) ? text.slice(known.length) : text;
    const news = isKnown && !text.startsWith(known) ? "" : rest;
    if (news !== "") this.texts.set(key, known + news);
    return news;
  }

  private getItemNumber({ output_index: index, item_id: ref }: Json, { id }: Json): number {
    const name = toTextOrEmpty(ref) || toTextOrEmpty(id);
    const known = toAmount(index) ?? this.numbers.get(name) ?? this.numbers.size;
    if (name !== "") this.numbers.set(name, known);
    return known;
  }
}

/** The kinds of an item's parts, by the names of their events. */
const KINDS: Readonly<Record<string, string>> = {
  output_text: "output_text",
  text: "output_text",
  refusal: "refusal",
  summary_text: "reasoning_summary_text",
  reasoning_text: "reasoning_text",
};

const NO_CALL: CallPiece = { index: undefined, id: "", name: "", arguments: "", signature: "" };

/** The items to send back with the next request; none if the reply would be the same without them. */
function selectKeptItems(items: readonly Json[]): Json[] {
  const hasSeveral = items.filter(({ type }) => type === "message").length > 1;
  const kept = items.flatMap((item): Json[] => {
    switch (item.type) {
      case "reasoning":
        return isReadable(item) ? [stripNulls(item)] : [];
      case "function_call":
        return [{ type: "function_call" }];
      case "message":
        return [
          {
            type: "message",
            ...(item.phase ? { phase: item.phase } : {}),
            ...(hasSeveral ? { text: joinMessageText(item) } : {}),
          },
        ];
      default:
        return [];
    }
  });
  return kept.some(({ type, phase }) => type === "reasoning" || phase) ? kept : [];
}

/** True for reasoning that the service can read again: sealed, or in plain words. It hasn't stored any other. */
function isReadable({ encrypted_content: sealed, content }: Json): boolean {
  return toTextOrEmpty(sealed) !== "" || toListOrEmpty(content).length > 0;
}

function stripNulls(item: Json): Json {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function joinMessageText({ content }: Json): string {
  return toListOrEmpty(content)
    .map(toObjectOrEmpty)
    .map(({ text, refusal }) => toTextOrEmpty(text) || toTextOrEmpty(refusal))
    .join(BETWEEN_MESSAGES);
}

function getFinishReason({ status, incomplete_details: details }: Json, calls: boolean): string {
  const reason = toTextOrEmpty(toObjectOrEmpty(details).reason);
  if (status === "incomplete") return reason === "max_output_tokens" ? "length" : reason || "length";
  return calls ? "tool_calls" : "stop";
}

function readFailure({ error, status }: Json): Complaint {
  const complaint = readComplaint(error);
  const said = complaint.message !== "" || complaint.code !== "";
  return said
    ? complaint
    : { ...complaint, code: "server_error", message: `The response is ${toTextOrEmpty(status)}.` };
}

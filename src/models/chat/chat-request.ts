import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from "openai/resources";
import type { ChatMessage, ModelRequest } from "../../core/ports/model.ts";
import { saysNoSystem, saysTooLong, saysWrongFormat, saysWrongOrder, wordsOf } from "../http/complaints.ts";
import type { ServerTrouble } from "../http/error-response.ts";

/** Messages in the form of OpenAI's API. Servers refuse a whole prompt over half a surrogate pair, which cuts and models can leave. */
export function chatMessages(messages: readonly ChatMessage[]): ChatCompletionMessageParam[] {
  return messages.map(chatMessage);
}

function chatMessage(given: ChatMessage): ChatCompletionMessageParam {
  const message = { ...given, content: given.content.toWellFormed() };
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
    case "assistant":
      return message.calls?.length
        ? {
            role: "assistant",
            content: message.content || null,
            tool_calls: message.calls.map((call) => ({
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: call.arguments.toWellFormed() },
            })),
          }
        : { role: "assistant", content: message.content };
  }
}

/** The orders of messages that a server accepts. */
export interface MessageOrder {
  readonly system: boolean;
  readonly userAfterUser: boolean;
  readonly userAfterTool: boolean;
}

const FREE_ORDER: MessageOrder = { system: true, userAfterUser: true, userAfterTool: true };

/** The same conversation in an order that a server accepts. Messages are joined; nothing is left out. */
export function inOrder(messages: readonly ChatMessage[], order: MessageOrder): ChatMessage[] {
  const ordered: ChatMessage[] = [];
  for (const message of messages) {
    const next: ChatMessage =
      message.role === "system" && !order.system ? { role: "user", content: message.content } : message;
    const last = ordered.at(-1);
    const joins =
      next.role === "user" &&
      ((last?.role === "user" && !order.userAfterUser) || (last?.role === "tool" && !order.userAfterTool));
    if (last && joins)
      ordered[ordered.length - 1] = { ...last, content: `${last.content}\n\n${next.content}` };
    else ordered.push(next);
  }
  return ordered;
}

export type ReplyLimit = "max_completion_tokens" | "max_tokens";

/** OpenAI's form, the form of llama.cpp's Python server, and that of servers that only know JSON mode. */
type SchemaForm = "json_schema" | "json_object with schema" | "json_object";

/** The optional parts of a request that a server accepts. It is learned from refusals and remembered. */
export interface Dialect {
  /** Parameter names that limit the reply's length. The first is used; if empty, none. */
  readonly replyLimits: readonly ReplyLimit[];
  /** Tokens to add to that limit, because it counts hidden reasoning as well. */
  readonly thinkingRoom: number;
  /** Reports the token count at the end of a stream when asked. */
  readonly streamUsage: boolean;
  readonly temperature: boolean;
  readonly parallelToolCalls: boolean;
  readonly toolChoice: "required" | "auto";
  /** Ways to ask for an object of a schema; the first is used. */
  readonly schemaForms: readonly [SchemaForm, ...SchemaForm[]];
  readonly order: MessageOrder;
}

/** The dialect of a first request. OpenAI's newest models accept only the newer name of the reply limit, many other servers only the older. */
export function firstDialect(replyLimits: readonly ReplyLimit[], thinkingRoom: number): Dialect {
  return {
    replyLimits,
    thinkingRoom,
    streamUsage: true,
    temperature: true,
    parallelToolCalls: true,
    toolChoice: "required",
    schemaForms: ["json_schema", "json_object with schema", "json_object"],
    order: FREE_ORDER,
  };
}

/** The dialect for another try after a refusal; undefined if the refusal was about something else. */
export function adaptedDialect(
  dialect: Dialect,
  trouble: ServerTrouble,
  request: ModelRequest,
): Dialect | undefined {
  const { status } = trouble;
  const words = wordsOf(trouble.complaint);
  const order = saysWrongOrder(trouble) ? stricterOrder(dialect.order, trouble) : undefined;
  if (order) return { ...dialect, order };
  if (status === undefined || status < 400 || saysTooLong(trouble)) return undefined;
  const [, second, ...others] = dialect.schemaForms;
  if (request.schema && second && saysWrongFormat(trouble, request))
    return { ...dialect, schemaForms: [second, ...others] };
  if (status >= 500 && !NAMES_A_FIELD.test(words)) return undefined;
  if (request.tools && dialect.parallelToolCalls && /parallel[_ ]tool/i.test(words))
    return { ...dialect, parallelToolCalls: false };
  if (request.tools && dialect.toolChoice === "required" && /tool[_ ]choice/i.test(words))
    return { ...dialect, toolChoice: "auto" };
  if (dialect.streamUsage && /stream[_ ]options|include[_ ]usage/i.test(words))
    return { ...dialect, streamUsage: false };
  if (request.temperature !== undefined && dialect.temperature && /\btemperature\b/i.test(words))
    return { ...dialect, temperature: false };
  const [limit] = dialect.replyLimits;
  if (request.maxReplyTokens !== undefined && limit !== undefined && new RegExp(`\\b${limit}\\b`).test(words))
    return { ...dialect, replyLimits: TOO_LARGE.test(words) ? [] : dialect.replyLimits.slice(1) };
  return undefined;
}

/** The order to try after a complaint about `order`; undefined if it's already the strictest. */
export function stricterOrder(order: MessageOrder, trouble: ServerTrouble): MessageOrder | undefined {
  const strict = { ...order, userAfterUser: false, userAfterTool: false };
  if (order.system && saysNoSystem(trouble)) return { ...order, system: false, userAfterUser: false };
  if (order.userAfterUser || order.userAfterTool) return strict;
  return order.system ? { ...strict, system: false } : undefined;
}

/** A server error is about a field only if it says so. */
const NAMES_A_FIELD = /validation|not support|unsupported|unknown (parameter|field|argument)|not permitted/i;

/** The number is refused, not the name. The server's own limit is used then. */
const TOO_LARGE = /too large|at most|less than|exceeds|maximum value/i;

/** A request in the form of OpenAI's API, with only the parts that the server accepts. */
export function chatRequest(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
): ChatCompletionCreateParamsStreaming {
  const { maxReplyTokens, temperature, schema } = request;
  const [limit] = dialect.replyLimits;
  return {
    model,
    messages: chatMessages(inOrder(request.messages, dialect.order)),
    stream: true,
    ...(dialect.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(maxReplyTokens !== undefined && limit ? { [limit]: maxReplyTokens + dialect.thinkingRoom } : {}),
    ...(temperature !== undefined && dialect.temperature ? { temperature } : {}),
    ...(request.tools ? toolsPart(request.tools, dialect) : {}),
    ...(schema ? { response_format: schemaPart(schema, dialect.schemaForms[0]) } : {}),
  };
}

function schemaPart(
  { name, schema }: NonNullable<ModelRequest["schema"]>,
  form: SchemaForm,
): NonNullable<ChatCompletionCreateParamsStreaming["response_format"]> {
  switch (form) {
    case "json_schema":
      return { type: "json_schema", json_schema: { name, schema: { ...schema } } };
    case "json_object with schema": {
      const withSchema = { type: "json_object" as const, schema };
      return withSchema;
    }
    case "json_object":
      return { type: "json_object" };
  }
}

function toolsPart(
  tools: NonNullable<ModelRequest["tools"]>,
  { toolChoice, parallelToolCalls }: Dialect,
): Pick<ChatCompletionCreateParamsStreaming, "tools" | "tool_choice" | "parallel_tool_calls"> {
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters: { ...parameters } },
    })),
    tool_choice: toolChoice,
    ...(parallelToolCalls ? { parallel_tool_calls: false } : {}),
  };
}

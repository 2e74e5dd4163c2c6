import type { ModelRequest } from "../core/ports/model.ts";
import { FREE_ORDER, type MessageOrder } from "./chat-messages.ts";
import { saysNoSystem, saysTooLong, saysWrongFormat, saysWrongOrder, wordsOf } from "./complaints.ts";
import type { ServerTrouble } from "./server-trouble.ts";

export type ReplyLimit = "max_completion_tokens" | "max_tokens";

/** OpenAI's form, that of llama.cpp's Python server, and that of servers that only know JSON mode. */
export type SchemaForm = "json_schema" | "json_object with schema" | "json_object";

/** Which of the optional parts of a request a server takes. It is learnt from what the server refuses, and kept. */
export interface Dialect {
  /** The names under which the reply's length may be limited; the first is used, and none at all without any. */
  readonly replyLimits: readonly ReplyLimit[];
  /** Tokens to add to that limit, because the model thinks unseen and that counts. */
  readonly thinkingRoom: number;
  /** Sends the count of tokens at the end of a stream when asked. */
  readonly streamUsage: boolean;
  readonly temperature: boolean;
  readonly parallelToolCalls: boolean;
  readonly toolChoice: "required" | "auto";
  /** The ways to ask for an object of a schema; the first is used. */
  readonly schemaForms: readonly [SchemaForm, ...SchemaForm[]];
  readonly order: MessageOrder;
}

/** What a server is asked at first. OpenAI's newest models know only the newer name of the reply's limit, many other servers only the older. */
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

/** The dialect to ask again in after a refusal; undefined when the refusal was about something else. */
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

/** The order to try after a complaint about `order`; undefined when it is the strictest already. */
export function stricterOrder(order: MessageOrder, trouble: ServerTrouble): MessageOrder | undefined {
  const strict = { ...order, userAfterUser: false, userAfterTool: false };
  if (order.system && saysNoSystem(trouble)) return { ...order, system: false, userAfterUser: false };
  if (order.userAfterUser || order.userAfterTool) return strict;
  return order.system ? { ...strict, system: false } : undefined;
}

/** A server's failure is about a field only if it says so. */
const NAMES_A_FIELD = /validation|not support|unsupported|unknown (parameter|field|argument)|not permitted/i;

/** It is the number that is refused, not the name; then the server's own limit will do. */
const TOO_LARGE = /too large|at most|less than|exceeds|maximum value/i;

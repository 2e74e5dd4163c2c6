import type { ChatMessage, ModelRequest } from "../../core/ports/model.ts";
import type { MessageOrder } from "../../schema/dialect.ts";
import { isSystemMessageComplaint } from "../http/complaints.ts";
import type { ServerTrouble } from "../http/error-response.ts";

export type { MessageOrder } from "../../schema/dialect.ts";

export const FREE_ORDER: MessageOrder = {
  system: true,
  userAfterUser: true,
  userAfterTool: true,
  callsTogether: true,
};

/** User and assistant alternate; tool results count as the user's messages. */
export const STRICT_ORDER: MessageOrder = { ...FREE_ORDER, userAfterUser: false, userAfterTool: false };

/** The order to try after a complaint about `order`; undefined if it's already the strictest. */
export function findStricterOrder(
  order: MessageOrder,
  trouble: ServerTrouble,
  { messages }: Pick<ModelRequest, "messages">,
): MessageOrder | undefined {
  const { userAfterUser, userAfterTool } = STRICT_ORDER;
  const strict = { ...order, userAfterUser, userAfterTool };
  if (order.system && isSystemMessageComplaint(trouble)) return { ...order, system: false, userAfterUser: false };
  if (order.userAfterUser || order.userAfterTool) return strict;
  const hasSeveral = messages.some((message) => message.role === "assistant" && (message.calls?.length ?? 0) > 1);
  if (order.callsTogether && hasSeveral) return { ...strict, callsTogether: false };
  return order.system ? { ...strict, system: false } : undefined;
}

/** Reorders a conversation for a server. Messages are joined or split; nothing is left out. */
export function orderMessages(messages: readonly ChatMessage[], order: MessageOrder): ChatMessage[] {
  const ordered: ChatMessage[] = [];
  const own = assignOwnIds(messages);
  for (const message of order.callsTogether ? own : splitCalls(own)) {
    const next: ChatMessage =
      message.role === "system" && !order.system ? { role: "user", content: message.content } : message;
    const last = ordered.at(-1);
    const joins =
      next.role === "user" &&
      ((last?.role === "user" && !order.userAfterUser) || (last?.role === "tool" && !order.userAfterTool));
    if (last?.role === "tool" && joins && next.role === "user" && next.pictures) ordered.push(LOOKING, next);
    else if (last && joins) ordered[ordered.length - 1] = joinMessages(last, next);
    else ordered.push(next);
  }
  return ordered;
}

/** Gives each call an ID that no earlier call has, and its result the same ID. */
function assignOwnIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const used = new Set([""]);
  let open: { readonly id: string; readonly own: string }[] = [];
  return messages.map((message) => {
    if (message.role === "tool") {
      const at = open.findIndex(({ id }) => id === message.callId);
      const [call] = at === -1 ? [] : open.splice(at, 1);
      return call ? { ...message, callId: call.own } : message;
    }
    if (message.role !== "assistant" || !message.calls) return message;
    open = message.calls.map(({ id }) => {
      let own = id;
      for (let turn = 2; used.has(own); turn++) own = `${id}_${turn}`;
      used.add(own);
      return { id, own };
    });
    const owns = open.map(({ own }) => own);
    return { ...message, calls: message.calls.map((call, at) => ({ ...call, id: owns[at] ?? call.id })) };
  });
}

/** Separates a result from pictures if no user message may follow a result. */
const LOOKING: ChatMessage = { role: "assistant", content: "I look at the pictures." };

/** Joins two messages into one. */
function joinMessages(first: ChatMessage, second: Extract<ChatMessage, { role: "user" }>): ChatMessage {
  const content = `${first.content}\n\n${second.content}`;
  const pictures = [...(first.role === "user" ? (first.pictures ?? []) : []), ...(second.pictures ?? [])];
  return first.role === "user" && pictures.length > 0 ? { ...first, content, pictures } : { ...first, content };
}

/** Puts each call into a separate message, with its result right after it. */
function splitCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const open: ChatMessage[] = [];
  return messages.flatMap((message): readonly ChatMessage[] => {
    if (message.role === "tool") {
      const call = open.findIndex((other) => other.role === "assistant" && other.calls?.[0]?.id === message.callId);
      return call === -1 ? [message] : [...open.splice(call, 1), message];
    }
    if (message.role !== "assistant" || (message.calls?.length ?? 0) < 2) return [message];
    const { calls = [], ...said } = message;
    const [first, ...further] = calls.map((call) => ({
      role: "assistant" as const,
      content: "",
      calls: [call],
    }));
    open.push(...further);
    return first ? [{ ...said, calls: first.calls }] : [message];
  });
}

import type { ChatCompletionMessageParam } from "openai/resources";
import type { ChatMessage } from "../core/ports/model.ts";

/** Messages in the form of OpenAI's API. Half a character, as cuts and models leave them, would have a server refuse the whole prompt. */
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

/** Which orders of messages a server accepts. */
export interface MessageOrder {
  readonly system: boolean;
  readonly userAfterUser: boolean;
  readonly userAfterTool: boolean;
}

export const FREE_ORDER: MessageOrder = { system: true, userAfterUser: true, userAfterTool: true };

/** The same conversation in an order that a server accepts: messages are joined, and nothing is left out. */
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

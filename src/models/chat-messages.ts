import type { ChatCompletionMessageParam } from "openai/resources";
import type { ChatMessage } from "../core/ports.ts";

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

/** The same talk for chat templates that know only user and assistant, in turns: the system's words open the first user message. */
export function inTurns(messages: readonly ChatMessage[]): ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (const message of messages) {
    const next: ChatMessage =
      message.role === "system" ? { role: "user", content: message.content } : message;
    const last = turns.at(-1);
    if (next.role === "user" && last?.role === "user")
      turns[turns.length - 1] = { role: "user", content: `${last.content}\n\n${next.content}` };
    else turns.push(next);
  }
  return turns;
}

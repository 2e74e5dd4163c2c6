import type { AgentEvent } from "../../core/event.ts";
import type { ChatMessage, ToolCall } from "../../core/ports.ts";
import { type PromptedStep, promptedSteps } from "./prompts.ts";

/** Examples to learn good use of commands from, one JSON object a line: the steps that were approved as proposed and succeeded. */
export function fineTuningOf(events: readonly AgentEvent[]): string {
  return promptedSteps(events)
    .filter(isGood)
    .map((step) => `${JSON.stringify(exampleOf(step))}\n`)
    .join("");
}

function isGood({ decided, outcome, replied }: PromptedStep): boolean {
  const approved = decided?.allow === true && decided.args === undefined && !decided.edited;
  const succeeded = outcome.status === "done" || outcome.status === "finished";
  const { reply } = replied;
  const isWhole = reply.kind === "proposal" && !reply.ignored?.length && !reply.dropped?.length;
  return approved && succeeded && isWhole;
}

/** A chat whose last message alone is to be learnt. */
function exampleOf({ request, replied }: PromptedStep): object {
  const tools = request.tools?.map((tool) => ({ type: "function", function: tool }));
  const { text, calls } = replied;
  return {
    messages: [
      ...request.messages.map((message) => chatMessage(message, 0)),
      chatMessage(answer(text, calls), 1),
    ],
    ...(tools ? { tools } : {}),
  };
}

function answer(content: string, calls: readonly ToolCall[]): ChatMessage {
  return { role: "assistant", content, ...(calls.length > 0 ? { calls } : {}) };
}

/** A message in the form of the chat completions interface. `weight` tells whether an assistant's message is to be learnt. */
function chatMessage(message: ChatMessage, weight: 0 | 1): object {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role !== "assistant") return message;
  const { calls = [], content } = message;
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  return { role: "assistant", content, weight, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) };
}

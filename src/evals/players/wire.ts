import type { Usage } from "../../core/ports/model.ts";
import type { PlayedReply } from "./replies.ts";

/** Characters of a piece of a stream. */
const PIECE_CHARS = 400;

/** A reply as a chat completion in one piece. */
export function wholeCompletion(reply: PlayedReply, id: string, usage: Usage): object {
  const { content, call, finish } = reply;
  const calls = call ? [{ id: `call_${id}`, type: "function", function: call }] : undefined;
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 0,
    model: "player",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...(calls ? { tool_calls: calls } : {}) },
        finish_reason: finish === "" ? null : finish,
      },
    ],
    usage: wireUsage(usage),
  };
}

/** A reply as server-sent events. */
export function* streamedCompletion(
  reply: PlayedReply,
  id: string,
  usage: Usage | undefined,
): Generator<string> {
  const { content, call, finish } = reply;
  const chunk = (choices: readonly object[], more: object = {}): string =>
    event({
      id: `chatcmpl-${id}`,
      object: "chat.completion.chunk",
      created: 0,
      model: "player",
      choices,
      ...more,
    });
  const delta = (piece: object, reason: string | null = null): string =>
    chunk([{ index: 0, delta: piece, finish_reason: reason }]);
  yield delta({ role: "assistant", content: content === null ? null : "" });
  for (const piece of pieces(content ?? "")) yield delta({ content: piece });
  if (call) {
    const first = {
      index: 0,
      id: `call_${id}`,
      type: "function",
      function: { name: call.name, arguments: "" },
    };
    yield delta({ tool_calls: [first] });
    for (const piece of pieces(call.arguments))
      yield delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  if (finish === "") return;
  yield delta({}, finish);
  if (usage) yield chunk([], { usage: wireUsage(usage) });
  yield event("[DONE]");
}

function wireUsage({ input, output, cached = 0 }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, "g")) ?? [];
}

function event(data: object | string): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

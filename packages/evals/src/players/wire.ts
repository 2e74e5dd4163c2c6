import { omitUndefined, type Usage } from "../../../../src/headless/library.ts";
import type { PlayedReply } from "./replies.ts";

/** Characters of a piece of a stream. */
const PIECE_CHARS = 400;

/** A reply as a chat completion in one piece. */
export function createWholeCompletion(reply: PlayedReply, id: string, usage: Usage): object {
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
        message: { role: "assistant", content, ...omitUndefined({ tool_calls: calls }) },
        finish_reason: finish === "" ? null : finish,
      },
    ],
    usage: convertUsage(usage),
  };
}

/** A reply as server-sent events. */
export function* streamCompletion(reply: PlayedReply, id: string, usage: Usage | undefined): Generator<string> {
  const { content, call, finish } = reply;
  const encodeChunk = (choices: readonly object[], more: object = {}): string =>
    encodeEvent({
      id: `chatcmpl-${id}`,
      object: "chat.completion.chunk",
      created: 0,
      model: "player",
      choices,
      ...more,
    });
  const encodeDelta = (piece: object, reason: string | null = null): string =>
    encodeChunk([{ index: 0, delta: piece, finish_reason: reason }]);
  yield encodeDelta({ role: "assistant", content: content === null ? null : "" });
  for (const piece of splitPieces(content ?? "")) yield encodeDelta({ content: piece });
  if (call) {
    const first = {
      index: 0,
      id: `call_${id}`,
      type: "function",
      function: { name: call.name, arguments: "" },
    };
    yield encodeDelta({ tool_calls: [first] });
    for (const piece of splitPieces(call.arguments))
      yield encodeDelta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  if (finish === "") return;
  yield encodeDelta({}, finish);
  if (usage) yield encodeChunk([], { usage: convertUsage(usage) });
  yield encodeEvent("[DONE]");
}

function convertUsage({ input, output, cached = 0 }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function splitPieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, "g")) ?? [];
}

function encodeEvent(data: object | string): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

import { type Json, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Usage } from "../../core/ports/model.ts";
import { AFTER_TYPE, NO_REASONING } from "../chat/reasoning.ts";
import { type CallPiece, type Chunk, NOTHING } from "../chat/reply-stream.ts";
import { readComplaint } from "../http/error-response.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";

/** The blocks of an Anthropic message, assembled from its events as the service sent them. */
export class BlocksInProgress {
  /** The complete blocks. */
  readonly blocks: Json[] = [];
  private open: Json | undefined;
  private input = "";

  /** True inside a block. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Takes the next event and returns the block that it completes. */
  add({ type, content_block: block, delta }: Json): Json | undefined {
    switch (type) {
      case "content_block_start": {
        const before = this.close();
        this.open = toObjectOrEmpty(block);
        return before;
      }
      case "content_block_delta":
        this.extend(toObjectOrEmpty(delta));
        return undefined;
      case "content_block_stop":
      case "message_delta":
        return this.close();
      default:
        return undefined;
    }
  }

  private extend({ text, thinking, signature, partial_json: input }: Json): void {
    this.input += toTextOrEmpty(input);
    for (const [name, more] of Object.entries({ text, thinking, signature }))
      if (this.open && typeof more === "string")
        this.open = { ...this.open, [name]: toTextOrEmpty(this.open[name]) + more };
  }

  private close(): Json | undefined {
    const block = this.open && {
      ...this.open,
      ...(this.input === "" ? {} : { input: tryJson(this.input) ?? {} }),
    };
    this.open = undefined;
    this.input = "";
    if (block) this.blocks.push(block);
    return block;
  }
}

/** Reasons for a reply's end under the names of chat completions. A paused reply hasn't ended. */
const FINISH: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
  pause_turn: "",
};

/** Reads the events of one reply in their order, or the message as a whole. */
export function createMessagesReader(): (event: unknown) => Chunk {
  const reader = new MessagesReader();
  return (value) => {
    const event = toObjectOrEmpty(value);
    return event.type === "message"
      ? mergeChunks(listMessageEvents(event).map((each) => reader.read(each)))
      : reader.read(event);
  };
}

/** The events of a message that wasn't streamed. */
export function listMessageEvents(message: Json): readonly Json[] {
  const blocks = toListOrEmpty(message.content).map(toObjectOrEmpty);
  return [
    { type: "message_start", message },
    ...blocks.flatMap((block) => [
      { type: "content_block_start", content_block: block },
      { type: "content_block_stop" },
    ]),
    { type: "message_delta", delta: message },
  ];
}

function mergeChunks(chunks: readonly Chunk[]): Chunk {
  return chunks.reduce((all, each) => ({
    ...all,
    model: all.model || each.model,
    text: all.text + each.text,
    reasoning: {
      ...all.reasoning,
      text: all.reasoning.text + each.reasoning.text,
      thinkingBlocks: [...all.reasoning.thinkingBlocks, ...each.reasoning.thinkingBlocks],
    },
    isRefusal: all.isRefusal || each.isRefusal,
    calls: [...all.calls, ...each.calls],
    finish: each.finish || all.finish,
    usage: each.usage ?? all.usage,
    complaint: all.complaint ?? each.complaint,
  }));
}

class MessagesReader {
  private readonly content = new BlocksInProgress();
  private usage: Json = {};
  /** Usage of the requests before a paused reply was continued. */
  private earlier: Usage | undefined;
  private chars = 0;
  private calls = 0;
  /** Characters and calls before the last block of thinking. */
  private thoughtAfter = "0 0";
  /** The open call has received its arguments. */
  private hasInput = true;

  read(event: Json): Chunk {
    const ended = this.readBlockEnd(this.content.add(event));
    const piece = this.readEvent(event);
    return mergeChunks([ended, piece]);
  }

  private readEvent(event: Json): Chunk {
    switch (event.type) {
      case "message_start": {
        const message = toObjectOrEmpty(event.message);
        this.earlier = this.getTotalUsage();
        this.usage = toObjectOrEmpty(message.usage);
        return { ...NOTHING, model: toTextOrEmpty(message.model), usage: this.getTotalUsage() };
      }
      case "content_block_start":
        return this.readBlockStart(toObjectOrEmpty(event.content_block));
      case "content_block_delta":
        return this.readBlockDelta(toObjectOrEmpty(event.delta));
      case "message_delta":
        return this.readMessageDelta(event);
      case "error":
        return { ...NOTHING, complaint: readComplaint(event) };
      default:
        return event.error ? { ...NOTHING, complaint: readComplaint(event) } : NOTHING;
    }
  }

  private readBlockStart(block: Json): Chunk {
    if (block.type !== "tool_use") return this.readBlockDelta(block);
    this.calls++;
    const input = Object.keys(toObjectOrEmpty(block.input)).length > 0 ? JSON.stringify(block.input) : "";
    this.hasInput = input !== "";
    const call = { id: toTextOrEmpty(block.id), name: toTextOrEmpty(block.name), arguments: input };
    return { ...NOTHING, calls: [this.createCallPiece(call)] };
  }

  private readBlockDelta({ text, thinking, partial_json: input }: Json): Chunk {
    this.chars += toTextOrEmpty(text).length;
    this.hasInput ||= toTextOrEmpty(input) !== "";
    return {
      ...NOTHING,
      text: toTextOrEmpty(text),
      reasoning: { ...NO_REASONING, text: toTextOrEmpty(thinking) },
      calls: toTextOrEmpty(input) === "" ? [] : [this.createCallPiece({ arguments: toTextOrEmpty(input) })],
    };
  }

  private createCallPiece(piece: Partial<CallPiece>): CallPiece {
    return { index: this.calls - 1, id: "", name: "", arguments: "", signature: "", ...piece };
  }

  /** The rest of a complete block: thinking to send back, and empty arguments for a call without any. */
  private readBlockEnd(block: Json | undefined): Chunk {
    if (block?.type === "tool_use" && !this.hasInput) {
      this.hasInput = true;
      return { ...NOTHING, calls: [this.createCallPiece({ arguments: "{}" })] };
    }
    const isSealed =
      (block?.type === "thinking" && toTextOrEmpty(block.signature) !== "") || block?.type === "redacted_thinking";
    if (!block || !isSealed) return NOTHING;
    const place = `${this.chars} ${this.calls}`;
    const after = { type: AFTER_TYPE, chars: this.chars, calls: this.calls };
    const thinkingBlocks = place === this.thoughtAfter ? [block] : [after, block];
    this.thoughtAfter = place;
    return { ...NOTHING, reasoning: { ...NO_REASONING, thinkingBlocks } };
  }

  private readMessageDelta(event: Json): Chunk {
    const { stop_reason: reason, stop_details: details } = toObjectOrEmpty(event.delta);
    // Gateways repeat as zero or null what came at the start.
    for (const [name, amount] of Object.entries(toObjectOrEmpty(event.usage)))
      if (amount !== null && amount !== 0) this.usage = { ...this.usage, [name]: amount };
    const isRefusal = reason === "refusal";
    return {
      ...NOTHING,
      isRefusal,
      text: isRefusal && this.chars === 0 ? toTextOrEmpty(toObjectOrEmpty(details).explanation) : "",
      finish: FINISH[toTextOrEmpty(reason)] ?? toTextOrEmpty(reason),
      usage: this.getTotalUsage(),
    };
  }

  private getTotalUsage(): Usage | undefined {
    const now = readMessagesUsage(this.usage);
    return now && this.earlier ? addUsage(this.earlier, now) : (now ?? this.earlier);
  }
}

function addUsage(one: Usage, other: Usage): Usage {
  const sumField = (name: "cached" | "written" | "writtenForHour" | "reasoning"): Partial<Usage> =>
    one[name] === undefined && other[name] === undefined ? {} : { [name]: (one[name] ?? 0) + (other[name] ?? 0) };
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...sumField("cached"),
    ...sumField("written"),
    ...sumField("writtenForHour"),
    ...sumField("reasoning"),
  };
}

/** Reads usage. The service counts tokens read from and written to its cache separately from other input. */
function readMessagesUsage(usage: Json): Usage | undefined {
  const cached = toAmount(usage.cache_read_input_tokens);
  const { ephemeral_1h_input_tokens, ephemeral_5m_input_tokens } = toObjectOrEmpty(usage.cache_creation);
  const forHour = toAmount(ephemeral_1h_input_tokens);
  const byTime = (forHour ?? 0) + (toAmount(ephemeral_5m_input_tokens) ?? 0);
  const written = toAmount(usage.cache_creation_input_tokens) ?? byTime;
  const reasoning = toAmount(toObjectOrEmpty(usage.output_tokens_details).thinking_tokens);
  const input = (toAmount(usage.input_tokens) ?? 0) + (cached ?? 0) + written;
  const output = toAmount(usage.output_tokens) ?? 0;
  if (input === 0 && output === 0) return undefined;
  return {
    input,
    output,
    ...omitUndefined({ cached }),
    ...(written ? { written } : {}),
    ...(forHour ? { writtenForHour: forHour } : {}),
    ...omitUndefined({ reasoning }),
  };
}

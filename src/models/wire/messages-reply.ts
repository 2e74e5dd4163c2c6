import { type Json, tryJson } from "../../core/base/json.ts";
import type { Usage } from "../../core/ports/model.ts";
import { AFTER_TYPE, NO_REASONING } from "../chat/reasoning.ts";
import { type CallPiece, type Chunk, NOTHING } from "../chat/reply-stream.ts";
import { complaintOf } from "../http/error-response.ts";
import { amountOf, listOf, objectOf, textOf } from "../http/json.ts";

/** The blocks of a message of Anthropic's, put together from its events as the service sent them. */
export class BlocksInProgress {
  /** The complete ones. */
  readonly blocks: Json[] = [];
  private open: Json | undefined;
  private input = "";

  /** True in the middle of a block. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Takes the next event and returns the block that it completes. */
  add({ type, content_block: block, delta }: Json): Json | undefined {
    switch (type) {
      case "content_block_start": {
        const before = this.close();
        this.open = objectOf(block);
        return before;
      }
      case "content_block_delta":
        this.extend(objectOf(delta));
        return undefined;
      case "content_block_stop":
      case "message_delta":
        return this.close();
      default:
        return undefined;
    }
  }

  private extend({ text, thinking, signature, partial_json: input }: Json): void {
    this.input += textOf(input);
    for (const [name, more] of Object.entries({ text, thinking, signature }))
      if (this.open && typeof more === "string")
        this.open = { ...this.open, [name]: textOf(this.open[name]) + more };
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

/** The reasons for a reply's end in the words of chat completions. One that is paused hasn't ended. */
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
export function messagesReader(): (event: unknown) => Chunk {
  const reader = new MessagesReader();
  return (value) => {
    const event = objectOf(value);
    return event.type === "message"
      ? together(eventsOf(event).map((each) => reader.read(each)))
      : reader.read(event);
  };
}

/** The events of a message that came in one piece. */
export function eventsOf(message: Json): readonly Json[] {
  const blocks = listOf(message.content).map(objectOf);
  return [
    { type: "message_start", message },
    ...blocks.flatMap((block) => [
      { type: "content_block_start", content_block: block },
      { type: "content_block_stop" },
    ]),
    { type: "message_delta", delta: message },
  ];
}

function together(chunks: readonly Chunk[]): Chunk {
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
  /** Of the requests before a reply that was paused went on. */
  private earlier: Usage | undefined;
  private chars = 0;
  private calls = 0;
  /** Characters and calls before the last block of thinking. */
  private thoughtAfter = "0 0";
  /** The open call has got its arguments. */
  private hasInput = true;

  read(event: Json): Chunk {
    const ended = this.ended(this.content.add(event));
    const piece = this.piece(event);
    return together([ended, piece]);
  }

  private piece(event: Json): Chunk {
    switch (event.type) {
      case "message_start": {
        const message = objectOf(event.message);
        this.earlier = this.total();
        this.usage = objectOf(message.usage);
        return { ...NOTHING, model: textOf(message.model), usage: this.total() };
      }
      case "content_block_start":
        return this.begun(objectOf(event.content_block));
      case "content_block_delta":
        return this.more(objectOf(event.delta));
      case "message_delta":
        return this.last(event);
      case "error":
        return { ...NOTHING, complaint: complaintOf(event) };
      default:
        return event.error ? { ...NOTHING, complaint: complaintOf(event) } : NOTHING;
    }
  }

  private begun(block: Json): Chunk {
    if (block.type !== "tool_use") return this.more(block);
    this.calls++;
    const input = Object.keys(objectOf(block.input)).length > 0 ? JSON.stringify(block.input) : "";
    this.hasInput = input !== "";
    const call = { id: textOf(block.id), name: textOf(block.name), arguments: input };
    return { ...NOTHING, calls: [this.callPiece(call)] };
  }

  private more({ text, thinking, partial_json: input }: Json): Chunk {
    this.chars += textOf(text).length;
    this.hasInput ||= textOf(input) !== "";
    return {
      ...NOTHING,
      text: textOf(text),
      reasoning: { ...NO_REASONING, text: textOf(thinking) },
      calls: textOf(input) === "" ? [] : [this.callPiece({ arguments: textOf(input) })],
    };
  }

  private callPiece(piece: Partial<CallPiece>): CallPiece {
    return { index: this.calls - 1, id: "", name: "", arguments: "", signature: "", ...piece };
  }

  /** The rest of a complete block: thinking as it goes back, and the arguments of a call without any. */
  private ended(block: Json | undefined): Chunk {
    if (block?.type === "tool_use" && !this.hasInput) {
      this.hasInput = true;
      return { ...NOTHING, calls: [this.callPiece({ arguments: "{}" })] };
    }
    const isSealed =
      (block?.type === "thinking" && textOf(block.signature) !== "") || block?.type === "redacted_thinking";
    if (!block || !isSealed) return NOTHING;
    const place = `${this.chars} ${this.calls}`;
    const after = { type: AFTER_TYPE, chars: this.chars, calls: this.calls };
    const thinkingBlocks = place === this.thoughtAfter ? [block] : [after, block];
    this.thoughtAfter = place;
    return { ...NOTHING, reasoning: { ...NO_REASONING, thinkingBlocks } };
  }

  private last(event: Json): Chunk {
    const { stop_reason: reason, stop_details: details } = objectOf(event.delta);
    // Gateways repeat as zero or null what came at the start.
    for (const [name, amount] of Object.entries(objectOf(event.usage)))
      if (amount !== null && amount !== 0) this.usage = { ...this.usage, [name]: amount };
    const isRefusal = reason === "refusal";
    return {
      ...NOTHING,
      isRefusal,
      text: isRefusal && this.chars === 0 ? textOf(objectOf(details).explanation) : "",
      finish: FINISH[textOf(reason)] ?? textOf(reason),
      usage: this.total(),
    };
  }

  private total(): Usage | undefined {
    const now = usageIn(this.usage);
    return now && this.earlier ? sumOf(this.earlier, now) : (now ?? this.earlier);
  }
}

function sumOf(one: Usage, other: Usage): Usage {
  const both = (name: "cached" | "written" | "writtenForHour" | "reasoning"): Partial<Usage> =>
    one[name] === undefined && other[name] === undefined
      ? {}
      : { [name]: (one[name] ?? 0) + (other[name] ?? 0) };
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...both("cached"),
    ...both("written"),
    ...both("writtenForHour"),
    ...both("reasoning"),
  };
}

/** The service counts tokens from its cache and into it apart from the other input. */
function usageIn(usage: Json): Usage | undefined {
  const cached = amountOf(usage.cache_read_input_tokens);
  const { ephemeral_1h_input_tokens, ephemeral_5m_input_tokens } = objectOf(usage.cache_creation);
  const forHour = amountOf(ephemeral_1h_input_tokens);
  const byTime = (forHour ?? 0) + (amountOf(ephemeral_5m_input_tokens) ?? 0);
  const written = amountOf(usage.cache_creation_input_tokens) ?? byTime;
  const reasoning = amountOf(objectOf(usage.output_tokens_details).thinking_tokens);
  const input = (amountOf(usage.input_tokens) ?? 0) + (cached ?? 0) + written;
  const output = amountOf(usage.output_tokens) ?? 0;
  if (input === 0 && output === 0) return undefined;
  return {
    input,
    output,
    ...(cached === undefined ? {} : { cached }),
    ...(written ? { written } : {}),
    ...(forHour ? { writtenForHour: forHour } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

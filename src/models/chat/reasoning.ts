import type { Json } from "../../core/base/json.ts";
import type { SentBack } from "../../core/ports/model.ts";
import { toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";

/** Message fields with the model's own reasoning, which may have to be sent back. */
export type ReasoningField = string;

/** Reasoning in a message or a piece of one, in any field that servers use. */
export interface ReasoningPiece {
  readonly text: string;
  /** The field that contained the text; undefined if that field is never sent back. */
  readonly field: "reasoning_content" | "reasoning" | undefined;
  readonly thinkingBlocks: readonly Json[];
  readonly details: readonly Json[];
  /** Items of OpenAI's Responses API. */
  readonly items?: readonly Json[];
  /** Texts in server-specific fields. */
  readonly others: readonly (readonly [name: string, text: string])[];
}

export const NO_REASONING: ReasoningPiece = {
  text: "",
  field: undefined,
  thinkingBlocks: [],
  details: [],
  others: [],
};

/**
 * The type of an entry between thinking blocks that gives the next block's position: the preceding number of characters of text and calls.
 */
export const AFTER_TYPE = "after";

/** Text fields of a message that aren't reasoning, or that are read separately. */
const KNOWN = /^(role|content|refusal|name|id|type|object|model|reasoning_content|reasoning|thinking)$/;

/** Reads reasoning from DeepSeek, vLLM, llama.cpp, Ollama, OpenRouter, LiteLLM (for Anthropic) or Mistral. */
export function readReasoning(said: Json): ReasoningPiece {
  const common = {
    thinkingBlocks: toListOrEmpty(said.thinking_blocks).map(toObjectOrEmpty),
    details: toListOrEmpty(said.reasoning_details).map(toObjectOrEmpty),
    others: Object.entries(said).flatMap(([name, text]) =>
      typeof text === "string" && text !== "" && !KNOWN.test(name) ? [[name, text] as const] : [],
    ),
  };
  for (const field of ["reasoning_content", "reasoning"] as const)
    if (toTextOrEmpty(said[field]) !== "") return { ...common, text: toTextOrEmpty(said[field]), field };
  return {
    ...common,
    text: toTextOrEmpty(said.thinking) || readThinkingParts(said.content),
    field: undefined,
  };
}

/** Mistral's content parts: `{ type: "thinking", thinking: [{ type: "text", text }] }`. */
function readThinkingParts(content: unknown): string {
  return toListOrEmpty(content)
    .map(toObjectOrEmpty)
    .filter((part) => part.type === "thinking")
    .flatMap(({ thinking }) =>
      typeof thinking === "string"
        ? thinking
        : toListOrEmpty(thinking).map((part) => toTextOrEmpty(toObjectOrEmpty(part).text)),
    )
    .join("");
}

/** Collects the reasoning of a streamed reply. */
export class ReasoningInProgress {
  text = "";
  private field: ReasoningPiece["field"];
  private thinkingBlocks: readonly Json[] = [];
  private details: readonly Json[] = [];
  private items: readonly Json[] = [];
  private readonly others = new Map<string, string>();

  add({ text, field, thinkingBlocks, details, items = [], others }: ReasoningPiece): void {
    this.text += text;
    this.field ??= field;
    this.thinkingBlocks = thinkingBlocks.reduce((all, block) => addBlock(all, block), this.thinkingBlocks);
    this.details = details.reduce((all, block) => addBlock(all, block), this.details);
    this.items = [...this.items, ...items];
    for (const [name, piece] of others) this.others.set(name, (this.others.get(name) ?? "") + piece);
  }

  /** The parts that a server requires to be sent back, and those that only it can read; undefined if there are none. */
  getPartsToSendBack(fields: readonly ReasoningField[], from?: string): SentBack | undefined {
    const { text, field, thinkingBlocks, details, items, others } = this;
    const kept: SentBack = {
      ...(field === undefined || !fields.includes(field) ? {} : { [field]: text }),
      ...(thinkingBlocks.length === 0 ? {} : { thinking_blocks: thinkingBlocks }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(items.length === 0 ? {} : { output: items }),
      ...(others.size === 0 ? {} : { others: Object.fromEntries(others) }),
    };
    if (Object.keys(kept).length === 0) return undefined;
    return from !== undefined && thinkingBlocks.length + items.length > 0 ? { ...kept, from } : kept;
  }
}

/** Block fields that stream in pieces. */
const STREAMED = ["thinking", "text", "summary", "signature"] as const;

/** Adds a block, or a piece of the last one. A signature ends a block. */
function addBlock(blocks: readonly Json[], piece: Json): readonly Json[] {
  const last = blocks.at(-1);
  const continues =
    last?.type === piece.type &&
    last?.index === piece.index &&
    !toTextOrEmpty(last?.signature) &&
    piece.data === undefined;
  if (!last || !continues) return [...blocks, piece];
  const streamed = STREAMED.filter((name) => toTextOrEmpty(last[name]) !== "" || toTextOrEmpty(piece[name]) !== "");
  const texts = streamed.map((name) => [name, toTextOrEmpty(last[name]) + toTextOrEmpty(piece[name])]);
  return [...blocks.slice(0, -1), { ...last, ...piece, ...Object.fromEntries(texts) }];
}

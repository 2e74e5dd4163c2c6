import type { Reply, Thoughts } from "../../schema/run-values.ts";
import type { ReplyFormat } from "../ports/model.ts";

export type { Call, Reply, Thoughts } from "../../schema/run-values.ts";

/** A reply that was read: thoughts and one call. */
export type Proposal = Extract<Reply, { readonly kind: "proposal" }>;

/** A reply that could not be read, with the problem as one sentence for the model. */
export type UnreadableReply = Extract<Reply, { readonly kind: "unreadable" }>;

export const THOUGHT_FIELDS = ["text", "reasoning", "plan", "criticism", "speak"] as const;

/** Purpose of each thought, for the tools' schemas, the JSON schema and the text form of the prompt. */
export const THOUGHT_PURPOSE: Readonly<Record<(typeof THOUGHT_FIELDS)[number], string>> = {
  text: "what you see and what you make of it",
  reasoning: "why the command you chose is the right next one",
  plan: "your next few steps as a short bulleted list, with [x] before each one that is done",
  criticism: "what may be wrong with this, said frankly",
  speak: "one sentence to tell the user",
};

/** Part of every tool, so it is short; the prompt explains the fields once. */
export const THOUGHTS_SCHEMA = {
  type: "object",
  properties: Object.fromEntries(THOUGHT_FIELDS.map((field) => [field, { type: "string" }])),
  required: [...THOUGHT_FIELDS],
  additionalProperties: false,
} as const;

export const NO_THOUGHTS: Thoughts = { text: "", reasoning: "", plan: "", criticism: "", speak: "" };

/** All reply formats, best first. */
export const REPLY_FORMATS: readonly ReplyFormat[] = ["tools", "jsonSchema", "text"];

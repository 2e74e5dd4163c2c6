import type { Reply, Thoughts } from "../../schema/run-values.ts";
import type { ReplyFormat } from "../ports/model.ts";

export type { Call, Reply, ThoughtStyle, Thoughts } from "../../schema/run-values.ts";

/** A reply that was read: thoughts and one call. */
export type Proposal = Extract<Reply, { readonly kind: "proposal" }>;

/** A reply that could not be read, with the problem as one sentence for the model. */
export type UnreadableReply = Extract<Reply, { readonly kind: "unreadable" }>;

export const THOUGHT_FIELDS = ["text", "reasoning", "plan", "criticism", "speak"] as const;

/** Purpose of each thought, for the prompt. */
export const THOUGHT_PURPOSE: Readonly<Record<(typeof THOUGHT_FIELDS)[number], string>> = {
  text: "what you see and what you make of it",
  reasoning: "why this command is the right next one",
  plan: "your next steps as a short bulleted list, with [x] before each one that is done",
  criticism: "what could be wrong with this",
  speak: "one sentence for the user",
};

/** Purpose of the one short thought. */
export const SHORT_THOUGHT = "one or two sentences: what you do next and why";

export const NO_THOUGHTS: Thoughts = { text: "", reasoning: "", plan: "", criticism: "", speak: "" };

/** The reply formats with one command after another, best first. Which of them a server enforces is up to its model. */
export const REPLY_FORMATS: readonly ReplyFormat[] = ["tools", "jsonSchema", "text"];

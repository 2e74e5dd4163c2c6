import type { ReplyFormat } from "../ports/model.ts";

/** The agent's thinking aloud. Every field is text; what a model left out is "". */
export interface Thoughts {
  readonly text: string;
  readonly reasoning: string;
  /** A short bulleted list, as text. */
  readonly plan: string;
  readonly criticism: string;
  /** One line to say aloud to the user. */
  readonly speak: string;
}

/** One use of a command, as the model asked for it. */
export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A reply that could be read: thoughts and the one call. */
export interface Proposal {
  readonly kind: "proposal";
  readonly thoughts: Thoughts;
  readonly call: Call;
  /** Names of further calls in the same reply; they are answered as not run. */
  readonly ignored?: readonly string[];
  /** Arguments that the command doesn't take; they were left out of the call. */
  readonly dropped?: readonly string[];
}

/** A reply that could not be read; `problem` is one sentence for the model. */
export interface UnreadableReply {
  readonly kind: "unreadable";
  readonly problem: string;
  /** The reply ended before it was complete, so asking once more may help. */
  readonly cutOff?: boolean;
}

export type Reply = Proposal | UnreadableReply;

export const THOUGHT_FIELDS = ["text", "reasoning", "plan", "criticism", "speak"] as const;

/** What each thought is for; shared by the tools' schemas, the JSON schema and the text form of the prompt. */
export const THOUGHT_PURPOSE: Readonly<Record<(typeof THOUGHT_FIELDS)[number], string>> = {
  text: "what you see and what you make of it",
  reasoning: "why the command you chose is the right next one",
  plan: "your next few steps as a short bulleted list, with [x] before each one that is done",
  criticism: "what may be wrong with this, said frankly",
  speak: "one sentence to tell the user",
};

/** It stands in every tool, so it is short; what each field is for is told once, in the prompt. */
export const THOUGHTS_SCHEMA = {
  type: "object",
  properties: Object.fromEntries(THOUGHT_FIELDS.map((field) => [field, { type: "string" }])),
  required: [...THOUGHT_FIELDS],
  additionalProperties: false,
} as const;

export const NO_THOUGHTS: Thoughts = { text: "", reasoning: "", plan: "", criticism: "", speak: "" };

/** The formats a model can be asked in, best first. */
export const REPLY_FORMATS: readonly ReplyFormat[] = ["tools", "jsonSchema", "text"];

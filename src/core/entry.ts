import type { Outcome } from "./outcome.ts";
import type { ReplyFormat, ToolCall } from "./ports.ts";
import type { Reply } from "./reply.ts";

/** A step as the prompt tells it: what was replied and what came of it. */
export interface Episode {
  readonly kind: "episode";
  readonly step: number;
  readonly format: ReplyFormat;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reply: Reply;
  readonly outcome: Outcome;
  /** What the user said when they refused it. */
  readonly refusal?: string;
}

/** Words that came in between: from the user, from the agent that it works for, from its own criticism, or of what the user undid. */
export interface Said {
  readonly kind: "said";
  readonly text: string;
  readonly by: "user" | "self" | "agent" | "undo";
}

export type Entry = Episode | Said;

import type { HookName } from "../schema/plugin-values.ts";

/** One hook, as described in the table of docs/plugins.md. */
interface HookRow {
  /** Its names in classic AutoGPT. */
  readonly classic: readonly string[];
  /** Its name for command hooks; absent if they don't have it. */
  readonly event?: string;
  /** Milliseconds for an answer. 0: as long as the run needs it. */
  readonly limitMs: number;
  /** The most tokens that one plugin can add for the model. */
  readonly tokens?: number;
}

/** Every hook. Their payloads and answers are in src/schema/plugin-values.ts; `HookCalls` calls them. */
export const HOOKS: Readonly<Record<HookName, HookRow>> = {
  offer: { classic: ["post_prompt"], event: "SessionStart", limitMs: 2_000, tokens: 1_000 },
  beforeThinking: { classic: ["on_planning"], event: "UserPromptSubmit", limitMs: 1_000, tokens: 500 },
  afterReply: { classic: ["on_response", "post_planning"], limitMs: 1_000 },
  beforeCommand: { classic: ["pre_command"], event: "PreToolUse", limitMs: 5_000, tokens: 500 },
  afterCommand: { classic: ["post_command"], event: "PostToolUse", limitMs: 5_000, tokens: 2_000 },
  beforeDelegate: { classic: ["pre_instruction"], event: "SubagentStart", limitMs: 1_000, tokens: 500 },
  afterDelegate: {
    classic: ["on_instruction", "post_instruction"],
    event: "SubagentStop",
    limitMs: 1_000,
    tokens: 500,
  },
  model: { classic: ["chat_completion"], limitMs: 0 },
  embedder: { classic: ["text_embedding"], limitMs: 10_000 },
  answer: { classic: ["user_input"], limitMs: 0 },
  report: { classic: ["report"], event: "Notification", limitMs: 1_000 },
  beforeCompaction: { classic: [], event: "PreCompact", limitMs: 2_000, tokens: 500 },
  ending: { classic: [], event: "Stop", limitMs: 5_000, tokens: 500 },
};

/** The most tokens that all hooks together add to the head of the prompts. */
export const OFFER_TOKENS = 2_000;

/** After this many consecutive failures, a plugin is off for the rest of the run. */
export const MAX_FAILURES_IN_A_ROW = 3;

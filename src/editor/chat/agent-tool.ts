import { isObject } from "../../core/base/json.ts";
import { cutMiddle, escapeForApproval, formatQuantity, quoteAsData } from "../../core/base/text.ts";
import { findTraits } from "../../core/commands/command-traits.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { estimateTokens } from "../../core/context/tokens.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { Source } from "../../schema/run-values.ts";
import { fail } from "../../texts/display-text.ts";
import { quoteExactMarkdown } from "./chat-parts.ts";

/** Name of the tool that lets other agents start a run. */
export const AGENT_TOOL = "autogpt";

/** The origin of a run's task that another agent has written. It counts as untrusted, although the user has confirmed it. */
export const FROM_AGENT: Source = { kind: "tool", name: `#${AGENT_TOOL}` };

/** The task in a call of the tool. Throws a sentence if there is none. */
export function readTaskArgument(input: unknown): string {
  const task = isObject(input) && typeof input.task === "string" ? input.task.trim() : "";
  return task === "" ? fail("actions.api.noTask") : task;
}

/** The whole task for the user's confirmation, with hidden characters made visible. */
export function formatTaskToConfirm(input: unknown): string {
  return quoteExactMarkdown(escapeForApproval(readTaskArgument(input)));
}

/** Maximum tokens of the tool's result. */
const MOST_TOKENS = 2_000;
/** Room for the sentences around the agent's words. */
const AROUND = 200;
const MOST_FILES = 20;

/** The result of a run for the agent that called the tool. Our sentences are facts; the run's own text is quoted. */
export function formatToolResult({ id, totals }: RunState, end: RunEnd, changed: readonly string[]): string {
  const files = changed.slice(0, MOST_FILES).map((file) => JSON.stringify(file.slice(0, 100)));
  const more = changed.length - files.length;
  const facts = [
    `The run ${id} ${ENDINGS[end.reason]} after ${formatQuantity(totals.steps, "step")}.`,
    changed.length === 0
      ? "It changed no files."
      : `It changed ${files.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
  ].join(" ");
  const words = getEndMessage(end);
  if (words === "") return facts;
  const room = MOST_TOKENS - AROUND - estimateTokens(facts);
  return `${facts}\n\n${cutToTokens(words, room, (text) => quoteAsData(text, "AutoGPT"))}`;
}

const ENDINGS: Readonly<Record<RunEnd["reason"], string>> = {
  finished: "finished",
  exhausted: "used up its budget and ended",
  stuck: "made no progress and ended",
  failed: "failed",
  stopped: "was stopped by the user",
  crashed: "crashed",
};

function getEndMessage(end: RunEnd): string {
  switch (end.reason) {
    case "finished":
      return end.summary;
    case "stuck":
      return end.why;
    case "failed":
    case "crashed":
      return end.error;
    default:
      return "";
  }
}

/** Cuts the middle out of a text until its form from `write` has at most this many tokens. */
function cutToTokens(text: string, most: number, write: (text: string) => string): string {
  let chars = text.length;
  let written = write(text);
  while (estimateTokens(written) > most) {
    chars = Math.floor(chars * 0.8);
    written = write(cutMiddle(text, chars));
  }
  return written;
}

/** How long a tool that no longer responds counts as running, in milliseconds. */
const GIVEN_UP_MS = 60_000;

/** Running tool calls from runs. Until they end, any call of our own tool may be nested in one of them. */
export class ToolCalls {
  private readonly calls = new Set<Promise<unknown>>();
  private readonly givenUpMs: number;

  constructor(givenUpMs = GIVEN_UP_MS) {
    this.givenUpMs = givenUpMs;
  }

  /** Counts a call until it settles, or a minute after its run gave up on it. */
  add(call: Promise<unknown>, signal: AbortSignal): void {
    this.calls.add(call);
    const remove = (): void => void this.calls.delete(call);
    const giveUp = (): void => void setTimeout(remove, this.givenUpMs).unref();
    signal.addEventListener("abort", giveUp, { once: true });
    const cleanUp = (): void => {
      remove();
      signal.removeEventListener("abort", giveUp);
    };
    call.then(cleanUp, cleanUp);
  }

  get areAtWork(): boolean {
    return this.calls.size > 0;
  }
}

/** The part of an open run that describes its current step. */
interface WorkingRun {
  readonly run: { readonly state: Pick<RunState, "open"> };
  readonly live?: { readonly running: boolean };
}

/**
 * Throws for a call of our tool that a run may have made, directly or through another extension. The caller can't be determined, so no call
 * is accepted while a run is executing others' code.
 */
export function demandNotNested(runs: readonly WorkingRun[], calls: Pick<ToolCalls, "areAtWork">): void {
  const isReachingOut = ({ live, run: { state } }: WorkingRun): boolean => {
    const name = state.open?.stage === "began" ? state.open.began?.name : undefined;
    const traits = findTraits(name ?? "");
    return live?.running === true && name !== undefined && (!traits || traits.mayRunExtensions === true);
  };
  if (calls.areAtWork || runs.some(isReachingOut))
    throw new Error(
      "AutoGPT can't start a run from within a run: one of its runs is using a tool right now. Do the task yourself, or call this tool again later.",
    );
}

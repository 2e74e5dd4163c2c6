import type { UnderstoodCall } from "../commands/command-set.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Call, Proposal, Reply } from "./reply.ts";

/** Commands that only look, so that a later call with the same arguments replaces an earlier one. */
export const LOOKS: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_files",
  "search_code",
  "get_problems",
  "find_symbol",
  "find_references",
  "git_status",
  "git_diff",
  "git_log",
  "list_processes",
  "list_agents",
]);

/** Commands that only read, so that several of one reply can run together. */
export const READS: ReadonlySet<string> = new Set([
  ...LOOKS,
  "memory_search",
  "read_process_output",
  "read_skill",
]);

/** Calls beyond this number aren't run: the model plans too far ahead. The files of one change may be more. */
const MOST_CALLS = 10;
const MOST_CHANGES = 40;

/**
 * Normalizes the calls of a reply. If the first only reads, the calls after it that read, too, run with it, up to the first that doesn't.
 * Each of the others has a step of its own after that.
 */
export function normalizeReply(reply: Proposal, understand: (call: Call) => UnderstoodCall): Proposal {
  const { also: further = [], next: later = [], ignored = [], ...rest } = reply;
  const first = understand(reply.call);
  const calls = [...further, ...later].map((call) => {
    const { call: understood, dropped } = understand(call);
    return dropped ? { ...call, name: understood.name } : understood;
  });
  const others = calls.findIndex((call) => !READS.has(call.name));
  const count = READS.has(first.call.name)
    ? Math.min(others === -1 ? calls.length : others, MOST_CALLS - 1)
    : 0;
  const most = READS.has(first.call.name) ? MOST_CALLS : MOST_CHANGES;
  const next = calls.slice(count, most - 1);
  const left = [...calls.slice(most - 1).map(({ name }) => name), ...ignored];
  return {
    ...rest,
    ...first,
    ...(count > 0 ? { also: calls.slice(0, count) } : {}),
    ...(next.length > 0 ? { next } : {}),
    ...(left.length > 0 ? { ignored: left } : {}),
  };
}

/** The reply with the workspace's tests between its changes and its end. */
export function addTestsCall(reply: Proposal, tests: Call | undefined): Proposal {
  const { call, also = [] } = reply;
  const end = also.at(-1);
  if (!tests || end?.name !== "task_complete" || also.some(({ name }) => name === tests.name)) return reply;
  const changes = [call, ...also].some(({ name }) => !LOOKS.has(name) && name !== end.name);
  return changes ? { ...reply, also: [...also.slice(0, -1), tests, end] } : reply;
}

/** One call of a step with its outcome. */
export interface CalledOutcome {
  readonly call: Call;
  readonly outcome: Outcome;
}

/** All calls of a step with their outcomes, the first one first; empty for an unreadable reply. */
export function listStepCalls(step: {
  readonly reply?: Reply | undefined;
  readonly outcome?: Outcome | undefined;
  readonly also?: readonly Outcome[] | undefined;
}): readonly CalledOutcome[] {
  const { reply, outcome, also = [] } = step;
  if (reply?.kind !== "proposal" || !outcome) return [];
  const further = (reply.also ?? []).flatMap((call, index) => {
    const one = also[index];
    return one ? [{ call, outcome: one }] : [];
  });
  return [{ call: reply.call, outcome }, ...further];
}

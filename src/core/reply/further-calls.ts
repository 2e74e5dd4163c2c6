import type { UnderstoodCall } from "../commands/command-set.ts";
import { COMMAND, isLook, isReading } from "../commands/command-traits.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Call, Proposal, Reply } from "./reply.ts";

/** Calls beyond this number aren't run: the model plans too far ahead. One change may have more files. */
const MOST_CALLS = 10;
const MOST_CHANGES = 40;

/**
 * Normalizes the calls of a reply. If the first only reads, the calls that directly follow and only read run with it. Each of the others
 * gets a separate step after that.
 */
export function normalizeReply(reply: Proposal, understand: (call: Call) => UnderstoodCall): Proposal {
  const { also: further = [], next: later = [], ignored = [], ...rest } = reply;
  const first = understand(reply.call);
  const calls = [...further, ...later].map((call) => {
    const { call: understood, dropped } = understand(call);
    return dropped ? { ...call, name: understood.name } : understood;
  });
  const others = calls.findIndex((call) => !isReading(call));
  const count = isReading(first.call) ? Math.min(others === -1 ? calls.length : others, MOST_CALLS - 1) : 0;
  const most = isReading(first.call) ? MOST_CALLS : MOST_CHANGES;
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

/** Inserts the workspace's tests between a reply's changes and its end. */
export function addTestsCall(reply: Proposal, tests: Call | undefined): Proposal {
  const { call, also = [] } = reply;
  const end = also.at(-1);
  if (!tests || end?.name !== COMMAND.finish || also.some(({ name }) => name === tests.name)) return reply;
  const changes = [call, ...also].some((one) => !isLook(one) && one.name !== end.name);
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

import { COMMAND } from "../../core/commands/command-traits.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { applyEvent, NO_RUN, type RunState } from "../../core/events/run-state.ts";
import { createLineReader } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AttemptEnd, AttemptFacts } from "../../schema/fleet/batches.ts";

export const NO_FACTS: AttemptFacts = { steps: 0, usd: 0, unpriced: 0, seconds: 0, files: 0, added: 0, removed: 0 };

/** How an attempt has ended, and its words for people. */
export interface EndedAs {
  readonly end: AttemptEnd;
  readonly why?: string;
}

/** The log of a run as far as it was read, and what a report says about it. */
export class AttemptLog {
  /** Lines so far. */
  held = 0;
  /** The lines with which the run has ended last; 0 if it never has. */
  endedAt = 0;
  /** The lines with which its user has said something last. */
  saidAt = 0;
  state: RunState = NO_RUN;
  private readonly readLine = createLineReader();
  private readonly files = new Set<string>();
  private added = 0;
  private removed = 0;
  private failedTests: number | undefined;

  add(line: string): AgentEvent | undefined {
    const event = this.readLine(line);
    this.held += 1;
    if (!event) return undefined;
    this.state = applyEvent(this.state, event);
    if (event.type === "over") this.endedAt = this.held;
    if (event.type === "said" && event.by === "user") this.saidAt = this.held;
    if (event.type === "ended") this.count(event);
    return event;
  }

  get facts(): AttemptFacts {
    const { steps, usd, unpriced, activeMs } = this.state.totals;
    const { added, removed, failedTests } = this;
    const changes = { files: this.files.size, added, removed };
    const tests = failedTests === undefined ? {} : { failedTests };
    return { steps, usd, unpriced, seconds: Math.round(activeMs / 1000), ...changes, ...tests };
  }

  private count({ step, outcome }: Extract<AgentEvent, { type: "ended" }>): void {
    if (outcome.status !== "done") return;
    for (const { file, added = 0, removed = 0 } of outcome.files ?? []) {
      this.files.add(file);
      this.added += added;
      this.removed += removed;
    }
    const reply = this.state.recent.find((one) => one.step === step)?.reply;
    const isTest = reply?.kind === "proposal" && reply.call.name === COMMAND.tests;
    if (isTest) this.failedTests = outcome.failedTests?.length ?? (outcome.exitCode === undefined ? 0 : 1);
  }
}

/** The end of a run as a report names it. */
export function classifyEnd(end: RunEnd): EndedAs {
  switch (end.reason) {
    case "finished":
    case "stopped":
      return { end: end.reason };
    case "exhausted":
      return end.limit === "usd" && !end.budget
        ? { end: "budget" }
        : { end: "limit", why: `its limit of ${end.limit}` };
    case "stuck":
      return { end: "stuck", why: end.why };
    case "crashed":
      return { end: "crashed", why: end.error };
    case "failed":
      return { end: isPassing(end) ? "provider" : "setup", why: end.error };
  }
}

/** True for trouble that a service may not have later: it was tried several times, or asked to wait. */
function isPassing({ text }: Extract<RunEnd, { reason: "failed" }>): boolean {
  const codes = JSON.stringify(text ?? {});
  return ["trouble.triedTimes", "trouble.asksToWait"].some((code) => codes.includes(`"${code}"`));
}

/** Whether to continue after such an end can help. */
export function isWorthRetry(end: AttemptEnd): boolean {
  return end === "provider" || end === "crashed" || end === "lost";
}

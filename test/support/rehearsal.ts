import { createCommandSet } from "../../src/core/commands/command-set.ts";
import { Run, type StartedBody } from "../../src/core/events/run.ts";
import type { AgentDependencies } from "../../src/core/loop/agent.ts";
import { LiveRun } from "../../src/core/loop/live-run.ts";
import type { ThinkDependencies } from "../../src/core/loop/think.ts";
import { UserRequests } from "../../src/core/loop/user-requests.ts";
import type { ApprovalRequest, Approver, DecisionRecord } from "../../src/core/ports/approver.ts";
import type { RunLog } from "../../src/core/ports/storage.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import type { AgentEvent, EventType } from "../../src/schema/events.ts";
import { forModel } from "./command-bench.ts";
import { type Deeds, fakeCommands } from "./fake-commands.ts";
import { type Answer, FakeModel } from "./fake-model.ts";
import { MemoryLog } from "./memory-log.ts";
import { sampleStart, steppingClock } from "./sample-run.ts";

export interface Rehearsing {
  readonly answers: readonly Answer[];
  readonly model?: FakeModel;
  /** Absent: everything is allowed. `"user"`: the live run's own approver waits for a decision. */
  readonly approver?: Approver | "user";
  readonly start?: Partial<StartedBody>;
  readonly pausesOnTrouble?: boolean;
  /** Events of an earlier run to go on with. */
  readonly events?: readonly AgentEvent[];
  readonly thinking?: Partial<ThinkDependencies>;
  readonly parts?: Partial<AgentDependencies>;
  /** Absent: the events stay in memory. */
  readonly log?: RunLog;
}

/** A run with fakes all around it, and what came of it. */
export interface Rehearsal {
  readonly live: LiveRun;
  readonly run: Run;
  readonly log: MemoryLog;
  readonly model: FakeModel;
  readonly deeds: Deeds;
}

const allowAll: Approver = { decide: async () => allowed };

const allowed: DecisionRecord = {
  decision: { allow: true },
  by: "continuous",
  reason: "a test allows everything",
};

/** Allows everything, so that further reads of a reply run as well. */
export const allowReads: Approver = { ...allowAll, decideWithoutAsking: async () => allowed };

/** Decides each request in its turn, and allows what comes after. */
export function deciding(
  ...decisions: readonly (DecisionRecord["decision"] | "again")[]
): Approver & { readonly requests: ApprovalRequest[] } {
  const requests: ApprovalRequest[] = [];
  return {
    requests,
    async decide(request) {
      const decision = decisions[requests.length] ?? { allow: true };
      requests.push(request);
      return decision === "again" ? decision : { decision, by: "user", reason: "a test says so" };
    },
  };
}

/** A run that is ready to go. */
export async function rehearsal(options: Rehearsing): Promise<Rehearsal> {
  const log = new MemoryLog();
  const deeds: Deeds = [];
  const model = options.model ?? new FakeModel(options.answers);
  const now = steppingClock();
  const specs = createCommandSet(fakeCommands(deeds)).specs;
  if (options.events) log.events.push(...options.events);
  const run = options.events
    ? Run.openStored(options.log ?? log, options.events, now)
    : await Run.start(options.log ?? log, sampleStart({ commands: specs, ...options.start }), now);
  const live = new LiveRun(run, new UserRequests(), async ({ requests }) => ({
    thinking: {
      model,
      formats: new FormatChoice(model.formats),
      findPromptTime: () => "Friday, 2 January 2026",
      ...options.thinking,
    },
    commands: createCommandSet(fakeCommands(deeds, requests.user)),
    approver: options.approver === "user" ? requests.approver : (options.approver ?? allowAll),
    pausesOnTrouble: options.pausesOnTrouble ?? false,
    reportOutput: () => undefined,
    ...options.parts,
  }));
  return { live, run, log, model, deeds };
}

/** A run from its start to its end. */
export async function rehearse(options: Rehearsing): Promise<Rehearsal & { readonly end: Awaited<LiveRun["end"]> }> {
  const done = await rehearsal(options);
  done.live.resume();
  return { ...done, end: await done.live.end };
}

/** The outcomes of a run, one a step, as short texts. */
export function outcomes(events: readonly AgentEvent[]): string[] {
  return ofType(events, "ended").map(({ step, outcome }) => {
    const { status, ...fields } = forModel(outcome);
    const texts = Object.values(fields).filter((value) => value !== true);
    return `${step} ${status}: ${texts.join(" ")}`;
  });
}

export function ofType<T extends EventType>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

export function types(events: readonly AgentEvent[]): string {
  return events.map(({ type }) => type).join(" ");
}

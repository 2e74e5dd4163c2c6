import { waitUntilAborted } from "../../core/base/async.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { DecisionRecord } from "../../core/ports/approver.ts";
import { createCarrier } from "../../fleet/carrier.ts";
import type { ClaimedRun } from "../../fleet/carry.ts";
import { type AskedByRun, checkDecision, createBinding, hashAsked } from "../../fleet/decision.ts";
import type { CarryPlace } from "../../fleet/run-ref.ts";
import type { FleetBinding, FleetDecision } from "../../schema/fleet/decisions.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { renderApprovalCard } from "../display.ts";
import type { Person } from "../host.ts";
import type { RunOptions } from "../options.ts";
import { resumeRun, startRun, toItsEnd } from "../run-headless.ts";
import { runWithSession, type Surroundings } from "../session.ts";
import { describeRefusal } from "../terminal.ts";

/** A stretch of a run: its work between two questions, on this machine. */
export interface Stretch {
  readonly place: CarryPlace;
  /** The run, as this machine has claimed it. */
  readonly claimed: ClaimedRun;
  /** The start's options, but for the run and its folder. */
  readonly options: RunOptions;
  readonly around: Surroundings;
  /** The answer to the question with which the stretch before has ended. */
  readonly decision?: GivenDecision;
  /** Ends the stretch after a step, for a place that allows a limited time. */
  readonly mostMs?: number;
}

/** A signed decision, with the question that it answers as that was recorded. */
export interface GivenDecision {
  readonly signed: string;
  readonly binding: FleetBinding;
}

/** Something that waits for a person. */
export interface StretchQuestion {
  readonly binding: FleetBinding;
  readonly kind: "proposal" | "question" | "continue";
  /** All that the person decides about. */
  readonly text: string;
  /** Why an answer that was given didn't count. */
  readonly refused?: DisplayText;
}

/** How a stretch ended. */
export type StretchEnd =
  | { readonly kind: "ended"; readonly end: RunEnd }
  | { readonly kind: "question"; readonly question: StretchQuestion };

/** Works on a run until it asks, ends or has used its time, and pushes it then. Nothing waits in this process. Throws a sentence. */
export async function runStretch(stretch: Stretch): Promise<StretchEnd> {
  const { place, claimed, options, around } = stretch;
  const carrier = await createCarrier(place, claimed.run, { handleTaken: () => desk.leave() });
  const desk = new StretchDesk(stretch);
  const { resume: _resume, task: _task, ...plain } = options;
  const own: RunOptions = {
    ...plain,
    workspace: claimed.workspace,
    isolated: true,
    ...(claimed.hasLog ? {} : { task: claimed.task.task }),
  };
  try {
    const surroundings = { ...around, person: desk.person, fence: carrier.fence };
    const end = await runWithSession(own, surroundings, async (session) =>
      claimed.hasLog
        ? resumeRun(session, claimed.run)
        : toItsEnd(session, await startRun(session, { id: claimed.run })),
    );
    await carrier.push();
    return desk.question ? { kind: "question", question: desk.question } : { kind: "ended", end };
  } finally {
    desk.close();
    await carrier.close();
  }
}

/** A question whether the work should continue, which is asked outside the run. */
export function createContinueQuestion({ run, attempt }: ClaimedRun, text: string, nowMs: number): StretchQuestion {
  return { binding: createBinding(run, attempt, { kind: "question", text }, { nowMs }), kind: "continue", text };
}

/** The person of a stretch: gives the one answer that there is, and ends the stretch at any other question. */
class StretchDesk {
  question: StretchQuestion | undefined;
  private readonly stretch: Stretch;
  private live: LiveRun | undefined;
  private decision: GivenDecision | undefined;
  private readonly timer: NodeJS.Timeout | undefined;

  readonly person: Person = {
    createApprover: ({ live }) => {
      this.live ??= live;
      return {
        decide: async (request, signal) => {
          const asked = { kind: "proposal", request } as const;
          const answered = await this.answer(asked);
          if (answered.answer) return createDecisionRecord(answered.answer);
          return this.suspend(asked, renderApprovalCard(request), answered.refused, signal);
        },
      };
    },
    findUser: () => ({
      ask: async (text, signal) => {
        const asked = { kind: "question", text } as const;
        const answered = await this.answer(asked);
        if (answered.answer) return writeAnswer(answered.answer);
        return this.suspend(asked, escapeInvisible(text), answered.refused, signal);
      },
    }),
  };

  constructor(stretch: Stretch) {
    this.stretch = stretch;
    this.decision = stretch.decision;
    const { mostMs } = stretch;
    if (mostMs !== undefined) this.timer = setTimeout(() => this.endInTime(), mostMs);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /** Another machine works on the run now. */
  leave(): void {
    void this.live?.suspend();
  }

  /** The answer that was given, if it's for exactly this. It's used once. */
  private async answer(asked: AskedByRun): Promise<{ answer?: FleetDecision["answer"]; refused?: DisplayText }> {
    const { decision } = this;
    const { place, claimed } = this.stretch;
    if (!decision) return {};
    this.decision = undefined;
    // An answer is for the attempt right before this one.
    if (decision.binding.attempt !== claimed.attempt - 1) return { refused: displayText("fleet.decision.foreign") };
    const hash = hashAsked(claimed.run, asked);
    const checked = await checkDecision(
      decision.signed,
      { ...decision.binding, hash },
      { ...place, nowMs: Date.now() },
    );
    return checked.ok ? { answer: checked.answer } : { refused: checked.why };
  }

  /** Remembers the question and suspends the run, which asks it again when it's resumed. */
  private async suspend(
    asked: AskedByRun,
    text: string,
    refused: DisplayText | undefined,
    signal: AbortSignal,
  ): Promise<never> {
    const { run, attempt } = this.stretch.claimed;
    const binding = createBinding(run, attempt, asked, { nowMs: Date.now() });
    this.question ??= { binding, kind: asked.kind, text, ...(refused ? { refused } : {}) };
    void this.live?.suspend();
    return waitUntilAborted(new Promise<never>(() => undefined), signal);
  }

  /** Suspends the run after the current step, or after a minute if that takes longer. */
  private endInTime(): void {
    const { live } = this;
    if (!live || this.question) return;
    const text = "The time of this job is used up. Continue with the run in a new one?";
    this.question = createContinueQuestion(this.stretch.claimed, text, Date.now());
    live.pause();
    const stop = (): void => void live.suspend();
    live.run.onEvent(({ type }) => {
      if (type === "paused") stop();
    });
    setTimeout(stop, LAST_STEP_MS).unref();
  }
}

const LAST_STEP_MS = 60_000;

function createDecisionRecord(answer: FleetDecision["answer"]): DecisionRecord {
  if (answer.kind === "approved")
    return { decision: { allow: true }, by: "user", reason: "approved by the user from another place" };
  const words = answer.kind === "said" ? answer.text : answer.reason;
  return {
    decision: { allow: false, feedback: describeRefusal(words) },
    by: "user",
    reason: "refused by the user from another place",
  };
}

function writeAnswer(answer: FleetDecision["answer"]): string {
  if (answer.kind === "said") return answer.text;
  if (answer.kind === "approved") return "Yes.";
  return answer.reason === "" ? "No." : `No. ${answer.reason}`;
}

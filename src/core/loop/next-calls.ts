import { isPrepared, listTouchedNames, type PreparedCall, type Touch } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import { getCurrentStep, OPENING, type StepView } from "../events/run-state.ts";
import { renderFilesReply } from "../reply/files-text.ts";
import { type Call, NO_THOUGHTS } from "../reply/reply.ts";

/**
 * The calls of a reply with several, as they were when the reply came. Each is prepared again, shown and judged in a separate step; this
 * class only detects whether someone else has changed its files since. It isn't stored: after a restart, only the calls' own checks remain.
 */
export class NextCalls {
  private of: number | undefined;
  private all: readonly (PreparedCall | Outcome)[] = [];
  private hasOpened = false;

  /** Looks at a reply's calls before the first of them runs. */
  async look({ step, reply }: StepView, commands: Pick<CommandSet, "prepare">, signal: AbortSignal): Promise<void> {
    if (reply?.kind !== "proposal" || !reply.next || this.of === step) return;
    const { call, next } = reply;
    const all: (PreparedCall | Outcome)[] = [];
    for (const one of [call, ...next]) all.push(await commands.prepare(one, { step, signal }));
    [this.all, this.of] = [all, step];
  }

  /** Proposes the next call of the last reply as a separate step. False if there is none; then the model is asked. */
  async propose(run: Run): Promise<boolean> {
    const { next } = run.state;
    const [call] = next?.calls ?? [];
    if (!next || !call) return false;
    await recordCall(run, next.of, call);
    return true;
  }

  /**
   * Reads files, once in a run, before asking a model that replies in whole files. The calls are judged, run and recorded like any others.
   * False if there is nothing to read.
   */
  async proposeOpening(run: Run, openingCalls: (() => Promise<readonly Call[]>) | undefined): Promise<boolean> {
    if (this.hasOpened) return false;
    this.hasOpened = true;
    const [call, ...also] = (await openingCalls?.()) ?? [];
    if (!call) return false;
    await recordCall(run, OPENING, call, also);
    return true;
  }

  /** The outcome of a step whose files were changed by someone else since its reply came; undefined for any other step. */
  async findStaleOutcome({ step, of }: StepView): Promise<Outcome | undefined> {
    const one = of === undefined || of !== this.of ? undefined : this.all[step - of];
    if (!one || !isPrepared(one) || one.touches.length === 0) return undefined;
    const before = this.all.slice(0, step - (of ?? step)).filter(isPrepared);
    const own = new Set(before.flatMap(({ touches }) => touches.flatMap(listTouchedNames)));
    const isOwn = (touch: Touch): boolean => listTouchedNames(touch).some((name) => own.has(name));
    if (one.touches.some(isOwn) || (await one.fresh())) return undefined;
    const file = one.preview.kind === "change" ? JSON.stringify(one.preview.file) : "its file";
    return {
      status: "failed",
      error: `It wasn't run, because ${file} has changed since your reply. Read it again.`,
    };
  }
}

/** Proposes a call without asking the model: one of an earlier reply, or one of the run itself. */
async function recordCall(run: Run, of: number, call: Call, also: readonly Call[] = []): Promise<void> {
  const text = of === OPENING ? renderFilesReply({ call, also }) : "";
  await run.record({
    type: "replied",
    step: getCurrentStep(run.state),
    of,
    format: of === OPENING ? "files" : "text",
    text,
    calls: [],
    finish: "stop",
    reply: { kind: "proposal", thoughts: NO_THOUGHTS, call, ...(also.length > 0 ? { also } : {}) },
    model: run.state.model.smart,
    costUsd: 0,
  });
}

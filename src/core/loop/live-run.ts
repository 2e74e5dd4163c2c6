import type { AgentEventBody } from "../../schema/events.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import {
  convertToStoredText,
  DisplayError,
  displayText,
  fail,
  getErrorText,
  type Sentence,
} from "../../texts/display-text.ts";
import { PAUSED_BY_USER, PauseGate } from "../base/async.ts";
import { getErrorMessage } from "../base/errors.ts";
import type { RunEnd } from "../commands/outcome.ts";
import { CompactionRequests, type CompactionResult } from "../context/compaction-requests.ts";
import type { Run } from "../events/run.ts";
import { findOpenQuestion } from "../events/run-state.ts";
import type { Decision } from "../ports/approver.ts";
import { ModelError } from "../ports/model.ts";
import { LogError } from "../ports/storage.ts";
import { type AgentDependencies, runAgent, SuspensionError } from "./agent.ts";
import { isLoopPause } from "./loop-guard.ts";
import type { PendingInput, UserRequests } from "./user-requests.ts";

/** Creates the agent's parts for a run. Throws a sentence if that isn't possible, for example without a model. */
export type ComposeAgent = (live: LiveRun) => Promise<Omit<AgentDependencies, "gate" | "compactions">>;

/** A run that can be controlled while it is active: the agent asks on one side, the user decides on the other. */
export class LiveRun {
  readonly run: Run;
  readonly gate = new PauseGate();
  private readonly compactions = new CompactionRequests();
  private readonly compose: ComposeAgent;
  /** Its requests to the user, which answers and decisions settle. */
  readonly requests: UserRequests;
  private controller = new AbortController();
  private ending: Promise<RunEnd> | undefined;
  private isGoing = false;
  private isSuspended = false;
  private blocked: Sentence | undefined;

  /** `compose` is called each time the run is started or resumed. */
  constructor(run: Run, requests: UserRequests, compose: ComposeAgent) {
    this.run = run;
    this.requests = requests;
    this.compose = compose;
  }

  get id(): string {
    return this.run.state.id;
  }

  get running(): boolean {
    return this.isGoing;
  }

  /** True once the run was asked to stop, until it is resumed. */
  get stopped(): boolean {
    return this.controller.signal.aborted;
  }

  get pending(): PendingInput | undefined {
    return this.requests.open;
  }

  /** Why the run can't proceed until the user acts, for example a full disk, as a sentence that says what to do. */
  get blockedReason(): Sentence | undefined {
    return this.blocked;
  }

  /** The end of the run. A run that is resumed after its end gets a new one. */
  get end(): Promise<RunEnd> {
    return this.ending ?? Promise.reject(new Error("The run has not been started yet. Call resume() first."));
  }

  /** Sets or clears the reason why the run can't proceed. */
  setBlocked(why: Sentence | undefined): void {
    this.blocked = why;
    this.requests.changes.fire();
  }

  /** Called when `pending` or `blockedReason` changes, and when the run stops without an event. */
  onPending(listener: () => void): () => void {
    return this.requests.changes.subscribe(listener);
  }

  /** Starts the run or resumes it: after a pause, its end or a restart. */
  resume(): void {
    this.gate.open();
    if (this.isGoing) return;
    this.controller = new AbortController();
    this.isGoing = true;
    this.ending = this.go(this.controller.signal, this.ending);
  }

  /** Pauses after the current step. */
  pause(reason: Sentence = PAUSED_BY_USER): void {
    this.gate.close(reason);
  }

  /** Compacts the history before the next step. Resolves once that step has begun, or the run has stopped. */
  async compact(): Promise<CompactionResult> {
    return this.isGoing ? this.compactions.request() : { kind: "stopped" };
  }

  /** Stops now, including the model call, the command and its child processes. */
  async stop(): Promise<void> {
    this.controller.abort(new DisplayError(displayText("trouble.runStopped")));
    await this.ending;
  }

  /** Stops without recording an end, as a crash would, so that the run can be resumed later. */
  async suspend(): Promise<void> {
    this.isSuspended = true;
    this.controller.abort(new SuspensionError());
    await this.ending;
  }

  /** Decides the open proposal, once. Throws and does nothing if that step doesn't wait for a decision. */
  async decide(step: number, decision: Decision): Promise<void> {
    const { open } = this.requests;
    if (open?.kind !== "proposal" || open.request.step !== step) {
      fail("trouble.stepNotWaiting", { step });
    }
    open.settle({
      decision,
      by: "user",
      reason: decision.allow ? "approved by the user" : "refused by the user",
    });
  }

  /** Has the open proposal prepared and shown again. */
  showAgain(): void {
    const { open } = this.requests;
    if (open?.kind === "proposal") open.settle("again");
  }

  /** Answers an open question, refuses an open proposal, or queues the text for the next prompt. An interrupted run resumes with it. */
  async say(text: string, attached: readonly AttachedPicture[] = []): Promise<void> {
    const { state } = this.run;
    const isInterrupted = !this.isGoing && !state.end && state.paused === undefined;
    const isAnswer = isInterrupted && findOpenQuestion(state) !== undefined;
    // An answer and a rejection are outcomes, which hold no pictures.
    if (attached.length > 0 && (this.pending || isAnswer)) await this.record("", attached);
    const { open } = this.requests;
    if (open?.kind === "question") return open.settle(text);
    if (open?.kind === "proposal")
      return this.decide(open.request.step, { allow: false, feedback: `The user says: ${text}` });
    if (isAnswer) {
      this.requests.answer = text;
      return this.resume();
    }
    await this.record(text, attached);
    const over = state.end?.reason;
    if (!this.isGoing && (isInterrupted || over === "stuck" || over === "finished")) this.resume();
    else if (this.isGoing && isLoopPause(this.run.state.paused ?? "")) this.gate.open();
  }

  private async record(text: string, attached: readonly AttachedPicture[]): Promise<void> {
    await this.run.record({ type: "said", text, by: "user", ...createPictureFields(attached) });
  }

  /** Starts once the log contains the previous end. */
  private async go(signal: AbortSignal, before: Promise<RunEnd> | undefined): Promise<RunEnd> {
    await before;
    const end = await this.work(signal).catch((error: unknown) => convertErrorToEnd(error, signal));
    this.isGoing = false;
    if (!this.isSuspended) await this.run.record({ type: "over", end }).catch(() => this.requests.changes.fire());
    return end;
  }

  private async work(signal: AbortSignal): Promise<RunEnd> {
    const { state } = this.run;
    const isInterrupted = state.busySince !== undefined;
    if (state.end || state.paused !== undefined || isInterrupted)
      await this.run.record({
        type: "resumed",
        reason: isInterrupted ? "continued after an interruption" : "continued by the user",
      });
    const parts = await this.compose(this);
    try {
      const { gate, compactions } = this;
      return await runAgent(this.run, { ...parts, gate, compactions }, signal);
    } finally {
      this.compactions.settle({ kind: "stopped" });
      await parts.agents?.stop();
      await parts.thinking.contextBudget?.close(this.run);
    }
  }
}

/** Event fields for pictures that the user attached. Others may have created the pictures, so they count as a source. */
export function createPictureFields(
  attached: readonly AttachedPicture[],
): Pick<Extract<AgentEventBody, { type: "said" }>, "attached" | "sources"> {
  if (attached.length === 0) return {};
  return { attached: [...attached], sources: attached.map(({ name }) => ({ kind: "picture", name })) };
}

/** Turns a thrown error into the end of the run. This is the one place where our own bugs are caught. */
function convertErrorToEnd(error: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted) return { reason: "stopped" };
  const why = { error: getErrorMessage(error), ...convertToStoredText(getErrorText(error)) };
  return { reason: error instanceof ModelError || error instanceof LogError ? "failed" : "crashed", ...why };
}

import { PAUSED_BY_USER, PauseGate } from "../base/async.ts";
import { errorMessage } from "../base/errors.ts";
import type { RunEnd } from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import type { RunState } from "../events/run-state.ts";
import type { ApprovalRequest, Approver, Decision, DecisionRecord, User } from "../ports/approver.ts";
import { ModelError } from "../ports/model.ts";
import { LogError } from "../ports/storage.ts";
import { type AgentDependencies, runAgent } from "./agent.ts";

/** What waits for the user: a proposal, or a question. */
export type PendingInput =
  | { readonly kind: "proposal"; readonly request: ApprovalRequest }
  | { readonly kind: "question"; readonly text: string };

type Open =
  | {
      readonly kind: "proposal";
      readonly request: ApprovalRequest;
      readonly settle: (value: DecisionRecord | "again") => void;
    }
  | { readonly kind: "question"; readonly text: string; readonly settle: (value: string) => void };

/** Makes the agent's parts for a run. Throws a sentence when that cannot be done, for want of a model for example. */
export type ComposeAgent = (live: LiveRun) => Promise<Omit<AgentDependencies, "gate">>;

/** A run that can be steered while it goes on: the agent asks at one end, the user decides at the other. */
export class LiveRun {
  readonly run: Run;
  readonly gate = new PauseGate();
  private readonly compose: ComposeAgent;
  private readonly listeners = new Set<() => void>();
  private controller = new AbortController();
  private open: Open | undefined;
  private ending: Promise<RunEnd> | undefined;
  private going = false;
  private left = false;
  private hinderedBy: string | undefined;
  /** What the user has said to a question that was interrupted, until it's asked again. */
  private answer: string | undefined;

  /** `compose` makes the agent's parts, anew each time the run is started or gone on with. */
  constructor(run: Run, compose: ComposeAgent) {
    this.run = run;
    this.compose = compose;
  }

  get id(): string {
    return this.run.state.id;
  }

  get running(): boolean {
    return this.going;
  }

  /** It was asked to stop, and has not been gone on with since. */
  get stopped(): boolean {
    return this.controller.signal.aborted;
  }

  get waiting(): PendingInput | undefined {
    return this.open;
  }

  /** What the run waits for that somebody must mend, a full disk for example, as a sentence that says what to do. */
  get hindrance(): string | undefined {
    return this.hinderedBy;
  }

  /** How the run ends. A run that is gone on with after its end has a new one. */
  get end(): Promise<RunEnd> {
    return this.ending ?? Promise.reject(new Error("The run has not been started yet. Call resume() first."));
  }

  /** The agent's end: asks the user about a proposal, and waits. */
  readonly approver: Approver = {
    decide: (request, signal) =>
      this.wait<DecisionRecord | "again">(signal, (settle) => ({ kind: "proposal", request, settle })),
  };

  /** The agent's end: asks the user a question, and waits. */
  readonly user: User = {
    ask: async (text, signal) => {
      const { answer } = this;
      this.answer = undefined;
      return answer ?? this.wait<string>(signal, (settle) => ({ kind: "question", text, settle }));
    },
  };

  /** Says what hinders the run; undefined once nothing does. */
  hinder(why: string | undefined): void {
    this.hinderedBy = why;
    this.notify();
  }

  /** Called whenever something begins or ceases to wait for the user or to hinder the run, and when it stops without an event that says so. */
  onWaiting(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Starts the run, or goes on with it: after a pause, after its end, after a restart. */
  resume(): void {
    this.gate.open();
    if (this.going) return;
    this.controller = new AbortController();
    this.going = true;
    this.ending = this.go(this.controller.signal, this.ending);
  }

  /** After the current step. */
  pause(reason = PAUSED_BY_USER): void {
    this.gate.close(reason);
  }

  /** Stops now: the model call, the command and its children. */
  async stop(): Promise<void> {
    this.controller.abort(new Error("The run was stopped."));
    await this.ending;
  }

  /** Stops like a crash does: nothing says that the run is over, so that it can be gone on with later. */
  async suspend(): Promise<void> {
    this.left = true;
    this.controller.abort(new Error("The program is closing."));
    await this.ending;
  }

  /** Decides the one open proposal, once. Throws, and does nothing, when that step does not wait for a decision. */
  async decide(step: number, decision: Decision): Promise<void> {
    const { open } = this;
    if (open?.kind !== "proposal" || open.request.step !== step) {
      throw new Error(`Step ${step} does not wait for a decision, so nothing was done.`);
    }
    open.settle({
      decision,
      by: "user",
      reason: decision.allow ? "approved by the user" : "refused by the user",
    });
  }

  /** Has the open proposal prepared and shown anew. */
  showAgain(): void {
    if (this.open?.kind === "proposal") this.open.settle("again");
  }

  /**
   * Answers an open question, refuses an open proposal with these words, or else queues them for the next prompt. An interrupted run goes on
   * with them.
   */
  async say(text: string): Promise<void> {
    const { open } = this;
    if (open?.kind === "question") return open.settle(text);
    if (open?.kind === "proposal")
      return this.decide(open.request.step, { allow: false, feedback: `The user says: ${text}` });
    const { state } = this.run;
    const interrupted = !this.going && !state.end && state.paused === undefined;
    if (interrupted && isAsking(state)) {
      this.answer = text;
      return this.resume();
    }
    await this.run.record({ type: "said", text, by: "user" });
    const over = state.end?.reason;
    if (!this.going && (interrupted || over === "stuck" || over === "finished")) this.resume();
    else if (this.going && this.run.state.paused?.startsWith("The agent goes round")) this.gate.open();
  }

  /** Once what went before is over, with its end in the log. */
  private async go(signal: AbortSignal, before: Promise<RunEnd> | undefined): Promise<RunEnd> {
    await before;
    const end = await this.work(signal).catch((error: unknown) => endOf(error, signal));
    this.going = false;
    if (!this.left) await this.run.record({ type: "over", end }).catch(() => this.notify());
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
      return await runAgent(this.run, { ...parts, gate: this.gate }, signal);
    } finally {
      await parts.agents?.stop();
      await parts.thinking.room?.close(this.run);
    }
  }

  /** Waits for one settling, or for the abort, whichever comes first; a later settling finds nothing open. */
  private async wait<T>(signal: AbortSignal, opening: (settle: (value: T) => void) => Open): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const close = (): void => {
      this.open = undefined;
      signal.removeEventListener("abort", abort);
      this.notify();
    };
    const abort = (): void => {
      close();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.open = opening((value) => {
      close();
      resolve(value);
    });
    this.notify();
    return promise;
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Its question to the user was the last thing it began. */
function isAsking({ open }: RunState): boolean {
  return open?.stage === "began" && open.reply?.kind === "proposal" && open.reply.call.name === "ask_user";
}

/** What a thrown error makes of a run: the one place where our own bugs are caught. */
function endOf(error: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted) return { reason: "stopped" };
  const message = errorMessage(error);
  if (error instanceof ModelError || error instanceof LogError) return { reason: "failed", error: message };
  return { reason: "crashed", error: message };
}

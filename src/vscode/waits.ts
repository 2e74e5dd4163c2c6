import type { LiveRun } from "../core/live-run.ts";
import type { Request } from "../core/ports.ts";
import { approvalHint, isWholeSeen, type Showing, shapeOf } from "../core/sight.ts";
import type { DiffReview } from "./diff-review.ts";
import type { HostedRun, HostedRuns } from "./hosted-runs.ts";

/** A proposal that waits, with the run it belongs to. */
export interface WaitingProposal {
  readonly hosted: HostedRun;
  readonly live: LiveRun;
  readonly request: Request;
}

/** A key pressed this soon after a proposal appeared was meant for something else. */
const TOO_SOON_MS = 500;

/** Finds the proposal that an approval is meant for, and passes the decision on to exactly that one, once all of it was seen. */
export class Waits {
  private readonly runs: HostedRuns;
  private readonly diff: DiffReview;
  private readonly appeared = new WeakMap<Request, number>();
  private readonly shown = new WeakMap<Request, Set<Showing>>();
  private readonly listeners = new Set<(hosted: HostedRun, hash: string) => void>();

  constructor(runs: HostedRuns, diff: DiffReview) {
    this.runs = runs;
    this.diff = diff;
    runs.onChange((hosted) => {
      const waiting = proposalOf(hosted);
      if (waiting && !this.appeared.has(waiting.request)) this.appeared.set(waiting.request, Date.now());
    });
    diff.onDidChange(() => this.lookAtDiffs());
  }

  /** The proposal meant when none is named: the active diff's, the shown run's, or the only one. */
  current(): WaitingProposal | undefined {
    const active = this.diff.active();
    const ofDiff = active && proposalOf(this.runs.get(active.run));
    if (ofDiff && ofDiff.request.step === active.step) return ofDiff;
    return (
      proposalOf(this.runs.shown) ?? this.runs.all.map(proposalOf).find((waiting) => waiting !== undefined)
    );
  }

  /** The same, but nothing in the first moment after it appeared, or was shown as a whole by an action. */
  forKey(): WaitingProposal | undefined {
    const waiting = this.current();
    const since = waiting && this.appeared.get(waiting.request);
    return since !== undefined && Date.now() - since < TOO_SOON_MS ? undefined : waiting;
  }

  /** A run's proposal, only if it is of this step. */
  atStep(hosted: HostedRun, step: number): WaitingProposal {
    const waiting = proposalOf(hosted);
    if (waiting?.request.step !== step) throw new Error(`Step ${step} no longer waits for you.`);
    return waiting;
  }

  /** A run's proposal, only if it is the one that the panel showed. */
  exactly(hosted: HostedRun, step: number, hash: string): WaitingProposal {
    const waiting = this.find(hosted, step, hash);
    if (!waiting)
      throw new Error("That proposal is no longer the one that waits. Look at the new one and decide again.");
    return waiting;
  }

  /** The same; undefined when another one waits. */
  find(hosted: HostedRun, step: number, hash: string): WaitingProposal | undefined {
    const waiting = proposalOf(hosted);
    return waiting?.request.step === step && waiting.request.hash === hash ? waiting : undefined;
  }

  /** Calls back once all of a proposal was seen. */
  onSeen(listener: (hosted: HostedRun, hash: string) => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  /** True once the user has seen all of it. */
  isSeen(request: Request): boolean {
    return isWholeSeen(shapeOf(request.prepared.preview), this.shown.get(request) ?? []);
  }

  /** A proposal was shown to its end at a place. */
  saw({ hosted, request }: WaitingProposal, where: Showing): void {
    if (this.isSeen(request)) return;
    const places = this.shown.get(request) ?? new Set();
    this.shown.set(request, places.add(where));
    if (!this.isSeen(request)) return;
    for (const listener of this.listeners) listener(hosted, request.hash);
  }

  /** Throws the way to an approval for a proposal that was not seen as a whole. */
  demandSeen(request: Request): void {
    if (!this.isSeen(request)) throw new Error(approvalHint(shapeOf(request.prepared.preview)));
  }

  /** Keeps a key that has just shown the proposal from approving it by being held down. */
  showedByKey(request: Request): void {
    this.appeared.set(request, Date.now());
  }

  /** Approves it as it stands now, if it still waits and was seen: with the text in its diff, and for `count` commands from this one on. */
  async approve(
    { hosted, live, request }: WaitingProposal,
    options: { readonly count?: number } = {},
  ): Promise<void> {
    this.exactly(hosted, request.step, request.hash);
    this.demandSeen(request);
    if (this.unsaved(request)) {
      throw new Error(
        "The file has unsaved changes of yours. Save it and review the change again, or refuse it.",
      );
    }
    const accepted = this.diff.accepted(hosted.id, request.step);
    if (options.count !== undefined && options.count > 1) {
      await hosted.run.record({ type: "granted", count: options.count });
      this.exactly(hosted, request.step, request.hash);
      hosted.grants?.grantNext(options.count);
    }
    await live.decide(request.step, { allow: true, ...(accepted === undefined ? {} : { accepted }) });
  }

  async refuse({ hosted, live, request }: WaitingProposal, reason: string): Promise<void> {
    hosted.grants?.endGrant();
    const feedback =
      reason.trim() === ""
        ? "The user refused it without giving a reason. Do something else, or ask."
        : `The user says: ${reason.trim()}`;
    await live.decide(request.step, { allow: false, feedback });
  }

  private lookAtDiffs(): void {
    for (const waiting of this.runs.all.map(proposalOf)) {
      if (waiting && this.diff.isShown(waiting.hosted.id, waiting.request)) this.saw(waiting, "diff");
    }
  }

  /** True when the file of a proposed change is open with unsaved edits. */
  unsaved(request: Request): boolean {
    const { preview } = request.prepared;
    return preview.kind === "change" && this.diff.unsaved(preview.target);
  }
}

/** The proposal that a run waits with, if any. */
export function proposalOf(hosted: HostedRun | undefined): WaitingProposal | undefined {
  const waiting = hosted?.live?.waiting;
  return hosted?.live && waiting?.kind === "proposal"
    ? { hosted, live: hosted.live, request: waiting.request }
    : undefined;
}

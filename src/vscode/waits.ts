import type { LiveRun } from "../core/live-run.ts";
import type { Request } from "../core/ports.ts";
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

/** Finds the proposal that an approval is meant for, and passes the decision on to exactly that one. */
export class Waits {
  private readonly runs: HostedRuns;
  private readonly diff: DiffReview;
  private readonly appeared = new WeakMap<Request, number>();

  constructor(runs: HostedRuns, diff: DiffReview) {
    this.runs = runs;
    this.diff = diff;
    runs.onChange((hosted) => {
      const waiting = proposalOf(hosted);
      if (waiting && !this.appeared.has(waiting.request)) this.appeared.set(waiting.request, Date.now());
    });
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

  /** The same, but nothing in the first moment after it appeared. */
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
    const waiting = proposalOf(hosted);
    if (waiting?.request.step !== step || waiting.request.hash !== hash) {
      throw new Error("That proposal is no longer the one that waits. Look at the new one and decide again.");
    }
    return waiting;
  }

  /** Approves it as it stands now, if it still waits: with the text in its diff, and for `count` commands from this one on. */
  async approve(
    { hosted, live, request }: WaitingProposal,
    options: { readonly count?: number } = {},
  ): Promise<void> {
    this.exactly(hosted, request.step, request.hash);
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

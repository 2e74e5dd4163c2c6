import { approvalHint, isFullyShown, type PreviewLocation, shapeOf } from "../core/commands/preview.ts";
import type { LiveRun } from "../core/loop/live-run.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import type { HostedRun, HostedRuns } from "../vscode/host/hosted-runs.ts";
import type { DiffReview } from "../vscode/review/diff-review.ts";
import type { TextDocuments } from "../vscode/views/text-documents.ts";
import { wholeText } from "./card.ts";

/** A proposal that waits, with the run it belongs to. */
export interface PendingProposal {
  readonly hosted: HostedRun;
  readonly live: LiveRun;
  readonly request: ApprovalRequest;
}

/** A key pressed this soon after a proposal appeared was meant for something else. */
const TOO_SOON_MS = 500;

/** Finds the proposal that an approval is meant for, and passes the decision on to exactly that one, once all of it was seen. */
export class PendingDecisions {
  private readonly runs: HostedRuns;
  private readonly diff: DiffReview;
  private readonly appeared = new WeakMap<ApprovalRequest, number>();
  private readonly shown = new WeakMap<ApprovalRequest, Set<PreviewLocation>>();
  private readonly listeners = new Set<(hosted: HostedRun, hash: string) => void>();

  constructor(runs: HostedRuns, diff: DiffReview) {
    this.runs = runs;
    this.diff = diff;
    runs.onChange((hosted) => {
      const waiting = pendingProposal(hosted);
      if (waiting && !this.appeared.has(waiting.request)) this.appeared.set(waiting.request, Date.now());
    });
    diff.onDidChange(() => this.lookAtDiffs());
  }

  /** The proposal meant when none is named: the active diff's, the shown run's, or the only one. */
  current(): PendingProposal | undefined {
    const active = this.diff.active();
    const ofDiff = active && pendingProposal(this.runs.get(active.run));
    if (ofDiff && ofDiff.request.step === active.step) return ofDiff;
    return (
      pendingProposal(this.runs.shown) ??
      this.runs.all.map(pendingProposal).find((waiting) => waiting !== undefined)
    );
  }

  /** The same, but nothing in the first moment after it appeared, or was shown as a whole by an action. */
  forKey(): PendingProposal | undefined {
    const waiting = this.current();
    const since = waiting && this.appeared.get(waiting.request);
    return since !== undefined && Date.now() - since < TOO_SOON_MS ? undefined : waiting;
  }

  /** A run's proposal, only if it is of this step. */
  atStep(hosted: HostedRun, step: number): PendingProposal {
    const waiting = pendingProposal(hosted);
    if (waiting?.request.step !== step) throw new Error(`Step ${step} no longer waits for you.`);
    return waiting;
  }

  /** A run's proposal, only if it is the one that the panel showed. */
  exactly(hosted: HostedRun, step: number, hash: string): PendingProposal {
    const waiting = this.find(hosted, step, hash);
    if (!waiting)
      throw new Error("That proposal is no longer the one that waits. Look at the new one and decide again.");
    return waiting;
  }

  /** The same; undefined when another one waits. */
  find(hosted: HostedRun, step: number, hash: string): PendingProposal | undefined {
    const waiting = pendingProposal(hosted);
    return waiting?.request.step === step && waiting.request.hash === hash ? waiting : undefined;
  }

  /** Calls back once all of a proposal was seen. */
  onSeen(listener: (hosted: HostedRun, hash: string) => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  /** True once the user has seen all of it. */
  isSeen(request: ApprovalRequest): boolean {
    return isFullyShown(shapeOf(request.prepared.preview), this.shown.get(request) ?? []);
  }

  /** A proposal was shown to its end at a place. */
  saw({ hosted, request }: PendingProposal, where: PreviewLocation): void {
    if (this.isSeen(request)) return;
    const places = this.shown.get(request) ?? new Set();
    this.shown.set(request, places.add(where));
    if (!this.isSeen(request)) return;
    for (const listener of this.listeners) listener(hosted, request.hash);
  }

  /** Throws the way to an approval for a proposal that was not seen as a whole. */
  demandSeen(request: ApprovalRequest): void {
    if (!this.isSeen(request)) throw new Error(approvalHint(shapeOf(request.prepared.preview)));
  }

  /** Keeps a key that has just shown the proposal from approving it by being held down. */
  showedByKey(request: ApprovalRequest): void {
    this.appeared.set(request, Date.now());
  }

  /** Approves it as it stands now, if it still waits and was seen: with the text in its diff, and for `count` commands from this one on. */
  async approve(
    { hosted, live, request }: PendingProposal,
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

  async refuse({ hosted, live, request }: PendingProposal, reason: string): Promise<void> {
    hosted.grants?.endGrant();
    const feedback =
      reason.trim() === ""
        ? "The user refused it without giving a reason. Do something else, or ask."
        : `The user says: ${reason.trim()}`;
    await live.decide(request.step, { allow: false, feedback });
  }

  private lookAtDiffs(): void {
    for (const waiting of this.runs.all.map(pendingProposal)) {
      if (waiting && this.diff.isShown(waiting.hosted.id, waiting.request)) this.saw(waiting, "diff");
    }
  }

  /** True when the file of a proposed change is open with unsaved edits. */
  unsaved(request: ApprovalRequest): boolean {
    const { preview } = request.prepared;
    return preview.kind === "change" && this.diff.unsaved(preview.target);
  }
}

/** The proposal that a run waits with, if any. */
export function pendingProposal(hosted: HostedRun | undefined): PendingProposal | undefined {
  const waiting = hosted?.live?.pending;
  return hosted?.live && waiting?.kind === "proposal"
    ? { hosted, live: hosted.live, request: waiting.request }
    : undefined;
}

/** Where a proposal can be shown as a whole. */
interface WholeViewers {
  readonly waits: PendingDecisions;
  readonly diff: DiffReview;
  readonly documents: TextDocuments;
}

/** Shows everything a proposal would do in an editor: a change as its diff, if that has room for its lines. It counts as seen once the editor has all of it. */
export async function showWhole(
  { waits, diff, documents }: WholeViewers,
  waiting: PendingProposal,
  preserveFocus = false,
): Promise<void> {
  const { hosted, request } = waiting;
  const { step, prepared, proposal } = request;
  if (shapeOf(prepared.preview) === "change") return diff.reveal(hosted.id, step);
  const title = `Step ${step}: ${proposal.call.name}`;
  if (!(await documents.show(title, wholeText(request), { preserveFocus })))
    throw new Error("The editor did not show all of it. Scroll to its end in the panel, or reject it.");
  waits.saw(waiting, "editor");
}

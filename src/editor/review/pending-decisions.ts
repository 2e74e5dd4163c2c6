import { Emitter } from "../../core/base/emitter.ts";
import { isObject } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import {
  explainHowToSeeAll,
  getPreviewShape,
  isFullyShown,
  type PreviewLocation,
} from "../../core/commands/preview.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { formatApprovalText } from "./card.ts";

/** The open runs, as far as they matter for decisions. */
export interface OpenRuns {
  readonly all: readonly ComposedRun[];
  readonly shown: ComposedRun | undefined;
  get(id: string): ComposedRun | undefined;
  /** Calls back when a run's pending decision changes. */
  onChange(listener: (run: ComposedRun & { readonly title?: string }) => void): { dispose(): void };
}

/** The diffs of proposed file changes. */
export interface ProposalDiffs {
  /** The proposal in the active diff editor, if any. */
  findActiveProposal(): { readonly run: string; readonly step: number } | undefined;
  /** The text of a proposal as the user edited it; undefined when it is unchanged. */
  findAcceptedText(run: string, step: number): string | undefined;
  /** True while a visible editor shows exactly this proposal. */
  isShown(run: string, request: Pick<ApprovalRequest, "step" | "hash">): boolean;
  reveal(run: string, step: number): Promise<void>;
  /** Calls back when the text of a proposal changes, or another one becomes active or visible. */
  onDidChange(listener: () => void): { dispose(): void };
}

/** Shows texts in read-only editors. */
interface TextViewer {
  /** False when the editor didn't get all of the text. */
  show(title: string, text: string, options: { readonly preserveFocus: boolean }): Promise<boolean>;
}

/** A proposal that needs a decision, and its run. */
export interface PendingProposal {
  readonly hosted: ComposedRun;
  readonly live: LiveRun;
  readonly request: ApprovalRequest;
}

/** A key pressed this soon after a proposal appeared was meant for something else, so it is ignored. */
const TOO_SOON_MS = 500;

/** Finds the proposal that an approval refers to, and passes the decision to exactly that one, once the user has seen all of it. */
export class PendingDecisions {
  private readonly runs: OpenRuns;
  private readonly diff: ProposalDiffs;
  private readonly appeared = new WeakMap<ApprovalRequest, number>();
  private readonly shown = new WeakMap<ApprovalRequest, Set<PreviewLocation>>();
  private readonly seen = new Emitter<[hosted: ComposedRun, hash: string]>();

  constructor(runs: OpenRuns, diff: ProposalDiffs) {
    this.runs = runs;
    this.diff = diff;
    runs.onChange((hosted) => {
      const waiting = findPendingProposal(hosted);
      if (waiting && !this.appeared.has(waiting.request)) this.appeared.set(waiting.request, Date.now());
    });
    diff.onDidChange(() => this.lookAtDiffs());
  }

  /** The default proposal: the active diff's, the shown run's, or the only one. */
  findCurrent(): PendingProposal | undefined {
    const active = this.diff.findActiveProposal();
    const ofDiff = active && findPendingProposal(this.runs.get(active.run));
    if (ofDiff && ofDiff.request.step === active.step) return ofDiff;
    return (
      findPendingProposal(this.runs.shown) ??
      this.runs.all.map(findPendingProposal).find((waiting) => waiting !== undefined)
    );
  }

  /** The current proposal, except for a moment after it appears or after an action shows all of it. */
  findProposalForKey(): PendingProposal | undefined {
    const waiting = this.findCurrent();
    return waiting && this.isNew(waiting.request) ? undefined : waiting;
  }

  /** True in the first moment after a proposal appeared, when a key or a click was meant for something else. */
  isNew(request: ApprovalRequest): boolean {
    const since = this.appeared.get(request);
    return since !== undefined && Date.now() - since < TOO_SOON_MS;
  }

  /** The pending proposal of a run. Throws if it belongs to another step. */
  requireStep(hosted: ComposedRun, step: number): PendingProposal {
    const waiting = findPendingProposal(hosted);
    if (waiting?.request.step !== step) fail("approval.decidedStep", { step });
    return waiting;
  }

  /** The pending proposal of a run. Throws if it isn't the one that the panel showed. */
  requireShown(hosted: ComposedRun, step: number, hash: string): PendingProposal {
    const waiting = this.find(hosted, step, hash);
    if (!waiting) fail("approval.decidedAlready");
    return waiting;
  }

  /** The pending proposal of a run, if it is the one that the panel showed. */
  find(hosted: ComposedRun, step: number, hash: string): PendingProposal | undefined {
    const waiting = findPendingProposal(hosted);
    return waiting?.request.step === step && waiting.request.hash === hash ? waiting : undefined;
  }

  /** Calls back once all of a proposal was seen. */
  onSeen(listener: (hosted: ComposedRun, hash: string) => void): { dispose(): void } {
    return { dispose: this.seen.subscribe(listener) };
  }

  /** True once the user has seen all of it. */
  isSeen(request: ApprovalRequest): boolean {
    return isFullyShown(getPreviewShape(request.prepared.preview), this.shown.get(request) ?? []);
  }

  /** Records that the user has seen the end of a proposal. */
  markSeen({ hosted, request }: PendingProposal, where: PreviewLocation): void {
    if (this.isSeen(request)) return;
    const places = this.shown.get(request) ?? new Set();
    this.shown.set(request, places.add(where));
    if (!this.isSeen(request)) return;
    this.seen.fire(hosted, request.hash);
  }

  /** Throws a sentence that explains how to see the rest of a proposal, unless the user has seen all of it. */
  demandSeen(request: ApprovalRequest): void {
    if (!this.isSeen(request)) throw new DisplayError(explainHowToSeeAll(getPreviewShape(request.prepared.preview)));
  }

  /** Prevents a key that was used to show a proposal from approving it while held down. */
  markShownByKey(request: ApprovalRequest): void {
    this.appeared.set(request, Date.now());
  }

  /**
   * Approves a proposal with the current text of its diff, if it's pending and the user has seen it. `count` grants the next commands as
   * well, including this one.
   */
  async approve({ hosted, live, request }: PendingProposal, options: { readonly count?: number } = {}): Promise<void> {
    this.requireShown(hosted, request.step, request.hash);
    this.demandSeen(request);
    const accepted = this.diff.findAcceptedText(hosted.id, request.step);
    if (options.count !== undefined && options.count > 1) {
      await hosted.run.record({ type: "granted", count: options.count });
      this.requireShown(hosted, request.step, request.hash);
      hosted.grants?.grantNext(options.count);
    }
    await live.decide(request.step, { allow: true, ...omitUndefined({ accepted }) });
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
    for (const waiting of this.runs.all.map(findPendingProposal)) {
      if (waiting && this.diff.isShown(waiting.hosted.id, waiting.request)) this.markSeen(waiting, "diff");
    }
  }
}

/** A proposal as a button outside the panel names it. */
export interface NamedProposal {
  readonly runId: string;
  readonly step: number;
  readonly hash: string;
}

/** The proposal in an action's argument, if there is one. */
export function parseNamedProposal(given: unknown): NamedProposal | undefined {
  if (!isObject(given)) return undefined;
  const { runId, step, hash } = given;
  return typeof runId === "string" && typeof step === "number" && typeof hash === "string"
    ? { runId, step, hash }
    : undefined;
}

/** The proposal of a run that needs a decision, if any. */
export function findPendingProposal(hosted: ComposedRun | undefined): PendingProposal | undefined {
  const waiting = hosted?.live?.pending;
  return hosted?.live && waiting?.kind === "proposal"
    ? { hosted, live: hosted.live, request: waiting.request }
    : undefined;
}

/** Editors that can show all of a proposal. */
export interface WholeViewers {
  readonly waits: PendingDecisions;
  readonly diff: ProposalDiffs;
  readonly documents: TextViewer;
}

/**
 * Shows everything a proposal would do in an editor: a change as its diff, anything else as text. It counts as seen once
 * the editor has all of it.
 */
export async function showWhole(
  { waits, diff, documents }: WholeViewers,
  waiting: PendingProposal,
  preserveFocus = false,
): Promise<void> {
  const { hosted, request } = waiting;
  const { step, prepared, proposal } = request;
  if (getPreviewShape(prepared.preview) === "change") return diff.reveal(hosted.id, step);
  const title = t("review.stepOf", { step, name: proposal.call.name });
  if (!(await documents.show(title, formatApprovalText(request), { preserveFocus }))) fail("approval.editorCut");
  waits.markSeen(waiting, "editor");
}

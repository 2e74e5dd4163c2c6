import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { findPendingProposal, type OpenRuns } from "./pending-decisions.ts";

/** The editors that show proposed changes. */
export interface ChangeEditors {
  /** Offers a change for review, replacing an earlier one of the step. With `auto`, the diff opens automatically. */
  offer(
    run: string,
    request: ApprovalRequest,
    options: { readonly auto: boolean; readonly cover: boolean; readonly name: string },
  ): Promise<void>;
  /** Closes the diff and forgets the proposal. */
  withdraw(run: string, step: number): Promise<void>;
  /** Replaces the diff, where it's open, by the written file at the change. */
  showWritten(run: string, step: number, options: { readonly cover: boolean }): Promise<void>;
}

/** The runs whose proposals are followed. */
export interface FollowedRuns extends Pick<OpenRuns, "onChange"> {
  onEvent(listener: (news: { readonly runId: string; readonly event: AgentEvent }) => void): {
    dispose(): void;
  };
}

/** Current options for a change. */
export interface OfferOptions {
  /** The setting to open diffs. */
  shouldOpenDiffs(): boolean;
  /** True while the keyboard focus is in the panel, so that an editor may be covered. */
  cover(): boolean;
}

interface Offer {
  readonly request: ApprovalRequest;
  readonly step: number;
}

/**
 * Offers the diffs of pending changes. After a decision, a diff stays until its step ends: an approved change leaves its file open, any
 * other diff closes.
 */
export function offerDiffs(
  runs: FollowedRuns,
  editors: ChangeEditors,
  { shouldOpenDiffs, cover }: OfferOptions,
): { dispose(): void } {
  const offered = new Map<string, Offer>();
  const decided = new Map<string, Offer>();
  const ignore = (): undefined => undefined;
  const close = (run: string, offer: Offer | undefined): void => {
    decided.delete(run);
    if (offer) void editors.withdraw(run, offer.step).catch(ignore);
  };
  const changing = runs.onChange((hosted) => {
    const waiting = findPendingProposal(hosted);
    const before = offered.get(hosted.id);
    if (before?.request === waiting?.request) return;
    offered.delete(hosted.id);
    if (before) decided.set(hosted.id, before);
    if (!waiting) return;
    const { request } = waiting;
    const left = decided.get(hosted.id);
    const isOffered = request.prepared.preview.kind === "change";
    // A new version of the same step takes the place of its diff.
    if (left?.step === request.step && isOffered) decided.delete(hosted.id);
    else close(hosted.id, left);
    if (!isOffered) return;
    offered.set(hosted.id, { request, step: request.step });
    void editors
      .offer(hosted.id, request, {
        auto: shouldOpenDiffs(),
        cover: cover(),
        name: hosted.title ?? hosted.run.state.task,
      })
      .catch(ignore);
  });
  const following = runs.onEvent(({ runId, event }) => {
    const left = decided.get(runId);
    if (!left) return;
    if (event.type === "over") close(runId, left);
    if (!("step" in event) || event.step !== left.step) return;
    if (event.type === "decided" && !event.allow) close(runId, left);
    if (event.type !== "ended") return;
    if (event.outcome.status !== "done") return close(runId, left);
    decided.delete(runId);
    void editors.showWritten(runId, left.step, { cover: cover() }).catch(ignore);
  });
  return {
    dispose: () => {
      changing.dispose();
      following.dispose();
    },
  };
}

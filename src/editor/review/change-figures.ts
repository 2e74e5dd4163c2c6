import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { ChangeFigures } from "../../schema/panel-values.ts";
import { findDroppedHunks, findHunks, type Range } from "./hunks.ts";
import { findPendingProposal, type OpenRuns, type PendingProposal, type ProposalDiffs } from "./pending-decisions.ts";

/** The texts of a proposed change. */
export interface ChangeTexts {
  /** Undefined for a new file. */
  readonly before?: string | undefined;
  readonly proposed: string;
  /** The proposal as the user edited it; undefined when it's unchanged. */
  readonly edited?: string | undefined;
}

/** The size of a change as it would be written, and the proposed hunks that the user dropped. */
export function measureChangeSize({ before = "", proposed, edited }: ChangeTexts): ChangeFigures {
  const current = findHunks(before, edited ?? proposed);
  return {
    added: countLines(current.map(({ right }) => right)),
    removed: countLines(current.map(({ left }) => left)),
    hunks: current.length,
    dropped: edited === undefined ? 0 : findDroppedHunks(before, proposed, edited).length,
    edited: edited !== undefined,
  };
}

function countLines(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** The figures of a proposed change as it is in its diff now; undefined for any other proposal. */
export function computeChangeFigures(
  { hosted, request }: Pick<PendingProposal, "hosted" | "request">,
  diff: Pick<ProposalDiffs, "findAcceptedText">,
): ChangeFigures | undefined {
  const { preview } = request.prepared;
  if (preview.kind !== "change") return undefined;
  const edited = diff.findAcceptedText(hosted.id, request.step);
  return measureChangeSize({ before: preview.before, proposed: preview.after, edited });
}

/** Delay after typing before the figures are counted again, in milliseconds. */
const QUIET_MS = 120;

/** New figures of a pending change that the user edits. */
export interface NewFigures {
  readonly run: string;
  readonly request: ApprovalRequest;
  readonly figures: ChangeFigures;
}

/** Reports the figures of pending changes whenever the user's edits change them. */
export function followFigures(
  { runs, diff }: { readonly runs: OpenRuns; readonly diff: ProposalDiffs },
  report: (news: NewFigures) => void,
): { dispose(): void } {
  const known = new WeakMap<ApprovalRequest, string>();
  let soon: NodeJS.Timeout | undefined;
  const count = (): void => {
    soon = undefined;
    for (const pending of runs.all.map(findPendingProposal)) {
      const figures = pending && computeChangeFigures(pending, diff);
      if (!pending || !figures) continue;
      const text = JSON.stringify(figures);
      const before = known.get(pending.request);
      known.set(pending.request, text);
      if (before === undefined ? figures.edited : before !== text)
        report({ run: pending.hosted.id, request: pending.request, figures });
    }
  };
  const following = diff.onDidChange(() => {
    clearTimeout(soon);
    soon = setTimeout(count, QUIET_MS);
  });
  return {
    dispose: () => {
      clearTimeout(soon);
      following.dispose();
    },
  };
}

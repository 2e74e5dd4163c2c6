import { findUnsavedFileText } from "../../core/ports/unsaved-texts.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import { acceptChanges } from "../../isolation/review/accept.ts";
import { keepAsBranch } from "../../isolation/review/branch.ts";
import { canWithdraw, recoverAccept, withdrawAccept } from "../../isolation/review/finish-accept.ts";
import { reviewCopy } from "../../isolation/review/review.ts";
import { runUnderReviewLock } from "../../isolation/review/review-lock.ts";
import type { RunLease } from "../../runs/log/run-lease.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import type { AgentEventBody } from "../../schema/events.ts";
import { fail } from "../../texts/display-text.ts";
import type { Host, RunCopy } from "../host.ts";
import { createUndoFiles } from "../run-files.ts";
import type { IsolatedRun } from "./isolated-run.ts";

/** The parts of a run that the review of its changes needs. */
interface ReviewedRun {
  /** The run's own folder. */
  readonly home: string;
  /** The workspace folder. */
  readonly folder: string;
  readonly lease: RunLease;
  record(event: AgentEventBody): Promise<unknown>;
  /** True while it works in its copy. */
  isBusy(): boolean;
}

/** Creates the review of an isolated run: the user's actions on the changes in its copy. Every result is recorded in the run's log. */
export function createIsolatedReview(
  { copy, walls, host, parts }: RunCopy,
  run: ReviewedRun,
  runLine: IsolatedRun["runLine"],
): IsolatedRun {
  const { home: runHome, folder, lease, record } = run;
  const { seal } = lease;
  const place = { runHome, seal, origins: copy.folders.map(({ origin }) => origin) };
  const isUnsaved = createUnsavedCheck(host);
  const files = createUndoFiles(host, folder).files;
  return {
    copy,
    walls,
    runLine,
    review: async (signal) =>
      reviewCopy({
        copy,
        runHome,
        seal,
        signal,
        isUnsaved,
        changes: await parts.listChanges(copy, signal),
        readBaseContents: (changes) => parts.readBaseContents(changes),
      }),
    accept: (review, choices) =>
      lease.runExclusively(() =>
        acceptChanges(review, choices, { files, record: (result) => recordAccepted(record, result) }),
      ),
    canWithdraw: () => canWithdraw(place, { files, folder, isUnsaved }),
    withdraw: () =>
      lease.runExclusively(async () => {
        const done = await withdrawAccept(place, { files, folder, isUnsaved });
        const names = [...new Set(done.steps.flatMap((step) => step.files))];
        await record({ type: "reviewed", what: "withdrawn", files: names, ...getConflictPaths(done) });
        return done;
      }),
    keepAsBranch: (review, branch) =>
      lease.runExclusively(async () => {
        const names = await keepAsBranch(review, branch);
        await record({ type: "reviewed", what: "branch", files: [...names], branch: branch.name });
        return names;
      }),
    discard: async (signal) => {
      if (run.isBusy()) fail("isolation.stopFirst");
      const changes = await parts.listChanges(copy, signal);
      const names = changes.map(({ folder: { name }, file }) => (copy.folders.length > 1 ? `${name}/${file}` : file));
      await runUnderReviewLock(place, async () => {
        await record({ type: "reviewed", what: "discarded", files: names });
        await parts.removeCopy(copy.home);
      });
    },
  };
}

function getConflictPaths({ conflicts }: UndoResult): { readonly conflicts?: string[] } {
  return conflicts.length > 0 ? { conflicts: conflicts.map(({ file }) => file) } : {};
}

async function recordAccepted(
  record: ReviewedRun["record"],
  { files, conflicts }: { readonly files: readonly string[]; readonly conflicts: readonly string[] },
): Promise<void> {
  await record({
    type: "reviewed",
    what: "accepted",
    files: [...files],
    ...(conflicts.length > 0 ? { conflicts: [...conflicts] } : {}),
  });
}

/** A run whose accept was interrupted. */
interface CompletedRun extends Pick<ReviewedRun, "home" | "folder" | "lease" | "record"> {
  readonly copy: Copy;
}

/** Completes an accept that was interrupted, and records it. */
export async function completeAccept(
  host: Host,
  { home: runHome, folder, copy, lease, record }: CompletedRun,
): Promise<void> {
  const { files } = createUndoFiles(host, folder);
  const place = { runHome, seal: lease.seal, origins: copy.folders.map(({ origin }) => origin) };
  await recoverAccept(place, { files, record: (result) => recordAccepted(record, result) });
}

function createUnsavedCheck({ workspace }: Host): (path: string) => boolean {
  return (path) =>
    findUnsavedFileText(workspace.unsaved, path) !== undefined || workspace.findUnsavedNotebook?.(path) !== undefined;
}

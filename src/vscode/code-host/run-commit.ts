import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  findBranchCommit,
  findChangedFiles,
  type LocalRepository,
  type UncommittedChanges,
} from "../../code-host/local-repository.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { createBranchName } from "../../editor/panel/run-groups.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import type { Review } from "../../isolation/review/review.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { fail } from "../../texts/display-text.ts";

/** The reviews of isolated runs, as far as a commit needs them. */
export interface RunReviews {
  /** The review in the panel, or one of the copy as it is now. */
  loadReview(hosted: HostedRun): Promise<Review>;
  /** Commits changes of a review to a new branch; throws a sentence if they have changed since. */
  commitToBranch(hosted: HostedRun, review: Review, branch: ReviewBranch): Promise<void>;
}

/** A new branch for changes of a review. */
export interface ReviewBranch {
  readonly name: string;
  readonly message: string;
  /** Labels of its changes; absent: all of them. */
  readonly labels?: readonly string[];
}

/** The changes of an isolated run's review, or the files that a run has changed in the workspace. */
export async function findUncommitted(
  reviews: RunReviews,
  hosted: HostedRun,
  local: LocalRepository,
): Promise<UncommittedChanges> {
  if (hosted.run.state.isolated) return findReviewed(reviews, hosted, local);
  const before = (await hosted.undo?.listEarlierContents()) ?? [];
  return findChangedFiles(local, hosted, before);
}

async function findReviewed(
  reviews: RunReviews,
  hosted: HostedRun,
  local: LocalRepository,
): Promise<UncommittedChanges> {
  const review = await reviews.loadReview(hosted);
  const byFile = new Map<string, string>();
  for (const { label, result, change } of review.changes) {
    const place = join(await realpath(change.folder.origin), change.file);
    const file = normalizeSlashes(relative(local.repository.root, place));
    if (result !== "refused" && !file.startsWith("../")) byFile.set(file, label);
  }
  return {
    files: [...byFile.keys()],
    commit: async (branch, message) => {
      // The checked-out branch stays as it is; the commit is kept on one of its own.
      const name = branch === local.branch ? createBranchName(getRunTitle(hosted), hosted.id) : branch;
      await reviews.commitToBranch(hosted, review, { name, message, labels: [...byFile.values()] });
      return (await findBranchCommit(local, name)) ?? fail("codehost.noGit", { why: name });
    },
  };
}

import { join, relative } from "node:path";
import { findBranchCommit, type LocalRepository } from "../../code-host/local-repository.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { createBranchName } from "../../editor/panel/run-groups.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import { createLooseCommit, listCommittableFiles } from "../../node/git/commit.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";

/** The reviews of isolated runs, as far as a commit needs them. */
export interface RunReviews {
  /** Labels of the changes that a commit would have. */
  listReviewed(hosted: HostedRun): Promise<readonly string[]>;
  /** Commits the reviewed changes to a new branch. */
  commitToBranch(hosted: HostedRun, name: string, message: string): Promise<void>;
}

/** Files of a run that its commit will have: those of an isolated run's review, or those that it has changed in the workspace. */
export async function listUncommitted(
  reviews: RunReviews,
  hosted: HostedRun,
  { folder }: LocalRepository,
): Promise<readonly string[]> {
  if (hosted.run.state.isolated) return reviews.listReviewed(hosted);
  const before = (await hosted.undo?.listEarlierContents()) ?? [];
  const files = before.map(({ path }) => relative(hosted.folder, path)).filter((file) => !file.startsWith(".."));
  return listCommittableFiles(folder, files);
}

/** A commit of a run's changes. */
interface RunCommit {
  /** The branch that it's for. */
  readonly branch: string;
  readonly message: string;
  /** Relative to the folder; an isolated run's are those of its review. */
  readonly files: readonly string[];
}

/** Commits a run's changes on top of the last commit, and leaves files, index and the checked-out branch as they are. Returns the hash. */
export async function commitRun(
  reviews: RunReviews,
  hosted: HostedRun,
  local: LocalRepository,
  { branch, message, files }: RunCommit,
): Promise<string> {
  if (!hosted.run.state.isolated) {
    const index = join(hosted.home, `index-${process.pid}-${Date.now()}`);
    return createLooseCommit({ folder: local.folder, files, message, index });
  }
  // The checked-out branch stays as it is; the commit is kept on one of its own.
  const kept = branch === local.branch ? createBranchName(getRunTitle(hosted), hosted.id) : branch;
  await reviews.commitToBranch(hosted, kept, message);
  const commit = await findBranchCommit(local, kept);
  if (commit === undefined) throw new DisplayError(displayText("codehost.noGit", { why: kept }));
  return commit;
}

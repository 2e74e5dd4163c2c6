import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createHarmlessGit, type HarmlessGit } from "../../node/git/git.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import {
  type BlobStore,
  cleanBlob,
  type FilteredPath,
  hashObject,
  readBlobContent,
  readGitOutput,
} from "./git-blobs.ts";
import { hasExecutableBit, type ThreeVersions } from "./merge-versions.ts";
import {
  getAcceptedPlace,
  isVersionReviewed,
  type Review,
  type ReviewedChange,
  runWithVersions,
  startBases,
} from "./review.ts";
import { runUnderReviewLock } from "./review-lock.ts";
import { isBinary, mergeLines } from "./three-way.ts";
import { readWholeContent } from "./versions.ts";

/** A branch for the changes of a run. */
export interface NewBranch {
  readonly name: string;
  readonly message: string;
  /** Labels of the changes to commit; absent: all of them. */
  readonly labels?: readonly string[];
  readonly signal: AbortSignal;
}

/** A commit that no branch names yet. */
interface MadeCommit {
  readonly git: HarmlessGit;
  readonly commit: string;
}

/**
 * Commits changes of a run to a new branch of the workspace's repository, on top of its last commit. Checked-out files, the index and
 * `HEAD` stay as they are, and no program of the repository runs. Returns the labels of the committed files.
 */
export async function keepAsBranch(
  review: Review,
  { name, message, labels, signal }: NewBranch,
): Promise<readonly string[]> {
  const { runHome } = review.parts;
  const changes = review.changes.filter(
    ({ label, result }) => result !== "refused" && (labels === undefined || labels.includes(label)),
  );
  if (changes.length === 0) fail("isolation.branch.nothing");
  return runUnderReviewLock(getAcceptedPlace(review.parts), async () => {
    const made: MadeCommit[] = [];
    for (const [repository, own] of await groupByRepository(changes)) {
      const index = join(runHome, "accepted", `index-${randomUUID()}`);
      try {
        await mkdir(dirname(index), { recursive: true, mode: 0o700 });
        const git = await createBranchGit(repository, signal, index);
        await checkName(git, name);
        made.push({ git, commit: await createCommit({ review, repository, git, message }, own) });
      } finally {
        for (const one of [index, `${index}.lock`]) await rm(one, { force: true });
      }
    }
    await nameCommits(made, name);
    return changes.map(({ label }) => label);
  });
}

/** Groups changes by the workspace repository that contains them. */
async function groupByRepository(
  changes: readonly ReviewedChange[],
): Promise<ReadonlyMap<Repository, readonly ReviewedChange[]>> {
  const known = new Map<string, Repository>();
  const grouped = new Map<Repository, ReviewedChange[]>();
  for (const change of changes) {
    const { folder } = change.change;
    const repository = known.get(folder.origin) ?? (await findRepositoryAround(folder.origin));
    if (!repository) fail("isolation.branch.noRepository", { folder: folder.name });
    known.set(folder.origin, repository);
    const nearest = await findRepositoryAround(dirname(change.path));
    if (nearest?.gitFolder !== repository.gitFolder) fail("isolation.branch.submodule", { file: change.label });
    grouped.set(repository, [...(grouped.get(repository) ?? []), change]);
  }
  return grouped;
}

async function createBranchGit(repository: Repository, signal: AbortSignal, index: string): Promise<HarmlessGit> {
  const git = await createHarmlessGit(repository, signal, index);
  if ("why" in git) fail("isolation.branch.failed", { why: git.why });
  return git;
}

async function checkName(git: HarmlessGit, branch: string): Promise<void> {
  const answer = await git(["check-ref-format", `refs/heads/${branch}`]);
  if (!answer.ok || branch.startsWith("-") || branch === "HEAD") fail("isolation.branch.badName", { branch });
}

interface Committing extends BlobStore {
  readonly review: Review;
  readonly message: string;
}

/** Creates a commit that applies these changes to the last commit's files. */
async function createCommit(making: Committing, changes: readonly ReviewedChange[]): Promise<string> {
  const { git, message, review } = making;
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const parent = head.ok ? head.text.trim() : undefined;
  const own = ["-c", "core.splitIndex=false", "-c", "index.sparse=false"];
  await readGitOutput(git, [...own, "read-tree", ...(parent === undefined ? ["--empty"] : [parent])]);
  const filters = await readPathFilters(git, making.repository, changes);
  const committed = parent === undefined ? new Map() : await readCommittedFiles(making, parent, changes);
  const bases = startBases(review.parts);
  const lines = await runWithVersions(review.parts, changes, bases, async (change, versions) => {
    const path = getRepositoryPath(making.repository, change);
    if (!isVersionReviewed(change, versions)) fail("isolation.outdated");
    const entry = await formatIndexEntry(making, change, {
      path,
      filter: filters.get(path),
      versions,
      ...(committed.has(path) ? { head: committed.get(path) } : {}),
    });
    return `${entry}\t${path}\0`;
  });
  await readGitOutput(git, [...own, "update-index", "-z", "--index-info"], lines.join(""));
  const tree = (await readGitOutput(git, ["write-tree", "--missing-ok"])).trim();
  const parents = parent === undefined ? [] : ["-p", parent];
  return (await readGitOutput(git, ["commit-tree", tree, ...parents, "-F", "-"], message)).trim();
}

function getRepositoryPath({ root }: Repository, { path }: ReviewedChange): string {
  return normalizeSlashes(relative(root, path));
}

/**
 * Reads the filters that git applies to paths when adding them, by the workspace's attributes. Filters other than Git LFS's would have to
 * run a program.
 */
async function readPathFilters(
  git: HarmlessGit,
  repository: Repository,
  changes: readonly ReviewedChange[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map(changes.map((change) => [getRepositoryPath(repository, change), change.label]));
  const paths = [...labels.keys()].map((path) => `${path}\0`).join("");
  const listed = (await readGitOutput(git, ["check-attr", "-z", "--stdin", "filter"], paths)).split("\0");
  const filters = new Map<string, string>();
  for (let at = 0; at + 2 < listed.length; at += 3) {
    const [path = "", , filter = ""] = listed.slice(at, at + 3);
    if (!["unspecified", "unset", "set"].includes(filter)) filters.set(path, filter);
  }
  for (const [path, filter] of filters) {
    if (filter === "lfs") continue;
    for (const kind of ["clean", "process"])
      if ((await git(["config", "--get", `filter.${filter}.${kind}`])).ok)
        fail("isolation.branch.filter", { file: labels.get(path) ?? path, filter });
  }
  return filters;
}

interface CommittedFile {
  readonly mode: string;
  readonly blob: string;
}

/** Maximum number of paths per git command, because of the limit for arguments. */
const PATHS_AT_ONCE = 200;

async function readCommittedFiles(
  { git, repository }: Committing,
  commit: string,
  changes: readonly ReviewedChange[],
): Promise<ReadonlyMap<string, CommittedFile>> {
  const paths = changes.map((change) => getRepositoryPath(repository, change));
  const found = new Map<string, CommittedFile>();
  for (let start = 0; start < paths.length; start += PATHS_AT_ONCE) {
    const some = paths.slice(start, start + PATHS_AT_ONCE);
    const listed = await readGitOutput(git, ["ls-tree", "-z", "--full-tree", commit, "--", ...some]);
    for (const line of listed.split("\0")) {
      const [, mode, blob, path] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      if (mode && blob && path) found.set(path, { mode, blob });
    }
  }
  return found;
}

interface Entry extends FilteredPath {
  readonly versions: ThreeVersions;
  readonly head?: CommittedFile;
}

/** Formats a git index line without its path: mode and blob of a file, or its removal. */
async function formatIndexEntry(making: Committing, change: ReviewedChange, entry: Entry): Promise<string> {
  const { state, content } = entry.versions.theirs;
  const { folder, file } = change.change;
  switch (state.kind) {
    case "missing":
    case "folder":
      return `0 ${"0".repeat(40)}`;
    case "link":
      return `120000 ${await hashObject(making, state.to)}`;
    case "other":
      return fail("isolation.branch.special", {
        file: change.label,
        why: displayText("isolation.why.special"),
      });
    case "file": {
      const whole = content ?? (await readWholeContent(join(folder.path, file), state.hash));
      const { base } = entry.versions;
      const isModeKept =
        base.state.kind === "file" && hasExecutableBit(base.state.mode) === hasExecutableBit(state.mode);
      const own = hasExecutableBit(state.mode) ? "100755" : "100644";
      const mode = isModeKept && entry.head?.mode.startsWith("100") ? entry.head.mode : own;
      return `${mode} ${await writeChangeBlob(making, whole, entry)}`;
    }
  }
}

/** Writes the blob of the run's version. If the last commit differs from the run's base, only the run's own changes are applied to it. */
async function writeChangeBlob(making: Committing, content: Buffer, entry: Entry): Promise<string> {
  const { head, versions } = entry;
  const { base } = versions;
  const theirs = await cleanBlob(making, entry, content);
  if (!head || !base.content || theirs === head.blob) return theirs;
  const before = await cleanBlob(making, entry, base.content);
  if (before === head.blob) return theirs;
  const blobs = [before, head.blob, theirs];
  const [old, committed, own] = await Promise.all(blobs.map((blob) => readBlobContent(making, blob)));
  if (!old || !committed || !own || [old, committed, own].some(isBinary)) return theirs;
  const merge = mergeLines(old, committed, own);
  return !merge || merge.conflicts > 0 ? theirs : hashObject(making, merge.content);
}

/** Makes the branch in all repositories, or in none. */
async function nameCommits(made: readonly MadeCommit[], branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const named: MadeCommit[] = [];
  for (const one of made) {
    const answer = await one.git(["update-ref", "-m", "autogpt: kept changes of a run", ref, one.commit, ""]);
    if (answer.ok) named.push(one);
    else {
      for (const { git, commit } of named) await git(["update-ref", "-d", ref, commit]);
      throw new DisplayError(displayText("isolation.branch.exists", { branch }), {
        cause: new Error(answer.why),
      });
    }
  }
}

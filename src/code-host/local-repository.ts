import { join, relative } from "node:path";
import type { Repository } from "../core/ports/programs.ts";
import { normalizeSlashes } from "../node/files/real-path.ts";
import { createLooseCommit, listCommittableFiles } from "../node/git/commit.ts";
import { createHarmlessGit, findCommitHash, type HarmlessGit } from "../node/git/git.ts";
import { findForeignHistory, findRepositoryAround } from "../node/git/repository.ts";
import { fail } from "../texts/display-text.ts";
import { findRemoteHost, listNamedRemotes, type NamedRemote } from "./remotes.ts";
import type { CodeServer } from "./servers.ts";

/** The repository of a workspace folder whose remotes are on a known server. */
export interface LocalRepository {
  readonly folder: string;
  readonly repository: Repository;
  /** Reads, and starts no program of the repository. */
  readonly git: HarmlessGit;
  /** At least one; the target of pull requests is the first. */
  readonly remotes: readonly NamedRemote[];
  /** The last commit. */
  readonly head: string;
  /** The checked-out branch; undefined if `HEAD` is detached. */
  readonly branch: string | undefined;
}

/** Reads the repository around a folder, given by its real path. Throws a sentence if it can't be used with these servers. */
export async function readLocalRepository(
  folder: string,
  servers: readonly CodeServer[],
  signal: AbortSignal,
): Promise<LocalRepository> {
  const repository = await findRepositoryAround(folder);
  if (!repository) return fail("codehost.noRepositoryHere", { folder });
  const outside = await findForeignHistory(repository);
  if (outside !== undefined) return fail("scm.historyElsewhere", { place: outside });
  const git = await createHarmlessGit(repository, signal);
  if ("why" in git) return fail("codehost.noGit", { why: git.why });
  const config = await readLine(git, ["config", "--get-regexp", "^remote\\..*\\.url$"]);
  const remotes = listNamedRemotes(config, servers);
  if (remotes.length === 0) {
    const addresses = config.split("\n").flatMap((line) => / (.+)$/.exec(line)?.[1] ?? []);
    const hosts = [...new Set(addresses.map((address) => findRemoteHost(address) ?? address))];
    return hosts.length === 0 ? fail("codehost.noRemote") : fail("codehost.otherRemote", { hosts: hosts.join(", ") });
  }
  const head = await findCommitHash(git, "HEAD");
  if (head === undefined) return fail("codehost.noCommits");
  const branch = await readLine(git, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return { folder, repository, git, remotes, head, branch: branch === "" ? undefined : branch };
}

/** Git's answer without white space around it; "" if it fails. */
async function readLine(git: HarmlessGit, args: readonly string[]): Promise<string> {
  const answer = await git(args);
  return answer.ok ? answer.text.trim() : "";
}

/** The commits and files that a push would send. */
export interface Outgoing {
  /** The commit on the server that they are compared with. */
  readonly base: string;
  /** Hash and subject of each, the newest first, up to a limit. */
  readonly commits: readonly string[];
  /** Number of all commits. */
  readonly count: number;
  /** Relative to the repository's root. */
  readonly files: readonly string[];
}

const MOST_COMMITS = 200;
const MOST_CHARACTERS = 32_000_000;

/**
 * Lists what commits have that a base on the server doesn't. `base`: hashes of commits that the server has, best first; the first that is
 * known here counts. Throws a sentence if none is.
 */
export async function listOutgoing(
  { git }: LocalRepository,
  commit: string,
  base: { readonly name: string; readonly commits: readonly string[] },
): Promise<Outgoing> {
  for (const one of base.commits) {
    if ((await readLine(git, ["cat-file", "-t", one])) !== "commit") continue;
    const range = `${one}..${commit}`;
    const log = await readLine(git, ["log", "--format=%h %s", `--max-count=${MOST_COMMITS}`, range]);
    const count = Number(await readLine(git, ["rev-list", "--count", range]));
    const differing = ["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", `${one}...${commit}`];
    const names = await git(differing, { most: MOST_CHARACTERS });
    // Histories without a common commit have no such difference.
    if (!names.ok) return fail("codehost.unrelated", { base: base.name });
    if (names.isCut) return fail("codehost.tooManyFiles", { base: base.name });
    const files = names.text.split("\0").filter((name) => name !== "");
    return { base: one, commits: log === "" ? [] : log.split("\n"), count, files };
  }
  return fail("codehost.fetchFirst", { base: base.name });
}

/** True if a commit is the next one after another. */
export async function isNextCommit({ git }: LocalRepository, commit: string, parent: string): Promise<boolean> {
  return (await readLine(git, ["rev-parse", `${commit}^@`])) === parent;
}

/** The hash of a branch as it was last fetched from a remote; undefined if it never was. */
export function findFetchedCommit(
  { git }: LocalRepository,
  remote: string,
  branch: string,
): Promise<string | undefined> {
  return findCommitHash(git, `refs/remotes/${remote}/${branch}`);
}

/** The commit of a branch; undefined if there is no such branch. */
export function findBranchCommit({ git }: LocalRepository, branch: string): Promise<string | undefined> {
  return findCommitHash(git, `refs/heads/${branch}`);
}

/** True for a name that git accepts for a branch. */
export async function isBranchName({ git }: LocalRepository, name: string): Promise<boolean> {
  const answer = await git(["check-ref-format", `refs/heads/${name}`]);
  return answer.ok && !name.startsWith("-") && name !== "HEAD";
}

/** Names a commit as a branch, unless there is one of that name. */
export async function nameBranch({ git }: LocalRepository, name: string, commit: string): Promise<void> {
  await git(["update-ref", "-m", "autogpt: sent to a pull request", `refs/heads/${name}`, commit, ""]);
}

/** Changes of a run that aren't committed yet. */
export interface UncommittedChanges {
  /** Relative to the repository's root. */
  readonly files: readonly string[];
  /**
   * Commits exactly these on top of the last commit, and leaves files, index and the checked-out branch as they are. `branch`: the one that
   * it's for. Returns the hash.
   */
  commit(branch: string, message: string): Promise<string>;
}

/** The files that a run has changed in the workspace. */
export async function findChangedFiles(
  { folder, repository, head: parent }: LocalRepository,
  run: { readonly folder: string; readonly home: string },
  contents: readonly { readonly path: string }[],
): Promise<UncommittedChanges> {
  const changed = contents.map(({ path }) => relative(run.folder, path)).filter((file) => !file.startsWith(".."));
  const files = await listCommittableFiles(folder, changed);
  return {
    files: files.map((file) => normalizeSlashes(relative(repository.root, join(folder, file)))),
    commit: (_branch, message) => {
      const index = join(run.home, `index-${process.pid}-${Date.now()}`);
      return createLooseCommit({ folder, files, message, parent, index });
    },
  };
}

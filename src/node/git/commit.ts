import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { fail } from "../../texts/display-text.ts";
import { normalizeSlashes } from "../files/real-path.ts";
import { findOnPath } from "../processes/programs.ts";
import { createGitEnvironment } from "./environment.ts";
import { createHarmlessGit } from "./git.ts";
import { findRepositoryAround } from "./repository.ts";

const run = promisify(execFile);

/** Why git didn't commit, in git's words. */
class GitProblem extends Error {
  override readonly name = "GitProblem";
}

/**
 * Commits only these files of a folder, as they are on the disk; what the user has staged stays staged. The repository's hooks run as
 * usual. Returns the short hash of the commit; throws `GitProblem`.
 */
export async function commitFiles(folder: string, files: readonly string[], message: string): Promise<string> {
  const unknown = await listUntrackedFiles(folder, files);
  if (unknown.length > 0) await callGit(folder, ["add", "--intent-to-add", "--", ...unknown]);
  try {
    await callGit(folder, ["commit", "--quiet", "--only", "--message", message, "--", ...files]);
  } catch (error) {
    if (unknown.length > 0) await callGit(folder, ["reset", "--quiet", "--", ...unknown]).catch(() => undefined);
    throw error;
  }
  return (await callGit(folder, ["rev-parse", "--short", "HEAD"])).trim();
}

/** A commit that no branch names. */
export interface LooseCommit {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
  readonly message: string;
  /** The commit that it continues. */
  readonly parent: string;
  /** A file for git's index, which is removed afterward. */
  readonly index: string;
}

/**
 * Makes a commit of files on top of another one, which no branch names yet. Branch, index and files stay as they are, no hook runs, and no
 * filter that the repository's own settings name. Returns its hash; throws `GitProblem`, or a sentence.
 */
export async function createLooseCommit({ folder, files, message, parent, index }: LooseCommit): Promise<string> {
  const own = { ...createGitEnvironment(process.env, [], "nothing"), GIT_INDEX_FILE: index };
  await demandUsersFilters(folder, files, own);
  try {
    await callGit(folder, ["read-tree", parent], own);
    await callGit(folder, ["add", "--all", "--", ...files], own);
    const tree = (await callGit(folder, ["write-tree"], own)).trim();
    return (await callGit(folder, ["commit-tree", tree, "-p", parent, "-m", message], own)).trim();
  } finally {
    for (const one of [index, `${index}.lock`]) await rm(one, { force: true });
  }
}

/** Throws a sentence if a file would pass through a program that the repository's settings name, rather than the user's. */
async function demandUsersFilters(folder: string, files: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const listed = (await callGit(folder, ["check-attr", "-z", "filter", "--", ...files], env)).split("\0");
  const byFilter = new Map(listed.flatMap((file, at) => (at % 3 === 0 ? [[listed[at + 2] ?? "", file]] : [])));
  for (const [filter, file] of byFilter)
    for (const kind of ["clean", "process"]) {
      const asked = ["config", "--show-scope", "--get", `filter.${filter}.${kind}`];
      const found = await callGit(folder, asked, env).catch(() => "");
      if (/^(?:local|worktree)\t/.test(found)) fail("isolation.branch.filter", { file, filter });
    }
}

/** The files that can be committed: changed and not ignored. Empty outside a repository. No program of the repository runs. */
export async function listCommittableFiles(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const repository = files.length === 0 ? undefined : await findRepositoryAround(folder);
  const git = repository && (await createHarmlessGit(repository, new AbortController().signal));
  if (!git || "why" in git) return [];
  const prefix = normalizeSlashes(join(relative(repository.root, folder), "/")).replace(/^\.?\//, "");
  const options = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
  const status = await git(["status", ...options, "--", ...files.map((file) => prefix + normalizeSlashes(file))]);
  const named = status.ok ? status.text.split("\0").filter((line) => line.length > 3) : [];
  return named.map((line) => line.slice(3)).map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path));
}

async function listUntrackedFiles(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const listed = await callGit(folder, ["ls-files", "-z", "--others", "--exclude-standard", "--", ...files]);
  return listed.split("\0").filter((file) => file !== "");
}

/** Runs git. Names are taken literally, no monitor starts, and git settings in the user's environment have no effect. */
async function callGit(cwd: string, args: readonly string[], own?: NodeJS.ProcessEnv): Promise<string> {
  const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const program = findOnPath(["git"], process.env);
  if (program === undefined) throw new GitProblem(NO_GIT);
  const all = ["--literal-pathspecs", "-c", "core.fsmonitor=false", ...args];
  try {
    const env = { ...(own ?? plain), GIT_TERMINAL_PROMPT: "0" };
    const { stdout } = await run(program, all, { cwd, env, maxBuffer: MOST });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new GitProblem(said || NO_GIT, { cause: error });
  }
}

const NO_GIT = "Git could not be run. Install it, or commit by hand.";

const MOST = 32 * 1024 * 1024;

import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

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
 * Makes a commit of files on top of another one, which no branch names yet. Branch, index and files stay as they are, and no hook runs.
 * Returns its hash; throws `GitProblem`.
 */
export async function createLooseCommit({ folder, files, message, parent, index }: LooseCommit): Promise<string> {
  const own = { GIT_INDEX_FILE: index };
  try {
    await callGit(folder, ["read-tree", parent], own);
    await callGit(folder, ["add", "--all", "--", ...files], own);
    const tree = (await callGit(folder, ["write-tree"], own)).trim();
    return (await callGit(folder, ["commit-tree", tree, "-p", parent, "-m", message], own)).trim();
  } finally {
    for (const one of [index, `${index}.lock`]) await rm(one, { force: true });
  }
}

/** The files that can be committed: changed and not ignored. Empty outside a repository. */
export async function listCommittableFiles(folder: string, files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const status = await callGit(folder, [
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--",
    ...files,
  ]).catch(() => "");
  const root = (await callGit(folder, ["rev-parse", "--show-prefix"]).catch(() => "")).trim();
  const named = status.split("\0").filter((line) => line.length > 3);
  return named.map((line) => line.slice(3)).map((path) => (path.startsWith(root) ? path.slice(root.length) : path));
}

async function listUntrackedFiles(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const listed = await callGit(folder, ["ls-files", "-z", "--others", "--exclude-standard", "--", ...files]);
  return listed.split("\0").filter((file) => file !== "");
}

/** Runs git. Names are taken literally, no monitor starts, and git settings in the user's environment have no effect. */
async function callGit(
  cwd: string,
  args: readonly string[],
  own: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const all = ["--literal-pathspecs", "-c", "core.fsmonitor=false", ...args];
  try {
    const { stdout } = await run("git", all, {
      cwd,
      env: { ...env, ...own, GIT_TERMINAL_PROMPT: "0" },
      maxBuffer: MOST,
    });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new GitProblem(said || "Git could not be run. Install it, or commit by hand.", { cause: error });
  }
}

const MOST = 32 * 1024 * 1024;

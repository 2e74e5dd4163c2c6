import type { ReadRepository } from "./change-set.ts";

/** A commit that the user can choose. */
export interface ListedCommit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** How long ago, in git's words. */
  readonly age: string;
}

const MOST_BRANCHES = 200;
const MOST_COMMITS = 100;
const FIELD = "\x1f";

/** The names of the branches except the current one, the newest first. */
export async function listOtherBranches({ git }: ReadRepository): Promise<readonly string[]> {
  const format = `--format=%(HEAD)${FIELD}%(refname:short)${FIELD}%(symref)`;
  const order = ["--sort=-committerdate", `--count=${MOST_BRANCHES}`];
  const answer = await git(["for-each-ref", ...order, format, "refs/heads", "refs/remotes"]);
  const rows = answer.ok ? answer.text.split("\n").map((row) => row.split(FIELD)) : [];
  return rows.flatMap(([head, name = "", target]) => (head === "*" || name === "" || target !== "" ? [] : [name]));
}

/** The last commits, the newest first. */
export async function listLastCommits({ git }: ReadRepository): Promise<readonly ListedCommit[]> {
  const format = `--format=${["%H", "%s", "%an", "%ar"].join(FIELD)}`;
  const answer = await git(["log", "--no-show-signature", "--no-color", `-n${MOST_COMMITS}`, format]);
  const rows = answer.ok ? answer.text.split("\n").map((row) => row.split(FIELD)) : [];
  return rows.flatMap(([hash = "", subject = "", author = "", age = ""]) =>
    hash === "" ? [] : [{ hash, subject, author, age }],
  );
}

/** The files that aren't as a commit has them, relative to the root. */
export async function listFilesChangedSince({ git }: ReadRepository, commit: string): Promise<ReadonlySet<string>> {
  const answer = await git([
    "diff",
    "--name-only",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--end-of-options",
    commit,
    "--",
  ]);
  return new Set(answer.ok ? answer.text.split("\0") : []);
}
